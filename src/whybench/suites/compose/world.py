"""The world of compose: a chain of blocks whose nodes are true or false.

A `chain.Chain` says who causes whom. Each node has a bit of its own, which chance decides, and a
gate: it is true if its bit *or* any of its parents is true, or if its bit *and* all of its parents
are. Chance is told as a count from 1 to 10, each equally likely; the bit is "the count reaches the
threshold".

>>> blocks = (Block("cycle", 3), Block("bridge", 2))
>>> world = ComposeWorld(blocks, ("or", "or", "and", "or"), (6, 7, 4, 8))
>>> world.chance(2)
Fraction(7, 10)
>>> world.text
'cycle 3, bridge 2; or or and or; 6 7 4 8'

Why blocks, and only these gates: then the probability that an anchor answers to an earlier one (see
`truth`) is the product over the blocks between them. That needs a cutpoint, noise that no two
blocks share, and mechanisms that never fall when a parent rises. A `ComposeWorld` cannot be without
a cutpoint, has one independent bit a node, and no xor: what breaks the product cannot be written
down.

The parents of a block's nodes, but for its first, lie in the block. So what it makes of its first
node depends on the bits of its other nodes alone, and not on the unit elsewhere: a finite table
(`BlockTable`), read from the response functions of `scm`. The probability of a pattern is a product
of tenths, kept as a whole number over a power of ten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from whybench import scm
from whybench.scm import Graph, InvalidParameter, Model, TooManyStates
from whybench.seeds import Split, generator, split_of
from whybench.suites.compose.blocks import Block, Kind, list_symmetries
from whybench.suites.compose.chain import Chain, Pair, node_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = [
    "COUNTS",
    "LARGEST_BLOCK",
    "NAMED",
    "PASSING",
    "Block",
    "BlockTable",
    "ComposeWorld",
    "Gate",
    "Gates",
    "Kind",
    "Pair",
    "draw_world",
    "make_block_table",
    "node_name",
    "sort_alike",
    "split_of_world",
]


Gate = Literal["or", "and"]
Gates = Literal["or", "and", "mixed"]
"""The gates of a whole world: all or, all and, or some of both."""

COUNTS = 10
"""Counts are uniform on 1 … COUNTS."""

PASSING = (6, 7, 8, 9)
"""In a random world a node lets its parents decide at one of these numbers of the ten counts."""


LARGEST_BLOCK = 17
"""Blocks of more nodes are not enumerated."""


@dataclass(frozen=True)
class ComposeWorld(Chain):
    """Blocks in a row, and how each node gets its value.

    Attributes:
        gates: One a node. That of the root plays no part and is "or".
        thresholds: One a node, from 2 to 10, so that no bit is settled beforehand.

    Raises:
        InvalidGraph: Fewer than two blocks, so that there is no cutpoint.
        InvalidParameter: Not one gate and one threshold a node, or one that is out of range.
    """

    gates: tuple[Gate, ...]
    thresholds: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        for what, values in (("gates", self.gates), ("thresholds", self.thresholds)):
            if len(values) != self.size:
                raise InvalidParameter(
                    f"{what} must be one for each of {self.size} nodes, got {values}"
                )
        for node, gate in enumerate(self.gates):
            if gate not in get_args(Gate):
                raise InvalidParameter(f"gate of node {node} must be or or and, got {gate}")
        if self.gates[0] != "or":
            raise InvalidParameter(f"gate of the root must be or, got {self.gates[0]}")
        for node, threshold in enumerate(self.thresholds):
            if not (isinstance(threshold, int) and 2 <= threshold <= COUNTS):
                raise InvalidParameter(
                    f"threshold of node {node} must be a whole number from 2 to {COUNTS}, "
                    f"got {threshold!r}"
                )

    def chance(self, node: int) -> Fraction:
        """Return the probability that the bit of a node is true."""
        return Fraction(COUNTS + 1 - self.thresholds[node], COUNTS)

    def model(self) -> Model:
        """Return the structural causal model, with fractions."""
        gates = {node_name(v): scm.Gate(self.gates[v], self.chance(v)) for v in self.nodes}
        return Model(self.graph, gates)

    def renumber(self, order: Sequence[int]) -> ComposeWorld:
        """Return the world with its nodes in another order, in which it has the same edges."""
        gates = tuple(self.gates[node] for node in order)
        return replace(self, gates=gates, thresholds=tuple(self.thresholds[n] for n in order))

    @cached_property
    def text(self) -> str:
        """The world in one line, the same for equal worlds and no others."""
        return "; ".join(
            (
                ", ".join(map(str, self.blocks)),
                " ".join(self.gates),
                " ".join(map(str, self.thresholds)),
            )
        )


def sort_alike(world: ComposeWorld, names: Sequence[str] = ()) -> tuple[int, ...]:
    """Return the nodes in the order in which a world is told from others that are the same.

    Two nodes of a graph may have the same causes and effects: then the one with the smaller gate
    and threshold comes first, and if these are equal too, the one with the smaller name.
    """
    order = [0]
    for start, block in zip(world.anchors, world.blocks, strict=False):
        sorted_ways = (
            [(world.gates[n], world.thresholds[n], names[n] if names else "", n) for n in way]
            for way in ([start + node for node in one] for one in list_symmetries(block))
        )
        order += [node for *_, node in min(sorted_ways)[1:]]
    return tuple(order)


NAMED: Mapping[str, tuple[tuple[Block, ...], int]] = {
    "party": ((Block("wheel", 4), Block("bridge", 2), Block("ladder", 4)), 7)
}
"""The worlds with a name: their blocks, and the threshold of every node."""


def split_of_world(world: ComposeWorld) -> Split:
    """Return the side of the train/test divide on which a world lies.

    Worlds with a name are for testing, and a random one may turn out to be one of them.
    """
    for blocks, threshold in NAMED.values():
        if world.blocks == blocks and set(world.thresholds) == {threshold}:
            return "test"
    return split_of(world.renumber(sort_alike(world)).text)


def draw_world(
    blocks: tuple[Block, ...], gates: Gates, *keys: object, split: Split | None = None
) -> ComposeWorld:
    """Return the world with these blocks that belongs to the keys.

    Effects are kept from being rare by the thresholds. A bit that is false lets the parents of an
    or gate decide, a bit that is true those of an and gate; thresholds are such that this happens
    at 6 to 9 of the ten counts, drawn evenly and apart for each node (or: 7 to 10; and: 2 to 5).
    A block of s nodes then transmits with probability 0.75^(s-1) on average, and more where gates
    are mixed, since a block transmits at least when all its nodes let their parents decide. The
    root has a threshold from 4 to 8.

    Args:
        blocks: Two or more.
        gates: All or, all and, or mixed: an even draw for each node but the root, with at least one
            of both.
        *keys: What the draw belongs to, as in `seeds.generator`.
        split: The side of the divide on which the world must lie; None for either.

    Raises:
        InvalidGraph: Fewer than two blocks.
        InvalidParameter: `gates` is another word; xor, say, does not multiply.
    """
    if gates not in get_args(Gates):
        raise InvalidParameter(f"gates must be one of {', '.join(get_args(Gates))}, got {gates}")
    rng = generator("compose", "world", [str(block) for block in blocks], gates, split, *keys)
    count = sum(block.size - 1 for block in blocks)
    while True:
        kinds = _draw_gates(gates, count, rng)
        thresholds = [
            COUNTS + 1 - int(passing) if kind == "and" else int(passing) + 1
            for kind, passing in zip(kinds, rng.choice(PASSING, count), strict=True)
        ]
        world = ComposeWorld(blocks, ("or", *kinds), (int(rng.integers(4, 9)), *thresholds))
        if split is None or split_of_world(world) == split:
            return world.renumber(sort_alike(world))


def _draw_gates(gates: Gates, count: int, rng: np.random.Generator) -> list[Gate]:
    """Return gates for `count` nodes; where they are mixed, two nodes are sure to differ."""
    if gates != "mixed":
        return [gates] * count
    kinds: list[Gate] = ["and" if both else "or" for both in rng.integers(0, 2, count)]
    if len(set(kinds)) < 2 <= count:
        kinds[int(rng.integers(count))] = "and" if kinds[0] == "or" else "or"
    return kinds


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

    @cached_property
    def transmission(self) -> Fraction:
        """The probability that the block transmits."""
        return self.probability(self.transmits)

    def probability(self, patterns: NDArray[np.bool_]) -> Fraction:
        """Return the probability of a set of patterns."""
        return Fraction(int(self.weight[patterns].sum()), self.total)


def make_block_table(world: ComposeWorld, number: int) -> BlockTable:
    """Return the table of a block of a world.

    Raises:
        TooManyStates: The block has more than 17 nodes.
    """
    others = slice(world.anchors[number] + 1, world.anchors[number + 1] + 1)
    return _enumerate_block(world.blocks[number], world.gates[others], world.thresholds[others])


@lru_cache(maxsize=4096)
def _enumerate_block(
    block: Block, gates: tuple[Gate, ...], thresholds: tuple[int, ...]
) -> BlockTable:
    if block.size > LARGEST_BLOCK:
        raise TooManyStates(f"a block must have at most {LARGEST_BLOCK} nodes, got {block}")
    names = tuple(map(node_name, range(block.size)))
    graph = Graph(
        names, tuple((node_name(cause), node_name(effect)) for cause, effect in block.edges)
    )
    kinds = zip(names, ("or", *gates), strict=True)
    model = Model(graph, {name: scm.Gate(kind, Fraction(1, 2)) for name, kind in kinds})
    positions = np.arange(block.size - 1)
    bits = np.arange(2 ** (block.size - 1))[:, None] >> positions & 1
    units = np.concatenate([np.zeros_like(bits[:, :1]), bits], axis=1)
    ends = [scm.respond(model, units, {names[0]: setting})[names[-1]] == 1 for setting in (1, 0)]
    above = COUNTS + 1 - np.array(thresholds, dtype=np.int64)
    weight = np.where(bits, above, COUNTS - above).prod(axis=1)
    return BlockTable(ends[0], ends[1], weight, COUNTS ** (block.size - 1))
