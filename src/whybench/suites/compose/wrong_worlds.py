"""Worlds with one gate swapped, for the agent that reasons well about the wrong one.

Such an agent is consistent, since its answers are those of a world, and not valid, since it is not
the world at hand. That holds only if the swap shows. Swapping the gate of a node whose bit is even
leaves the whole as it was: wrong on half of the units, and right about the population. A swap that
changes the whole by little more than delta takes very many units to be seen as wrong; and one that
changes it much may take many to be seen as consistent, since the agent's effects vary within strata
that are made for another world. So of the swaps that change the whole clearly, `wrong_world` takes
the one that needs the fewest units for all its verdicts, and not the one that changes it most: in
random worlds a change of 0.4 often takes a tenth of the units of one of 0.8. Swapping a bridge
takes none beyond the resolution: there the agent's effects are the opposite of the true ones, and
as constant within strata.

Blocks have no noise in common, so all of this is computed block by block: P(the block transmits in
the other world | it does, or does not, in this one), by going through all bits of the block.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import InvalidParameter
from whybench.suites.compose.block_tables import block_table
from whybench.suites.compose.power import CLEAR, units_needed
from whybench.suites.compose.profiles import Profile, anchor_pairs, compositions_of, transmission
from whybench.suites.compose.verdicts import DELTA, ratio_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.compose.world import World

__all__ = ["other_world_profile", "swapped", "transmit_chances", "wrong_world"]


def swapped(world: World, node: int) -> World:
    """Return the world in which the gate of a node is the other one."""
    if not 0 < node < world.size:
        raise InvalidParameter(f"node must be from 1 to {world.size - 1}, got {node}")
    gates = list(world.gates)
    gates[node] = "and" if gates[node] == "or" else "or"
    return replace(world, gates=tuple(gates))


def transmit_chances(world: World) -> tuple[float, ...]:
    """Return the probability that each block transmits."""
    tables = (block_table(world, block) for block in range(len(world.blocks)))
    return tuple(float(table.probability(table.transmits)) for table in tables)


def other_world_profile(world: World, other: World) -> Profile:
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
    joint = [_joint(world, other, block) for block in blocks]
    weights, passes, _ = transmission(transmit_chances(world))
    # P(block transmits in the other world | stratum), strata x blocks.
    chance = np.stack(
        [
            np.where(
                passes[:, b], joint[b][1, 1] / joint[b][1].sum(), joint[b][0, 1] / joint[b][0].sum()
            )
            for b in blocks
        ],
        axis=1,
    )
    spans = [frozenset(range(*pair)) for pair in anchor_pairs(len(blocks))]

    @cache
    def all_pass(needed: frozenset[int]) -> NDArray[np.float64]:
        return np.asarray(chance[:, sorted(needed)].prod(axis=1))

    one = np.stack([all_pass(a) for a in spans], axis=1)
    two = np.stack([np.stack([all_pass(a | b) for a in spans], axis=1) for b in spans], axis=1)
    triples = [[[all_pass(a | b | c) for a in spans] for b in spans] for c in spans]
    three = np.moveaxis(np.array(triples), -1, 0)
    pure = np.einsum("si,sj,sk->sijk", one, one, one)
    crossed = np.einsum("sij,sk->sijk", two, one)
    crossed = crossed + crossed.transpose(0, 1, 3, 2) + crossed.transpose(0, 3, 1, 2)
    covariances = two - one[:, :, None] * one[:, None, :]
    return Profile(weights, one, covariances, three - crossed + 2 * pure)


def wrong_world(world: World, delta: float = DELTA) -> World:
    """Return the world with one gate swapped that best shows what a wrong world does.

    Raises:
        InvalidParameter: No swap changes the whole clearly.
    """
    whole = float(np.prod(transmit_chances(world)))
    found: list[tuple[int, float, World]] = []
    for node in world.nodes[1:]:
        other = swapped(world, node)
        ratio = abs(ratio_of(float(np.prod(transmit_chances(other))), whole) or 0.0)
        if ratio >= CLEAR * delta:
            found.append((_most_units(world, other, delta), -ratio, other))
    if not found:
        raise InvalidParameter(
            f"a gate of the world must change the whole by {CLEAR * delta:g} or more of the larger "
            f"if it is swapped, got {world.text}, where none does"
        )
    return min(found, key=lambda entry: entry[:2])[2]


def _most_units(world: World, other: World, delta: float) -> int:
    """Return the number of units that all verdicts on an agent exact about `other` take."""
    whole = float(np.prod(transmit_chances(world)))
    profile = other_world_profile(world, other)
    return max(
        units_needed(profile, steps, target, delta).units or 0
        for steps, place in compositions_of(len(world.blocks))
        for target in (whole, place)
    )


def _joint(world: World, other: World, block: int) -> NDArray[np.float64]:
    """Return P(the block transmits in world, in other), 2 x 2."""
    mine, theirs = block_table(world, block), block_table(other, block)
    return np.array(
        [
            [
                float(mine.probability((mine.transmits == here) & (theirs.transmits == there)))
                for there in (False, True)
            ]
            for here in (False, True)
        ]
    )
