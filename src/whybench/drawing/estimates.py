"""Any measures as a picture: points with 95% intervals, or lines where a level is a number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.drawing.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import matplotlib.figure

    from whybench.stats import Measure

__all__ = ["numeric_factor", "plot_estimates"]

LONGEST = 60
"""Characters of a figure's name."""


def plot_estimates(measures: Iterable[Measure], name: str = "") -> Figure:
    """Return a figure of measures with their 95% intervals.

    There is a panel for each measure, and in it a row for each agent, and for each condition where
    these differ. Rows stand in the order of the first measure. Where all measures are at levels of
    one factor that are numbers, such as the number of entities, there are lines over the levels
    in place of rows. A measure without an estimate is listed without a mark; an open mark rests on
    few answers; people are black.

    Args:
        measures: What is to be seen, at least one.
        name: The stem of its files; the names of the measures if not stated.
    """
    given = list(measures)
    if not given:
        raise ValueError("measures must be at least one, got none")
    stem = name or "-".join(dict.fromkeys(measure.name for measure in given))
    return Figure(stem[:LONGEST], partial(_draw, given), [measure.row() for measure in given])


def numeric_factor(measures: Sequence[Measure]) -> str | None:
    """Return the one factor of which all measures are at levels that are numbers, if there is one.

    One level alone makes no line.
    """
    factors = {tuple(measure.at) for measure in measures}
    if len(factors) > 1 or len(*factors) != 1:
        return None
    ((factor,),) = factors
    levels = {measure.at[factor] for measure in measures}
    numbers = all(isinstance(level, int | float) for level in levels)
    return factor if numbers and len(levels) > 1 else None


def _draw(measures: Sequence[Measure]) -> matplotlib.figure.Figure:
    from whybench.drawing.estimate_panels import draw_dots, draw_lines  # noqa: PLC0415

    factor = numeric_factor(measures)
    return draw_dots(measures) if factor is None else draw_lines(measures, factor)
