"""What can be asked about a world: quantities on three rungs, and what they come to.

| rung | query | quantity, of a cause X, an effect Y and its value y |
|---|---|---|
| 1 | `observe` | P(Y=y given X=x and perhaps more) |
| 2 | `do` | P(Y=y if X is made x) |
| 2 | `ate` | P(Y=y if X is made 1) - P(Y=y if X is made 0) |
| 3 | `ett` | the same among cases with X=1 |
| 3 | `nde` | what X does to Y by itself, other causes of Y being as they are without X |
| 3 | `nie` | what it does through the other causes of Y, X itself being absent for Y |
| 3 | `counterfactual` | P(Y would be y had X been x), given what was the case |
| 3 | `pn` | P(Y would be absent without X), given that both are present |
| 3 | `ps` | P(Y would be present with X), given that both are absent |
| 3 | `pns` | P(Y would be present with X and absent without it) |

Each is a sum of probabilities of `whybench.scm` with signs, so that both engines answer it. The
last four depend on how noise decides; all others follow from tables.

`complete_values` asks all models that agree with what is told: one value is the answer, several
mean that it cannot be computed (`conclude`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from whybench.scm import Event, Query, agreed, elimination, enumeration
from whybench.scm.queries import do, observe, pns

if TYPE_CHECKING:
    from collections.abc import Callable

    from whybench.scm import Certificate, Graph, Model
    from whybench.suites.calculate.world import StatedWorld

    Engine = Callable[[Model, Query], object]

QueryKind = Literal[
    "observe", "do", "ate", "ett", "nde", "nie", "counterfactual", "pn", "ps", "pns"
]

RUNGS: dict[str, int] = {
    "observe": 1, "do": 2, "ate": 2, "ett": 3, "nde": 3, "nie": 3,
    "counterfactual": 3, "pn": 3, "ps": 3, "pns": 3,
}  # fmt: skip
"""The rung of each query."""

QUERIES = tuple(RUNGS)

EFFECTS = frozenset({"ate", "ett", "nde", "nie"})
"""Differences of two probabilities, which may be negative."""

POINTWISE = frozenset({"counterfactual", "pn", "ps", "pns"})
"""What tables do not settle."""

NOT_COMPUTABLE = 1000.0
"""The code of an answer that says that the number cannot be computed; no percentage is so large."""

FIRST, SECOND = 1.0, 2.0
"""The codes of answers that say which of two is greater."""

PERCENT = 100

Terms = list[tuple[int, Query]]

N = TypeVar("N", Fraction, float)


@dataclass(frozen=True)
class Quantity:
    """One quantity of a world.

    Attributes:
        query: Which kind.
        cause: The variable that is seen, made or imagined.
        effect: The variable asked about.
        set_to: The value of the cause, where one value is asked about.
        value: The value of the effect asked about.
        given: What else is known of the case: (variable, value) pairs.
    """

    query: QueryKind
    cause: str
    effect: str
    set_to: int = 1
    value: int = 1
    given: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of_facts(
        cls,
        query: QueryKind,
        cause: str,
        effect: str,
        set_to: int,
        value: int,
        facts: tuple[tuple[str, int], ...],
    ) -> Quantity:
        """Return the quantity of a prompt; the first observed fact is its cause."""
        if query == "observe":
            (cause, set_to), *rest = facts
            facts = tuple(rest)
        return cls(query, cause, effect, set_to, value, facts)

    def terms(self, graph: Graph) -> Terms:
        """Return the probabilities whose sum, with signs, it is."""
        x, y, v = self.cause, self.effect, self.value
        holds = {y: v}
        known = tuple(Event(name, value) for name, value in self.given)

        def imagined(value: int, set_to: int, *facts: Event) -> Query:
            return Query((Event(y, value, ((x, set_to),)),), facts)

        lists: dict[str, Callable[[], Terms]] = {
            "observe": lambda: [(1, observe(holds, {x: self.set_to, **dict(self.given)}))],
            "do": lambda: [(1, do(holds, {x: self.set_to}))],
            "ate": lambda: [(1, do(holds, {x: 1})), (-1, do(holds, {x: 0}))],
            "ett": lambda: [(1, observe(holds, {x: 1})), (-1, imagined(v, 0, Event(x, 1)))],
            "nde": lambda: [*self._crossed(graph, 1, 0), (-1, do(holds, {x: 0}))],
            "nie": lambda: [*self._crossed(graph, 0, 1), (-1, do(holds, {x: 0}))],
            "counterfactual": lambda: [(1, imagined(v, self.set_to, *known))],
            "pn": lambda: [(1, imagined(0, 0, Event(x, 1), Event(y, 1)))],
            "ps": lambda: [(1, imagined(1, 1, Event(x, 0), Event(y, 0)))],
            "pns": lambda: [(1, pns(x, y))],
        }
        return lists[self.query]()

    def _crossed(self, graph: Graph, own: int, others: int) -> Terms:
        """Return P(Y=y) where Y sees the cause at `own`, and its other causes as it sees `others`.

        The sum goes over what those causes of Y may be that depend on X.
        """
        moved = mediators(graph, self.cause, self.effect)
        terms = []
        for values in product((0, 1), repeat=len(moved)):
            setting = ((self.cause, own), *zip(moved, values, strict=True))
            seen = tuple(
                Event(name, value, ((self.cause, others),))
                for name, value in zip(moved, values, strict=True)
            )
            terms.append((1, Query((Event(self.effect, self.value, setting), *seen))))
        return terms


def mediators(graph: Graph, cause: str, effect: str) -> tuple[str, ...]:
    """Return the direct causes of the effect that depend on the cause, without the cause."""
    reached = graph.descendants(cause) - {cause}
    return tuple(name for name in graph.parents(effect) if name in reached)


def sum_terms(engine: Engine, model: Model, terms: Terms, number: type[N]) -> list[N]:
    """Return the sum of probabilities with signs, by one engine, in each model."""
    found = [
        [sign * number(value) for value in np.atleast_1d(np.asarray(engine(model, query)))]
        for sign, query in terms
    ]
    return [sum(values, number(0)) for values in zip(*found, strict=True)]


def complete_values(
    engine: Engine,
    world: StatedWorld,
    asked: tuple[Quantity, ...],
    number: type[N],
) -> list[tuple[N, ...]]:
    """Return the values of quantities, in percent, in each model that agrees with what is told."""
    noise = any(quantity.query in POINTWISE for quantity in asked)
    model = world.completions(noise, rounded=number is float)
    found = (sum_terms(engine, model, each.terms(world.graph), number) for each in asked)
    return list(zip(*([PERCENT * value for value in values] for values in found), strict=True))


def conclude(values: list[tuple[Fraction, ...]]) -> Fraction | float:
    """Return the one answer that values in all models allow, or `NOT_COMPUTABLE`.

    Raises:
        ValueError: Two quantities differ between models, and which is greater does not.
    """
    found = set(values)
    if len(values[0]) == 1:
        return found.pop()[0] if len(found) == 1 else NOT_COMPUTABLE
    greater = {FIRST if first > second else SECOND for first, second in found}
    if len(found) > 1 and len(greater) == 1:
        raise ValueError(f"which of two is greater must be settled or open, got {values}")
    return greater.pop() if len(greater) == 1 else NOT_COMPUTABLE


def certify_quantities(world: StatedWorld, asked: tuple[Quantity, ...]) -> Certificate:
    """Return the answer by enumeration and by elimination, which must agree."""
    words = " or ".join(
        " ".join(f"{'+' if sign > 0 else '-'} {query}" for sign, query in each.terms(world.graph))
        for each in asked
    )
    first = complete_values(enumeration.probability, world, asked, Fraction)
    second = complete_values(elimination.probability, world, asked, Fraction)
    return agreed(words, ("enumeration", conclude(first)), ("elimination", conclude(second)))
