"""Points that would cover each other, moved aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["swarm"]

ROOM = 1.75
"""Room of a point in mm."""


def swarm(
    across: NDArray[np.float64],
    up: NDArray[np.float64],
    room: float = ROOM,
    farthest: float = np.inf,
) -> NDArray[np.float64]:
    """Return where points stand across so that no two are nearer than `room`; in mm.

    Heights stay as they are. The highest point is placed first; each goes to the nearest free
    place on either side of its own, and stays where it is if that would be too far.
    """
    found = np.array(across, dtype=float)
    done: list[int] = []
    for place in np.argsort(-up, kind="stable"):
        near = np.array([other for other in done if abs(up[other] - up[place]) < room], dtype=int)
        for step in range(4 * len(near) + 3):
            aside = room / 2 * ((step + 1) // 2) * (-1) ** step
            if abs(aside) > farthest:
                found[place] = across[place]
                break
            found[place] = across[place] + aside
            gaps = np.hypot(found[near] - found[place], up[near] - up[place])
            if np.all(gaps >= room * 0.999):
                break
        done.append(int(place))
    return found
