"""Intervals for few clusters of unequal size, and for clusters drawn within strata.

`weighted_means` estimates a weighted sum of means, such as the difference of two tasks' means, from
answers that come in clusters. Squares of the clusters' residuals are too small, the more so the
larger a cluster's share of a mean is, for the mean lies near what weighs much in it. CR2 (Bell and
McCaffrey 2002) makes up for that: with rows that are independent and vary alike as the working
model, its variance is exactly right, and it stays nearly so where they are not. Here rows have one
mean each, so what is a matrix root in general is a number: cluster g, with n of the N answers of
mean c, moves the sum by

    a · n/N · (its own mean - the mean) / sqrt(1 - n/N)

with `a` the weight of the mean, and the variance is the sum over clusters of the squared moves.
Student's t has the degrees of freedom that give the variance's own variance under the working model
(Satterthwaite; Pustejovsky and Tipton 2018). Equal clusters give G/(G-1) and G-1, as ever.

**Strata** are fixed by design, and only the clusters within them are drawn: the vignettes of these
stories, the draws of these challenges. Then a mean is that of the means within its strata, each
counting as many answers as it has, and clusters are held against the mean of their own stratum. A
stratum with one cluster shows no spread; those that have one are taken together, and with the
smallest of the others if only one has one. The spread between them is then counted as chance, which
makes the interval too wide rather than too short. A mean that rests on one cluster has no interval.

`leave_out_covariance` does the same for anything that can be computed without each unit.

Two questions can be asked of the same answers: how sure is the value *for these strata*, and how
sure *for strata like these*, had others been drawn? The second is answered with the strata for
clusters; `generalize` puts it beside the first. What is not known of these strata is not known of
others either, so the second interval is never inside the first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.clustered import ROUNDING, t_quantile
from whybench.stats.results import Estimate, flag_few_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

FEWEST = 2
"""Clusters or units that show a spread."""


def weighted_means(
    weights: Mapping[str, float],
    values: ArrayLike,
    kinds: ArrayLike,
    clusters: ArrayLike,
    strata: ArrayLike | None = None,
    answers: ArrayLike | None = None,
    level: float = 0.95,
    within: str = "strata",
) -> Estimate:
    """Estimate a weighted sum of the means of several kinds of values.

    Args:
        weights: Kind to the weight of its mean; values of other kinds do not count.
        values: The values, or means of several.
        kinds: The kind of each.
        clusters: The sampled unit of each; a unit may have values of several kinds.
        strata: The stratum of each; None if clusters are drawn from all there are.
        answers: How many answers each value is the mean of; one if not stated.
        level: Confidence level.
        within: What strata are called in the method.

    Returns:
        The estimate, whose n is the number of answers. Without a value of each kind it is not
        defined.
    """
    kind = np.asarray(kinds, dtype=str)
    chosen = np.isin(kind, list(weights))
    kind, value = kind[chosen], np.asarray(values, dtype=float)[chosen]
    names, cluster = np.unique(np.asarray(clusters)[chosen], return_inverse=True)
    stratum = np.zeros(kind.size, dtype=np.intp)
    if strata is not None:
        stratum = np.unique(np.asarray(strata)[chosen], return_inverse=True)[1]
    count = np.ones(kind.size) if answers is None else np.asarray(answers, dtype=float)[chosen]
    n, units = int(count.sum()), names.size
    method = "t, CR2" if strata is None else f"t, CR2 within {within}"
    if not {*weights} <= {*np.unique(kind)}:
        return Estimate(None, None, None, n, units, method, ("undefined",))
    estimate, moves, scales, lone, known = 0.0, [], [], False, True
    for name, weight in weights.items():
        own = kind == name
        total = float(count[own].sum())
        mean = float((count[own] * value[own]).sum() / total)
        estimate += weight * mean
        pooled = pool_lone(stratum[own], cluster[own])
        lone |= bool((pooled != stratum[own]).any())
        for part in np.unique(pooled):
            rows = np.flatnonzero(own)[pooled == part]
            size = np.bincount(cluster[rows], count[rows], units)
            share = size / size.sum()
            if share.max() >= 1:
                known = False
                break
            centre = float((count[rows] * value[rows]).sum() / size.sum())
            sums = np.bincount(cluster[rows], count[rows] * (value[rows] - centre), units)
            factor = weight / total / np.sqrt(1 - share)
            moves.append(factor * sums)
            # Of the working model: what a cluster's move owes to its own answers, and to the mean.
            scales.append((factor**2 * size, factor * size / np.sqrt(size.sum())))
    method += ", lone clusters together" if lone else ""
    found = Estimate(estimate, None, None, n, units, method, flag_few_units(units))
    if not known:
        return found
    spread = float(np.sum(np.sum(moves, axis=0) ** 2)) ** 0.5
    shared = np.array([through for _, through in scales]).T
    working = np.diag(np.sum([own for own, _ in scales], axis=0)) - shared @ shared.T
    degrees = float(np.trace(working) ** 2 / np.sum(working**2))
    half = t_quantile(0.5 + level / 2, degrees) * spread
    flat = ("no_spread",) if spread <= ROUNDING * abs(estimate) else ()
    return replace(found, low=estimate - half, high=estimate + half, flags=found.flags + flat)


def leave_out_covariance(
    without: ArrayLike, strata: ArrayLike | None = None
) -> tuple[Array, float]:
    """Return the covariance of statistics by leaving out units, and its degrees of freedom.

    Args:
        without: What the statistics are without each unit, units x statistics.
        strata: The stratum of each unit; None if units are drawn from all there are.

    Returns:
        The covariance, and the degrees of freedom that its variances have where units vary alike.
    """
    left = np.asarray(without, dtype=float)
    units = len(left)
    if units < FEWEST:
        raise ValueError(f"without must have {FEWEST} units or more, got {units}")
    stratum = np.zeros(units, dtype=np.intp)
    if strata is not None:
        codes = np.unique(np.asarray(strata), return_inverse=True)[1]
        stratum = pool_lone(codes, np.arange(units))
    covariance, uncertainty = np.zeros((left.shape[1], left.shape[1])), 0.0
    for part in np.unique(stratum):
        own = left[stratum == part]
        off, size = own - own.mean(axis=0), len(own)
        covariance += size / (size - 1) * (off.T @ off)
        uncertainty += size**2 / (size - 1)
    return covariance * ((units - 1) / units) ** 2, units**2 / uncertainty


def pool_lone(strata: NDArray[np.intp], clusters: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return strata in which those with one cluster are together, if need be with the smallest."""
    pairs = np.unique(np.stack([strata, clusters]), axis=1)
    names, sizes = np.unique(pairs[0], return_counts=True)
    together = names[sizes < FEWEST]
    if together.size == 1:
        together = names[np.argsort(sizes, kind="stable")[:2]]
    if together.size < 2:
        return strata
    return np.where(np.isin(strata, together), together[0], strata)


def generalize(found: Estimate, wider: Estimate) -> Estimate:
    """Return an estimate with a second interval, for other strata like those that were seen.

    Args:
        found: The estimate, with the interval for these strata.
        wider: The same with strata for units; where it has no interval, there is no second one.
    """
    if wider.low is None or wider.high is None:
        return found
    lows, highs = ([getattr(one, end) for one in (found, wider)] for end in ("low", "high"))
    return replace(
        found,
        general_low=min(end for end in lows if end is not None),
        general_high=max(end for end in highs if end is not None),
        general_units=wider.units,
    )
