"""A panel for each agent, in rows; and pages, where there are too many for one figure.

The rows of a forest: one below the other, each a point with its intervals.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf
from textwrap import fill
from typing import TYPE_CHECKING, TypeVar

from whybench.drawing.canvas import even_grid, sheet
from whybench.drawing.figure import distinct_names
from whybench.drawing.marks import draw_interval, draw_points, is_small
from whybench.drawing.style import MARKER, colour

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.drawing.style import Look
    from whybench.stats import Measure

__all__ = [
    "ROW",
    "Rank",
    "agent_panels",
    "draw_rows",
    "dress_rows",
    "pages",
    "rank",
]


Thing = TypeVar("Thing")

LINE = 80
"""So many letters of a title have room across a figure beside the names of its axes."""
AROUND = 20
"""Room for keys and the names of axes, in mm."""


def agent_panels(
    labels: Sequence[Mapping[str, str]], most: int, height: float, up: str = ""
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a titled panel for each agent, all on the same scales.

    Names that are too long for a panel go on below.

    Args:
        labels: The agents and their conditions, in order.
        most: How many panels a row may have.
        height: Height of a row in mm.
        up: What the first panel of each row has written along its side.
    """
    rows, columns = even_grid(len(labels), most)
    figure = sheet(height * rows + AROUND)
    every = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axes, name) in enumerate(zip(every, distinct_names(labels), strict=False)):
        axes.set_title(fill(name, int(LINE / columns)))
        # The panel below may be missing, and then its ticks are too.
        axes.tick_params(labelbottom=place + columns >= len(labels))
        if place % columns == 0:
            axes.set_ylabel(up)
    for axes in every[len(labels) :]:
        axes.set_axis_off()
    return figure, list(every[: len(labels)])


def pages(things: Sequence[Thing], most: int) -> Iterator[tuple[tuple[str, ...], Sequence[Thing]]]:
    """Yield so many things as one figure holds, each with the page's number if there are several.

    >>> list(pages("abc", 2))
    [(('1',), 'ab'), (('2',), 'c')]
    >>> list(pages("abc", 3))
    [((), 'abc')]
    """
    for place, start in enumerate(range(0, len(things), most)):
        yield (str(place + 1),) if len(things) > most else (), things[start : start + most]


ROW = 3.7
"""Height of a row in mm."""

Rank = tuple[int, float]
"""A class, in which rows belong together, and a place in it."""


def rank(measures: Sequence[Measure | None]) -> Rank:
    """Rank a row by the first of its measures that can be trusted; the rest come last."""
    for place, measure in enumerate(measures):
        if measure is not None and measure.estimate is not None and not is_small(measure):
            return place, -measure.estimate
    return len(measures), inf


def dress_rows(axes: Axes, names: Sequence[str], ranks: Sequence[Rank]) -> None:
    """Name the rows of the first of some axes, with a line between classes of rank in each."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    for row, (one, two) in enumerate(pairwise(ranks)):
        if one[0] != two[0]:
            for beside in axes.figure.axes:
                beside.axhline(row + 0.5, color=colour("grey"), linewidth=0.6)


def draw_rows(
    axes: Axes, measures: Sequence[Measure | None], looks: Sequence[Look], gid: str
) -> None:
    """Draw a measure in each row; a cross is one without an estimate."""
    axes.grid(axis="x", color=colour("pale"), linewidth=0.4)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for row, (measure, drawn) in enumerate(zip(measures, looks, strict=True)):
        axes.axhline(row, color=colour("pale"), linewidth=0.4, zorder=0)
        if measure is None:
            continue
        if measure.estimate is None:
            axes.plot([0], [row], marker="x", color=drawn.colour, markersize=MARKER)
            continue
        draw_interval(axes, measure, row, drawn)
        draw_points(axes, [measure.estimate], [row], drawn, [is_small(measure)], f"{gid}-{row}")
