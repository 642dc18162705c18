"""Do parts and whole agree, case by case and answer by answer? The headline of compose.

On a unit the whole follows from root to leaf exactly if every step of a composition does. So three
sides say on which units it follows: the agent's *steps* taken together, the agent's own answer
about the *whole*, and the *truth*. Two agreements come of it:

- `valid_agreement`, of steps and truth;
- `consistent_agreement`, of steps and the agent's own whole.

An agreement is the weight of the units on which both sides say that it follows over that of the
units on which either does (Jaccard). Units on which neither does say nothing: they are most of all,
and an agent that always says yes would agree with itself on all of them.

`compositional_agreement`, the headline, is the lesser of the two. Either alone is had cheaply: an
agent that says the effect is whatever the cause is made agrees with itself everywhere, one that
looks at the rule of the effect alone is right about small steps.

*Answer by answer.* Each epoch is taken by itself, and weights are summed over epochs. So an agent
has the same value at one epoch and at many; what a vote of the epochs would give is another
question, which `compositional_agreement_vote` answers from three epochs on.

*Facts.* An agreement about a unit counts only if the factual answers about the composition's
anchors are right too. Otherwise the sides don't agree on this unit.

*What is missing.* A unit about which an answer that is needed was not given counts as a
disagreement: either side, not both. What was lost to a technical error, or not asked, is left out.

*Weights.* The units of each world stand for all cases of it, and each world weighs the same: sums
are over units, compositions and worlds, and the ratio is taken last, so that small worlds of few
units do not bias it.

*Intervals* are Wilson's for the variance between clusters (`stats.clustered`). The cluster is the
world where there are several of a kind, since the next run of an agent on other worlds differs by
these; where there is one, it is the unit, nothing is known about other worlds, and the flag
`one_world` says so. To resample worlds and units within them besides would count the units twice:
what differs between them is in the sums of the worlds already (Davison and Hinkley 1997, 3.8). The
lesser of two has the lesser of their ends.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.stats import Estimate, Jackknifed, wilson_estimate
from whybench.suites.compose.estimators import majority

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from whybench.suites.compose.answer_arrays import AnswerArrays, Path
    from whybench.suites.compose.groups import WorldAnswers

METHOD = "agreement; Wilson, clustered"


class Agreements(NamedTuple):
    """The two agreements, and the lesser of them."""

    lesser: Estimate
    valid: Estimate
    consistent: Estimate


def unit_agreements(
    answered: AnswerArrays, paths: Sequence[Path], facts: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return on which share of epochs both sides, or either, say that the whole follows.

    Args:
        answered: Answers and truths.
        paths: The compositions.
        facts: Whether factual answers are right (`WorldAnswers.facts`). Where one about the path
            is wrong, the sides don't agree. None to leave them out.

    Returns:
        Units x compositions x 4: both and either for steps and truth, both and either for steps and
        the answered whole. NaN where every epoch was lost.
    """
    effects = answered.y1 * (1 - answered.y0)
    true = answered.true_effects()
    found = np.empty((answered.sample.size, len(paths), 4))
    for number, path in enumerate(paths):
        steps = [answered.position(*step) for step in pairwise(path)]
        whole = answered.position(path[0], path[-1])
        composed = effects[:, :, steps].prod(axis=2)
        known = np.ones(composed.shape) if facts is None else facts[:, :, path[1:]].prod(axis=2)
        sides = (np.broadcast_to(true[:, whole], composed.shape), effects[:, :, whole])
        for place, (other, needed) in enumerate(zip(sides, (steps, [*steps, whole]), strict=True)):
            unknown = np.isnan(composed) | np.isnan(other)
            both = np.where(unknown, 0.0, np.minimum(composed, other)) * known
            either = np.where(unknown, 1.0, np.maximum(composed, other))
            asked = np.all(answered.reached[:, :, needed], axis=2) & ~np.isnan(known)
            for column, values in enumerate((both, either)):
                found[:, number, 2 * place + column] = _mean_of_asked(values, asked)
    return found


