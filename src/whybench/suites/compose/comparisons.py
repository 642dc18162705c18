"""Compositions of an agent's answers, held against the truth and against its own whole.

Each of the two comparisons (see `verdicts`) has two forms.

*Population.* The product of the weighted estimates of the steps, and the weighted estimate of the
whole; their difference, and the difference as a share of the larger one, which decides the verdict.
Intervals come from resampling units within strata: step and whole are estimated on the same units,
so each resample gives both, and what they share cancels. The truth is the same quantity on the same
units, not a constant from outside. Where strata tell which blocks transmit it has no sampling error
at all: then a perfect reasoner's product is the true whole in every resample.

*Unit by unit.* On how many units do both sides say that the whole follows (`agreements`)? The
population form can be met by accident, as by a coin in a world where the whole is 1/16; the unit
form cannot.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.resampling import StatisticOfCounts, stratified_bootstrap
from whybench.suites.compose.agreements import unit_agreements
from whybench.suites.compose.estimators import (
    Quantity,
    Sample,
    weighted_means,
)
from whybench.suites.compose.verdicts import (
    DELTA,
    SOURCE_BOUND,
    UNTRUSTED,
    Class,
    Verdict,
    classify,
    decide_verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats import Estimate
    from whybench.suites.compose.answer_arrays import AnswerArrays, Path

RULE_OF_THREE = 3.0
"""An event with a chance of 3/n fails to occur in n trials with probability e^-3, 5%."""
ROUNDING = 1e-12
COLUMNS = 9
"""Statistics of a composition: the product, and two times target, difference, ratio, agreement."""


@dataclass(frozen=True)
class TargetComparison:
    """A product of answered steps, and what it is held against.

    Attributes:
        target: The number it is held against: the true or the answered whole.
        difference: The product less the target.
        ratio: The difference as a share of the larger of the two.
        agreement: Jaccard agreement over units on which either says that the whole follows.
        resolution: The share by which errors too rare to show in these units could move a number.
        verdict: Whether the two are the same.
    """

    target: float
    difference: Estimate
    ratio: Estimate
    agreement: Estimate
    resolution: float
    verdict: Verdict

    @property
    def same_from(self) -> float | None:
        """The delta beyond which the verdict is yes; None where no delta would do."""
        ends = self._ends
        return None if ends is None else max(abs(ends[0]), abs(ends[1]), self.resolution)

    @property
    def differs_to(self) -> float | None:
        """The delta below which the verdict is no; 0 where both numbers may be equal."""
        ends = self._ends
        return None if ends is None else max(ends[0], -ends[1], 0.0)

    @property
    def _ends(self) -> tuple[float, float] | None:
        low, high = self.ratio.low, self.ratio.high
        if low is None or high is None or UNTRUSTED & set(self.ratio.flags):
            return None
        return low, high

    @property
    def passes_source(self) -> bool | None:
        """Whether the difference is at most a tenth of the target, which is the source's rule."""
        if self.difference.estimate is None or not self.target > 0:
            return None
        return abs(self.difference.estimate) <= SOURCE_BOUND * self.target


@dataclass(frozen=True)
class Composition:
    """One way from root to leaf, as an agent answered it.

    Attributes:
        path: The anchors on the way.
        quantity: What was estimated, `ate` or `pns`.
        product: The product of the answered steps.
        valid: Against the true whole.
        consistent: Against the answered whole.
        flags: `noise_biased` for `pns` from epochs that could not outvote errors.
    """

    path: Path
    quantity: Quantity
    product: Estimate
    valid: TargetComparison
    consistent: TargetComparison
    flags: tuple[str, ...] = ()

    @property
    def comparisons(self) -> dict[str, TargetComparison]:
        """Both comparisons by name."""
        return {"valid": self.valid, "consistent": self.consistent}

    @property
    def kind(self) -> Class:
        """VC, VI, IC or II where both verdicts are conclusive."""
        return classify(self.valid.verdict, self.consistent.verdict)

    @property
    def passes_source(self) -> bool:
        """Whether it is valid and consistent by the source's rule."""
        return bool(self.valid.passes_source and self.consistent.passes_source)


