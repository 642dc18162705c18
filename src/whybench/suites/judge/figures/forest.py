"""How well agents agree with people: a forest of correlations and what could be reached."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.marks import add_key, draw_points, is_small, key_of, small_key
from whybench.drawing.names import is_people, short_names
from whybench.drawing.style import MARKER, SIZE, colour
from whybench.suites.contract import UserError
from whybench.suites.judge.alignment import POOLED
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import Place, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["alignment_forest"]

ROW = 3.7
"""Height of a row in mm."""


@styled
def alignment_forest(measures: Sequence[Measure], ceiling: Measure | None = None) -> Figure:
    """Draw each agent's alignment with its interval, a panel for each condition and style.

    Agents stand in the order of their alignment in the first panel; below a line those that have
    none there, or too few answers to be ranked. A cross is an agent without a rho.

    Args:
        measures: Measures `alignment`; those of single stories and of people are left out.
        ceiling: People's `alignment_ceiling`, drawn as a band.
    """
    pooled = [
        measure
        for measure in measures
        if measure.name == "alignment"
        and measure.labels["story"] == POOLED
        and not is_people(measure.labels["agent"])
    ]
    if not pooled:
        raise UserError("measures must hold pooled alignments, got none")
    places = places_of(pooled)
    found = {(m.labels["agent"], Place.of(m)): m for m in pooled}
    agents = list(dict.fromkeys(m.labels["agent"] for m in pooled))
    ranked = {agent: _rank([found.get((agent, place)) for place in places]) for agent in agents}
    agents.sort(key=lambda agent: ranked[agent])

    figure = sheet(ROW * len(agents) + 22)
    panels = figure.subplots(1, len(places), sharex=True, sharey=True, squeeze=False)[0]
    for axes, place in zip(panels, places, strict=True):
        mine = [found.get((agent, place)) for agent in agents]
        if ceiling is not None:
            _draw_ceiling(axes, ceiling)
        _draw_rows(axes, mine, place)
        for row, (one, two) in enumerate(pairwise(agents)):
            if ranked[one][0] != ranked[two][0]:
                axes.axhline(row + 0.5, color=colour("grey"), linewidth=0.6)
    names = short_names(agents)
    panels[0].set_yticks(range(len(agents)), [names[agent] for agent in agents])
    panels[0].set_ylim(len(agents) - 0.4, -0.6)
    lows = [m.low for m in pooled if m.low is not None]
    panels[0].set_xlim(min([0.0, *lows]) - 0.02, 1.0)
    panels[0].set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    figure.supxlabel(measure_name("alignment"), fontsize=SIZE)
    keys = [key_of(look("styles", style), style_name(style)) for style in _styles(places)]
    if any(is_small(m) for m in pooled):
        keys.append(small_key())
    line = Line2D([], [], color=colour("grey"), linewidth=0.8)
    band = (Patch(color=colour("pale")), line, "ceiling: what people's noise allows")
    add_key(figure, keys, None if ceiling is None else band)
    return figure


def _rank(measures: Sequence[Measure | None]) -> tuple[int, float]:
    """Rank an agent by the first panel in which it has a trustworthy rho; the rest come last."""
    for place, measure in enumerate(measures):
        if measure is not None and measure.estimate is not None and not is_small(measure):
            return place, -measure.estimate
    return len(measures), inf


def _draw_ceiling(axes: Axes, ceiling: Measure) -> None:
    if ceiling.low is not None and ceiling.high is not None:
        axes.axvspan(ceiling.low, ceiling.high, color=colour("pale"), zorder=0, linewidth=0)
    if ceiling.estimate is not None:
        axes.axvline(ceiling.estimate, color=colour("grey"), linewidth=0.8, zorder=1)


def _draw_rows(axes: Axes, measures: Sequence[Measure | None], place: Place) -> None:
    drawn = look("styles", place.style)
    axes.set_title(f"{place.condition.replace(chr(10), ' ')}, {style_name(place.style)}")
    axes.grid(axis="x", color=colour("pale"), linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for row in range(len(measures)):
        axes.axhline(row, color=colour("pale"), linewidth=0.4, zorder=0)
    for row, measure in enumerate(measures):
        if measure is None:
            continue
        if measure.estimate is None:
            axes.plot([0], [row], marker="x", color=drawn.colour, markersize=MARKER)
            continue
        if measure.low is not None and measure.high is not None:
            ends = [measure.low, measure.high]
            axes.plot(ends, [row, row], color=drawn.colour, linewidth=1.1)
        gid = f"{place.style}-{row}"
        draw_points(axes, [measure.estimate], [row], drawn, [is_small(measure)], gid)


def _styles(places: Sequence[Place]) -> dict[str, None]:
    return dict.fromkeys(place.style for place in places)
