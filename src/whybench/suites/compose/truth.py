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

Both derivations of a unit's answers, `evaluated` and `composed`, treat many units at once. The
first knows gates and no blocks; the second knows no gates and takes the tables of blocks from the
response functions of `scm`.
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
from whybench.scm import Certificate, Disagreement, Value, agreed
from whybench.suites.compose.block_tables import block_table
from whybench.suites.compose.world import World, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "AnswerKey",
    "Asking",
    "answer_key",
    "askings",
    "closed_form",
    "composed",
    "evaluated",
    "population_ate",
    "population_pns",
]

Bits = NDArray[np.bool_]
"""The bits of units: units x nodes."""


@dataclass(frozen=True)
class Asking:
    """A question about any unit of a world.

    Attributes:
        effect: The anchor that is asked about.
        intervention: The cause and what it is made; None for a factual question.
    """

    effect: int
    intervention: tuple[int, bool] | None = None

    def __str__(self) -> str:
        made = self.intervention
        return f"{self.effect}[{made[0]}={made[1]:d}]" if made else f"{self.effect}"


@lru_cache(maxsize=4096)
def askings(world: World) -> tuple[Asking, ...]:
    """Return all questions: first the factual ones, then for each pair made true, made false."""
    factual = [Asking(anchor) for anchor in world.anchors[1:]]
    made = [
        Asking(effect, (cause, value)) for cause, effect in world.pairs for value in (True, False)
    ]
    return (*factual, *made)


def evaluated(world: World, bits: Bits) -> NDArray[np.bool_]:
    """Answer all questions by computing node after node, for every cause made true and false.

    Returns:
        Units x questions, in the order of `askings`.
    """
    _check(world, bits)
    asked = askings(world)
    settings = list(dict.fromkeys(asking.intervention for asking in asked))
    place = {setting: number for number, setting in enumerate(settings)}
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
                values[node, place[setting]] = setting[1]
    effects = [asking.effect for asking in asked]
    return values[effects, [place[asking.intervention] for asking in asked]].T


def composed(world: World, bits: Bits) -> NDArray[np.bool_]:
    """Answer all questions by looking up what each block does, and doing it block after block.

    Returns:
        As `evaluated`.
    """
    _check(world, bits)
    steps = []
    for number in range(len(world.blocks)):
        table = block_table(world, number)
        own = bits[:, world.anchors[number] + 1 : world.anchors[number + 1] + 1]
        pattern = own @ (1 << np.arange(own.shape[1]))
        steps.append((table.if_true[pattern], table.if_false[pattern]))
    found: dict[Asking, NDArray[np.bool_]] = {}

    def follow(start: NDArray[np.bool_], first: int, made: tuple[int, bool] | None) -> None:
        value = start
        for number in range(first, len(steps)):
            value = np.where(value, *steps[number])
            found[Asking(world.anchors[number + 1], made)] = value

    follow(bits[:, world.root], 0, None)
    for first, cause in enumerate(world.anchors[:-1]):
        for made in (True, False):
            follow(np.full(len(bits), made), first, (cause, made))
    return np.stack([found[asking] for asking in askings(world)], axis=1)


def _check(world: World, bits: Bits) -> None:
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
        yes: Units x questions, in the order of `askings`; both derivations agree on it.
    """

    world: World
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
        pairs = {pair: place for place, pair in enumerate(self.world.pairs)}
        return self.indicators[:, [pairs[block] for block in pairwise(self.world.anchors)]]

    def certificates(self, unit: int) -> tuple[Certificate, ...]:
        """Return the certificates of all questions about one unit, in the order of `askings`."""
        noise = "".join("1" if bit else "0" for bit in self.bits[unit].tolist())
        return tuple(
            Certificate(f"{asking} | noise {noise}", _DERIVED[value], agree=True)
            for asking, value in zip(askings(self.world), self.yes[unit].tolist(), strict=True)
        )


_DERIVED: dict[bool, tuple[tuple[str, float], tuple[str, float]]] = {
    value: (("causal order", float(value)), ("block composition", float(value)))
    for value in (False, True)
}


def answer_key(world: World, bits: Bits) -> AnswerKey:
    """Answer all questions about units in both ways.

    Raises:
        Disagreement: The two ways differ somewhere.
    """
    first, second = evaluated(world, bits), composed(world, bits)
    if not np.array_equal(first, second):
        unit, place = np.argwhere(first != second)[0].tolist()
        raise Disagreement(
            f"derivations of {askings(world)[place]} must agree, got {first[unit, place]} and "
            f"{second[unit, place]} for the bits {bits[unit].tolist()} in {world.text}"
        )
    return AnswerKey(world, bits, first)


def population_pns(world: World, cause: int, effect: int) -> Certificate:
    """Return the probability that the effect answers to the cause, as a fraction."""
    tables = [block_table(world, number) for number in world.blocks_between(cause, effect)]
    product = prod((table.probability(table.transmits) for table in tables), start=Fraction(1))
    query = scm.pns(name_of(cause), name_of(effect))
    whole = scm.elimination.probability(world.model(), query)
    return agreed(str(query), ("block product", product), ("elimination", whole))


def population_ate(world: World, cause: int, effect: int) -> Certificate:
    """Return P(effect | do cause) - P(effect | do not cause), as a fraction.

    The first derivation carries the probability that an anchor holds from block to block.
    """
    tables = [block_table(world, number) for number in world.blocks_between(cause, effect)]
    model = world.model()
    chained: list[Fraction] = []
    eliminated: list[Value] = []
    for made in (1, 0):
        holds = Fraction(made)
        for table in tables:
            with_it, without = (
                table.probability(patterns) for patterns in (table.if_true, table.if_false)
            )
            holds = holds * with_it + (1 - holds) * without
        chained.append(holds)
        query = scm.do({name_of(effect): 1}, {name_of(cause): made})
        eliminated.append(scm.elimination.probability(model, query))
    return agreed(
        f"average effect of {cause} on {effect}",
        ("block chain", chained[0] - chained[1]),
        ("elimination", eliminated[0] - eliminated[1]),
    )


def closed_form(world: World, cause: int, effect: int) -> Fraction | None:
    """Return the PNS where it has a closed form: all blocks between have a single kind of gate.

    In a block of or gates a true bit makes its node true and all that follow, so the block
    transmits just when all bits but the first node's are false; with and gates, when all are true.
    So it is the product of 1 - p, or of p, over these nodes. A bridge has one gate.
    """
    result = Fraction(1)
    for number in world.blocks_between(cause, effect):
        others = range(world.anchors[number] + 1, world.anchors[number + 1] + 1)
        if len({world.gates[node] for node in others}) > 1:
            return None
        for node in others:
            p = world.chance(node)
            result *= p if world.gates[node] == "and" else 1 - p
    return result
