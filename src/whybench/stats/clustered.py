"""Estimates with intervals that are clustered by the unit that was sampled.

Answers about one hidden world, or by one person, resemble each other; counted as independent they
make intervals too short. One idea serves means and their differences, shares, ratios, slopes and
signal detection alike. To first order, an estimate is its true value plus a sum over rows: each row
has an *influence*, how far it moves the estimate. A sum over rows is also a sum over clusters, so
the spread of the clusters' sums gives the variance, whatever happens inside a cluster (Liang and
Zeger 1986), with G/(G-1) for the G clusters that were seen and Student's t on G-1 degrees of
freedom:

    variance = G/(G-1) · Σ over clusters of (Σ of the influences in the cluster)²

For what lies between 0 and 1 an interval that reaches as far down as up is poor near the ends, and
has no width where all answers were right. There the interval is Wilson's (1927) for as many
independent answers as would have the variance that was found, p(1-p)/variance. Where the clusters
do not vary at all, nothing tells how much they could, and each counts as one such answer.

An estimate that is not defined is None and flagged `undefined`; with one cluster there is no
interval. A t interval without width, because no cluster differs from another, is flagged
`no_spread`.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.stats.results import Estimate, flag_few_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

ROUNDING = 1e-12
"""What is smaller than this, relative to what it is compared with, is rounding."""

NORMAL = NormalDist()


class SignalDetection(NamedTuple):
    """How well yes is told from no, and the bias towards either.

    Attributes:
        d_prime: z(hit rate) - z(false-alarm rate); 0 for an agent that cannot tell.
        criterion: -(z(hit rate) + z(false-alarm rate)) / 2; below 0 for one that leans to yes.
    """

    d_prime: Estimate
    criterion: Estimate


def clustered_estimate(
    estimate: float,
    influence: ArrayLike,
    clusters: ArrayLike,
    method: str = "t, clustered",
    level: float = 0.95,
    added: float = 0.0,
) -> Estimate:
    """Return an estimate with Student's t interval.

    Args:
        estimate: The value.
        influence: How far each row moves it: its part in the linearised estimate.
        clusters: The sampled unit of each row, by any label.
        method: What the estimate is and how the interval is made.
        level: Confidence level.
        added: Variance beside that of the rows.
    """
    influences = np.asarray(influence, dtype=float)
    variance, units = cluster_variance(influences, clusters)
    low = high = None
    flags = flag_few_units(units)
    if variance is not None:
        spread = (variance + added) ** 0.5
        half = t_quantile(0.5 + level / 2, units - 1) * spread
        low, high = estimate - half, estimate + half
        if spread <= ROUNDING * abs(estimate):
            flags += ("no_spread",)
    return Estimate(estimate, low, high, influences.size, units, method, flags)


def wilson_estimate(
    estimate: float,
    influence: ArrayLike,
    clusters: ArrayLike,
    method: str = "Wilson, clustered",
    level: float = 0.95,
) -> Estimate:
    """Return an estimate between 0 and 1 with Wilson's interval, which stays between them.

    Args:
        estimate: The value.
        influence: How far each row moves it.
        clusters: The sampled unit of each row, by any label.
        method: What the estimate is and how the interval is made.
        level: Confidence level.
    """
    if not 0 <= estimate <= 1:
        raise ValueError(f"estimate must be from 0 to 1, got {estimate}")
    influences = np.asarray(influence, dtype=float)
    variance, units = cluster_variance(influences, clusters)
    low = high = None
    if variance is not None:
        binomial = estimate * (1 - estimate)
        varied = variance > ROUNDING * binomial
        share = variance / binomial if varied else 1 / units
        # q = t²/n, with n the independent answers it is worth: 1/n is the share that the variance
        # is of one answer's, p(1-p).
        q = t_quantile(0.5 + level / 2, units - 1) ** 2 * share
        centre, half = estimate + q / 2, (q * binomial + q**2 / 4) ** 0.5
        # The ends are on the far side of the estimate, or on it, but for rounding.
        low = min(estimate, max(0.0, (centre - half) / (1 + q)))
        high = max(estimate, min(1.0, (centre + half) / (1 + q)))
    return Estimate(estimate, low, high, influences.size, units, method, flag_few_units(units))


def clustered_mean(values: ArrayLike, clusters: ArrayLike, level: float = 0.95) -> Estimate:
    """Estimate a mean; not defined without values."""
    array, method = np.asarray(values, dtype=float), "mean; t, clustered"
    if not array.size:
        return _undefined(clusters, method)
    mean = float(array.mean())
    return clustered_estimate(mean, (array - mean) / array.size, clusters, method, level)


def mean_difference(
    above: ArrayLike,
    below: ArrayLike,
    above_clusters: Sequence[object],
    below_clusters: Sequence[object],
    level: float = 0.95,
) -> Estimate:
    """Estimate mean(above) - mean(below), where a sampled unit may have values in both.

    Args:
        above: Values whose mean is counted positively.
        below: Values whose mean is subtracted.
        above_clusters: The sampled unit of each value in `above`.
        below_clusters: The sampled unit of each value in `below`; a unit may be in both.
        level: Confidence level of the interval.

    Returns:
        The difference. Without values on both sides there is no estimate; with fewer than two
        clusters there is an estimate and no interval.
    """
    first, second = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    clusters = np.array([str(label) for label in (*above_clusters, *below_clusters)], dtype=str)
    method = "difference of means; t, clustered"
    if not first.size or not second.size:
        return _undefined(clusters, method)
    influence = np.concatenate(
        [(first - first.mean()) / first.size, (second.mean() - second) / second.size]
    )
    estimate = float(first.mean() - second.mean())
    return clustered_estimate(estimate, influence, clusters, method, level)


def clustered_share(hits: ArrayLike, clusters: ArrayLike, level: float = 0.95) -> Estimate:
    """Estimate the share of rows that are true; not defined without rows."""
    array, method = np.asarray(hits, dtype=bool), "share; Wilson, clustered"
    if not array.size:
        return _undefined(clusters, method)
    share = float(array.mean())
    return wilson_estimate(share, (array - share) / array.size, clusters, method, level)


def balanced_accuracy(
    yes: ArrayLike, truth: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> Estimate:
    """Estimate the mean of the hit rate and the rate of correct rejections.

    Args:
        yes: Whether the answer is yes.
        truth: Whether the truth is yes; without both kinds the estimate is not defined.
        clusters: The sampled unit of each answer.
        level: Confidence level.
    """
    answer, true = np.asarray(yes, dtype=bool), np.asarray(truth, dtype=bool)
    method = "mean of two rates; Wilson, clustered"
    if not _has_both(true):
        return _undefined(clusters, method)
    right = answer == true
    rates = {kind: float(right[true == kind].mean()) for kind in (True, False)}
    rate = np.where(true, rates[True], rates[False])
    size = np.where(true, true.sum(), (~true).sum())
    estimate = (rates[True] + rates[False]) / 2
    return wilson_estimate(estimate, (right - rate) / (2 * size), clusters, method, level)


def clustered_ratio(
    above: ArrayLike, below: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> Estimate:
    """Estimate the sum of `above` over the sum of `below`, by the delta method.

    Rows whose `below` is 0 count; where all of it sums to 0 the ratio is not defined.
    """
    top, bottom = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    method, total = "ratio of sums; t, clustered", float(bottom.sum())
    if not total:
        return _undefined(clusters, method)
    ratio = float(top.sum()) / total
    return clustered_estimate(ratio, (top - ratio * bottom) / total, clusters, method, level)


def clustered_slope(
    values: ArrayLike, on: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> Estimate:
    """Estimate the least-squares slope of `values` on a variable; not defined if that is constant.

    Clusters may be smaller than a level of the variable, or hold several levels.
    """
    y, x = np.asarray(values, dtype=float), np.asarray(on, dtype=float)
    method = "least-squares slope; t, clustered"
    if np.unique(x).size < 2:
        return _undefined(clusters, method)
    across = (x - x.mean()) / float(np.sum((x - x.mean()) ** 2))
    slope = float(across @ y)
    residuals = y - y.mean() - slope * (x - x.mean())
    return clustered_estimate(slope, across * residuals, clusters, method, level)


def signal_detection(
    yes: ArrayLike, truth: ArrayLike, clusters: ArrayLike, level: float = 0.95
) -> SignalDetection:
    """Estimate d' and the criterion of signal detection, with the log-linear correction.

    Half a yes and half a no are added among the true and among the false cases (Hautus 1995), so
    that rates of 0 and 1 have finite z. The added halves are rows like others, with a variance of
    their own; were each row its own cluster, the variance would be that of Gourevitch and Galanter
    (1967) at the corrected rates, but for G/(G-1).

    Args:
        yes: Whether the answer is yes.
        truth: Whether the truth is yes; without both kinds nothing is defined.
        clusters: The sampled unit of each answer.
        level: Confidence level.
    """
    answer, true = np.asarray(yes, dtype=bool), np.asarray(truth, dtype=bool)
    methods = [f"log-linear {name}; t, clustered" for name in ("d'", "criterion")]
    if not _has_both(true):
        return SignalDetection(*(_undefined(clusters, method) for method in methods))
    score, influence, added = {}, np.empty(answer.size), 0.0
    for kind in (True, False):
        rows = true == kind
        count = int(rows.sum()) + 1
        rate = (float(answer[rows].sum()) + 0.5) / count
        score[kind] = NORMAL.inv_cdf(rate)
        steepness = NORMAL.pdf(score[kind]) * count
        influence[rows] = (answer[rows] - rate) / steepness
        added += ((1 - rate) ** 2 + rate**2) / 2 / steepness**2
    signed = np.where(true, influence, -influence)
    d_prime, criterion = score[True] - score[False], -(score[True] + score[False]) / 2
    return SignalDetection(
        clustered_estimate(d_prime, signed, clusters, methods[0], level, added),
        clustered_estimate(criterion, -influence / 2, clusters, methods[1], level, added / 4),
    )


def t_quantile(probability: float, degrees: float) -> float:
    """Return a quantile of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415  (kept out of the start-up path)

    return float(stdtrit(degrees, probability))


def cluster_variance(
    influence: NDArray[np.float64], clusters: ArrayLike
) -> tuple[float | None, int]:
    """Return the variance, None with fewer than two clusters, and the number of clusters."""
    labels, codes = np.unique(np.asarray(clusters), return_inverse=True)
    if codes.size != influence.size:
        raise ValueError(
            f"clusters must be one for each of {influence.size} rows, got {codes.size}"
        )
    units = labels.size
    if units < 2:
        return None, units
    sums = np.bincount(codes, weights=influence, minlength=units)
    return units / (units - 1) * float(np.sum(sums**2)), units


def _undefined(clusters: ArrayLike, method: str) -> Estimate:
    labels = np.asarray(clusters)
    return Estimate(None, None, None, labels.size, np.unique(labels).size, method, ("undefined",))


def _has_both(truth: NDArray[np.bool_]) -> bool:
    return bool(truth.any()) and not truth.all()
