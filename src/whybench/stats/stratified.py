"""The bootstrap where the design fixes how many units each stratum has.

Units drawn stratum by stratum, so many from each, vary only within strata: another run of the same
design has the same numbers. Resampling all units alike would let the numbers vary and count
variation that cannot occur; so each stratum is resampled by itself.

A plain bootstrap within a stratum of n units is too narrow by the factor (n-1)/n of its variance,
which is nothing at n = 500 and half of it at n = 2. The cure is that of Rao and Wu (1988): draw n-1
of the n units and count each n/(n-1) times. Counts then sum to n in every stratum, so that weights
keep their sum, and the variance of a mean is estimated without bias. A stratum of one unit shows no
variation at all; it is kept as it is and flagged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.stats.resampling import interval
from whybench.stats.results import Estimate, few_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Statistics", "stratified_bootstrap", "stratified_counts"]

Statistics = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
"""Counts (resamples x rows) to values (resamples x statistics); NaN where there is no value."""

CHUNK = 4_000_000


def stratified_counts(
    strata: ArrayLike, resamples: int, keys: Sequence[object]
) -> NDArray[np.float64]:
    """Draw rows with replacement within strata and return how much each row counts.

    Args:
        strata: The stratum of each row.
        resamples: Number of resamples.
        keys: Names the random draw; equal keys give equal draws.

    Returns:
        A matrix, resamples x rows; in each line the rows of a stratum sum to their number.
    """
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    names, codes = _coded(strata)
    rng = generator("stats", "stratified bootstrap", *keys)
    counts = np.ones((resamples, codes.size))
    lines = np.arange(resamples)[:, None]
    for stratum in range(names):
        rows = np.flatnonzero(codes == stratum)
        n = rows.size
        if n > 1:
            drawn = rng.integers(0, n, (resamples, n - 1)) + n * lines
            found = np.bincount(drawn.ravel(), minlength=n * resamples).reshape(resamples, n)
            counts[:, rows] = found * (n / (n - 1))
    return counts


def stratified_bootstrap(
    statistics: Statistics,
    strata: ArrayLike,
    keys: Sequence[object],
    resamples: int = 2000,
    level: float = 0.95,
) -> tuple[Estimate, ...]:
    """Estimate several statistics of the same rows, with percentile intervals.

    All of them are computed on the same resamples, so that their intervals are paired.

    Args:
        statistics: The statistics, as a function of counts.
        strata: The stratum of each row, whose number of rows is fixed by design.
        keys: Names the random draw; equal keys give equal intervals.
        resamples: Number of resamples.
        level: Confidence level.

    Returns:
        An estimate for each statistic. Flags: `undefined`; `few_units`; `lone_units` if a stratum
        has one unit only, whose variation is then missing from the interval; and
        `degenerate_resamples` if the statistic has no value in some resamples, which do not count.
    """
    names, codes = _coded(strata)
    n = codes.size
    label = f"percentile bootstrap within {names} strata, {resamples} resamples of {n} units"
    flags = few_units(n)
    if n and (np.bincount(codes) == 1).any():
        flags += ("lone_units",)
    values = statistics(np.ones((1, n)))[0]
    counts = stratified_counts(codes, resamples, keys)
    step = max(1, CHUNK // max(1, n))
    resampled = np.concatenate(
        [statistics(counts[start : start + step]) for start in range(0, resamples, step)]
    )
    return tuple(
        _estimate(float(value), column, n, label, flags, level)
        for value, column in zip(values, resampled.T, strict=True)
    )


def _estimate(
    value: float,
    resampled: NDArray[np.float64],
    n: int,
    label: str,
    flags: tuple[str, ...],
    level: float,
) -> Estimate:
    if np.isnan(value):
        return Estimate(None, None, None, n, n, label, ("undefined",))
    low, high = interval(resampled, value, level=level)
    if np.isnan(resampled).any():
        flags += ("degenerate_resamples",)
    return Estimate(value, low, high, n, n, label, flags)


def _coded(strata: ArrayLike) -> tuple[int, NDArray[np.intp]]:
    """Return how many strata there are, and the number of each row's stratum."""
    array = np.asarray(strata)
    if array.ndim != 1:
        raise ValueError(f"strata must name the stratum of each row, got an array {array.shape}")
    names, codes = np.unique(array, return_inverse=True)
    return names.size, codes
