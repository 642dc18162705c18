"""Ranks of many samples at once, and tests by ranks of whether groups differ.

`midranks` sorts, ties at their mean rank. `ranks_from_counts` does not: in a bootstrap resample the
values stay the same and only how often each occurs changes, so a value's rank is the number of
smaller values that were drawn, plus half of what was drawn of itself and a half. One cumulative sum
over the distinct values replaces a sort of every resample.

Kruskal–Wallis compares several groups, Mann–Whitney two. Both rank all values together and ask
whether the ranks of some group are higher than chance would make them. The answers to a design are
not one sample per story, though: every story asks the same tasks, so most of the spread is shared
by all groups. Then these tests keep their level with room to spare and lose power;
`permutation_test` with the tasks as strata does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.resampling import encode_labels
from whybench.stats.results import HypothesisTest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

SMALL_GROUP = 5
"""Below this number of values in a group the χ² and normal approximations are flagged."""


def midranks(values: ArrayLike) -> NDArray[np.float64]:
    """Rank along the last axis, from 1; equal values share the mean of their ranks.

    A sample that holds NaN has no ranks: all are NaN.
    """
    array = np.asarray(values, dtype=float)
    order = np.argsort(array, axis=-1)
    ordered = np.take_along_axis(array, order, axis=-1)
    place = np.arange(array.shape[-1])
    starts = np.ones(array.shape, dtype=bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    ends = np.ones(array.shape, dtype=bool)
    ends[..., :-1] = starts[..., 1:]
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, place.size)[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(array.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    ranks[np.isnan(array).any(axis=-1)] = np.nan
    return ranks


def tie_correction(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum of t³ - t over groups of t equal values, from midranks on the last axis.

    The squared midranks of n values sum to that of 1 … n less a twelfth of this.
    """
    n = ranks.shape[-1]
    squares = np.asarray(np.sum(ranks**2, axis=-1), dtype=float)
    return np.asarray(2.0 * n * (n + 1) * (2 * n + 1) - 12.0 * squares)


def indicator_matrix(values: ArrayLike) -> NDArray[np.float64]:
    """Return a column for each distinct value, in order: 1 in the rows that have it, else 0."""
    labels, codes = np.unique(np.asarray(values), return_inverse=True)
    return np.eye(labels.size)[codes]


def ranks_from_counts(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the midrank of each distinct value from how often it was drawn.

    Args:
        drawn: Counts of the distinct values, in ascending order along the last axis.
    """
    return np.cumsum(drawn, axis=-1) - (drawn - 1) / 2


def kruskal_statistics(
    values: ArrayLike, groups: Sequence[object]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute H, corrected for ties, and p for many samples with the same groups.

    Args:
        values: Samples along the last axis; any leading axes.
        groups: The group of each value.

    Returns:
        H and p, without the last axis; NaN where all values are equal or there is one group.
    """
    from scipy.special import chdtrc  # noqa: PLC0415  (kept out of the start-up path)

    array = np.asarray(values, dtype=float)
    n = array.shape[-1]
    if len(groups) != n:
        raise ValueError(f"groups must name the group of each of {n} values, got {len(groups)}")
    member = indicator_matrix([str(group) for group in groups])
    sizes = member.sum(axis=0)
    ranks = midranks(array)
    sums = (ranks - (n + 1) / 2) @ member
    between = np.asarray(np.sum(sums**2 / sizes, axis=-1), dtype=float)
    # A twelfth of n³ - n less the ties is the sum of squared deviations of the ranks.
    total = np.asarray((float(n) ** 3 - n - tie_correction(ranks)) / 12)
    defined = (total > 0) & (sizes.size > 1)
    statistic = np.where(defined, (n - 1) * between / np.where(defined, total, 1.0), np.nan)
    return statistic, np.where(defined, chdtrc(max(sizes.size - 1, 1), statistic), np.nan)


def kruskal_wallis(values: ArrayLike, groups: Sequence[object]) -> HypothesisTest:
    """Test whether the values of some group tend to be larger.

    The effect is epsilon squared, H/(n - 1): the share of the ranks' variance that lies between
    groups.
    """
    array = np.asarray(values, dtype=float)
    method = "Kruskal–Wallis, χ² approximation; effect ε²"
    sizes = np.bincount(encode_labels(groups))
    undefined = HypothesisTest(None, None, None, array.size, sizes.size, method, ("undefined",))
    if array.size < 2 or sizes.size < 2:
        return undefined
    statistic, p = kruskal_statistics(array, groups)
    if np.isnan(statistic):
        return undefined
    return replace(
        undefined,
        statistic=float(statistic),
        p=float(p),
        effect=float(statistic) / (array.size - 1),
        flags=_flag_small_groups(int(sizes.min())),
    )


def mann_whitney(first: ArrayLike, second: ArrayLike) -> HypothesisTest:
    """Test, two-sided, whether the values of one sample tend to be larger.

    The statistic is U of the first sample. The effect is the rank-biserial correlation,
    2U/(n₁n₂) - 1: the share of pairs in which the first is larger, less the share in which it is
    smaller. The p-value is exact for small samples without ties, else the normal approximation
    with corrections for ties and continuity.
    """
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    method = "Mann–Whitney, two-sided; effect rank-biserial"
    n = x.size + y.size
    if not x.size or not y.size or np.all(np.concatenate([x, y]) == x[0]):
        return HypothesisTest(None, None, None, n, 2, method, ("undefined",))
    result = mannwhitneyu(x, y, alternative="two-sided", method="auto")
    u, p = float(result.statistic), float(result.pvalue)
    flags = _flag_small_groups(min(x.size, y.size))
    return HypothesisTest(u, p, 2 * u / (x.size * y.size) - 1, n, 2, method, flags)


def _flag_small_groups(smallest: int) -> tuple[str, ...]:
    return ("small_groups",) if smallest < SMALL_GROUP else ()
