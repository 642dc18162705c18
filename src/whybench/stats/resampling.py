"""The bootstrap, seeded and vectorised, for any statistic of weighted rows.

A resample is described by how often each row was drawn. A statistic here is a function of such
counts, many resamples at a time: it takes a matrix with a line for each resample and a column for
each row, and returns a value for each line. The estimate is the statistic at one draw of every
row, the jackknife leaves units out by drawing them zero times, and a resample needs no copy of
the data.

Rows that share a sampled unit (a person, a vignette, an item answered ten times) are drawn
together: `clusters` names the unit of each row. Without it every row is a unit.

- `percentile` takes the quantiles of the resampled values.
- `bca` moves these quantiles to correct bias and skewness (Efron 1987), with the acceleration
  from a jackknife over units.

Where the design fixes how many units each stratum has, another run of it has the same numbers, and
units vary only within strata: `stratified_bootstrap` resamples each stratum by itself. A plain
bootstrap within a stratum of n units is too narrow by the factor (n-1)/n of its variance, which is
nothing at n = 500 and half of it at n = 2. The cure is that of Rao and Wu (1988): draw n-1 of the n
units and count each n/(n-1) times. Counts then sum to n in every stratum, so that weights keep
their sum, and the variance of a mean is estimated without bias. A stratum of one unit shows no
variation at all; it is kept as it is and flagged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from whybench.seeds import generator
from whybench.stats.results import Estimate, flag_few_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

IntervalMethod = Literal["percentile", "bca"]

StatisticOfCounts = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
"""Counts (resamples x rows) to values: one for each resample, or a line of several statistics.

NaN where a resample has no value."""

CHUNK = 4_000_000
"""Numbers in the largest matrix that is made at once."""


def encode_labels(labels: Sequence[object]) -> NDArray[np.intp]:
    """Return the number of each row's label, the labels being sorted by how they are printed."""
    return np.unique(np.array([str(label) for label in labels], dtype=str), return_inverse=True)[1]


def draw_with_replacement(
    rng: np.random.Generator, resamples: int, units: int, draws: int
) -> NDArray[np.float64]:
    """Draw among units and return how often each was drawn, resamples x units."""
    drawn = rng.integers(0, units, (resamples, draws)) + units * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=units * resamples)
    return counts.reshape(resamples, units).astype(float)


def draw_counts(
    n: int,
    resamples: int,
    keys: Sequence[object],
    clusters: Sequence[object] | None = None,
) -> NDArray[np.float64]:
    """Draw units with replacement and return how often each row came along.

    Args:
        n: Number of rows.
        resamples: Number of resamples.
        keys: Names the random draw; equal keys give equal draws.
        clusters: The sampled unit of each row; None if each row is one.

    Returns:
        A matrix, resamples x rows.
    """
    codes, units = _number_units(n, clusters)
    _check_resamples(resamples)
    if not units:
        return np.zeros((resamples, 0))
    rng = generator("stats", "bootstrap", *keys)
    counts = draw_with_replacement(rng, resamples, units, units)
    return counts if clusters is None else counts[:, codes]


