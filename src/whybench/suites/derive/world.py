"""Worlds of lamps: the rule of each states how probable it is to be on, given its direct causes.

A question asks for the average effect of a lamp x on a lamp y. Its *depth* d is the number of rules
between them: those of the lamps c1, …, cd = y in the chain x -> c1 -> … -> y. Another lamp u, the
confounder, affects x and c1. So the effect is the product of d differences:

    effect = ((1 - P(u)) D0 + P(u) D1) * D2 * … * Dd

D0 and D1 are the differences that x makes to c1 where u is off and where it is on; D2 is the
difference that c1 makes to c2, and so on. The rule of u isn't counted in d: it isn't between x and
y, and every question takes it once. No other lamp affects x, u or the chain.

All percentages are drawn last, and nothing else depends on them: neither the graph, x, y, nor the
side of the train/test divide. Rules on the chain after c1 are independent of everything else. Those
of u, x and c1 are drawn together (`drawing.draw_start`), so that neither the association of x and y
nor D0, D1 or their mean give the effect. The margins are those of the percentage that u has, and D0
and D1 may differ in sign. So D0 isn't nearly known from D1, and both count: u has from 25 to 75%. A
right answer may differ from the effect by `TOLERANCE` of it. So an agent that misses a rule must
guess a factor, whatever else it knows, and the factor is spread over a range many times as wide as
the tolerance:

| missing | the best possible answer is right in |
|---|---|
| the rule of c2, …, or cd | 0.051 |
| one of the two percentages of c2, …, or cd | 0.128 |
| the rule of c1 | 0.016 |
| the rule of c1 in the rarer state of u, or the smaller one of D0 and D1 | 0.108 |
| the rule of c1 in the commoner state of u | 0.064 |
| the rule of c1 where x is off | 0.039 |
| the rule of u | 0.087 |
| the rule of u, except for its likelier state | 0.133 |
| one of the four percentages of c1 | 0.145 |

An agent may choose the part that it misses, where its guess is best: the rule of u, the rule of c1
in the rarer state, or half of a later rule. It is right in at most 0.147, at depth 10.
`python -m evidence horizon --only derive-bounds` measures these shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from whybench.scm import Graph, Model, Table, elimination
from whybench.scm.certificate import agreed
from whybench.scm.queries import do

if TYPE_CHECKING:
    from whybench.scm import Certificate

TOLERANCE = 0.02
"""How far a right answer may be from the effect, as a share of the effect."""

Pair = tuple[int, int]
"""The percentages of a lamp if its cause is on, and if it is off."""

Whole: TypeAlias = Any
"""An integer, or an array of integers."""


class Terms(NamedTuple):
    """The numbers from which an effect follows.

    Attributes:
        share: The percentage of the confounder.
        strata: The percentages of c1 if x is on or off, where the confounder is off, and where it
            is on.
        links: The percentages of c2, …, cd.
    """

    share: int
    strata: tuple[Pair, Pair]
    links: tuple[Pair, ...]

    @property
    def first(self) -> Fraction:
        """The difference that x makes to c1, averaged over the confounder."""
        off, on = map(subtract, self.strata)
        return average(self.share, off, on)

    @property
    def factors(self) -> tuple[Fraction, ...]:
        """The d differences."""
        return (self.first, *map(subtract, self.links))

    @property
    def effect(self) -> Fraction:
        """The average effect in percentage points."""
        return prod(self.factors, start=Fraction(100))


def subtract(pair: Pair) -> Fraction:
    """Return the difference that a cause makes."""
    return Fraction(pair[0] - pair[1], 100)


def average(share: int, off: Fraction, on: Fraction) -> Fraction:
    """Return the average of two numbers, the second of which has this percentage."""
    return (Fraction(100 - share) * off + Fraction(share) * on) / 100


class Start(NamedTuple):
    """The percentages that are drawn together, or arrays of them.

    Attributes:
        share: As in `Terms`.
        selection: The percentages of x if the confounder is on, and if it is off. None if unknown.
        strata: As in `Terms`.
    """

    share: Whole
    selection: Pair | None
    strata: tuple[tuple[Whole, Whole], tuple[Whole, Whole]]

    @property
    def differences(self) -> tuple[Whole, Whole]:
        """D0 and D1 in points."""
        (one, two), (three, four) = self.strata
        return one - two, three - four

    @property
    def first(self) -> Whole:
        """The first factor in hundredths of a point."""
        off, on = self.differences
        return (100 - self.share) * off + self.share * on


def associate(start: Start) -> Any:
    """Return the observational difference of c1 between x on and x off, in points."""
    share = start.share
    likely, unlikely = start.selection or (50, 50)
    on, off = (
        share * one / (share * one + (100 - share) * other)
        for one, other in ((likely, unlikely), (100 - likely, 100 - unlikely))
    )
    (on_without, off_without), (on_with, off_with) = start.strata
    return on * on_with + (1 - on) * on_without - off * off_with - (1 - off) * off_without


@dataclass(frozen=True)
class ChainGraph:
    """The graph, and the lamps in question.

    Attributes:
        causes: The direct causes of each lamp. Earlier lamps have lower numbers.
        confounder: The lamp that affects the cause and the first lamp after it.
        chain: The lamps from the cause to the effect.
    """

    causes: tuple[tuple[int, ...], ...]
    confounder: int
    chain: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of lamps."""
        return len(self.causes)


