"""The world that the wrong-world agent has in mind, and what it therefore answers.

That is `wrong_worlds.wrong_world` wherever there is one. In a world of more than five blocks, or
where no single gate changes the whole clearly, it is the world with the gate swapped that changes
the whole most.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import InvalidParameter
from whybench.suites.compose.truth import Asking, askings, evaluated
from whybench.suites.compose.units import STRETCHES
from whybench.suites.compose.verdicts import ratio_of
from whybench.suites.compose.wrong_worlds import swapped, transmit_chances, wrong_world

if TYPE_CHECKING:
    from whybench.suites.compose.world import World

__all__ = ["mistaken_answers", "mistaken_world"]

UNITS_KEPT = 16_384
"""So many units are remembered: an agent is asked about one many times."""


@lru_cache(maxsize=4096)
def mistaken_world(world: World) -> World:
    """Return the world with one gate swapped in which the agent believes to be."""
    if len(world.blocks) <= STRETCHES:
        try:
            return wrong_world(world)
        except InvalidParameter:
            pass  # no swap is clear: the clearest must do
    whole = prod(transmit_chances(world))

    def change(node: int) -> float:
        return abs(ratio_of(prod(transmit_chances(swapped(world, node))), whole) or 0.0)

    return swapped(world, max(world.nodes[1:], key=change))


@lru_cache(maxsize=UNITS_KEPT)
def mistaken_answers(world: World, counts: tuple[int, ...]) -> dict[Asking, bool]:
    """Return what holds of a unit in the world that the agent has in mind."""
    bits = np.array([counts]) >= np.array([world.thresholds])
    (found,) = evaluated(mistaken_world(world), bits).tolist()
    return dict(zip(askings(world), found, strict=True))