def compare_compositions(
    answered: AnswerArrays,
    paths: Sequence[Path],
    keys: Sequence[object],
    quantity: Quantity = "pns",
    delta: float = DELTA,
    resamples: int = 2000,
    level: float = 0.95,
) -> tuple[Composition, ...]:
    """Compare every composition with the truth and with the answered whole.

    Args:
        answered: Answers and truths.
        paths: The compositions, each by its anchors from root to leaf.
        keys: Names the random draw of the intervals.
        quantity: What is estimated. By `pns` an agent that guesses is found out; by `ate` it is an
            agent that answers no effect.
        delta: The share that is too small to matter.
        resamples: Number of resamples.
        level: Confidence level of the intervals.
    """
    statistics = CompositionStatistics(answered, paths, quantity)
    estimates = stratified_bootstrap(statistics, answered.sample.strata, keys, resamples, level)
    biased = quantity == "pns" and not answered.outvoted
    true = answered.true_effects()
    results = []
    for start, path in zip(range(0, len(estimates), COLUMNS), paths, strict=True):
        product, *rest = estimates[start : start + COLUMNS]
        positions = [answered.position(*step) for step in (*pairwise(path), (path[0], path[-1]))]
        fine = resolution(true[:, positions], answered.sample)
        valid, consistent = (
            TargetComparison(
                target=np.nan if target.estimate is None else target.estimate,
                difference=difference,
                ratio=ratio,
                agreement=agreement,
                resolution=fine,
                verdict=decide_verdict(ratio, delta, fine),
            )
            for target, difference, ratio, agreement in (rest[:4], rest[4:])
        )
        flags = ("noise_biased",) if biased else ()
        results.append(Composition(path, quantity, product, valid, consistent, flags))
    return tuple(results)


def resolution(effects: ArrayLike, sample: Sample) -> float:
    """Return the share by which errors too rare to show could move the least certain quantity.

    Among n units an error rate of 3/n shows nothing in one run of twenty. If it falls on units
    without the effect, of weight 1 - q, it adds 3/n·(1 - q) to the quantity q; if on units with it,
    it takes 3/n·q away. It depends on units and truths alone, so it is known before any answer.

    Args:
        effects: The true effects, units x pairs.
        sample: The units.

    Returns:
        The largest shift over pairs, as a share of the quantity; infinity where one is 0.
    """
    follows = np.asarray(effects, dtype=float) > 0
    weights = sample.weights / sample.weights.sum()
    share = weights @ follows
    with_it = follows.sum(axis=0)
    without = sample.size - with_it
    if (with_it == 0).any():
        return float("inf")
    added = RULE_OF_THREE / np.maximum(without, 1) * (1 - share) / share
    return float(np.max(np.maximum(added, RULE_OF_THREE / with_it)))


class CompositionStatistics:
    """The statistics of all compositions, as functions of counts."""

    def __init__(self, answered: AnswerArrays, paths: Sequence[Path], quantity: Quantity) -> None:
        self.steps = [[answered.position(*step) for step in pairwise(path)] for path in paths]
        self.wholes = [answered.position(path[0], path[-1]) for path in paths]
        agreements = unit_agreements(answered, paths)
        agreements = agreements.reshape(answered.sample.size, -1)
        columns = [answered.effects(quantity), answered.true_effects(), agreements]
        self.pairs = len(answered.pairs)
        self.means: StatisticOfCounts = weighted_means(
            np.concatenate(columns, axis=1), answered.sample
        )

    def __call__(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return nine values a composition for each line of counts."""
        means = self.means(counts)
        answered, true, agreed = np.split(means, [self.pairs, 2 * self.pairs], axis=1)
        columns: list[NDArray[np.float64]] = []
        for number, (steps, whole) in enumerate(zip(self.steps, self.wholes, strict=True)):
            product = answered[:, steps].prod(axis=1)
            columns.append(product)
            for side, target in enumerate((true[:, whole], answered[:, whole])):
                position = 4 * number + 2 * side
                larger = np.maximum(np.abs(product), np.abs(target))
                difference = _drop_rounding(product - target, larger)
                columns += [
                    target,
                    difference,
                    _share(difference, larger),
                    _share(agreed[:, position], agreed[:, position + 1]),
                ]
        return np.stack(columns, axis=1)


def _drop_rounding(
    difference: NDArray[np.float64], size: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return 0 for what is only the rounding of a product; it would leave out 0 otherwise."""
    return np.where(np.abs(difference) <= ROUNDING * size, 0.0, difference)


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0))