def _mean_of_asked(values: NDArray[np.float64], asked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean over epochs, the first axis, of what was asked; NaN where nothing was."""
    count = asked.sum(axis=0)
    sums = np.where(asked, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(sums, count, out=np.full(sums.shape, np.nan), where=count > 0))


def vote(answered: AnswerArrays) -> AnswerArrays:
    """Return answers as if there had been one epoch, in which the majority decided."""
    y1, y0 = (majority(answers)[None] for answers in (answered.y1, answered.y0))
    return replace(answered, y1=y1, y0=y0, asked=np.any(answered.reached, axis=0, keepdims=True))


@dataclass(frozen=True, eq=False)
class AgreementSums:
    """The weights that agreements are made of, summed by cluster.

    Attributes:
        clusters: What each line is the sum of: a world, or a unit of a world that is alone.
        sums: Clusters x 4, with the columns of `unit_agreements`.
        units: How many units there are in all.
        flags: `one_world` if a world is alone of its kind.
    """

    clusters: tuple[Hashable, ...]
    sums: NDArray[np.float64]
    units: int
    flags: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """What the clusters are."""
        return "unit" if self.flags else "world"

    def estimate(self) -> Agreements:
        """Return the agreements with their intervals."""
        valid, consistent = (self._estimate(column) for column in (0, 2))
        return Agreements(combine_lesser(valid, consistent), valid, consistent)

    def jackknife(self) -> Jackknifed:
        """Return the lesser agreement, and what it would be without each cluster."""
        others = self.sums.sum(axis=0) - self.sums
        without = np.minimum(*(_divide(others[:, c], others[:, c + 1]) for c in (0, 2)))
        return Jackknifed(
            self.estimate().lesser, dict(zip(self.clusters, without.tolist(), strict=True))
        )

    def _estimate(self, column: int) -> Estimate:
        both, either = self.sums[:, column], self.sums[:, column + 1]
        total, count = float(either.sum()), len(self.clusters)
        if not total:
            return Estimate(None, None, None, self.units, count, METHOD, ("undefined", *self.flags))
        share = min(1.0, float(both.sum()) / total)
        found = wilson_estimate(share, (both - share * either) / total, range(count), METHOD)
        return replace(found, n=self.units, flags=(*found.flags, *self.flags))


def combine_lesser(first: Estimate, second: Estimate) -> Estimate:
    """Return the lesser of two estimates, with the lesser of their ends; the other if one is none.

    An agent that answers no effect at all has no agreement with itself, and none with the truth.
    """
    if first.estimate is None or second.estimate is None:
        return first if second.estimate is None else second
    lesser = first if first.estimate <= second.estimate else second
    method = lesser.method.replace("agreement", "lesser of two agreements")
    low, high = (
        None if one is None or other is None else min(one, other)
        for one, other in ((first.low, second.low), (first.high, second.high))
    )
    return replace(lesser, low=low, high=high, method=method)


def sum_agreements(worlds: Sequence[WorldAnswers], *, by_vote: bool = False) -> AgreementSums:
    """Return the sums of worlds, each of which weighs the same.

    Args:
        worlds: What was answered, world by world.
        by_vote: Whether the majority of epochs decides first.
    """
    kinds = Counter((world.kinds, world.gates) for world in worlds)
    clusters: list[Hashable] = []
    sums: list[NDArray[np.float64]] = []
    for world in worlds:
        answered, facts = world.answered, world.facts
        if by_vote:
            answered, facts = vote(answered), None if facts is None else majority(facts)[None]
        shares = unit_agreements(answered, world.chain.compositions, facts).mean(axis=1)
        weights = answered.sample.weights / answered.sample.weights.sum()
        lines = np.nan_to_num(shares) * weights[:, None]
        if kinds[world.kinds, world.gates] > 1:
            clusters.append(world.label)
            sums.append(lines.sum(axis=0, keepdims=True))
        else:
            clusters += [(world.label, unit) for unit in range(len(lines))]
            sums.append(lines)
    flags = ("one_world",) if 1 in kinds.values() else ()
    units = sum(world.answered.sample.size for world in worlds)
    return AgreementSums(tuple(clusters), np.concatenate([np.zeros((0, 4)), *sums]), units, flags)


def _divide(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shares; 0 where there is nothing to be a share of."""
    return np.asarray(np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0))
