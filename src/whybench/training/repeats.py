"""Leaving out what came before, in eight bytes an item.

Worlds are drawn by chance, and chance repeats itself: among millions of small worlds some come
twice. A series for training holds nothing twice. What was seen is kept as numbers of 64 bits in
sorted arrays, the next at most half as long as the one before, so that looking up and adding take
the logarithm of what there is. Among n items a new one is taken for a repeat with a chance of
n² / 2^65, one in ten million for a million; nothing is lost by that but the item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Seen", "among"]


def among(numbers: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Say of each number whether it is among sorted ones."""
    if not len(ordered):
        return np.zeros(len(numbers), dtype=np.bool_)
    place = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[place] == numbers
    return found


class Seen:
    """The numbers that were seen so far."""

    def __init__(self) -> None:
        self._sorted: list[NDArray[np.uint64]] = []

    def new(self, numbers: Sequence[int]) -> NDArray[np.bool_]:
        """Add numbers; say of each whether it was neither there before nor earlier among them."""
        given = np.array(numbers, dtype=np.uint64)
        distinct, first = np.unique(given, return_index=True)
        fresh = np.zeros(len(given), dtype=np.bool_)
        fresh[first] = True
        for known in self._sorted:
            fresh &= ~among(given, known)
        added = distinct[fresh[first]]
        while self._sorted and len(self._sorted[-1]) <= 2 * len(added):
            added = np.sort(np.concatenate([self._sorted.pop(), added]), kind="stable")
        if len(added):
            self._sorted.append(added)
        return fresh
