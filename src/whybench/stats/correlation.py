"""Spearman's rank correlation, for one pair or for many, and its bootstrap without sorting.

The correlation of a resample follows from how often each row was drawn. The rank of a value is
the number of draws below it, plus half of the draws equal to it, plus one half (`count_ranks`):
a matrix product of the counts with which row lies below which value. The squared deviations of n
ranks with ties of t draws each sum to (n³ - Σt³)/12. The sum of products over rows is a sum over
the distinct values of one variable, and so a matrix product too. All agents that answered the
same rows share the other variable, its ranks and the resamples. Ranks are multiples of one half,
so these sums are exact; only the last division rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.ranks import count_ranks, indicators, midranks
from whybench.stats.resampling import CHUNK, IntervalMethod, Statistic, bootstrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats.results import Estimate

__all__ = ["resampled_spearman", "spearman", "spearman_interval", "spearman_statistic"]


def spearman(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Correlate ranks along the last axis; NaN where a variable is constant.

    Args:
        first: Values, with any leading axes.
        second: Values of the same length; leading axes are broadcast.
    """
    one, two = midranks(first), midranks(second)
    if one.shape[-1] != two.shape[-1]:
        raise ValueError(f"second must have {one.shape[-1]} values, got {two.shape[-1]}")
    one = one - one.mean(axis=-1, keepdims=True) if one.shape[-1] else one
    two = two - two.mean(axis=-1, keepdims=True) if two.shape[-1] else two
    squares = np.sum(one**2, axis=-1) * np.sum(two**2, axis=-1)
    return _divide(np.asarray(np.sum(one * two, axis=-1)), np.asarray(squares))


def resampled_spearman(
    many: ArrayLike, shared: ArrayLike, counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Correlate each of many variables with a shared one in every resample.

    Args:
        many: A variable a line, or a single variable.
        shared: The variable they are all correlated with.
        counts: How often each row was drawn, resamples x rows (see `draw_counts`).

    Returns:
        Correlations, variables x resamples; NaN where a resample leaves a variable constant.
    """
    variables = np.atleast_2d(np.asarray(many, dtype=float))
    if not variables.size:
        return np.full((len(variables), counts.shape[0]), np.nan)
    which = indicators(shared)
    # The distinct values of all variables side by side: three products serve every variable.
    columns = [indicators(variable) for variable in variables]
    starts = np.cumsum([0, *(column.shape[1] for column in columns[:-1])])
    equal = np.concatenate(columns, axis=1)
    below = np.concatenate([np.cumsum(column, axis=1) - column / 2 for column in columns], axis=1)
    found = np.empty((len(variables), counts.shape[0]))
    step = max(1, CHUNK // equal.shape[1])
    for start in range(0, counts.shape[0], step):
        part = counts[start : start + step]
        total = part.sum(axis=1, keepdims=True)
        drawn = part @ which
        centred = count_ranks(drawn) - (total + 1) / 2
        # Centred ranks, weighted by their counts, sum to zero; the others need no centring.
        weighted = part * (centred @ which.T)
        products = np.add.reduceat((part @ below) * (weighted @ equal), starts, axis=1)
        spread = _cube(total) - np.add.reduceat(_cube(part @ equal), starts, axis=1)
        shared_spread = _cube(total) - np.sum(_cube(drawn), axis=1, keepdims=True)
        found[:, start : start + step] = _divide(12 * products, spread * shared_spread).T
    return found


def spearman_statistic(first: ArrayLike, second: ArrayLike) -> Statistic:
    """Return the rank correlation of two variables, as a statistic of counts."""
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    return lambda counts: resampled_spearman(one, two, counts)[0]


def spearman_interval(
    first: ArrayLike,
    second: ArrayLike,
    keys: Sequence[object],
    clusters: Sequence[object] | None = None,
    method: IntervalMethod = "percentile",
    resamples: int = 2000,
    level: float = 0.95,
) -> Estimate:
    """Estimate a rank correlation with a bootstrap interval; see `bootstrap`."""
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != two.shape or one.ndim != 1:
        raise ValueError(f"second must be as long as first, {one.shape}, got {two.shape}")
    return bootstrap(
        spearman_statistic(one, two), one.size, keys, clusters, method, resamples, level
    )


def _cube(values: NDArray[np.float64]) -> NDArray[np.float64]:
    # NumPy's ** 3 goes through pow, which is many times slower.
    return values * values * values


def _divide(product: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide by the root of the squares; NaN where they are zero, and never beyond -1 and 1."""
    safe = np.where(squares > 0, squares, 1.0)
    return np.where(squares > 0, np.clip(product / np.sqrt(safe), -1, 1), np.nan)
