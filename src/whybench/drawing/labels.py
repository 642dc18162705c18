"""Names beside points, as many as can be read and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.drawing.style import SMALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox
    from numpy.typing import NDArray

__all__ = ["label_points"]

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
