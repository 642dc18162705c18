"""The parameters of agents' models as a heat map: agents by parameter and condition."""

from __future__ import annotations

from itertools import pairwise, product
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import is_people, short_names
from whybench.drawing.marks import is_small
from whybench.drawing.style import SMALL, WIDTH, colour
from whybench.stats import SMALL_N
from whybench.suites.judge.figures.looks import measure_name, style_name
from whybench.suites.judge.figures.results import StyledCondition, by_place, estimated, places_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["PARAMETERS", "parameter_map"]

PARAMETERS = ("p", "b", "m", "lad")
ROW = 3.5
"""Height of a row in mm."""
NAMES = 32
"""Width that agents' names need, in mm."""
NUMBER = 5.4
"""Width from which a cell holds its number, in mm."""

FEW = 0.72
"""Size of a cell that rests on few answers."""
SHADES = colormaps["cividis"]
"""Even in lightness, so that it reads the same in grey and to colour-blind readers."""

Found = dict[tuple[str, StyledCondition], dict[str, "Measure"]]


@styled
def parameter_map(measures: Sequence[Measure]) -> Figure:
    """Draw p, b, m and LAD of each agent, a column for each condition and style.

    People come first, then agents by LAD in the first column; those with too few answers there
    come last. Small cells rest on few answers, empty ones have no estimate. Numbers are
    hundredths, and are left out where columns are too many for them.

    Args:
        measures: Measures `p`, `b`, `m` and `lad`.
    """
    known = estimated(measures, *PARAMETERS)
    places = places_of(known)
    found = by_place(known) | _people_everywhere(known, places)
    agents = sorted(
        dict.fromkeys(m.labels["agent"] for m in known),
        key=lambda agent: _rank(agent, found, places),
    )
    lowest = min([0.0, *(m.estimate for m in known if m.estimate is not None)])
    norm = Normalize(np.floor(lowest * 10) / 10, 1)
    figure = sheet(ROW * len(agents) + 32)
    panels = figure.subplots(1, len(PARAMETERS), sharey=True, squeeze=False)[0]
    ranks = [_rank(agent, found, places)[0] for agent in agents]
    for axes, parameter in zip(panels, PARAMETERS, strict=True):
        _draw_block(axes, parameter, agents, places, found, norm)
        for row, (one, two) in enumerate(pairwise(ranks)):
            if one != two:
                axes.axhline(row + 0.5, color=colour("black"), linewidth=0.8)
    names = short_names(agents)
    panels[0].set_yticks(range(len(agents)), [names[agent] for agent in agents])
    panels[0].set_ylim(len(agents) - 0.5, -0.5)
    shades = ScalarMappable(norm, SHADES)
    bar = figure.colorbar(shades, ax=panels, location="top", aspect=45, shrink=0.5, pad=0.04)
    bar.outline.set_linewidth(0.4)
    styles = dict.fromkeys(place.style for place in places)
    bar.set_label("estimate" + (f", {style_name(next(iter(styles)))}" if len(styles) == 1 else ""))
    notes = [f"small cell: fewer than {SMALL_N} answers"] if any(map(is_small, known)) else []
    notes += ["cells hold hundredths"] if _numbered(places) else []
    figure.supxlabel("; ".join(["empty cell: no estimate", *notes]), fontsize=SMALL)
    return figure


def _numbered(places: Sequence[StyledCondition]) -> bool:
    """Say whether cells are wide enough for numbers."""
    return (WIDTH - NAMES) / (len(PARAMETERS) * len(places)) >= NUMBER


def _people_everywhere(measures: Sequence[Measure], places: Sequence[StyledCondition]) -> Found:
    """Return people's measures under every style: they were asked in one way."""
    found: Found = {}
    for measure in measures:
        for place in places:
            agent = measure.labels["agent"]
            if is_people(agent) and StyledCondition.of(measure).condition == place.condition:
                found.setdefault((agent, place), {})[measure.name] = measure
    return found


def _rank(agent: str, found: Found, places: Sequence[StyledCondition]) -> tuple[int, float]:
    if is_people(agent):
        return -1, 0.0
    for rank, place in enumerate(places):
        lad = found.get((agent, place), {}).get("lad")
        if lad is not None and lad.estimate is not None and not is_small(lad):
            return rank, -lad.estimate
    return len(places), inf


def _draw_block(
    axes: Axes,
    parameter: str,
    agents: Sequence[str],
    places: Sequence[StyledCondition],
    found: Mapping[tuple[str, StyledCondition], Mapping[str, Measure]],
    norm: Normalize,
) -> None:
    """Draw the cells of one parameter."""
    axes.set_title(measure_name(parameter) if parameter != "lad" else "LAD")
    for (row, agent), (column, place) in product(enumerate(agents), enumerate(places)):
        measure = found.get((agent, place), {}).get(parameter)
        if measure is None or measure.estimate is None:
            continue
        shade = norm(measure.estimate)
        side = FEW if is_small(measure) else 1.0
        axes.add_patch(
            Rectangle(
                (column - side / 2, row - side / 2), side, side,
                facecolor=SHADES(shade), edgecolor="white", linewidth=0.4,
                gid=f"points-{parameter}-{column}-{row}",
            )
        )  # fmt: skip
        if _numbered(places):
            text = f"{100 * measure.estimate:.0f}".replace("-0", "0").replace("-", "\u2212")
            dark = "white" if shade < 0.5 else colour("black")
            axes.text(column, row, text, ha="center", va="center_baseline", fontsize=SMALL,
                      color=dark)  # fmt: skip
    axes.set_xlim(-0.5, len(places) - 0.5)
    styles = dict.fromkeys(place.style for place in places)
    axes.set_xticks(
        range(len(places)),
        [place.condition if len(styles) == 1 else "\n".join(place) for place in places],
        rotation=90,
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
