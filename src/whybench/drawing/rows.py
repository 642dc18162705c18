"""The rows of a forest: one below the other, each a point with its interval."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

from whybench.drawing.marks import draw_points, is_small
from whybench.drawing.style import MARKER, colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from whybench.drawing.style import Look
    from whybench.stats import Measure

__all__ = ["ROW", "Rank", "draw_rows", "dress_rows", "rank"]

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
        if measure.low is not None and measure.high is not None:
            ends = [measure.low, measure.high]
            axes.plot(ends, [row, row], color=drawn.colour, linewidth=1.1)
        draw_points(axes, [measure.estimate], [row], drawn, [is_small(measure)], f"{gid}-{row}")
