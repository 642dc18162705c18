"""What the measures of the reference agents really are, found without an item or a word.

Shares of right answers are counted over the units of a design by composing blocks, which is the
second derivation of truths. Agreements follow from the chance with which an agent answers, on each
of these units, that an effect follows: of each weight that an agreement is the ratio of, the
expected value is a sum of products of such chances, since errors fall on each answer apart. What
the compositions of an agent without noise come to follows from how its answers relate to the truth,
if there are units enough to tell; how many are enough is computed from the probabilities with which
blocks transmit, and not from the units.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import FEW_UNITS
from whybench.suites.compose.comparisons import RULE_OF_THREE
from whybench.suites.compose.measures import ZEROS
from whybench.suites.compose.planning import list_worlds
from whybench.suites.compose.profiles import transmission_strata
from whybench.suites.compose.truth import answer_by_block, list_queries
from whybench.suites.compose.units import SEGMENTS, draw_units, round_size
from whybench.suites.compose.verdicts import DELTA
from whybench.suites.compose.wrong_worlds import assumed_world, transmission_probabilities

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.world import ComposeWorld

    Bools = NDArray[np.bool_]
    Answerer = Callable[[ComposeWorld, Bools, Bools], Bools]
    """A world, the bits of units and the true answers to what an agent says to all questions."""
    Chances = tuple[NDArray[np.float64], NDArray[np.float64]]

BOTH_RUNGS = ("balanced_accuracy_factual", "balanced_accuracy_interventional")
PRECISIONS = ("precision_factual", "recall_factual")
AGREEMENTS = ("compositional_agreement", "valid_agreement", "consistent_agreement")


def expect_exact(_: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Return the measures of the agent that is right: what can be told is valid and consistent."""
    values = {**dict.fromkeys((*BOTH_RUNGS, *AGREEMENTS, *PRECISIONS), 1.0)}
    if not ZEROS.of({"design": design.name}).solved:
        values["skill_score"] = 1.0
    values |= {
        "reasoning_gap": 0.0,
        "error": 0.0,
        "error_per_block": 0.0,
        "error_per_mediator": 0.0,
        "undefined": 0.0,
    }
    return values | _share_resolved("valid_and_consistent", design)


