"""Which parameters a noisy-OR model has, and which of its numbers are tied: all of it data.

A scheme gives every node of a graph names for its numbers: the leak b, which for a node without
causes is its prior, then a strength m for each cause, in the order of `Graph.parents`. The node is
present with probability 1 - (1 - b) · Π over present causes of (1 - m). Equal names are one
parameter; so the two schemes of the published fits differ in one letter:

>>> COLLIDER_3.nodes["E"]
('b', 'm', 'm')
>>> COLLIDER_4.nodes["E"]
('b', 'm1', 'm2')
>>> COLLIDER_4.parameters
('p', 'b', 'm1', 'm2')

`derived` names linear combinations that are reported with the parameters: LAD, the mean strength
less the leak, is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from whybench.scm import Graph

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHAIN_3", "COLLIDER_3", "COLLIDER_4", "FORK_3", "Scheme", "make_scheme"]


@dataclass(frozen=True)
class Scheme:
    """A cognitive model: noisy-OR nodes with named, possibly tied parameters.

    Attributes:
        name: What results are labelled with.
        nodes: Node to the names of its leak (or prior) and of the strength of each cause.
        derived: Name to a linear combination, as parameter to coefficient.
    """

    name: str
    nodes: Mapping[str, tuple[str, ...]]
    derived: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, combination in self.derived.items():
            unknown = set(combination) - set(self.parameters)
            if unknown:
                raise ValueError(f"derived {name} must combine parameters, got {sorted(unknown)}")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters, each once, in order of appearance."""
        return tuple(dict.fromkeys(name for names in self.nodes.values() for name in names))

    def check(self, graph: Graph) -> None:
        """Raise unless every node has a leak or prior, and a strength for each cause."""
        if set(self.nodes) != set(graph.nodes):
            raise ValueError(f"nodes must be those of the graph, got {sorted(self.nodes)}")
        for node, names in self.nodes.items():
            if len(names) != 1 + len(graph.parents(node)):
                raise ValueError(
                    f"numbers of {node} must be one and one for each of its parents "
                    f"{graph.parents(node)}, got {names}"
                )


def make_scheme(
    name: str, graph: Graph, strengths: Mapping[tuple[str, str], str] | None = None
) -> Scheme:
    """Make the scheme of a graph with a common prior p, a common leak b, and strengths by edge.

    Args:
        name: What results are labelled with.
        graph: Any small directed acyclic graph.
        strengths: The parameter of each edge; one, m, for all of them if not stated.

    Returns:
        The scheme, with `lad` = mean strength of the edges - leak as a derived quantity.
    """
    by_edge = dict.fromkeys(graph.edges, "m") if strengths is None else strengths
    nodes = {}
    for node in graph.nodes:
        links = tuple(by_edge[parent, node] for parent in graph.parents(node))
        nodes[node] = ("b", *links) if links else ("p",)
    lad = {"b": -1.0}
    for strength in by_edge.values():
        lad[strength] = lad.get(strength, 0.0) + 1 / len(by_edge)
    return Scheme(name, nodes, {"lad": lad})


_COLLIDER = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))

COLLIDER_3 = make_scheme("noisy-or-3", _COLLIDER)
COLLIDER_4 = make_scheme("noisy-or-4", _COLLIDER, {("C1", "E"): "m1", ("C2", "E"): "m2"})
CHAIN_3 = make_scheme("chain-3", Graph(("X", "Y", "Z"), (("X", "Y"), ("Y", "Z"))))
FORK_3 = make_scheme("fork-3", Graph(("C", "E1", "E2"), (("C", "E1"), ("C", "E2"))))
