"""Structural causal models: a graph, and a mechanism for each of its nodes.

>>> from fractions import Fraction
>>> from whybench.scm import Bernoulli, Graph, Model, NoisyOr, certify, observe
>>> graph = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))
>>> half = Fraction(1, 2)
>>> causes = {"C1": Bernoulli(half), "C2": Bernoulli(half)}
>>> model = Model(graph, {**causes, "E": NoisyOr(Fraction(0), (half, half))})
>>> certify(model, observe({"C1": 1}, given={"E": 1, "C2": 1})).value
Fraction(3, 5)

Either all nodes are binary or all are linear with Gaussian noise. Where parameters are arrays of
shape (batch,), one model stands for as many as they are long, and every answer is an array of that
length. Models with plain numbers can be compared and hashed; arrays, as ever in NumPy, cannot.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from whybench.scm.cells import Cells
from whybench.scm.errors import InvalidParameter, InvalidQuery, UnknownNode
from whybench.scm.graph import Graph
from whybench.scm.mechanisms import BinaryMechanism, Linear, Mechanism
from whybench.scm.parameters import Array, common_batch
from whybench.scm.queries import Query


@dataclass(frozen=True, init=False)
class Model:
    """A structural causal model with independent noise.

    Attributes:
        graph: Who may cause whom.
        mechanisms: In the order of `graph.nodes`. The constructor takes them by name.

    Raises:
        UnknownNode: A mechanism is for no node of the graph, or a node has none.
        InvalidParameter: A mechanism does not fit its node's parents, binary and linear nodes are
            mixed, or batched parameters differ in length.
    """

    graph: Graph
    mechanisms: tuple[Mechanism, ...]

    def __init__(self, graph: Graph, mechanisms: Mapping[str, Mechanism]) -> None:
        graph.check(*mechanisms)
        missing = [node for node in graph.nodes if node not in mechanisms]
        if missing:
            raise UnknownNode(f"mechanisms must cover all nodes, got none for {missing}")
        object.__setattr__(self, "graph", graph)
        object.__setattr__(self, "mechanisms", tuple(mechanisms[node] for node in graph.nodes))
        for node, mechanism in self._by_node.items():
            parents = graph.parents(node)
            if mechanism.arity not in (None, len(parents)):
                raise InvalidParameter(
                    f"mechanism of {node} must be for its parents {parents}, got {mechanism!r}"
                )
        kinds = {isinstance(mechanism, Linear) for mechanism in self.mechanisms}
        if len(kinds) > 1:
            raise InvalidParameter("mechanisms must be all binary or all Linear, got both")
        self.batch  # noqa: B018 - raises where batched parameters do not fit each other

    @cached_property
    def _by_node(self) -> dict[str, Mechanism]:
        return dict(zip(self.graph.nodes, self.mechanisms, strict=True))

    @cached_property
    def _tables(self) -> dict[str, Array]:
        return {}

    @cached_property
    def _cells(self) -> dict[str, Cells]:
        return {}

    @cached_property
    def factors(self) -> dict[tuple[str, str], tuple[Array, int]]:
        """What an engine keeps from query to query, by kind and node: numbers, parts of a whole."""
        return {}

    @cached_property
    def batch(self) -> int | None:
        """How many models this stands for; None for a single one."""
        return common_batch(n for mechanism in self.mechanisms for n in mechanism.parameters)

    @property
    def is_linear(self) -> bool:
        """Whether the nodes are numbers with Gaussian noise, rather than binary."""
        return any(isinstance(mechanism, Linear) for mechanism in self.mechanisms)

    def mechanism(self, node: str) -> Mechanism:
        """The mechanism of `node`."""
        self.graph.check(node)
        return self._by_node[node]

    def binary(self, node: str) -> BinaryMechanism:
        """The mechanism of `node` in a binary model.

        Raises:
            InvalidQuery: The model is linear.
        """
        mechanism = self.mechanism(node)
        if not isinstance(mechanism, BinaryMechanism):
            raise InvalidQuery(f"mechanism of {node} must be binary, got {mechanism!r}")
        return mechanism

    def table(self, node: str) -> Array:
        """P(node = 1 | configuration of its parents); shape (configurations, batch)."""
        if node not in self._tables:
            self._tables[node] = self.binary(node).table(len(self.graph.parents(node)))
        return self._tables[node]

    def cells(self, node: str) -> Cells:
        """The noise of `node`, as response functions with probabilities."""
        if node not in self._cells:
            self._cells[node] = self.binary(node).cells(len(self.graph.parents(node)))
        return self._cells[node]

    def check(self, query: Query) -> None:
        """Raise `UnknownNode` unless all nodes of the query, set or asked for, are in the graph."""
        for event in query.events:
            self.graph.check(event.node, *(node for node, _ in event.do))
