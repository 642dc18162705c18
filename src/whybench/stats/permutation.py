"""Do groups differ, strata held fixed? And how are the p-values of several tests corrected?

Every story asks the same tasks, and tasks differ far more than stories do. `permutation_test` ranks
values within their stratum (a task), so that what tasks share is gone, and shuffles the labels of
the groups within strata, so that it is exact whatever the answers look like, as long as the
answers to a task could have been given to any story. The statistic is the spread of the groups'
mean ranks.

One set of shuffled labels serves any number of samples with the same groups and strata: the sums
of ranks of all groups, in all samples, under all shuffles, are one matrix product.

Of several tests at once some find something by chance. `adjust` corrects their p-values by the
false discovery rate of Benjamini and Hochberg (1995).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.stats.rank_tests import indicator_matrix, midranks
from whybench.stats.resampling import CHUNK, encode_labels
from whybench.stats.results import HypothesisTest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

TIE_TOLERANCE = 1e-9
"""Statistics that differ by less than this count as equal, since sums of ranks may round."""


def permutation_test(
    values: ArrayLike,
    groups: Sequence[object],
    strata: Sequence[object],
    keys: Sequence[object],
    permutations: int = 1999,
) -> HypothesisTest:
    """Test whether the values of some group tend to be larger, within strata.

    Args:
        values: The values.
        groups: The group of each value, such as its story.
        strata: The stratum of each value, such as its task.
        keys: Names the random draw; equal keys give equal p-values.
        permutations: Number of shuffles. The observed labels count as one more.

    Returns:
        The test. The statistic is the sum over groups of n times the squared mean of centred
        ranks within strata; the effect is its share of the sum of squared ranks.
    """
    array = np.asarray(values, dtype=float)
    kinds = len({str(group) for group in groups})
    method = f"permutation within strata, {permutations} shuffles; effect share of rank variance"
    undefined = HypothesisTest(None, None, None, array.size, kinds, method, ("undefined",))
    if array.size < 2 or kinds < 2:
        return undefined
    statistic, p = permutation_pvalues(array[None, :], groups, strata, keys, permutations)
    total = float(np.sum(_rank_within(array[None, :], encode_labels(strata)) ** 2))
    if total == 0:
        return undefined
    spread = float(statistic[0])
    return HypothesisTest(spread, float(p[0]), spread / total, array.size, kinds, method)


def permutation_pvalues(
    samples: ArrayLike,
    groups: Sequence[object],
    strata: Sequence[object],
    keys: Sequence[object],
    permutations: int = 1999,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute statistic and p-value for many samples with the same groups and strata.

    Args:
        samples: The samples, one in each line.
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
    member = indicator_matrix([str(group) for group in groups])
    sizes = member.sum(axis=0)
    codes = encode_labels(strata)
    ranks = _rank_within(array, codes)
    observed = np.sum((ranks @ member) ** 2 / sizes, axis=1)
    reached = np.zeros(len(array))
    order = shuffle_within_strata(codes, permutations, keys)
    step = max(1, CHUNK // max(1, len(array) * sizes.size))
    for start in range(0, permutations, step):
        # Samples x (shuffles · groups): the sums of ranks under every shuffle.
        shuffled = member[order[start : start + step]].transpose(1, 0, 2)
        sums = ranks @ shuffled.reshape(array.shape[1], -1)
        spread = np.sum(sums.reshape(len(array), -1, sizes.size) ** 2 / sizes, axis=2)
        reached += np.sum(
            spread >= observed[:, None] - TIE_TOLERANCE * (1 + observed[:, None]), axis=1
        )
    return observed, (1 + reached) / (1 + permutations)


def shuffle_within_strata(
    strata: NDArray[np.intp], permutations: int, keys: Sequence[object]
) -> NDArray[np.intp]:
    """Draw permutations of the columns that leave each in its stratum, a permutation a line."""
    # Sorted by stratum and then at random, the columns of a stratum stand in random order.
    noise = generator("stats", "permutation", *keys).random((permutations, strata.size))
    shuffled = np.argsort(strata + noise, axis=1)
    order = np.empty_like(shuffled)
    order[:, np.argsort(strata, kind="stable")] = shuffled
    return order


def benjamini_hochberg(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values so that rejecting all up to α keeps the false discovery rate at α.

    The i-th smallest of m becomes the smallest of p·m/i over itself and all larger ones, at most
    1. A NaN stays one and does not count among the m.
    """
    p = np.asarray(pvalues, dtype=float)
    if np.any((p < 0) | (p > 1)):
        raise ValueError(f"p-values must lie between 0 and 1, got {p[(p < 0) | (p > 1)].tolist()}")
    adjusted, known = np.full(p.shape, np.nan), np.flatnonzero(~np.isnan(p))
    falling = known[np.argsort(p[known], kind="stable")[::-1]]
    scaled = p[falling] * (known.size / np.arange(known.size, 0, -1))
    adjusted[falling] = np.minimum(np.minimum.accumulate(scaled), 1.0)
    return adjusted


def adjust(tests: Sequence[HypothesisTest]) -> list[HypothesisTest]:
    """Return the tests of one family, with adjusted p-values.

    A test that could not be made has no p-value and does not count as one of the family.
    """
    adjusted = benjamini_hochberg([np.nan if test.p is None else test.p for test in tests])
    return [
        replace(test, adjusted=None if np.isnan(value) else float(value))
        for test, value in zip(tests, adjusted, strict=True)
    ]


def _rank_within(samples: NDArray[np.float64], strata: NDArray[np.intp]) -> NDArray[np.float64]:
    """Rank each line within strata and centre, so that every stratum sums to zero."""
    ranks = np.empty(samples.shape)
    for stratum in range(int(strata.max(initial=-1)) + 1):
        inside = strata == stratum
        ranks[:, inside] = midranks(samples[:, inside]) - (np.count_nonzero(inside) + 1) / 2
    return ranks
