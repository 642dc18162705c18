"""Do groups differ? Kruskal–Wallis for several groups, Mann–Whitney for two.

Both rank all values together, ties at their mean rank, and ask whether the ranks of some group
are higher than chance would make them. The answers to a design are not one sample per story,
though: every story asks the same tasks, so most of the spread is shared by all groups. Then these
tests keep their level with room to spare and lose power; `permutation_test` with the tasks as
strata does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.ranks import indicators, midranks, tie_sums
from whybench.stats.results import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

__all__ = ["kruskal_statistics", "kruskal_wallis", "mann_whitney"]

SMALL_GROUP = 5
"""Below this number of values in a group the χ² and normal approximations are flagged."""


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
    member = indicators([str(group) for group in groups])
    sizes = member.sum(axis=0)
    ranks = midranks(array)
    sums = (ranks - (n + 1) / 2) @ member
    between = np.asarray(np.sum(sums**2 / sizes, axis=-1), dtype=float)
    # A twelfth of n³ - n less the ties is the sum of squared deviations of the ranks.
    total = np.asarray((float(n) ** 3 - n - tie_sums(ranks)) / 12)
    defined = (total > 0) & (sizes.size > 1)
    statistic = np.where(defined, (n - 1) * between / np.where(defined, total, 1.0), np.nan)
    return statistic, np.where(defined, chdtrc(max(sizes.size - 1, 1), statistic), np.nan)


def kruskal_wallis(values: ArrayLike, groups: Sequence[object]) -> Finding:
    """Test whether the values of some group tend to be larger.

    The effect is epsilon squared, H/(n - 1): the share of the ranks' variance that lies between
    groups.
    """
    array = np.asarray(values, dtype=float)
    method = "Kruskal–Wallis, χ² approximation; effect ε²"
    sizes = list(_sizes(groups).values())
    if array.size < 2 or len(sizes) < 2:
        return Finding(None, None, None, array.size, len(sizes), method, ("undefined",))
    statistic, p = kruskal_statistics(array, groups)
    if np.isnan(statistic):
        return Finding(None, None, None, array.size, len(sizes), method, ("undefined",))
    return Finding(
        statistic=float(statistic),
        p=float(p),
        effect=float(statistic) / (array.size - 1),
        n=array.size,
        groups=len(sizes),
        method=method,
        flags=("small_groups",) if min(sizes) < SMALL_GROUP else (),
    )


def mann_whitney(first: ArrayLike, second: ArrayLike) -> Finding:
    """Test, two-sided, whether the values of one sample tend to be larger.

    The statistic is U of the first sample. The effect is the rank-biserial correlation,
    2U/(n₁n₂) - 1: the share of pairs in which the first is larger, less the share in which it is
    smaller. The p-value is exact for small samples without ties, else the normal approximation
    with corrections for ties and continuity.
    """
    from scipy.stats import mannwhitneyu  # noqa: PLC0415

    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    method = "Mann–Whitney, two-sided; effect rank-biserial"
    n = one.size + two.size
    if not one.size or not two.size or np.all(np.concatenate([one, two]) == (one[0])):
        return Finding(None, None, None, n, 2, method, ("undefined",))
    found = mannwhitneyu(one, two, alternative="two-sided", method="auto")
    return Finding(
        statistic=float(found.statistic),
        p=float(found.pvalue),
        effect=2 * float(found.statistic) / (one.size * two.size) - 1,
        n=n,
        groups=2,
        method=method,
        flags=("small_groups",) if min(one.size, two.size) < SMALL_GROUP else (),
    )


def _sizes(groups: Sequence[object]) -> dict[str, int]:
    names, sizes = np.unique(np.array([str(group) for group in groups]), return_counts=True)
    return dict(zip(names.tolist(), sizes.tolist(), strict=True))
