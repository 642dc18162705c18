"""Names beside points, as many as can be read and no more.

The axis of R², which crowds towards 1: equal steps are equal factors of 1 - R².
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.drawing.style import SMALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

__all__ = [
    "label_points",
    "squared_axis",
    "stretched",
]


SIDES = (((4, 0), "left", "center"), ((-4, 0), "right", "center"))
"""Where a name may stand: offset in points, and alignment. Elsewhere it is unclear whose it is."""

CLEAR = 3.0
"""Room around a name, in points."""


def label_points(
    axes: Axes, x: Sequence[float], y: Sequence[float], names: Sequence[str], most: int
) -> list[str]:
    """Name points where there is room, those standing apart first; return the names.

    Args:
        axes: Axes of a figure whose layout is settled.
        x: The points.
        y: The points.
        names: Their names; no name is written for "".
        most: How many names there may be.
    """
    at = axes.transData.transform(np.column_stack([x, y]).astype(float))
    gaps = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    alone = gaps.min(axis=1, initial=np.inf)
    taken: list[Bbox] = []
    named: list[str] = []
    for place in np.argsort(-alone, kind="stable"):
        if len(named) == most:
            break
        if not names[place]:
            continue
        box = _write(axes, (x[place], y[place]), names[place], at, taken)
        if box is not None:
            taken.append(box)
            named.append(names[place])
    return named


def _write(
    axes: Axes, point: tuple[float, float], name: str, at: NDArray[np.float64], taken: list[Bbox]
) -> Bbox | None:
    """Write a name at the first side that is free; return where, or None."""
    clear = CLEAR * axes.figure.dpi / 72
    inside = axes.get_window_extent()
    own = axes.transData.transform(point)
    others = at[np.hypot(*(at - own).T) > 0]
    for offset, across, up in SIDES:
        text = axes.annotate(
            name, point, offset, textcoords="offset points", ha=across, va=up, fontsize=SMALL
        )
        box = text.get_window_extent()
        wide = box.padded(clear)
        if (
            not any(wide.contains(*other) for other in others)
            and not any(box.overlaps(other) for other in taken)
            and all(inside.contains(*corner) for corner in box.corners())
        ):
            return box
        text.remove()
    return None


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
    low, high = float(ends.min(initial=0.3)), float(ends.max(initial=1.0))
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
