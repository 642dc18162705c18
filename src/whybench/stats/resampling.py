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
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from whybench.seeds import generator
from whybench.stats.results import Estimate, few_units

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = [
    "IntervalMethod",
    "Statistic",
    "bootstrap",
    "draw_counts",
    "interval",
    "left_out",
]

IntervalMethod = Literal["percentile", "bca"]

Statistic = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
"""Counts (resamples x rows) to values (resamples); NaN where a resample has no value."""

CHUNK = 4_000_000


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
    codes, units = _units(n, clusters)
    if resamples < 1:
        raise ValueError(f"resamples must be at least 1, got {resamples}")
    if not units:
        return np.zeros((resamples, 0))
    drawn = generator("stats", "bootstrap", *keys).integers(0, units, (resamples, units))
    drawn += units * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=units * resamples).astype(float)
    counts = counts.reshape(resamples, units)
    return counts if clusters is None else counts[:, codes]


def left_out(clusters: Sequence[object]) -> NDArray[np.float64]:
    """Return the counts of the jackknife: a line for each unit, in which its rows are absent."""
    codes, units = _units(len(clusters), clusters)
    return np.asarray(1.0 - np.eye(units)[:, codes])


def bootstrap(
    statistic: Statistic,
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
    codes, units = _units(n, clusters)
    label = f"{method} bootstrap, {resamples} resamples of {units} units"
    value = float(statistic(np.ones((1, n)))[0]) if n else np.nan
    if np.isnan(value):
        return Estimate(None, None, None, n, units, label, ("undefined",))
    if units < 2:
        return Estimate(value, None, None, n, units, label, few_units(units))
    counts = draw_counts(n, resamples, keys, clusters)
    values = np.concatenate([statistic(part) for part in _chunks(counts)])
    jackknife = None
    if method == "bca":
        jackknife = np.concatenate([statistic(part) for part in _chunks(left_out(codes.tolist()))])
    low, high = interval(values, value, jackknife, level)
    flags = few_units(units)
    if np.isnan(values).any():
        flags += ("degenerate_resamples",)
    return Estimate(value, low, high, n, units, label, flags)


def interval(
    values: NDArray[np.float64],
    estimate: float,
    jackknife: NDArray[np.float64] | None = None,
    level: float = 0.95,
) -> tuple[float | None, float | None]:
    """Turn resampled values into an interval: percentile, or BCa where a jackknife is given."""
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    kept = values[~np.isnan(values)]
    if not kept.size:
        return None, None
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if jackknife is not None:
        tails = _corrected(tails, kept, estimate, jackknife[~np.isnan(jackknife)])
    low, high = np.quantile(kept, tails)
    return float(low), float(high)


def _corrected(
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
    pull = jackknife.mean() - jackknife
    spread = float(np.sum(pull**2))
    acceleration = float(np.sum(pull**3)) / (6 * spread**1.5) if spread > 0 else 0.0
    moved = bias + ndtri(tails)
    return np.asarray(ndtr(bias + moved / (1 - acceleration * moved)), dtype=float)


def _units(n: int, clusters: Sequence[object] | None) -> tuple[NDArray[np.intp], int]:
    """Return the number of each row's unit, and how many units there are."""
    if clusters is None:
        return np.arange(n), n
    if len(clusters) != n:
        raise ValueError(f"clusters must name the unit of each of {n} rows, got {len(clusters)}")
    _, codes = np.unique(np.array([str(name) for name in clusters], dtype=str), return_inverse=True)
    return codes, int(codes.max(initial=-1)) + 1


def _chunks(counts: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    step = max(1, CHUNK // max(1, counts.shape[1]))
    for start in range(0, counts.shape[0], step):
        yield counts[start : start + step]
