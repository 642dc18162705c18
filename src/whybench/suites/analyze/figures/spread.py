"""Points of a plane that would cover each other, moved apart by as little as it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["spread"]

ROOM = 1.5
"""Room of a point in mm."""
RINGS = 6
"""How many points' widths a point may be moved."""


def spread(at: NDArray[np.float64], room: float = ROOM) -> NDArray[np.float64]:
    """Return where points stand so that no two are nearer than `room`; all in mm.

    The first point stays; each further one goes to the free place nearest its own, so that points
    of one place lie like coins pushed together around it.

    >>> spread(np.array([[0, 0], [9, 9], [0, 0]]), 2.0).tolist()
    [[0.0, 0.0], [9.0, 9.0], [2.0, 0.0]]
    """
    found = np.array(at, dtype=float)
    for place in range(len(found)):
        spots = found[place] + room * _LATTICE
        gaps = np.hypot(*(spots[:, None] - found[None, :place]).transpose(2, 0, 1))
        free = np.flatnonzero(gaps.min(axis=1, initial=np.inf) >= room * 0.999)
        if free.size:
            found[place] = spots[free[0]]
    return found


def _lattice() -> NDArray[np.float64]:
    """Return the places of a triangular lattice of unit width, from the middle outwards."""
    steps = np.arange(-RINGS, RINGS + 1)
    one, two = (grid.ravel() for grid in np.meshgrid(steps, steps))
    spots = np.column_stack([one + two / 2, two * 3**0.5 / 2])
    far = np.hypot(*spots.T).round(9)
    around = np.arctan2(spots[:, 1], spots[:, 0]).round(9) % (2 * np.pi)
    order = np.lexsort([around, far])
    return np.asarray(spots[order[far[order] <= RINGS]])


_LATTICE = _lattice()
