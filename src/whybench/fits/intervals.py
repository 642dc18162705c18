"""Bootstrap intervals of parameters and of what derives from them, such as LAD.

Every resample is fitted anew, starting from the fit to all answers, which makes a refit cheap; a
resample whose best fit lies in another valley is followed only as far as that start leads.

If the rows carry sampled units (vignettes, people), whole units are drawn, whatever questions they
answered. If not, rows are drawn within their question, since the number of answers to each question
is fixed by design.

The bootstrap is *expanded*: of g units (or rows of a question) g - 1 are drawn, and quantiles are
read at the normal probabilities of Student's t quantiles. The mean of g - 1 draws from g varies by
Σ(y - ȳ)²/g / (g - 1), which is the unbiased estimate of the variance of the mean; drawing g gives
(g - 1)/g of it, too little where units are few. This was chosen by measuring: of 95% intervals for
noisy-OR agents with 240 answers, plain percentile intervals are too short where whole vignettes are
resampled, there being but twelve of them, and correcting bias and skewness (BCa) does not mend
that; drawing g - 1 and widening the quantiles as t widens the normal does
(`evidence.fits.recovery`).
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.fitting import fit
from whybench.fits.nets import make_predictor
from whybench.fits.search import search
from whybench.seeds import generator
from whybench.stats import Estimate, t_quantile
from whybench.stats.resampling import draw_with_replacement
from whybench.stats.results import flag_few_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.fits.fitting import Fits
    from whybench.fits.judgments import Floats, Judgments, TaskTable
    from whybench.fits.nets import Scheme

DRAWS_AT_ONCE = 2_000_000
REFIT_TOLERANCE = 1e-10
REFITS_AT_ONCE = 16_384
SAME = 1e-6
"""Numbers that differ by less are the same to a fit."""


@dataclass(frozen=True, eq=False)
class SampledUnits:
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
    def degrees_of_freedom(self) -> int:
        """Units less the means that were estimated from them."""
        strata = 1 if self.clustered else int((self.counts.sum(axis=0) > 0).sum())
        return self.units - strata

    @property
    def has_single_answers(self) -> bool:
        """Whether a question has but one answer, so that its spread cannot be seen."""
        return not self.clustered and bool((self.counts.sum(axis=0) == 1).any())

    def bootstrap(self, rng: np.random.Generator, resamples: int) -> tuple[Floats, Floats]:
        """Return counts and means of resamples, (resamples, questions)."""
        if self.clustered:
            times = draw_with_replacement(rng, resamples, self.units, max(self.units - 1, 1))
            return _counts_and_means(times @ self.counts, times @ self.sums)
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

    def jackknife(self) -> tuple[Floats, Floats]:
        """Return counts and means of the jackknife: each unit left out once."""
        counts, sums = self.counts.sum(axis=0), self.sums.sum(axis=0)
        return _counts_and_means(counts - self.counts, sums - self.sums)


def sum_by_unit(data: Judgments) -> list[SampledUnits]:
    """Return the answers of every problem by sampled unit.

    Raises:
        ValueError: The data have no rows.
    """
    if data.rows is None:
        raise ValueError("data must have rows to be resampled, got sums only")
    rows, samples = data.rows, []
    order = np.argsort(rows.problem, kind="stable")
    ends = np.searchsorted(rows.problem[order], np.arange(len(data) + 1))
    for problem in range(len(data)):
        own = order[ends[problem] : ends[problem + 1]]
        unit = np.arange(own.size) if rows.cluster is None else rows.cluster[own]
        counts, sums = np.zeros((2, int(unit.max(initial=-1)) + 1, data.counts.shape[1]))
        answers = np.ones(own.size) if rows.answers is None else rows.answers[own]
        np.add.at(counts, (unit, rows.question[own]), answers)
        np.add.at(sums, (unit, rows.question[own]), answers * rows.value[own])
        samples.append(SampledUnits(counts, sums, rows.cluster is not None))
    return samples


def bootstrap_intervals(
    table: TaskTable,
    scheme: Scheme,
    data: Judgments,
    fits: Fits | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    keys: Sequence[object] = (),
) -> tuple[dict[str, Estimate], ...]:
    """Estimate parameters and derived quantities with bootstrap intervals.

    Args:
        table: The questions, in the order of the data's columns.
        scheme: The model.
        data: Answers, with rows. Whole sampled units are drawn if the rows have clusters, else
            rows within their question.
        fits: The fits of this scheme to these data, if they are known already.
        resamples: How many refits for each problem; 0 for estimates without intervals.
        level: Confidence level.
        keys: Names the random draw. It is the same for every problem, so that an interval does not
            depend on who else is fitted, nor on what an agent is called.

    Returns:
        For each problem, name to estimate. The flags are those of the fit, `few_units` if fewer
        than ten units were sampled (with fewer than two there is no interval), and `lone_answers`
        if a question has but one answer where rows are drawn within questions.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    if resamples < 0:
        raise ValueError(f"resamples must be at least 0, got {resamples}")
    whole = fit(table, scheme, data) if fits is None else fits
    if whole.labels != data.labels or whole.scheme != scheme:
        raise ValueError("fits must be of this scheme to these data, got others")
    predictor = make_predictor(table, scheme)
    samples = sum_by_unit(data)
    estimates = [
        _estimates(whole, problem, sample, None, level) for problem, sample in enumerate(samples)
    ]
    resampled = [
        problem
        for problem, sample in enumerate(samples)
        if resamples and sample.degrees_of_freedom > 0
    ]
    step = max(1, REFITS_AT_ONCE // max(resamples, 1))
    for first in range(0, len(resampled), step):
        group = resampled[first : first + step]
        draws = [
            samples[problem].bootstrap(generator("fits", "intervals", *keys), resamples)
            for problem in group
        ]
        refits = search(
            predictor,
            np.concatenate([counts for counts, _ in draws]),
            np.concatenate([means for _, means in draws]),
            warm=np.repeat(whole.parameters[group], resamples, axis=0).T,
            tolerance=REFIT_TOLERANCE,
        )
        spreads = np.split(refits.theta.T, len(group))
        for problem, spread in zip(group, spreads, strict=True):
            estimates[problem] = _estimates(whole, problem, samples[problem], spread, level)
    return tuple(estimates)


def _estimates(
    whole: Fits, problem: int, sample: SampledUnits, spread: Floats | None, level: float
) -> dict[str, Estimate]:
    """Turn the refits (resamples, parameters) of one problem into estimates, by name."""
    n, unit = int(whole.n[problem]), "units" if sample.clustered else "rows within questions"
    flags = whole.flags[problem] + flag_few_units(sample.units)
    if sample.has_single_answers:
        flags += ("lone_answers",)
    label = f"expanded bootstrap of {sample.units} {unit}, {whole.method}"
    estimates = {}
    for name in (*whole.scheme.parameters, *whole.scheme.derived):
        estimate = float(whole.estimate(name)[problem]) if n else None
        low = high = None
        if spread is not None:
            tail = NormalDist().cdf(t_quantile((1 - level) / 2, sample.degrees_of_freedom))
            values = whole.scheme.quantity(name, spread)
            ends = np.quantile(values, (tail, 1 - tail))
            # Refits of the same means end some 1e-8 from the first fit: that is no distance.
            low, high = (
                float(estimate if estimate is not None and abs(end - estimate) < SAME else end)
                for end in ends
            )
        estimates[name] = Estimate(estimate, low, high, n, sample.units, label, flags)
    return estimates


def _counts_and_means(counts: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """Return counts and means; a sum less one of its parts may be off by its last bits."""
    return counts, np.clip(sums / np.maximum(counts, 1.0), 0.0, 1.0)
