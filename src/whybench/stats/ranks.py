"""Ranks of many samples at once, with ties at their mean rank.

`midranks` sorts. `count_ranks` does not: in a bootstrap resample the values stay the same and
only how often each occurs changes, so a value's rank is the number of smaller values that were
drawn, plus half of what was drawn of itself and a half. One cumulative sum over the distinct
values replaces a sort of every resample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["count_ranks", "indicators", "midranks", "tie_sums"]


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Rank along the last axis, from 1; equal values share the mean of their ranks.

    A sample that holds NaN has no ranks: all are NaN.
    """
    from scipy.stats import rankdata  # noqa: PLC0415  (kept out of the start-up path)

    return np.asarray(rankdata(values, axis=-1), dtype=float)


def tie_sums(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of t³ - t over groups of t equal values, from midranks on the last axis.

    The squared midranks of n values sum to that of 1 … n less a twelfth of this.
    """
    n = ranks.shape[-1]
    squares = np.asarray(np.sum(ranks**2, axis=-1), dtype=float)
    return np.asarray(2.0 * n * (n + 1) * (2 * n + 1) - 12.0 * squares)


def indicators(values: ArrayLike) -> NDArray[np.float64]:
    """Return a column for each distinct value, in order: 1 in the rows that have it, else 0."""
    _, codes = np.unique(np.asarray(values), return_inverse=True)
    return np.eye(int(codes.max(initial=-1)) + 1)[codes]


def count_ranks(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the midrank of each distinct value from how often it was drawn.

    Args:
        drawn: Counts of the distinct values, in ascending order along the last axis.
    """
    return np.cumsum(drawn, axis=-1) - (drawn - 1) / 2
