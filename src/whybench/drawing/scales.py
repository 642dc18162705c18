"""The axis of R², which crowds towards 1: equal steps are equal factors of 1 - R²."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["squared_axis", "stretched"]

TICKS = (-1, 0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995)
ACROSS = 0.16
"""Room of a name on a horizontal axis, as a share of its length."""
NEAREST = 1e-4
"""The smallest 1 - R² that is told apart from a perfect prediction."""


def stretched(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return -log10(1 - R²)."""
    return np.asarray(-np.log10(np.maximum(1 - np.asarray(values, dtype=float), NEAREST)))


def _back(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 - 10.0 ** -np.asarray(values, dtype=float)


def squared_axis(axes: Axes, values: Iterable[float], which: Literal["x", "y"] = "y") -> None:
    """Give an axis the scale of R², wide enough for these values."""
    ends = stretched(np.array([*values]))
    low, high = min(float(ends.min()), 0.3), max(float(ends.max()), 1.0)
    margin = 0.05 * (high - low)
    limits = _back(np.array([low - margin, high + margin]))
    ticks = [tick for tick in TICKS if limits[0] <= tick <= limits[1]]
    if which == "x":
        ticks = _apart(ticks, ACROSS * float(high - low))
    names = [f"{tick:g}".replace("-", "−") for tick in ticks]
    if which == "y":
        axes.set_yscale("function", functions=(stretched, _back))
        axes.set_yticks(ticks, names)
        axes.set_ylim(*limits)
    else:
        axes.set_xscale("function", functions=(stretched, _back))
        axes.set_xticks(ticks, names)
        axes.set_xlim(*limits)


def _apart(ticks: list[float], room: float) -> list[float]:
    """Return those ticks whose names do not touch, from the lowest on."""
    kept: list[float] = []
    for tick in ticks:
        if not kept or float(stretched(np.array(tick)) - stretched(np.array(kept[-1]))) >= room:
            kept.append(tick)
    return kept
