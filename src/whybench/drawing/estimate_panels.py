"""The panels of `plot_estimates`: rows of points, and lines over a number."""

from __future__ import annotations

from itertools import cycle, pairwise
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from whybench.drawing.canvas import even_grid, sheet, styled
from whybench.drawing.figure import distinct_names, is_people
from whybench.drawing.marks import (
    add_key,
    draw_interval,
    draw_points,
    general_key,
    is_small,
    key_of,
    known_ends,
    small_key,
)
from whybench.drawing.panels import ROW, draw_rows, dress_rows, rank
from whybench.drawing.style import MARKER, PEOPLE, SERIES, SIZE, colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.drawing.style import Look
    from whybench.stats import Measure

__all__ = ["draw_dots", "draw_lines"]

COLUMNS = 4
"""The most panels in a row."""
LETTERS = 92
"""So many letters of the panels' titles have room across a figure."""
PANEL = 48
"""Height of a panel of lines in mm."""
AROUND = 16
"""Room for keys, in mm."""
TITLE = 10
"""Room for the title and the ticks of a panel of rows, in mm."""
AGENTS = SERIES[1:]
"""The looks of agents; black is for people."""
APART = 0.1
"""How far neighbours stand apart at one level, as a share of the distance between levels."""

Labels = tuple[tuple[str, str], ...]


