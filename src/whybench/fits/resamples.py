"""Resampled judgments: what the question means might have been.

Two designs are known. If the rows carry sampled units (vignettes, people), whole units are drawn,
whatever questions they answered. If not, rows are drawn within their question, since the number of
answers to each question is fixed by design.

Of g units (or rows of a question) g - 1 are drawn. The mean of g - 1 draws from g varies
by Σ(y - ȳ)²/g / (g - 1), which is the unbiased estimate of the variance of the mean; drawing g
gives (g - 1)/g of it, too little where units are few. Weights stay counts, and nothing else
needs correction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from whybench.fits.judgments import Floats, Judgments

__all__ = ["Sampled", "sampled"]

DRAWS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class Sampled:
    """The answers of one problem as they were sampled.

    Attributes:
        counts: Answers by unit and question, (units, questions).
        sums: Their sums.
        clustered: Whether units are drawn as a whole; else each unit is one row, drawn within its
            question.
    """

    counts: Floats
    sums: Floats
    clustered: bool

    @property
    def units(self) -> int:
        """How many units were sampled."""
        return len(self.counts)

    @property
    def degrees(self) -> int:
        """Units less the means that were estimated from them."""
        strata = 1 if self.clustered else int((self.counts.sum(axis=0) > 0).sum())
        return self.units - strata

    @property
    def lone(self) -> bool:
        """Whether a question has but one answer, so that its spread cannot be seen."""
        return not self.clustered and bool((self.counts.sum(axis=0) == 1).any())

    def draw(self, rng: np.random.Generator, resamples: int) -> tuple[Floats, Floats]:
        """Return counts and means of resamples, (resamples, questions)."""
        if self.clustered:
            times = _times(rng, self.units, resamples)
            return _means(times @ self.counts, times @ self.sums)
        counts = np.broadcast_to(self.counts.sum(axis=0), (resamples, self.counts.shape[1]))
        means = np.zeros(counts.shape)
        for question in range(counts.shape[1]):
            values = self.sums[self.counts[:, question] > 0, question]
            size = max(values.size - 1, 1)
            step = max(1, DRAWS_AT_ONCE // size)
            for first in range(0, resamples if values.size else 0, step):
                rows = min(step, resamples - first)
                drawn = values[rng.integers(0, values.size, (rows, size))]
                means[first : first + rows, question] = drawn.mean(axis=1)
        return counts, means

    def without_each(self) -> tuple[Floats, Floats]:
        """Return counts and means of the jackknife: each unit left out once."""
        counts, sums = self.counts.sum(axis=0), self.sums.sum(axis=0)
        return _means(counts - self.counts, sums - self.sums)


def sampled(data: Judgments) -> list[Sampled]:
    """Return the answers of every problem by sampled unit.

    Raises:
        ValueError: The data have no rows.
    """
    if data.rows is None:
        raise ValueError("data must have rows to be resampled, got sums only")
    rows, found = data.rows, []
    order = np.argsort(rows.problem, kind="stable")
    ends = np.searchsorted(rows.problem[order], np.arange(len(data) + 1))
    for problem in range(len(data)):
        mine = order[ends[problem] : ends[problem + 1]]
        unit = np.arange(mine.size) if rows.cluster is None else rows.cluster[mine]
        shape = (int(unit.max(initial=-1)) + 1, data.counts.shape[1])
        counts, sums = np.zeros((2, *shape))
        answers = np.ones(mine.size) if rows.answers is None else rows.answers[mine]
        np.add.at(counts, (unit, rows.question[mine]), answers)
        np.add.at(sums, (unit, rows.question[mine]), answers * rows.value[mine])
        found.append(Sampled(counts, sums, rows.cluster is not None))
    return found


def _times(rng: np.random.Generator, units: int, resamples: int) -> Floats:
    """Return how often each unit is drawn, (resamples, units)."""
    drawn = rng.integers(0, units, (resamples, max(units - 1, 1)))
    drawn += units * np.arange(resamples)[:, None]
    times = np.bincount(drawn.ravel(), None, units * resamples)
    return times.reshape(resamples, units).astype(np.float64)


def _means(counts: Floats, sums: Floats) -> tuple[Floats, Floats]:
    return counts, sums / np.maximum(counts, 1.0)
