"""Do groups differ, strata held fixed? A test that shuffles labels within strata.

Every story asks the same tasks, and tasks differ far more than stories do. Here values are ranked
within their stratum (a task), so that what tasks share is gone, and the labels of the groups are
shuffled within strata, so that the test is exact whatever the answers look like, as long as the
answers to a task could have been given to any story. The statistic is the spread of the groups'
mean ranks.

One set of shuffled labels serves any number of samples with the same groups and strata: the sums
of ranks of all groups, in all samples, under all shuffles, are one matrix product.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.stats.ranks import indicators, midranks
from whybench.stats.results import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["permutation_pvalues", "permutation_test", "shuffled_within"]

BATCH = 4_000_000
TIE = 1e-9
"""Statistics that differ by less than this count as equal, since sums of ranks may round."""


def permutation_test(
    values: ArrayLike,
    groups: Sequence[object],
    strata: Sequence[object],
    keys: Sequence[object],
    permutations: int = 1999,
) -> Finding:
    """Test whether the values of some group tend to be larger, within strata.

    Args:
        values: The values.
        groups: The group of each value, such as its story.
        strata: The stratum of each value, such as its task.
        keys: Names the random draw; equal keys give equal p-values.
        permutations: Number of shuffles. The observed labels count as one more.

    Returns:
        The finding. The statistic is the sum over groups of n times the squared mean of centred
        ranks within strata; the effect is its share of the sum of squared ranks.
    """
    array = np.asarray(values, dtype=float)
    kinds = len({str(group) for group in groups})
    method = f"permutation within strata, {permutations} shuffles; effect share of rank variance"
    if array.size < 2 or kinds < 2:
        return Finding(None, None, None, array.size, kinds, method, ("undefined",))
    statistic, p = permutation_pvalues(array[None, :], groups, strata, keys, permutations)
    total = float(np.sum(_ranks_within(array[None, :], _codes(strata)) ** 2))
    if total == 0:
        return Finding(None, None, None, array.size, kinds, method, ("undefined",))
    return Finding(
        float(statistic[0]), float(p[0]), float(statistic[0]) / total, array.size, kinds, method
    )


def permutation_pvalues(
    samples: ArrayLike,
    groups: Sequence[object],
    strata: Sequence[object],
    keys: Sequence[object],
    permutations: int = 1999,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute statistic and p-value for many samples with the same groups and strata.

    Args:
        samples: A sample a line.
        groups: The group of each column.
        strata: The stratum of each column.
        keys: Names the random draw, which all samples share.
        permutations: Number of shuffles.
    """
    array = np.asarray(samples, dtype=float)
    if len(groups) != array.shape[1] or len(strata) != array.shape[1]:
        raise ValueError(
            f"groups and strata must name those of each of {array.shape[1]} values, "
            f"got {len(groups)} and {len(strata)}"
        )
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations}")
    member = indicators([str(group) for group in groups])
    sizes = member.sum(axis=0)
    ranks = _ranks_within(array, _codes(strata))
    observed = np.sum((ranks @ member) ** 2 / sizes, axis=1)
    reached = np.zeros(len(array))
    order = shuffled_within(_codes(strata), permutations, keys)
    step = max(1, BATCH // max(1, len(array) * sizes.size))
    for start in range(0, permutations, step):
        # Samples x (shuffles · groups): the sums of ranks under every shuffle.
        shuffled = member[order[start : start + step]].transpose(1, 0, 2)
        sums = ranks @ shuffled.reshape(array.shape[1], -1)
        spread = np.sum(sums.reshape(len(array), -1, sizes.size) ** 2 / sizes, axis=2)
        reached += np.sum(spread >= observed[:, None] - TIE * (1 + observed[:, None]), axis=1)
    return observed, (1 + reached) / (1 + permutations)


def shuffled_within(
    strata: NDArray[np.intp], permutations: int, keys: Sequence[object]
) -> NDArray[np.intp]:
    """Draw permutations of the columns that leave each in its stratum, a permutation a line."""
    # Sorted by stratum and then at random, the columns of a stratum stand in random order.
    noise = generator("stats", "permutation", *keys).random((permutations, strata.size))
    at_random = np.argsort(strata + noise, axis=1)
    places = np.argsort(strata, kind="stable")
    order = np.empty_like(at_random)
    order[:, places] = at_random
    return order


def _ranks_within(samples: NDArray[np.float64], strata: NDArray[np.intp]) -> NDArray[np.float64]:
    """Rank each line within strata and centre, so that every stratum sums to zero."""
    ranks = np.empty(samples.shape)
    for stratum in range(int(strata.max(initial=-1)) + 1):
        inside = strata == stratum
        ranks[:, inside] = midranks(samples[:, inside]) - (np.count_nonzero(inside) + 1) / 2
    return ranks


def _codes(labels: Sequence[object]) -> NDArray[np.intp]:
    _, codes = np.unique(np.array([str(label) for label in labels]), return_inverse=True)
    return codes