@styled
def draw_dots(measures: Sequence[Measure]) -> Figure:
    """Draw a panel for each measure, with a row for each agent and condition."""
    names = _names(measures)
    found: dict[str, dict[str, Measure]] = {}
    for measure in measures:
        found.setdefault(measure.title, {})[names[_labels(measure)]] = measure
    titles = list(found)
    ranks = {
        name: rank([found[title].get(name) for title in titles])
        for name in dict.fromkeys(names.values())
    }
    rows = sorted(ranks, key=lambda name: ranks[name])
    people = {names[_labels(m)] for m in measures if is_people(m.labels.get("agent", ""))}
    looks = [PEOPLE if name in people else AGENTS[0] for name in rows]

    across = min(COLUMNS, _room_for(rows))
    down, columns = even_grid(len(titles), across)
    figure = sheet((ROW * len(rows) + TITLE) * down + AROUND)
    panels = figure.subplots(down, columns, sharey=True, squeeze=False).ravel()
    for axes, title in zip(panels, titles, strict=False):
        known = [found[title].get(name) for name in rows]
        drawn = [m if m is not None and m.estimate is not None else None for m in known]
        draw_rows(axes, drawn, looks, title)
        _scale(axes, [m for m in drawn if m is not None], "x")
        axes.set_title(_lines(title, LETTERS // columns))
    for axes in panels[len(titles) :]:
        axes.set_axis_off()
    dress_rows(panels[0], rows, [ranks[name] for name in rows])
    keys = [Line2D([], [], color=AGENTS[0].colour, linewidth=1.1, label="95% interval")]
    keys += general_key(measures, AGENTS[0])
    keys += [key_of(PEOPLE, "people")] if people and len(people) < len(rows) else []
    add_key(figure, [*keys, *_small(measures)])
    return figure


@styled
def draw_lines(measures: Sequence[Measure], factor: str) -> Figure:
    """Draw measures over the levels of a factor.

    A few agents are lines in the panels of measures; of more, each has a panel to itself, in which
    measures are lines.
    """
    names = _names(measures)
    agents = dict.fromkeys(names.values())
    people = {names[_labels(m)] for m in measures if is_people(m.labels.get("agent", ""))}
    few = len({*agents} - people) <= len(AGENTS)
    panels: dict[str, dict[str, list[Measure]]] = {}
    for measure in sorted(measures, key=lambda measure: measure.at[factor]):
        whose = names[_labels(measure)]
        panel, series = (measure.name, whose) if few else (whose, measure.name)
        panels.setdefault(panel, {}).setdefault(series, []).append(measure)
    every = dict.fromkeys(agents if few else (measure.name for measure in measures))
    looks = dict(zip((name for name in every if name not in people), cycle(AGENTS), strict=False))
    looks |= dict.fromkeys((name for name in every if name in people), PEOPLE)

    down, columns = even_grid(len(panels), 2 if few else COLUMNS)
    figure = sheet(PANEL * down + AROUND)
    grid = figure.subplots(down, columns, sharex=True, sharey=not few, squeeze=False).ravel()
    levels = sorted({measure.at[factor] for measure in measures})
    step = min(float(two) - float(one) for one, two in pairwise(levels))
    for place, (axes, title) in enumerate(zip(grid, panels, strict=False)):
        axes.set_title(fill(title, LETTERS // columns))
        axes.grid(axis="y", color=colour("pale"), linewidth=0.5)
        axes.set_axisbelow(True)
        axes.tick_params(labelbottom=place + columns >= len(panels))
        _draw_series(axes, panels[title], looks, factor, step)
        _scale(axes, [m for mine in panels[title].values() for m in mine], "y")
    if not few:
        _scale(grid[0], measures, "y")
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    grid[0].set_xticks(levels, [f"{level:g}" for level in levels])
    figure.supxlabel(factor.replace("_", " "), fontsize=SIZE)
    figure.supylabel("estimate, 95% interval", fontsize=SIZE)
    keys = [
        Line2D([], [], color=look.colour, linestyle=look.line, linewidth=0.9, marker=look.marker,
               markersize=MARKER, label=name)
        for name, look in looks.items()
    ]  # fmt: skip
    keys += general_key(measures, AGENTS[0])
    add_key(figure, [*keys, *_small(measures)])
    return figure


def _draw_series(
    axes: Axes,
    panel: Mapping[str, Sequence[Measure]],
    looks: Mapping[str, Look],
    factor: str,
    step: float,
) -> None:
    """Draw the lines of a panel, each a little beside the other."""
    order = list(looks)
    for name, every in panel.items():
        known = [measure for measure in every if measure.estimate is not None]
        aside = APART * step * (order.index(name) - (len(order) - 1) / 2)
        x = [float(measure.at[factor]) + aside for measure in known]
        y = [measure.estimate or 0.0 for measure in known]
        look = looks[name]
        axes.plot(x, y, color=look.colour, linestyle=look.line, linewidth=0.9, zorder=2)
        for place, measure in zip(x, known, strict=True):
            draw_interval(axes, measure, place, look, upright=True)
        draw_points(axes, x, y, look, [is_small(measure) for measure in known], name)


def _scale(axes: Axes, measures: Sequence[Measure], which: str) -> None:
    """Make room for the intervals: from 0 to 1 where all lie between, and with 0 in sight."""
    ends = known_ends(measures) or [0.0]
    shares = min(ends) >= 0 and max(ends) <= 1
    low, high = (0.0, 1.0) if shares else (min(0.0, *ends), max(0.0, *ends))
    margin = 0.04 * (high - low or 1.0)
    (axes.set_xlim if which == "x" else axes.set_ylim)(low - margin, high + margin)
    if which == "x":
        axes.locator_params(axis="x", nbins=4)
    if low < 0:
        line = axes.axvline if which == "x" else axes.axhline
        line(0, color=colour("grey"), linewidth=0.5, linestyle=":", zorder=0)


def _room_for(rows: Sequence[str]) -> int:
    """Return how many panels have room beside the names of rows."""
    longest = max(map(len, rows))
    return max(1, COLUMNS - ceil(max(longest - 24, 0) / 24))


def _lines(title: str, room: int) -> str:
    """Return a title of one line, or of two with the levels in the second."""
    return title if len(title) <= room else title.replace(" (", "\n(", 1)


def _small(measures: Sequence[Measure]) -> list[Line2D]:
    return [small_key()] if any(map(is_small, measures)) else []


def _labels(measure: Measure) -> Labels:
    return tuple(measure.labels.items())


def _names(measures: Sequence[Measure]) -> dict[Labels, str]:
    """Name agents and conditions; suites have labels of their own, and are named apart."""
    kinds: dict[tuple[str, ...], dict[Labels, None]] = {}
    for measure in measures:
        kinds.setdefault(tuple(measure.labels), {})[_labels(measure)] = None
    return {
        labels: name
        for kind in kinds.values()
        for labels, name in zip(kind, distinct_names([dict(one) for one in kind]), strict=True)
    }