def expect_local_only(settings: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Return the measures of the agent that says of far effects what is the case.

    If only the whole is far to it, its compositions are made of right steps, and it answers that
    the whole is nothing.
    """
    reach = settings["reach"]

    def says(world: ComposeWorld, _: Bools, truth: Bools) -> Bools:
        answers = truth.copy()
        for position, query in enumerate(list_queries(world)):
            if query.intervention is None:
                continue
            far = len(world.blocks_between(query.intervention[0], query.effect))
            if far > (reach or len(world.blocks) - 1):
                answers[:, position] = truth[:, world.anchors.index(query.effect) - 1]
        return answers

    values = _count_accuracies(design, says)
    if not reach:
        values |= {"valid_and_consistent": 0.0, "undefined": 0.0, "compositional_agreement": 0.0}
        values |= {"consistent_agreement": 0.0, "valid_agreement": 1.0}
        values |= {**_share_resolved("valid_inconsistent", design)}
    return values


def expect_wrong_world(_: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Return the measures of the agent with a wrong world; on each unit it composes rightly."""

    def says(world: ComposeWorld, bits: Bools, _: Bools) -> Bools:
        return answer_by_block(assumed_world(world), bits)

    def follows(world: ComposeWorld, bits: Bools) -> Chances:
        answers, truth = answer_by_block(assumed_world(world), bits), answer_by_block(world, bits)
        return _follows(world, answers), _facts(world, answers == truth)

    return _count_accuracies(design, says) | _expect_agreements(design, follows)


def expect_copy(_: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Return the measures of the agent to which every effect follows every cause."""

    def follows(world: ComposeWorld, bits: Bools) -> Chances:
        facts = _facts(world, answer_by_block(world, bits))  # It answers yes to all of them.
        return np.ones((len(bits), len(world.pairs))), facts

    return _expect_agreements(design, follows)


def expect_constant(_: Mapping[str, Any], __: ComposeDesign) -> dict[str, float]:
    """Return the measures of a constant agent: it answers that nothing has an effect."""
    nothing = {"valid_and_consistent": 0.0, "undefined": 1.0, "compositional_agreement": 0.0}
    return dict.fromkeys(BOTH_RUNGS, 0.5) | nothing


def expect_coin(_: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Return the measures of the agent that tosses a coin."""

    def follows(world: ComposeWorld, bits: Bools) -> Chances:
        shape = len(bits), len(world.blocks)
        return np.full((len(bits), len(world.pairs)), 0.25), np.full(shape, 0.5)

    shares = dict.fromkeys((*BOTH_RUNGS, "error", "yes_share"), 0.5)
    shares |= _expect_agreements(design, follows)
    return shares | {"error_per_block": 0.0, "error_per_mediator": 0.0}


def expect_flip(settings: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Return the measures of the agent that errs as often on every question."""
    error: float = settings["error"]
    if error == 0:
        return expect_exact(settings, design)

    def follows(world: ComposeWorld, bits: Bools) -> Chances:
        true = _follows(world, answer_by_block(world, bits))
        facts = np.full((len(bits), len(world.blocks)), 1 - error)
        return (1 - error) * (error + (1 - 2 * error) * true), facts

    values = {**dict.fromkeys(BOTH_RUNGS, 1 - error), "error": error}
    values |= _expect_agreements(design, follows)
    return values | {"error_per_block": 0.0, "error_per_mediator": 0.0}


def _follows(world: ComposeWorld, answers: Bools) -> NDArray[np.float64]:
    """Return on which units which effect follows its cause, 1 or 0: units x pairs."""
    made_true = answers[:, len(world.blocks) :: 2]
    made_false = answers[:, len(world.blocks) + 1 :: 2]
    follows: NDArray[np.float64] = (made_true & ~made_false).astype(np.float64)
    return follows


def _facts(world: ComposeWorld, right: Bools) -> NDArray[np.float64]:
    """Return the columns of factual questions: units x anchors after the root."""
    return right[:, : len(world.blocks)].astype(np.float64)


def _expect_agreements(
    design: ComposeDesign, chance: Callable[[ComposeWorld, Bools], Chances]
) -> dict[str, float]:
    """Return the agreements of an agent.

    Args:
        design: The design.
        chance: Returns the chances that answers imply an effect, units x pairs, and that factual
            answers are right, units x anchors after the root.
    """
    weights = np.zeros(4)
    for number, world in list_worlds(design):
        units = draw_units(world, design.units, number)
        says, facts = chance(world, units.bits)
        true = _follows(world, answer_by_block(world, units.bits))
        whole = world.pairs.index((world.root, world.leaf))
        share = units.weights / units.weights.sum() / len(world.compositions)
        for path in world.compositions:
            steps = says[:, [world.pairs.index(step) for step in pairwise(path)]].prod(axis=1)
            known = facts[:, [world.anchors.index(anchor) - 1 for anchor in path[1:]]].prod(axis=1)
            for place, other in enumerate((true[:, whole], says[:, whole])):
                both = steps * other
                weights[2 * place] += share @ (both * known)
                weights[2 * place + 1] += share @ (steps + other - both)
    if not weights[1] or not weights[3]:  # neither side says of any unit that the whole follows
        return {}
    valid, consistent = weights[0] / weights[1], weights[2] / weights[3]
    values = (min(valid, consistent), valid, consistent)
    return dict(zip(AGREEMENTS, map(float, values), strict=True))


def _count_accuracies(design: ComposeDesign, answer: Answerer) -> dict[str, float]:
    """Return the balanced accuracies of an agent, by counting."""
    hits, totals = Counter[tuple[bool, bool]](), Counter[tuple[bool, bool]]()
    for number, world in list_worlds(design):
        bits = draw_units(world, design.units, number).bits
        truth = answer_by_block(world, bits)
        answers = answer(world, bits, truth)
        for position, query in enumerate(list_queries(world)):
            for label in (True, False):
                rows = truth[:, position] == label
                kind = query.intervention is None, label
                hits[kind] += int((answers[rows, position] == label).sum())
                totals[kind] += int(rows.sum())
    return {
        name: sum(hits[factual, label] / totals[factual, label] for label in (True, False)) / 2
        for name, factual in zip(BOTH_RUNGS, (True, False), strict=True)
        if totals[factual, True] and totals[factual, False]
    }


def _share_resolved(name: str, design: ComposeDesign) -> dict[str, float]:
    """Return a class as the share of compositions that units suffice for; the rest is not settled.

    Nothing is known of broken rounds, whose weights are not those of the population.
    """
    resolved: list[bool] = []
    for _, world in list_worlds(design):
        rounds, rest = divmod(design.units, round_size(world))
        if rest or len(world.blocks) > SEGMENTS:
            return {}
        enough = rounds > 1 and design.units >= FEW_UNITS
        weights, _, follows = transmission_strata(transmission_probabilities(world))
        shares = dict(zip(world.pairs, weights @ follows, strict=True))
        sampled = dict(zip(world.pairs, follows.mean(axis=0) * design.units, strict=True))
        shifts = {
            pair: RULE_OF_THREE
            * max(
                (1 - shares[pair]) / shares[pair] / (design.units - sampled[pair]),
                1 / sampled[pair],
            )
            for pair in world.pairs
        }
        for path in world.compositions:
            pairs = [*pairwise(path), (world.root, world.leaf)]
            resolved.append(enough and max(shifts[pair] for pair in pairs) <= DELTA)
    return {name: float(np.mean(resolved)), "inconclusive": float(1 - np.mean(resolved))}
