"""The network of all worlds that a query speaks of.

Each world gets its own copy of the nodes it asks about and of their causes; the copies of one node
share that node's noise. With two worlds this is the *twin network* of Balke and Pearl. Three things
keep it small:

- What is set is a constant, not a variable, and its causes do not matter there.
- A node has the same value in two worlds that differ only in what cannot reach it. A copy is
  therefore known by its node and by the *part of the setting that reaches it*, and copies with the
  same part are one (Shpitser and Pearl's merging).
- What nothing asked about depends on is left out.

In X → Y, Z → Y, asking whether Y would have been had X been, given that it was not:

>>> from whybench.scm import Graph, counterfactual
>>> graph = Graph(("X", "Z", "Y"), (("X", "Y"), ("Z", "Y")))
>>> query = counterfactual({"Y": 1}, {"X": 1}, given={"X": 0, "Y": 0})
>>> for copy in network(graph, query.events).copies:
...     print(copy.variable, copy.parents)
('Z', ()) ()
('Y', (('X', 1),)) (1, ('Z', ()))
('X', ()) ()
('Y', ()) (('X', ()), ('Z', ()))
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from whybench.scm.graph import Graph
from whybench.scm.queries import Event, Setting

Variable = tuple[str, Setting]
"""A node, and the part of the setting that reaches it."""


@dataclass(frozen=True)
class Copy:
    """A variable, and what it hangs on: per parent, another variable or the value it was set to."""

    variable: Variable
    parents: tuple[Variable | int, ...]


@dataclass(frozen=True)
class Network:
    """Copies, causes first within each world; and what is known of them.

    Attributes:
        copies: One per distinct variable.
        observed: The values that the events give to variables.
        contradictory: Whether the events cannot all be true: one variable with two values, or a
            node set to one value and asked to have the other.
        shared: The nodes with several copies, whose noise must be spelled out.
    """

    copies: tuple[Copy, ...]
    observed: tuple[tuple[Variable, int], ...]
    contradictory: bool
    shared: tuple[str, ...]


@lru_cache(maxsize=4096)
def network(graph: Graph, events: tuple[Event, ...]) -> Network:
    """The smallest network in which all `events` can be asked."""
    copies: dict[Variable, Copy] = {}
    observed: dict[Variable, int] = {}
    contradictory = False
    for world in dict.fromkeys(event.do for event in events):
        here = [event for event in events if event.do == world]
        references = _references(graph, world, here, copies)
        for event in here:
            reference = references[event.node]
            known = (
                reference
                if isinstance(reference, int)
                else observed.setdefault(reference, event.value)
            )
            contradictory |= known != event.value
    counts = Counter(node for node, _ in copies)
    shared = tuple(node for node in graph.nodes if counts[node] > 1)
    return Network(tuple(copies.values()), tuple(observed.items()), contradictory, shared)


def _references(
    graph: Graph, world: Setting, events: list[Event], copies: dict[Variable, Copy]
) -> dict[str, Variable | int]:
    """What each needed node is in `world`; adds the copies it takes to `copies`."""
    setting = dict(world)
    needed = graph.ancestors(*(event.node for event in events), made=setting)
    references: dict[str, Variable | int] = {}
    reaching: dict[str, Setting] = {}
    for node in graph.order:
        if node in setting:
            references[node] = setting[node]
            reaching[node] = ((node, setting[node]),)
        elif node in needed:
            parents = graph.parents(node)
            reached = {pair for parent in parents for pair in reaching[parent]} if world else ()
            part = tuple(sorted(reached))
            variable = (node, part)
            references[node], reaching[node] = variable, part
            copies.setdefault(variable, Copy(variable, tuple(references[p] for p in parents)))
    return references
