"""Blocks as tables: what each makes of its first node, for every pattern of its bits.

The parents of a block's nodes, but for its first, lie in the block. So what it makes of its first
node depends on the bits of its other nodes alone, and not on the unit elsewhere: a finite table,
read here from the response functions of `scm`. The probability of a pattern is a product of tenths,
kept as a whole number over a power of ten.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from whybench import scm
from whybench.scm import Graph, Model, TooManyStates
from whybench.suites.compose.chain import Block, name_of
from whybench.suites.compose.world import COUNTS, Gate, World

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LARGEST_BLOCK", "BlockTable", "block_table"]

LARGEST_BLOCK = 17
"""Blocks of more nodes are not enumerated."""


@dataclass(frozen=True, eq=False)
class BlockTable:
    """What a block makes of its first node, for each pattern of its other nodes' bits.

    Pattern j has the bit of the i-th of these nodes as its i-th lowest binary digit.

    Attributes:
        if_true: Whether the last node holds if the first does, by pattern.
        if_false: Whether it holds if the first does not.
        weight: The probability of each pattern, in units of 1 / `total`.
        total: 10 to the number of these nodes.
    """

    if_true: NDArray[np.bool_]
    if_false: NDArray[np.bool_]
    weight: NDArray[np.int64]
    total: int

    @cached_property
    def transmits(self) -> NDArray[np.bool_]:
        """On which patterns the last node answers to the first."""
        return self.if_true & ~self.if_false

    def probability(self, patterns: NDArray[np.bool_]) -> Fraction:
        """Return the probability of a set of patterns."""
        return Fraction(int(self.weight[patterns].sum()), self.total)


def block_table(world: World, number: int) -> BlockTable:
    """Return the table of a block of a world.

    Raises:
        TooManyStates: The block has more than 17 nodes.
    """
    others = slice(world.anchors[number] + 1, world.anchors[number + 1] + 1)
    return _block_table(world.blocks[number], world.gates[others], world.thresholds[others])


@lru_cache(maxsize=4096)
def _block_table(block: Block, gates: tuple[Gate, ...], thresholds: tuple[int, ...]) -> BlockTable:
    if block.size > LARGEST_BLOCK:
        raise TooManyStates(f"a block must have at most {LARGEST_BLOCK} nodes, got {block}")
    names = tuple(map(name_of, range(block.size)))
    graph = Graph(names, tuple((name_of(cause), name_of(effect)) for cause, effect in block.edges))
    kinds = zip(names, ("or", *gates), strict=True)
    model = Model(graph, {name: scm.Gate(kind, Fraction(1, 2)) for name, kind in kinds})
    places = np.arange(block.size - 1)
    bits = np.arange(2 ** (block.size - 1))[:, None] >> places & 1
    units = np.concatenate([np.zeros_like(bits[:, :1]), bits], axis=1)
    ends = [scm.respond(model, units, {names[0]: made})[names[-1]] == 1 for made in (1, 0)]
    above = COUNTS + 1 - np.array(thresholds, dtype=np.int64)
    weight = np.where(bits, above, COUNTS - above).prod(axis=1)
    return BlockTable(ends[0], ends[1], weight, COUNTS ** (block.size - 1))
