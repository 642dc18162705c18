"""Drawing worlds and questions at random, before anybody looks at what they come to.

What is drawn has nameless variables, V1 to V12, causes first; `themes` gives them names. Numbers
are whole percentages.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Literal

from whybench.scm import Graph
from whybench.suites.calculate.difficulty import find_relevant
from whybench.suites.calculate.quantities import POINTWISE, Quantity, mediators
from whybench.suites.calculate.world import StatedRule, StatedWorld

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.calculate.quantities import QueryKind

Mechanism = Literal["tables", "gates", "thresholds"]
Variant = Literal["trap", "control", "idle", "missing"]

STATES = ("yes", "no")

PARENTS = (1, 3, 5, 5)
"""How often a variable has 0, 1, 2, 3 causes, as far as there are so many."""

ENDS = tuple(accumulate(PARENTS))

FURTHER = 0.5
"""How often a second fact is known of a case."""


def draw_graph(rng: np.random.Generator, size: int, indegree: int) -> Graph:
    """Draw who causes whom: the causes of a variable stand before it."""
    names = tuple(f"V{number}" for number in range(1, size + 1))
    edges = []
    for place, chance in enumerate(rng.random(size)):
        *within, whole = ENDS[: min(place, indegree) + 1]
        count = sum(chance * whole >= end for end in within)
        chosen = sorted(rng.permutation(place)[:count].tolist()) if count else []
        edges += [(names[cause], names[place]) for cause in chosen]
    return Graph(names, tuple(edges))


def draw_rules(rng: np.random.Generator, graph: Graph, mechanism: Mechanism) -> StatedWorld:
    """Draw a rule for each variable of a graph."""
    rules = (_draw_rule(rng, graph.parents(name), mechanism) for name in graph.nodes)
    return StatedWorld(STATES, tuple(zip(graph.nodes, rules, strict=True)))


def _draw_rule(
    rng: np.random.Generator, causes: tuple[str, ...], mechanism: Mechanism
) -> StatedRule:
    def number(low: int, high: int) -> int:
        return int(rng.integers(low, high + 1))

    if not causes:
        return StatedRule("table", (), (number(15, 85),))
    if mechanism == "tables":
        return StatedRule("table", causes, tuple(number(4, 96) for _ in range(2 ** len(causes))))
    if mechanism == "gates":
        active = tuple(int(rng.random() < 0.7) for _ in causes)
        strengths = tuple(number(25, 92) for _ in causes)
        if rng.random() < 0.5:
            return StatedRule("or", causes, (*strengths, number(3, 25)), active)
        return StatedRule(
            "and", causes, (*strengths, number(3, 25)), tuple(1 - each for each in active)
        )
    points = tuple(number(15, 45) * (1 if rng.random() < 0.65 else -1) for _ in causes)
    return StatedRule("threshold", causes, (*points, number(20, 60)))


def draw_question(
    rng: np.random.Generator, graph: Graph, query: QueryKind, variant: Variant, two: bool
) -> tuple[Quantity, ...] | None:
    """Draw what is asked; None if the graph gives no room for it.

    Args:
        rng: The generator.
        graph: The graph of the world.
        query: The kind of quantity.
        variant: What the item is to be; it narrows which causes are worth trying.
        two: Whether two quantities are compared, of different causes and the same effect; of `ett`,
            effects may differ too, since few have two causes with room.
    """
    if two and query == "ett":
        return _draw_pairs(rng, graph, query, variant)
    count = 2 if two else 1
    for place in rng.permutation(len(graph.nodes)).tolist():
        effect = graph.nodes[place]
        possible = _causes(graph, effect, query, variant)
        if len(possible) >= count:
            break
    else:
        return None
    chosen = rng.choice(len(possible), count, replace=False).tolist()
    set_to, value = (int(rng.integers(2)) for _ in range(2))
    if query not in {"observe", "do", "counterfactual"}:
        set_to = 1
    if query in POINTWISE - {"counterfactual"}:
        value = 1
    asked = []
    for place in chosen:
        cause = possible[place]
        given = _draw_given(rng, graph, Quantity(query, cause, effect, set_to, value), variant)
        asked.append(Quantity(query, cause, effect, set_to, value, given))
    return tuple(asked)


def _draw_pairs(
    rng: np.random.Generator, graph: Graph, query: QueryKind, variant: Variant
) -> tuple[Quantity, ...] | None:
    """Draw two quantities that differ in the cause, the effect, or both."""
    pairs = [
        (cause, effect)
        for effect in graph.nodes
        for cause in _causes(graph, effect, query, variant)
    ]
    if len(pairs) < 2:
        return None
    chosen = [pairs[place] for place in rng.choice(len(pairs), 2, replace=False).tolist()]
    value = int(rng.integers(2))
    return tuple(Quantity(query, cause, effect, 1, value) for cause, effect in chosen)


def _causes(graph: Graph, effect: str, query: QueryKind, variant: Variant) -> list[str]:
    """Return the variables that may stand as a cause of the effect in a question."""
    if query == "observe" and variant != "control":
        return [name for name in graph.nodes if name != effect]
    upstream = graph.ancestors(effect) - {effect}
    found = [name for name in graph.nodes if name in upstream]
    if query in {"nde", "nie"}:
        own = graph.parents(effect)
        found = [name for name in found if name in own and mediators(graph, name, effect)]
    if variant == "control" and query != "counterfactual":
        return [name for name in found if not is_confounded(graph, name, effect)]
    if variant in {"trap", "idle"} and query not in {"observe", *POINTWISE}:
        return [name for name in found if is_confounded(graph, name, effect)]
    return found


def is_confounded(graph: Graph, cause: str, effect: str) -> bool:
    """Whether something upstream of the cause also reaches the effect by another way."""
    upstream = graph.ancestors(cause) - {cause}
    return bool(upstream & graph.ancestors(effect, made=(cause,)))


def _draw_given(
    rng: np.random.Generator, graph: Graph, asked: Quantity, variant: Variant
) -> tuple[tuple[str, int], ...]:
    """Draw what else is known of the case."""
    others = [name for name in graph.nodes if name not in {asked.cause, asked.effect}]
    if asked.query == "observe":
        if variant == "control" or len(others) < 2 or rng.random() > FURTHER:
            return ()
        return ((others[int(rng.integers(len(others)))], int(rng.integers(2))),)
    if asked.query != "counterfactual":
        return ()
    fact = (asked.cause, 1 - asked.set_to)
    if variant == "control":
        return (fact,)
    seen = (asked.effect, int(rng.integers(2)))
    return (fact, seen)


def leave_out(
    rng: np.random.Generator, world: StatedWorld, asked: tuple[Quantity, ...], variant: Variant
) -> StatedWorld | None:
    """Return the world with one number not stated: one that matters, or one that does not.

    None if there is no such number.
    """
    if variant not in {"idle", "missing"}:
        return world
    matters = find_relevant(world, asked)
    wanted = [name for name, _ in world.rules if (name in matters) == (variant == "missing")]
    if not wanted:
        return None
    name = wanted[int(rng.integers(len(wanted)))]
    rule = world.rule[name]
    place = int(rng.integers(len(rule.numbers)))
    numbers = (*rule.numbers[:place], None, *rule.numbers[place + 1 :])
    rules = {**world.rule, name: replace(rule, numbers=numbers)}
    return replace(world, rules=tuple(rules.items()))
