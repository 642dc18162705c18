"""The axis of a measure: R² is stretched towards 1, and others show where 0 is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from whybench.drawing.scales import squared_axis
from whybench.drawing.style import colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

__all__ = ["SQUARED", "measure_axis"]

SQUARED = ("consistency", "class_consistency")
"""The measures that are R²."""
MARGIN = 0.06
TICKS = 4
"""About so many names have room on a horizontal axis."""


def measure_axis(
    axes: Axes,
    name: str,
    values: Sequence[float],
    which: Literal["x", "y"] = "y",
    until: float = 1.0,
) -> None:
    """Give an axis the scale of a measure, wide enough for these values.

    Args:
        axes: Whose axis.
        name: The measure.
        values: What is to be seen.
        which: Which of the two axes.
        until: How far across the axes the line at 0 goes, as a share.
    """
    if name in SQUARED:
        squared_axis(axes, values, which)
        return
    low, high = min([0.0, *values]), max([0.0, *values])
    margin = MARGIN * (high - low or 1)
    limit, line = (axes.set_ylim, axes.axhline) if which == "y" else (axes.set_xlim, axes.axvline)
    limit(low - margin, high + margin)
    if which == "x":
        axes.locator_params(axis="x", nbins=TICKS)
    line(0, 0, until, color=colour("grey"), linewidth=0.5, linestyle=":", zorder=0)
