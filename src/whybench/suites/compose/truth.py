"""What is true of a unit, and of the population, each found in two ways.

A *unit* is a case: the bits of all nodes. A world asks k·(k + 2) questions about it, k the number
of blocks: does an anchor hold (k), and would an effect hold if a cause were made true, or false
(two for each of k·(k + 1)/2 pairs)? An effect *answers to* a cause on a unit if it would hold with
the cause and would not without it. A block *transmits* on a unit if its last node answers to its
first.

Two facts make the rest easy. The parents of a block's nodes, but for its first, lie in the block,
so what it makes of its first node depends on the bits of its other nodes alone, and not on the unit
elsewhere. And no gate ever falls when a parent rises, so a block either transmits, and its last
node equals its first, or its last node is the same whatever happens to the first. Hence the
**unit identity**: an effect answers to a cause exactly if all blocks between them transmit. Bits
are independent, so the probabilities multiply: PNS(X, Y) is the product of the blocks' PNS. As
nothing ever falls, it equals the average effect, P(Y | do X) - P(Y | do not X), too.

| what | first derivation | second derivation |
|---|---|---|
| a unit's answers | node by node in causal order | tables of blocks, one after the other |
| PNS, average effect | enumerated blocks, chained | elimination on the whole network |

Both derivations of a unit's answers, `answer_by_node` and `answer_by_block`, treat many units at
once. The first knows gates and no blocks; the second knows no gates and takes the tables of blocks
from the response functions of `scm`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whybench import scm
from whybench.scm import Certificate, Disagreement, agreed
from whybench.suites.compose.world import ComposeWorld, make_block_table, node_name

if TYPE_CHECKING:
    from collections.abc import Callable

Bits = NDArray[np.bool_]
"""The bits of units: units x nodes."""


@dataclass(frozen=True)
class UnitQuery:
    """A question about any unit of a world.

    Attributes:
        effect: The anchor that is asked about.
        intervention: The cause and what it is made; None for a factual question.
    """

    effect: int
    intervention: tuple[int, bool] | None = None

    def __str__(self) -> str:
        intervention = self.intervention
        return (
            f"{self.effect}[{intervention[0]}={intervention[1]:d}]"
            if intervention
            else f"{self.effect}"
        )


@lru_cache(maxsize=4096)
def list_queries(world: ComposeWorld) -> tuple[UnitQuery, ...]:
    """Return all questions: first the factual ones, then for each pair made true, made false."""
    factual = [UnitQuery(anchor) for anchor in world.anchors[1:]]
    interventional = [
        UnitQuery(effect, (cause, value))
        for cause, effect in world.pairs
        for value in (True, False)
    ]
    return (*factual, *interventional)


def answer_by_node(world: ComposeWorld, bits: Bits) -> NDArray[np.bool_]:
    """Answer all questions by computing node after node, for every cause made true and false.

    Returns:
        Units x questions, in the order of `list_queries`.
    """
    _check_bits(world, bits)
    queries = list_queries(world)
    settings = list(dict.fromkeys(query.intervention for query in queries))
    position = {setting: number for number, setting in enumerate(settings)}
    values = np.empty((world.size, len(settings), len(bits)), dtype=np.bool_)
    for node in world.nodes:
        combine: Callable[..., object] = (
            np.logical_or if world.gates[node] == "or" else np.logical_and
        )
        values[node] = bits[:, node]
        for parent in world.parents[node]:
            combine(values[node], values[parent], out=values[node])
        for setting in settings:
            if setting is not None and setting[0] == node:
                values[node, position[setting]] = setting[1]
    effects = [query.effect for query in queries]
    return values[effects, [position[query.intervention] for query in queries]].T


def answer_by_block(world: ComposeWorld, bits: Bits) -> NDArray[np.bool_]:
    """Answer all questions by looking up what each block does, and doing it block after block.

    Returns:
        As `answer_by_node`.
    """
    _check_bits(world, bits)
    steps = []
    for number in range(len(world.blocks)):
        table = make_block_table(world, number)
        block_bits = bits[:, world.anchors[number] + 1 : world.anchors[number + 1] + 1]
        pattern = block_bits @ (1 << np.arange(block_bits.shape[1]))
        steps.append((table.if_true[pattern], table.if_false[pattern]))
    answers: dict[UnitQuery, NDArray[np.bool_]] = {}

    def follow(start: NDArray[np.bool_], first: int, setting: tuple[int, bool] | None) -> None:
        value = start
        for number in range(first, len(steps)):
            value = np.where(value, *steps[number])
            answers[UnitQuery(world.anchors[number + 1], setting)] = value

    follow(bits[:, world.root], 0, None)
    for first, cause in enumerate(world.anchors[:-1]):
        for setting in (True, False):
            follow(np.full(len(bits), setting), first, (cause, setting))
    return np.stack([answers[query] for query in list_queries(world)], axis=1)


def _check_bits(world: ComposeWorld, bits: Bits) -> None:
    if bits.ndim != 2 or bits.shape[1] != world.size or bits.dtype != np.bool_:
        raise scm.InvalidParameter(
            f"bits must be truth values of shape (units, {world.size}), "
            f"got {bits.dtype} of shape {bits.shape}"
        )


@dataclass(frozen=True, eq=False)
class AnswerKey:
    """The certified answers to all questions about some units.

    Attributes:
        world: The world.
        bits: Units x nodes.
        yes: Units x questions, in the order of `list_queries`; both derivations agree on it.
    """

    world: ComposeWorld
    bits: Bits
    yes: NDArray[np.bool_]

    @property
    def factual(self) -> NDArray[np.bool_]:
        """Whether each anchor but the root holds: units x blocks."""
        return self.yes[:, : len(self.world.blocks)]

    @property
    def if_true(self) -> NDArray[np.bool_]:
        """Whether the effect would hold with the cause made true: units x pairs."""
        return self.yes[:, len(self.world.blocks) :: 2]

    @property
    def if_false(self) -> NDArray[np.bool_]:
        """Whether the effect would hold with the cause made false: units x pairs."""
        return self.yes[:, len(self.world.blocks) + 1 :: 2]

    @property
    def indicators(self) -> NDArray[np.bool_]:
        """Whether the effect answers to the cause: units x pairs."""
        return self.if_true & ~self.if_false

    @property
    def transmits(self) -> NDArray[np.bool_]:
        """Which blocks transmit: units x blocks."""
        pairs = {pair: position for position, pair in enumerate(self.world.pairs)}
        return self.indicators[:, [pairs[block] for block in pairwise(self.world.anchors)]]

    def certificates(self, unit: int) -> tuple[Certificate, ...]:
        """Return the certificates of all questions about a unit, as `list_queries` orders them."""
        noise = "".join("1" if bit else "0" for bit in self.bits[unit].tolist())
        return tuple(
            Certificate(f"{query} | noise {noise}", _DERIVED[value], agree=True)
            for query, value in zip(list_queries(self.world), self.yes[unit].tolist(), strict=True)
        )


_DERIVED: dict[bool, tuple[tuple[str, float], tuple[str, float]]] = {
    value: (("causal order", float(value)), ("block composition", float(value)))
    for value in (False, True)
}


def make_answer_key(world: ComposeWorld, bits: Bits) -> AnswerKey:
    """Answer all questions about units in both ways.

    Raises:
        Disagreement: The two ways differ somewhere.
    """
    first, second = answer_by_node(world, bits), answer_by_block(world, bits)
    if not np.array_equal(first, second):
        unit, query = np.argwhere(first != second)[0].tolist()
        raise Disagreement(
            f"derivations of {list_queries(world)[query]} must agree, got {first[unit, query]} and "
            f"{second[unit, query]} for the bits {bits[unit].tolist()} in {world.text}"
        )
    return AnswerKey(world, bits, first)


def population_pns(world: ComposeWorld, cause: int, effect: int) -> Certificate:
    """Return the probability that the effect answers to the cause, as a fraction."""
    tables = [make_block_table(world, number) for number in world.blocks_between(cause, effect)]
    product = prod((table.transmission for table in tables), start=Fraction(1))
    query = scm.pns(node_name(cause), node_name(effect))
    whole = scm.elimination.probability(world.model(), query)
    return agreed(str(query), ("block product", product), ("elimination", whole))
