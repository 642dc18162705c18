"""Which parameters a model has, and which of its numbers are tied: all of it data.

A scheme gives every node of a graph a mechanism and a name for each of the mechanism's numbers.
Equal names are one parameter; a number in place of a name is held fixed. So the two schemes of
the published fits differ in one letter:

>>> COLLIDER_3.nodes["E"]
('noisy-or', 'b', 'm', 'm')
>>> COLLIDER_4.nodes["E"]
('noisy-or', 'b', 'm1', 'm2')
>>> COLLIDER_4.parameters
('p', 'b', 'm1', 'm2')

| kind | numbers | P(v = 1) |
|---|---|---|
| `bernoulli` | p | p, for a node without parents |
| `noisy-or` | leak b, a strength m per parent | 1 - (1 - b) · Π over present parents of (1 - m) |
| `noisy-and` | inhibition b, a strength m per parent | (1 - b) · Π over absent parents of (1 - m) |
| `logistic` | intercept, a weight per parent | 1 / (1 + exp(-intercept - Σ present weights)) |

Parents are in the order of `Graph.parents`. A parameter is a probability, or else a logistic
weight; it cannot be both. `derived` names linear combinations that are reported with the
parameters: LAD, the mean strength less the leak, is one of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from whybench.scm import Graph

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CHAIN_3",
    "COLLIDER_3",
    "COLLIDER_4",
    "COLLIDER_LOGISTIC",
    "FORK_3",
    "KINDS",
    "Node",
    "Scheme",
    "noisy_or_scheme",
]

Node: TypeAlias = "tuple[str | float, ...]"

KINDS = ("bernoulli", "noisy-or", "noisy-and", "logistic")

PROBABILITY_BOUNDS = (1e-6, 1 - 1e-6)
"""Not 0 and 1: at those, evidence may become impossible and a prediction 0/0."""

WEIGHT_BOUNDS = (-15.0, 15.0)
"""Wide: the logistic of 15 differs from 1 by 3e-7."""


@dataclass(frozen=True)
class Scheme:
    """A cognitive model: mechanisms with named, possibly tied parameters.

    Attributes:
        name: What results are labelled with.
        nodes: Node to (kind, number, number, …); a number is a parameter's name or a fixed value.
        derived: Name to a linear combination, as parameter to coefficient.
    """

    name: str
    nodes: Mapping[str, Node]
    derived: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node, (kind, *numbers) in self.nodes.items():
            if kind not in KINDS:
                raise ValueError(f"kind of {node} must be one of {KINDS}, got {kind!r}")
            if not numbers:
                raise ValueError(f"numbers of {node} must be at least one, got none")
        if not self.parameters:
            raise ValueError(f"scheme {self.name} must have a free parameter, got none")
        mixed = self._named("logistic") & self._named(*KINDS[:3])
        if mixed:
            raise ValueError(f"a parameter must be a probability or a weight, got both: {mixed}")
        for name, combination in self.derived.items():
            unknown = set(combination) - set(self.parameters)
            if unknown:
                raise ValueError(f"derived {name} must combine parameters, got {sorted(unknown)}")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The free parameters, each once, in order of appearance."""
        numbers = (number for _, *slots in self.nodes.values() for number in slots)
        return tuple(dict.fromkeys(number for number in numbers if isinstance(number, str)))

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Lowest and highest value of each parameter."""
        weights = self._named("logistic")
        return tuple(
            WEIGHT_BOUNDS if name in weights else PROBABILITY_BOUNDS for name in self.parameters
        )

    def check(self, graph: Graph) -> None:
        """Raise unless there is a mechanism for each node, with a number for each parent."""
        if set(self.nodes) != set(graph.nodes):
            raise ValueError(f"nodes must be those of the graph, got {sorted(self.nodes)}")
        for node, (kind, *numbers) in self.nodes.items():
            parents = graph.parents(node)
            if len(numbers) != 1 + len(parents) or (kind == "bernoulli" and parents):
                raise ValueError(
                    f"mechanism of {node} must be for its parents {parents}, got {kind}{numbers}"
                )

    def _named(self, *kinds: str) -> set[str]:
        return {
            number
            for kind, *numbers in self.nodes.values()
            if kind in kinds
            for number in numbers
            if isinstance(number, str)
        }


def noisy_or_scheme(
    name: str,
    graph: Graph,
    prior: str = "p",
    leak: str = "b",
    strengths: Mapping[tuple[str, str], str] | str = "m",
) -> Scheme:
    """Make the noisy-OR scheme of any graph: common prior, common leak, strengths by edge.

    Args:
        name: What results are labelled with.
        graph: Any small directed acyclic graph.
        prior: The parameter of all nodes without parents.
        leak: The parameter of all nodes with parents.
        strengths: The parameter of each edge, or one for all of them.

    Returns:
        The scheme, with `lad` = mean strength of the edges - leak as a derived quantity.
    """
    by_edge = dict.fromkeys(graph.edges, strengths) if isinstance(strengths, str) else strengths
    nodes: dict[str, Node] = {}
    for node in graph.nodes:
        parents: Sequence[str] = graph.parents(node)
        links = (by_edge[parent, node] for parent in parents)
        nodes[node] = ("noisy-or", leak, *links) if parents else ("bernoulli", prior)
    lad = {leak: -1.0}
    for strength in by_edge.values():
        lad[strength] = lad.get(strength, 0.0) + 1 / len(by_edge)
    return Scheme(name, nodes, {"lad": lad})


_COLLIDER = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))

COLLIDER_3 = noisy_or_scheme("noisy-or-3", _COLLIDER)
COLLIDER_4 = noisy_or_scheme(
    "noisy-or-4", _COLLIDER, strengths={("C1", "E"): "m1", ("C2", "E"): "m2"}
)
COLLIDER_LOGISTIC = Scheme(
    "logistic-4",
    {
        "C1": ("bernoulli", "p"),
        "C2": ("bernoulli", "p"),
        "E": ("logistic", "intercept", "w1", "w2"),
    },
)
CHAIN_3 = noisy_or_scheme("chain-3", Graph(("X", "Y", "Z"), (("X", "Y"), ("Y", "Z"))))
FORK_3 = noisy_or_scheme("fork-3", Graph(("C", "E1", "E2"), (("C", "E1"), ("C", "E2"))))