def draw_stratified_counts(
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
    _check_resamples(resamples)
    codes = _encode_strata(strata)
    rng = generator("stats", "stratified bootstrap", *keys)
    counts = np.ones((resamples, codes.size))
    for stratum in np.unique(codes):
        rows = np.flatnonzero(codes == stratum)
        n = rows.size
        if n > 1:
            counts[:, rows] = draw_with_replacement(rng, resamples, n, n - 1) * (n / (n - 1))
    return counts


def jackknife_counts(clusters: Sequence[object]) -> NDArray[np.float64]:
    """Return the counts of the jackknife: a line for each unit, in which its rows are absent."""
    codes, units = _number_units(len(clusters), clusters)
    return np.asarray(1.0 - np.eye(units)[:, codes])


def bootstrap(
    statistic: StatisticOfCounts,
    n: int,
    keys: Sequence[object],
    clusters: Sequence[object] | None = None,
    method: IntervalMethod = "percentile",
    resamples: int = 2000,
    level: float = 0.95,
) -> Estimate:
    """Estimate a statistic with a bootstrap interval.

    Args:
        statistic: The statistic, as a function of counts.
        n: Number of rows.
        keys: Names the random draw; equal keys give equal intervals.
        clusters: The sampled unit of each row; None if each row is one.
        method: `percentile` or `bca`.
        resamples: Number of resamples.
        level: Confidence level.

    Returns:
        The estimate. Flags: `few_units`; `degenerate_resamples` if the statistic was not defined
        in some resamples, which then do not count.
    """
    if method not in get_args(IntervalMethod):
        raise ValueError(f"method must be percentile or bca, got {method!r}")
    codes, units = _number_units(n, clusters)
    label = f"{method} bootstrap, {resamples} resamples of {units} units"
    blank = Estimate(None, None, None, n, units, label, flag_few_units(units))
    value = float(statistic(np.ones((1, n)))[0]) if n else np.nan
    if np.isnan(value):
        return replace(blank, flags=("undefined",))
    if units < 2:
        return replace(blank, estimate=value)
    resampled = _evaluate(statistic, draw_counts(n, resamples, keys, clusters))
    bca = method == "bca"
    jackknife = _evaluate(statistic, jackknife_counts(codes.tolist())) if bca else None
    return _estimate(blank, value, resampled, jackknife, level)


def stratified_bootstrap(
    statistics: StatisticOfCounts,
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
    codes = _encode_strata(strata)
    n, sizes = codes.size, np.bincount(codes)
    label = f"percentile bootstrap within {sizes.size} strata, {resamples} resamples of {n} units"
    flags = flag_few_units(n) + (("lone_units",) if (sizes == 1).any() else ())
    blank = Estimate(None, None, None, n, n, label, flags)
    values = statistics(np.ones((1, n)))[0]
    resampled = _evaluate(statistics, draw_stratified_counts(codes, resamples, keys))
    return tuple(
        _estimate(blank, float(value), column, None, level)
        for value, column in zip(values, resampled.T, strict=True)
    )


def interval(
    values: NDArray[np.float64],
    estimate: float,
    jackknife: NDArray[np.float64] | None = None,
    level: float = 0.95,
) -> tuple[float | None, float | None]:
    """Turn resampled values into an interval: percentile, or BCa where a jackknife is given."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    defined = values[~np.isnan(values)]
    if not defined.size:
        return None, None
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if jackknife is not None:
        tails = _correct_tails(tails, defined, estimate, jackknife[~np.isnan(jackknife)])
    low, high = np.quantile(defined, tails)
    return float(low), float(high)


def _estimate(
    blank: Estimate,
    value: float,
    resampled: NDArray[np.float64],
    jackknife: NDArray[np.float64] | None,
    level: float,
) -> Estimate:
    """Fill in a value with the interval of its resamples."""
    if np.isnan(value):
        return replace(blank, flags=("undefined",))
    low, high = interval(resampled, value, jackknife, level)
    degenerate = ("degenerate_resamples",) if np.isnan(resampled).any() else ()
    return replace(blank, estimate=value, low=low, high=high, flags=blank.flags + degenerate)


def _correct_tails(
    tails: NDArray[np.float64],
    values: NDArray[np.float64],
    estimate: float,
    jackknife: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the quantiles at which BCa reads the resampled values."""
    from scipy.special import ndtr, ndtri  # noqa: PLC0415  (kept out of the start-up path)

    # Ties with the estimate count half, as in the mean rank; else a discrete statistic is moved.
    below = np.mean(values < estimate) + np.mean(values == estimate) / 2
    margin = 1 / (2 * values.size)
    bias = ndtri(np.clip(below, margin, 1 - margin))
    influence = jackknife.mean() - jackknife
    spread = float(np.sum(influence**2))
    acceleration = float(np.sum(influence**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    shifted = bias + ndtri(tails)
    return np.asarray(ndtr(bias + shifted / (1 - acceleration * shifted)), dtype=float)


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")


def _evaluate(statistic: StatisticOfCounts, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the statistic of each line of counts, part by part."""
    step = max(1, CHUNK // max(1, counts.shape[1]))
    parts = [statistic(counts[start : start + step]) for start in range(0, len(counts), step)]
    return np.concatenate(parts)


def _number_units(n: int, clusters: Sequence[object] | None) -> tuple[NDArray[np.intp], int]:
    """Return the number of each row's unit, and how many units there are."""
    if clusters is None:
        return np.arange(n), n
    if len(clusters) != n:
        raise ValueError(f"clusters must name the unit of each of {n} rows, got {len(clusters)}")
    codes = encode_labels(clusters)
    return codes, int(codes.max(initial=-1)) + 1


def _encode_strata(strata: ArrayLike) -> NDArray[np.intp]:
    """Return the number of each row's stratum."""
    array = np.asarray(strata)
    if array.ndim != 1:
        raise ValueError(f"strata must name the stratum of each row, got an array {array.shape}")
    return np.unique(array, return_inverse=True)[1]
