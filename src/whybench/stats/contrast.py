"""The difference of two means, with an interval clustered by the unit that was sampled.

Answers to one vignette (one story under one polarity), or by one person, resemble each other. The
difference of the two means is a sum over answers, so its interval is one of
`whybench.stats.clustered`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.clustered import clustered_estimate
from whybench.stats.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

__all__ = ["mean_difference"]

METHOD = "difference of means; t, clustered"


def mean_difference(
    above: ArrayLike,
    below: ArrayLike,
    above_clusters: Sequence[object],
    below_clusters: Sequence[object],
    level: float = 0.95,
) -> Estimate:
    """Estimate mean(above) - mean(below), clustered.

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
    _, clusters = np.unique(
        np.array([str(label) for label in (*above_clusters, *below_clusters)], dtype=str),
        return_inverse=True,
    )
    if not first.size or not second.size:
        units = int(clusters.max(initial=-1)) + 1
        return Estimate(None, None, None, clusters.size, units, METHOD, ("undefined",))
    influence = np.concatenate(
        [(first - first.mean()) / first.size, (second.mean() - second) / second.size]
    )
    estimate = float(first.mean() - second.mean())
    return clustered_estimate(estimate, influence, clusters, METHOD, level)
