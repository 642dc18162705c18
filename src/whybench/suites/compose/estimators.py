"""From answers about units to quantities of the population.

Each unit is asked, for every pair of a cause and an effect, whether the effect would hold if the
cause were made true (y1) and if it were made false (y0), perhaps in several epochs. Two numbers say
how strongly the cause acts:

- `ate`, the mean of p1 - p0, where p is the share of epochs in which the answer was yes. Answers
  that are flipped at random with probability e shrink it by the factor 1 - 2e, no more.
- `pns`, the share of units on which the effect follows the cause: y1 yes and y0 no. Flips hit it
  hard where it is small, since each of the many units on which nothing follows becomes one of the
  few with probability about e. Where the true share is 2187/78125, flips of 1% raise it by 32%. So
  it is not computed answer by answer: the *majority* of epochs decides y1 and y0 first.

Under the gates of these worlds no effect ever falls when its cause rises, so that both numbers have
the same true value. They part for an agent that guesses: its `ate` is 0 and its `pns` 1/4.

A tie counts one half, and a unit's value is m1·(1 - m0): what fair coins would decide on average.
So with one epoch the majority is the answer itself, and with two it errs as often as one answer
does; only from three epochs on is there anything to outvote, and before that `pns` carries the flag
`noise_biased`.

Units come in strata with known weights. An estimate is the weighted mean of its strata's means, and
a missing answer (NaN) leaves its unit out of its stratum for that pair: the stratum keeps its
weight, and the units that were answered stand for those that were not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from whybench.stats.resampling import StatisticOfCounts


Quantity = Literal["ate", "pns"]

OUTVOTING = 3
"""The smallest number of epochs in which a wrong answer can be outvoted."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The units that were asked about.

    Attributes:
        weights: How much of the population each unit stands for, in any measure.
        strata: The stratum of each unit; all the same where units were drawn without strata.
    """

    weights: NDArray[np.float64]
    strata: NDArray[np.intp]

    def __post_init__(self) -> None:
        if self.weights.ndim != 1 or self.weights.shape != self.strata.shape:
            raise ValueError(
                f"weights and strata must be one a unit, got {self.weights.shape} "
                f"and {self.strata.shape}"
            )
        if not (np.isfinite(self.weights) & (self.weights > 0)).all():
            raise ValueError(f"weights must be above 0, got {self.weights.min()}")

    @classmethod
    def of(cls, weights: ArrayLike, strata: ArrayLike | None = None) -> Sample:
        """Return the sample with these weights, drawn without strata if none are given."""
        array = np.asarray(weights, dtype=float)
        if strata is None:
            return cls(array, np.zeros(array.shape, dtype=np.intp))
        return cls(array, np.unique(np.asarray(strata), return_inverse=True)[1])

    @property
    def size(self) -> int:
        """Number of units."""
        return self.weights.size


def share_of_yes(answers: ArrayLike) -> NDArray[np.float64]:
    """Return the share of yes over epochs, the first axis; NaN where no epoch has an answer."""
    yes, total = _tally(answers)
    return np.asarray(np.divide(yes, total, out=np.full(yes.shape, np.nan), where=total > 0))


def majority(answers: ArrayLike) -> NDArray[np.float64]:
    """Return 1, 0 or, for a tie, ½ over epochs, the first axis; NaN where none has an answer."""
    yes, total = _tally(answers)
    return np.where(total > 0, (np.sign(2 * yes - total) + 1) / 2, np.nan)


def unit_effects(y1: ArrayLike, y0: ArrayLike, quantity: Quantity) -> NDArray[np.float64]:
    """Return how the effect follows the cause on each unit.

    Args:
        y1: Answers with the cause made true: epochs x units x pairs, NaN where missing.
        y0: Answers with the cause made false.
        quantity: `ate` for p1 - p0, `pns` for m1·(1 - m0).

    Returns:
        Units x pairs; NaN where y1 or y0 has no answer at all.
    """
    if quantity == "ate":
        return share_of_yes(y1) - share_of_yes(y0)
    if quantity == "pns":
        return majority(y1) * (1 - majority(y0))
    raise ValueError(f"quantity must be ate or pns, got {quantity!r}")


def weighted_means(values: ArrayLike, sample: Sample) -> StatisticOfCounts:
    """Return the weighted means of columns, as statistics of counts.

    Args:
        values: Units x columns, NaN where missing.
        sample: The units.
    """
    columns = np.asarray(values, dtype=float)
    total = sample.weights.sum()
    parts = []
    for stratum in range(int(sample.strata.max(initial=-1)) + 1):
        rows = np.flatnonzero(sample.strata == stratum)
        weights = sample.weights[rows, None]
        known = ~np.isnan(columns[rows])
        inside = np.where(known, columns[rows], 0.0) * weights
        parts.append((rows, weights.sum() / total, inside, known * weights))

    def means(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        result = np.zeros((counts.shape[0], columns.shape[1]))
        for rows, share, inside, known in parts:
            drawn = counts[:, rows]
            base = drawn @ known
            sums = drawn @ inside
            result += share * np.divide(sums, base, out=np.full(sums.shape, np.nan), where=base > 0)
        return result

    return means


def _tally(answers: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the number of yes and of answers over epochs."""
    array = np.asarray(answers, dtype=float)
    known = ~np.isnan(array)
    if not np.isin(array[known], (0.0, 1.0)).all():
        raise ValueError("answers must be 0, 1 or missing (NaN)")
    return np.where(known, array, 0.0).sum(axis=0), known.sum(axis=0).astype(float)
