"""How hard a question is, by what it takes to answer it exactly.

- *relevant*: the number of variables whose rule matters. Seeing and doing leave aside what is
  neither asked about nor upstream of anything known, and what is d-separated from the effect by
  what is known or made. Across worlds, what is upstream of an event in its world matters.
- *operations*: multiplications and additions when variables are summed out one by one, of all the
  probabilities that the quantity is made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.scm import Graph, elimination

if TYPE_CHECKING:
    from whybench.scm import Query
    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.world import StatedWorld


def count_operations(world: StatedWorld, asked: tuple[Quantity, ...]) -> int:
    """Return the multiplications and additions that elimination takes."""
    model = world.completions(noise=False)
    return sum(
        elimination.operations(model, query)
        for quantity in asked
        for _, query in quantity.terms(world.graph)
    )


def find_relevant(world: StatedWorld, asked: tuple[Quantity, ...]) -> frozenset[str]:
    """Return the variables whose rules matter."""
    found: set[str] = set()
    for quantity in asked:
        for _, query in quantity.terms(world.graph):
            found |= _relevant_in_query(world.graph, query)
    return frozenset(found)


def _relevant_in_query(graph: Graph, query: Query) -> set[str]:
    if len(query.worlds) > 1:
        return set().union(*(_upstream(graph, query, world) for world in query.worlds))
    (setting,) = query.worlds
    fixed = {name for name, _ in setting}
    known = {event.node for event in query.given} | fixed
    cut = graph.without_edges_into(fixed)
    return {
        name
        for name in cut.nodes
        if name not in fixed and _reaches(cut, name, query.target[0].node, known)
    }


def _upstream(graph: Graph, query: Query, world: object) -> set[str]:
    """Return what lies upstream of the events of one world."""
    events = [event for event in query.events if event.do == world]
    fixed = {name for event in events for name, _ in event.do}
    nodes = {event.node for event in events}
    return set(graph.ancestors(*nodes, made=fixed)) - fixed


def _reaches(graph: Graph, rule_of: str, target: str, known: set[str]) -> bool:
    """Whether a change of a variable's rule may change the target, given what is known.

    A ball that starts at the variable as if from a cause of it (Shachter's game): what is known
    sends it back to its causes and on to nothing; what is not known lets it pass.
    """
    opened = graph.ancestors(*known) if known else frozenset()
    seen: set[tuple[str, bool]] = set()
    balls = [(rule_of, True)]
    while balls:
        ball = balls.pop()
        if ball in seen:
            continue
        seen.add(ball)
        name, from_cause = ball
        if name == target and name not in known:
            return True
        if name not in known:
            balls += [(effect, True) for effect in graph.children(name)]
        if (from_cause and name in opened) or (not from_cause and name not in known):
            balls += [(cause, False) for cause in graph.parents(name)]
    return False
