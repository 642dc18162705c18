"""Worlds with one gate swapped, for the agent that reasons well about the wrong one.

Such an agent is consistent, since its answers are those of a world, and not valid, since it is not
the world at hand. That holds only if the swap shows. Swapping the gate of a node whose bit is even
leaves the whole as it was: wrong on half of the units, and right about the population. A swap that
changes the whole by little more than delta takes very many units to be seen as wrong; and one that
changes it much may take many to be seen as consistent, since the agent's effects vary within strata
that are made for another world. So of the swaps that change the whole clearly, `find_wrong_world`
takes the one that needs the fewest units for all its verdicts, and not the one that changes it
most: in random worlds a change of 0.4 often takes a tenth of the units of one of 0.8. Swapping a
bridge takes none beyond the resolution: there the agent's effects are the opposite of the true
ones, and as constant within strata.

Blocks have no noise in common, so all of this is computed block by block: P(the block transmits in
the other world | it does, or does not, in this one), by going through all bits of the block.

In a world of more than five blocks, or where no single gate changes the whole clearly, the agent
assumes the world with the gate swapped that changes the whole most (`assumed_world`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import InvalidParameter
from whybench.suites.compose.power import CLEAR, units_needed
from whybench.suites.compose.profiles import (
    EffectProfile,
    anchor_pairs,
    composition_positions,
    transmission_strata,
)
from whybench.suites.compose.truth import UnitQuery, answer_by_node, list_queries
from whybench.suites.compose.units import SEGMENTS
from whybench.suites.compose.verdicts import DELTA, relative_difference
from whybench.suites.compose.world import make_block_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.compose.world import ComposeWorld

UNITS_KEPT = 16_384
"""How many units are remembered: an agent is asked about one many times."""


def swap_gate(world: ComposeWorld, node: int) -> ComposeWorld:
    """Return the world in which the gate of a node is the other one."""
    if not 0 < node < world.size:
        raise InvalidParameter(f"node must be from 1 to {world.size - 1}, got {node}")
    gates = list(world.gates)
    gates[node] = "and" if gates[node] == "or" else "or"
    return replace(world, gates=tuple(gates))


def transmission_probabilities(world: ComposeWorld) -> tuple[float, ...]:
    """Return the probability that each block transmits."""
    tables = (make_block_table(world, block) for block in range(len(world.blocks)))
    return tuple(float(table.transmission) for table in tables)


def wrong_world_profile(world: ComposeWorld, other: ComposeWorld) -> EffectProfile:
    """Return the profile, in the strata of `world`, of an agent that is exact about `other`.

    Args:
        world: The world the units are from.
        other: A world of the same blocks and thresholds, with other gates.
    """
    if (world.blocks, world.thresholds) != (other.blocks, other.thresholds):
        raise InvalidParameter(
            f"other must have the blocks and thresholds of {world.text}, got {other.text}"
        )
    blocks = range(len(world.blocks))
    weights, passes, _ = transmission_strata(transmission_probabilities(world))
    # P(block transmits in the other world | it does not, it does in this one).
    joint = [_joint_transmission(world, other, block) for block in blocks]
    given = [both[:, 1] / both.sum(axis=1) for both in joint]
    chance = np.stack([given[b][passes[:, b].astype(int)] for b in blocks], axis=1)
    spans = [frozenset(range(*pair)) for pair in anchor_pairs(len(blocks))]

    @cache
    def all_pass(needed: frozenset[int]) -> NDArray[np.float64]:
        return np.asarray(chance[:, sorted(needed)].prod(axis=1))

    single = np.stack([all_pass(a) for a in spans], axis=1)
    double = np.stack([np.stack([all_pass(a | b) for a in spans], axis=1) for b in spans], axis=1)
    triples = [[[all_pass(a | b | c) for a in spans] for b in spans] for c in spans]
    triple = np.moveaxis(np.array(triples), -1, 0)
    pure = np.einsum("si,sj,sk->sijk", single, single, single)
    crossed = np.einsum("sij,sk->sijk", double, single)
    crossed = crossed + crossed.transpose(0, 1, 3, 2) + crossed.transpose(0, 3, 1, 2)
    covariances = double - single[:, :, None] * single[:, None, :]
    return EffectProfile(weights, single, covariances, triple - crossed + 2 * pure)


def find_wrong_world(world: ComposeWorld, delta: float = DELTA) -> ComposeWorld:
    """Return the world with one gate swapped that best shows what a wrong world does.

    Raises:
        InvalidParameter: No swap changes the whole clearly.
    """
    clear = [
        (_count_units(world, other, delta), -change, other)
        for change, other in _swaps(world)
        if change >= CLEAR * delta
    ]
    if not clear:
        raise InvalidParameter(
            f"a gate of the world must change the whole by {CLEAR * delta:g} or more of the larger "
            f"if it is swapped, got {world.text}, where none does"
        )
    return min(clear, key=lambda entry: entry[:2])[2]


def _swaps(world: ComposeWorld) -> list[tuple[float, ComposeWorld]]:
    """Return every world with one gate swapped, after the share by which its whole differs."""
    whole = prod(transmission_probabilities(world))
    others = [swap_gate(world, node) for node in world.nodes[1:]]
    wholes = [prod(transmission_probabilities(other)) for other in others]
    changes = [abs(relative_difference(changed, whole) or 0.0) for changed in wholes]
    return list(zip(changes, others, strict=True))


def _count_units(world: ComposeWorld, other: ComposeWorld, delta: float) -> int:
    """Return the number of units that all verdicts on an agent exact about `other` take."""
    whole = float(np.prod(transmission_probabilities(world)))
    profile = wrong_world_profile(world, other)
    return max(
        units_needed(profile, steps, target, delta).units or 0
        for steps, whole_position in composition_positions(len(world.blocks))
        for target in (whole, whole_position)
    )


def _joint_transmission(
    world: ComposeWorld, other: ComposeWorld, block: int
) -> NDArray[np.float64]:
    """Return P(the block transmits in world, in other), 2 x 2."""
    mine, theirs = make_block_table(world, block), make_block_table(other, block)

    def chance(here: bool, there: bool) -> float:
        patterns = (mine.transmits == here) & (theirs.transmits == there)
        return float(mine.probability(patterns))

    return np.array([[chance(here, there) for there in (False, True)] for here in (False, True)])


@lru_cache(maxsize=4096)
def assumed_world(world: ComposeWorld) -> ComposeWorld:
    """Return the world with one gate swapped in which the agent believes to be."""
    if len(world.blocks) <= SEGMENTS:
        try:
            return find_wrong_world(world)
        except InvalidParameter:
            pass  # no swap is clear: the clearest must do
    return max(_swaps(world), key=lambda swap: swap[0])[1]


@lru_cache(maxsize=UNITS_KEPT)
def assumed_answers(world: ComposeWorld, counts: tuple[int, ...]) -> dict[UnitQuery, bool]:
    """Return what holds of a unit in the world that the agent has in mind."""
    bits = np.array([counts]) >= np.array([world.thresholds])
    (answers,) = answer_by_node(assumed_world(world), bits).tolist()
    return dict(zip(list_queries(world), answers, strict=True))
