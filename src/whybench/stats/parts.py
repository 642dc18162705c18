"""Statistics that are sums of parts, each computed from some of the same rows.

A score may be the mean of a ratio of sums and a difference of shares, with rows, or clusters, that
count in several of them. Each part has a value and, for every row, an *influence*: how far it moves
the part, as in `clustered`. What a cluster moves in one part and in another adds up before it is
squared, so that parts need not be independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.stats.clustered import clustered_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats.results import Estimate

__all__ = ["Part", "clustered_sum", "mean_of_means", "ratio_of_sums"]


class Part(NamedTuple):
    """One part of a sum.

    Attributes:
        value: What it comes to.
        influence: How far each row moves it; 0 for rows that do not count in it.
    """

    value: float
    influence: NDArray[np.float64]


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
    return Part(ratio, (top - ratio * bottom) / total)


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
    influence = np.zeros(value.size)
    for name, own in rows.items():
        share = np.bincount(cluster[own]) / own.size
        lone = share.max() >= 1
        factor = 1.0 if lone else 1 / np.sqrt(1 - share[cluster[own]])
        centre = overall if lone else means[name]
        influence[own] = factor * (value[own] - centre) / own.size / len(names)
    return Part(overall, influence)


def clustered_sum(
    parts: Sequence[tuple[float, Part]],
    clusters: ArrayLike,
    start: float = 0.0,
    method: str = "sum of parts; t, clustered",
    level: float = 0.95,
) -> Estimate:
    """Estimate a constant plus a weighted sum of parts, with Student's t interval.

    Args:
        parts: Weight and part, all of the same rows.
        clusters: The sampled unit of each row.
        start: The constant.
        method: What the sum is, and how its interval is made.
        level: Confidence level.
    """
    estimate = start + sum(weight * part.value for weight, part in parts)
    influence = np.sum([weight * part.influence for weight, part in parts], axis=0)
    return clustered_estimate(estimate, influence, clusters, method, level)