@dataclass(frozen=True)
class DeriveQuestion:
    """One question about a world.

    Attributes:
        structure: The lamps and their causes.
        rules: The percentages of each lamp, one for each configuration of its causes, the first
            cause as the highest bit.
        query: `do` if the effect is asked for in words, `product` if as bare arithmetic.
    """

    structure: ChainGraph
    rules: tuple[tuple[int, ...], ...]
    query: str

    @property
    def cause(self) -> int:
        """The lamp that is set."""
        return self.structure.chain[0]

    @property
    def effect(self) -> int:
        """The lamp that is asked for."""
        return self.structure.chain[-1]

    @property
    def depth(self) -> int:
        """The number of rules between cause and effect."""
        return len(self.structure.chain) - 1

    @cached_property
    def terms(self) -> Terms:
        """The numbers from which the effect follows."""
        first, *others = (self.rules[lamp] for lamp in self.structure.chain[1:])
        (share,) = self.rules[self.structure.confounder]
        strata = (first[2], first[0]), (first[3], first[1])
        return Terms(share, strata, tuple((on, off) for off, on in others))

    def associate(self) -> float:
        """Return the observational difference of the effect in percentage points."""
        off, on = self.rules[self.cause]
        share, strata, links = self.terms
        return float(associate(Start(share, (on, off), strata)) * prod(map(subtract, links)))

    @property
    def model(self) -> Model:
        """The world as a causal model with exact probabilities."""
        causes = self.structure.causes
        edges = [(f"V{cause}", f"V{lamp}") for lamp, own in enumerate(causes) for cause in own]
        graph = Graph(tuple(f"V{lamp}" for lamp in range(len(causes))), tuple(edges))
        tables = (Table(tuple(Fraction(number, 100) for number in rule)) for rule in self.rules)
        return Model(graph, dict(zip(graph.nodes, tables, strict=True)))

    def certify(self) -> Certificate:
        """Return the effect in points by exact inference, and as a product with adjustment."""
        model, cause, effect = self.model, f"V{self.cause}", f"V{self.effect}"
        on, off = (
            elimination.probability(model, do({effect: 1}, {cause: value})) for value in (1, 0)
        )
        told = f"P({effect}[{cause}=1]=1) - P({effect}[{cause}=0]=1)"
        return agreed(
            told, ("elimination", 100 * (on - off)), ("product with adjustment", self.terms.effect)
        )
