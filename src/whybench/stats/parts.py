"""Scores that are 1 less several losses, each computed from some of the same rows.

A score may lose by a ratio of sums and by shares, with rows, or clusters, that count in several of
these parts. Each part has a value and, for every row, an *influence*: how far it moves the part, as
in `clustered`. What a cluster moves in one part and in another adds up before it is squared, so
that parts need not be independent.

Losses are never negative, and an agent that rarely fails loses in few rows. An interval that
reaches as far up as down is then far too short: with 79 rows and failures in 5%, it covers in 83 of
100 cases, and with none it has no width. Losses that come one by one have a variance that is
proportional to their mean, and the interval is the set of all means from which what was seen is not
more than t standard deviations away, as Wilson's is for shares. The proportion is that of the rows,
and of one failure more that costs twice what a row is worth, since those that were seen may be few.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.stats.clustered import cluster_variance, t_quantile
from whybench.stats.results import Estimate, flag_few_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

FAILURE = 2
"""How many times the worth of a row one failure more is taken to cost."""


class Part(NamedTuple):
    """One part of what is lost.

    Attributes:
        value: What it comes to.
        influence: How far each row moves it; 0 for rows that do not count in it.
        worth: What each row adds to a part of 1.
    """

    value: float
    influence: NDArray[np.float64]
    worth: NDArray[np.float64]


def ratio_of_sums(above: ArrayLike, below: ArrayLike) -> Part:
    """Return the sum of `above` over the sum of `below`; rows with 0 in both do not count.

    Raises:
        ValueError: `below` sums to 0.
    """
    top, bottom = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    total = float(bottom.sum())
    if not total:
        raise ValueError("below must not sum to 0")
    ratio = float(top.sum()) / total
    return Part(ratio, (top - ratio * bottom) / total, bottom / total)


def mean_of_means(values: ArrayLike, kinds: ArrayLike, clusters: ArrayLike) -> Part:
    """Return the mean, over kinds of rows, of the mean value of each kind.

    A kind's mean moves with its own rows, so few clusters lie nearer to it than to the truth: their
    influence is larger by as much, CR2 where clusters are of one size. A kind with one cluster is
    held against the mean of all kinds.

    Args:
        values: One for each row.
        kinds: The kind of each row; empty for rows that do not count, of which there must be some
            that do.
        clusters: The sampled unit of each row.
    """
    value, kind = np.asarray(values, dtype=float), np.asarray(kinds, dtype=str)
    cluster = np.unique(np.asarray(clusters), return_inverse=True)[1]
    names = [name for name in np.unique(kind).tolist() if name]
    if not names:
        raise ValueError("kinds must name some rows that count, got none")
    rows = {name: np.flatnonzero(kind == name) for name in names}
    means = {name: float(value[own].mean()) for name, own in rows.items()}
    overall = float(np.mean(list(means.values())))
    influence, worth = np.zeros(value.size), np.zeros(value.size)
    for name, own in rows.items():
        share = np.bincount(cluster[own]) / own.size
        lone = share.max() >= 1
        factor = 1.0 if lone else 1 / np.sqrt(1 - share[cluster[own]])
        centre = overall if lone else means[name]
        worth[own] = 1 / own.size / len(names)
        influence[own] = factor * (value[own] - centre) * worth[own]
    return Part(overall, influence, worth)


def clustered_score(
    parts: Sequence[tuple[float, Part]], clusters: ArrayLike, method: str, level: float = 0.95
) -> Estimate:
    """Estimate 1 less a weighted sum of parts that are never negative.

    Args:
        parts: Weight and part, all of the same rows.
        clusters: The sampled unit of each row.
        method: What the score is.
        level: Confidence level.
    """
    loss = float(sum(weight * part.value for weight, part in parts))
    influence = np.sum([weight * part.influence for weight, part in parts], axis=0)
    worth = np.sum([weight * part.worth for weight, part in parts], axis=0)
    variance, units = cluster_variance(influence, clusters)
    low = high = None
    if variance is not None:
        failure = FAILURE * float(np.sum(worth**2) / np.sum(worth))
        proportion = (variance + failure**2) / (loss + failure)
        q = t_quantile(0.5 + level / 2, units - 1) ** 2 * proportion
        half = (q * loss + q**2 / 4) ** 0.5
        low, high = 1 - (loss + q / 2 + half), 1 - max(0.0, loss + q / 2 - half)
    named = f"{method}; score t, clustered"
    return Estimate(1 - loss, low, high, influence.size, units, named, flag_few_units(units))
