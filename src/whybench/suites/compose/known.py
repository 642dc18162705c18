"""What the measures of the reference agents really are, found without an item or a word.

Shares of right answers are counted over the units of a design by composing blocks, which is the
second derivation of truths. What the compositions of an agent without noise come to follows from
how its answers relate to the truth, if there are units enough to tell; how many are enough is
computed from the probabilities with which blocks transmit, and not from the units.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import FEW_UNITS
from whybench.suites.compose.comparisons import RULE_OF_THREE
from whybench.suites.compose.mistaken import mistaken_world
from whybench.suites.compose.planning import worlds_in
from whybench.suites.compose.profiles import transmission
from whybench.suites.compose.truth import askings, composed
from whybench.suites.compose.units import STRETCHES, round_size, units_of
from whybench.suites.compose.verdicts import DELTA
from whybench.suites.compose.wrong_worlds import transmit_chances

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.world import World

    Bools = NDArray[np.bool_]
    Says = Callable[[World, Bools, Bools], Bools]
    """A world, the bits of units and the true answers to what an agent says to all questions."""

__all__ = ["constant", "errorless", "flipped", "guessing", "mistaken", "nearsighted"]

BOTH_RUNGS = ("balanced_accuracy_factual", "balanced_accuracy_interventional")


def errorless(_: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Know the agent that is right: every composition that can be told is valid and consistent."""
    known = {**dict.fromkeys((*BOTH_RUNGS, "valid_agreement", "consistent_agreement"), 1.0)}
    known |= {"error": 0.0, "error_per_block": 0.0, "error_per_mediator": 0.0, "undefined": 0.0}
    return known | _when_resolved("valid_and_consistent", design)


def nearsighted(settings: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Know the agent that says of far effects what is the case.

    If only the whole is far to it, its compositions are made of right steps, and it answers that
    the whole is nothing.
    """
    reach = settings["reach"]

    def says(world: World, _: Bools, truth: Bools) -> Bools:
        said = truth.copy()
        for place, asking in enumerate(askings(world)):
            if asking.intervention is None:
                continue
            far = len(world.blocks_between(asking.intervention[0], asking.effect))
            if far > (reach or len(world.blocks) - 1):
                said[:, place] = truth[:, world.anchors.index(asking.effect) - 1]
        return said

    known = _counted(design, says)
    if not reach:
        known |= {"valid_and_consistent": 0.0, "undefined": 0.0, "consistent_agreement": 0.0}
        known |= {"valid_agreement": 1.0, **_when_resolved("valid_inconsistent", design)}
    return known


def mistaken(_: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Know the agent that has another world in mind; on each unit it composes without fault."""

    def says(world: World, bits: Bools, _: Bools) -> Bools:
        return composed(mistaken_world(world), bits)

    return _counted(design, says) | {"consistent_agreement": 1.0}


def constant(_: Mapping[str, Any], __: ComposeDesign) -> dict[str, float]:
    """Know an agent that always says the same: it answers that nothing has an effect."""
    return dict.fromkeys(BOTH_RUNGS, 0.5) | {"valid_and_consistent": 0.0, "undefined": 1.0}


def guessing(_: Mapping[str, Any], __: ComposeDesign) -> dict[str, float]:
    """Know the coin."""
    shares = dict.fromkeys((*BOTH_RUNGS, "error", "yes_share"), 0.5)
    return shares | {"error_per_block": 0.0, "error_per_mediator": 0.0}


def flipped(settings: Mapping[str, Any], design: ComposeDesign) -> dict[str, float]:
    """Know the agent that errs as often on every question."""
    error = settings["error"]
    if error == 0:
        return errorless(settings, design)
    known = {**dict.fromkeys(BOTH_RUNGS, 1 - error), "error": error}
    return known | {"error_per_block": 0.0, "error_per_mediator": 0.0}


def _counted(design: ComposeDesign, says: Says) -> dict[str, float]:
    """Return the balanced accuracies of an agent, by counting."""
    right: dict[tuple[bool, bool], list[int]] = {}
    for number, world in worlds_in(design):
        bits = units_of(world, design.units, number).bits
        truth = composed(world, bits)
        said = says(world, bits, truth)
        for place, asking in enumerate(askings(world)):
            for label in (True, False):
                rows = truth[:, place] == label
                tally = right.setdefault((asking.intervention is None, label), [0, 0])
                tally[0] += int((said[rows, place] == label).sum())
                tally[1] += int(rows.sum())
    return {
        name: sum(right[factual, label][0] / right[factual, label][1] for label in (True, False))
        / 2
        for name, factual in zip(BOTH_RUNGS, (True, False), strict=True)
        if all(right[factual, label][1] for label in (True, False))
    }


def _when_resolved(name: str, design: ComposeDesign) -> dict[str, float]:
    """Return a class as the share of compositions that units suffice for; the rest is not settled.

    Nothing is known of broken rounds, whose weights are not those of the population.
    """
    resolved: list[bool] = []
    for _, world in worlds_in(design):
        rounds, rest = divmod(design.units, round_size(world))
        if rest or len(world.blocks) > STRETCHES:
            return {}
        enough = rounds > 1 and design.units >= FEW_UNITS
        weights, _, follows = transmission(transmit_chances(world))
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
            taken = [*pairwise(path), (world.root, world.leaf)]
            resolved.append(enough and max(shifts[pair] for pair in taken) <= DELTA)
    return {name: float(np.mean(resolved)), "inconclusive": float(1 - np.mean(resolved))}
