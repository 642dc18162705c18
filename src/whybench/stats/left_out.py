"""What a sum of ratios is without each unit, for all units at once.

Shares, balanced accuracies and contrasts of means are weighted sums of ratios, each of two sums
over rows. Leaving out a unit takes its rows out of both sums. The sums without a unit are those of
the units before it and of those after it: what is 0 without a unit is 0, and no rounding of the
whole stays behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray


class Ratio(NamedTuple):
    """A ratio of sums over rows; a row with 0 in both does not count.

    Attributes:
        weight: What the ratio is multiplied by.
        above: What each row adds to the upper sum.
        below: What each row adds to the lower sum.
    """

    weight: float
    above: NDArray[np.float64]
    below: NDArray[np.float64]


def share_ratio(hits: ArrayLike, among: ArrayLike, weight: float = 1.0) -> Ratio:
    """Return the share of hits among some rows."""
    rows = np.asarray(among, dtype=float)
    return Ratio(weight, np.asarray(hits, dtype=float) * rows, rows)


def balanced_ratios(right: ArrayLike, truth: ArrayLike, among: ArrayLike) -> Iterator[Ratio]:
    """Yield the two halves of a balanced accuracy: of true cases and of false ones."""
    true, rows = np.asarray(truth, dtype=bool), np.asarray(among, dtype=bool)
    yield share_ratio(right, rows & true, 0.5)
    yield share_ratio(right, rows & ~true, 0.5)


def sum_ratios_without(ratios: Sequence[Ratio], units: ArrayLike) -> NDArray[np.float64]:
    """Return the weighted sum of ratios without each unit.

    Args:
        ratios: Ratios of the same rows, one or more.
        units: The unit of each row.

    Returns:
        A value for each unit, in the order of `np.unique`; NaN where a ratio has nothing below.
    """
    names, code = np.unique(np.asarray(units), return_inverse=True)
    above, below = (
        _sum_without([getattr(ratio, side) for ratio in ratios], code, names.size)
        for side in ("above", "below")
    )
    found = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    weights = np.array([ratio.weight for ratio in ratios])
    return np.asarray((found * weights[:, None]).sum(axis=0))


def sum_ratios_by_unit(ratios: Sequence[Ratio], units: ArrayLike) -> NDArray[np.float64]:
    """Return the part of the weighted sum of ratios that each unit adds, in order of `np.unique`.

    All ratios must have rows that count.
    """
    names, code = np.unique(np.asarray(units), return_inverse=True)
    above = [np.bincount(code, one.weight * one.above, names.size) for one in ratios]
    return np.asarray(sum(line / one.below.sum() for line, one in zip(above, ratios, strict=True)))


def _sum_without(
    rows: Sequence[NDArray[np.float64]], code: NDArray[np.intp], size: int
) -> NDArray[np.float64]:
    """Return the sums of each line of rows without each unit, lines x units."""
    sums = np.array([np.bincount(code, line, size) for line in rows])
    none = np.zeros((len(sums), 1))
    before = np.cumsum(np.hstack([none, sums[:, :-1]]), axis=1)
    after = np.cumsum(np.hstack([none, sums[:, :0:-1]]), axis=1)[:, ::-1]
    return np.asarray(before + after)
