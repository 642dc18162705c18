"""The difference of two means, with an interval clustered by the unit that was sampled.

Answers to one vignette (one story under one polarity), or by one person, resemble each other. The
difference of the two means is a sum over answers, so its interval is one of
`whybench.stats.clustered`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.clustered import clustered_estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["Contrast", "mean_difference"]

METHOD = "difference of means, clustered t"


@dataclass(frozen=True)
class Contrast:
    """A difference of means, its 95% interval where there is one, and what it rests on."""

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    units: int


def mean_difference(
    above: ArrayLike,
    below: ArrayLike,
    above_clusters: Sequence[object],
    below_clusters: Sequence[object],
    level: float = 0.95,
) -> Contrast:
    """Estimate mean(above) - mean(below), clustered.

    Args:
        above: Values whose mean is counted positively.
        below: Values whose mean is subtracted.
        above_clusters: The sampled unit of each value in `above`.
        below_clusters: The sampled unit of each value in `below`; a unit may be in both.
        level: Confidence level of the interval.

    Returns:
        The contrast. Without values on both sides there is no estimate; with fewer than two
        clusters there is an estimate and no interval.
    """
    first, second = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    _, clusters = np.unique(
        np.array([str(label) for label in (*above_clusters, *below_clusters)], dtype=str),
        return_inverse=True,
    )
    n, units = first.size + second.size, int(clusters.max(initial=-1)) + 1
    if not first.size or not second.size:
        return Contrast(None, None, None, n, units)
    influence = np.concatenate(
        [(first - first.mean()) / first.size, (second.mean() - second) / second.size]
    )
    found = clustered_estimate(
        float(first.mean() - second.mean()), influence, clusters, METHOD, level
    )
    return Contrast(found.estimate, found.low, found.high, found.n, found.units)
