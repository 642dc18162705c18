"""Directed acyclic graphs: who may cause whom.

A causal graph has an arrow X → Y where X is a *direct* cause of Y. Three readings of the same
arrows are used throughout this package:

**Order.** Since causes come before effects there is an order of the nodes in which every arrow
points forward. Many such orders exist; `Graph.order` is always the one that takes, at each step,
the first ready node in the order in which nodes were listed. It is therefore the same on every
machine.

**Separation.** Z *d-separates* X from Y when every path between them is blocked: by a chain (→ Z →)
or fork (← Z →) whose middle is in Z, or by a collider (→ C ←) with neither C nor a descendant of C
in Z. d-separation implies independence given Z in every model on the graph. In the collider below
the causes are independent, until their common effect is seen:

>>> collider = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))
>>> collider.d_separated("C1", "C2"), collider.d_separated("C1", "C2", given=["E"])
(True, False)

**Blocks.** Forget the directions. A *cutpoint* is a node whose removal disconnects the graph; a
*block* is a largest part without a cutpoint of its own. Blocks meet only at cutpoints, so that
influence passes from one block to the next through a single node, which is what lets some causal
effects multiply.

>>> chain = Graph(tuple("XACY"), (("X", "A"), ("A", "C"), ("X", "C"), ("C", "Y")))
>>> chain.blocks, chain.cutpoints
((('X', 'A', 'C'), ('C', 'Y')), ('C',))
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from whybench.scm.errors import CyclicGraph, InvalidGraph, UnknownNode


@dataclass(frozen=True)
class Graph:
    """A directed acyclic graph with ordered nodes and ordered edges.

    The order of `edges` fixes the order of a node's parents, and so which weight of a mechanism
    belongs to which parent. Two graphs that differ only in order are unequal; their `canonical`
    forms are equal.

    Attributes:
        nodes: Distinct names, in the order in which ties are broken and columns are laid out.
        edges: Distinct (cause, effect) pairs.

    Raises:
        InvalidGraph: A node or edge is listed twice, or an edge joins a node to itself.
        UnknownNode: An edge names a node that is not listed.
        CyclicGraph: The edges form a directed cycle.
    """

    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", tuple(self.nodes))
        object.__setattr__(self, "edges", tuple((cause, effect) for cause, effect in self.edges))
        known = set(self.nodes)
        if len(known) != len(self.nodes):
            raise InvalidGraph(f"nodes must be distinct, got {self.nodes}")
        if len(set(self.edges)) != len(self.edges):
            raise InvalidGraph(f"edges must be distinct, got {self.edges}")
        for cause, effect in self.edges:
            if cause not in known or effect not in known:
                raise UnknownNode(
                    f"edges must join nodes of {self.nodes}, got {cause!r} -> {effect!r}"
                )
            if cause == effect:
                raise InvalidGraph(f"an edge must join two nodes, got {cause} -> {effect}")
        if len(self.order) < len(self.nodes):
            stuck = tuple(node for node in self.nodes if node not in self.order)
            raise CyclicGraph(f"edges must form no directed cycle, got one among {stuck}")

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Kept, since engines look up by graph what they found before."""
        return hash((self.nodes, self.edges))

    def check(self, *nodes: str) -> None:
        """Raise `UnknownNode` unless all `nodes` are in the graph."""
        for node in nodes:
            if node not in self._parents:
                raise UnknownNode(f"node must be one of {self.nodes}, got {node!r}")

    @cached_property
    def _parents(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for cause, effect in self.edges:
            found[effect].append(cause)
        return {node: tuple(causes) for node, causes in found.items()}

    @cached_property
    def _children(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {node: [] for node in self.nodes}
        for cause, effect in self.edges:
            found[cause].append(effect)
        return {node: tuple(effects) for node, effects in found.items()}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All nodes, causes first; ties are broken by the order of `nodes`."""
        place = {node: number for number, node in enumerate(self.nodes)}
        if all(place[cause] < place[effect] for cause, effect in self.edges):
            return self.nodes
        placed: dict[str, None] = {}
        waiting = list(self.nodes)
        while waiting:
            ready = next((n for n in waiting if all(p in placed for p in self._parents[n])), None)
            if ready is None:
                break
            waiting.remove(ready)
            placed[ready] = None
        return tuple(placed)

    @property
    def roots(self) -> tuple[str, ...]:
        """The nodes without parents."""
        return tuple(node for node in self.nodes if not self._parents[node])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The nodes without children."""
        return tuple(node for node in self.nodes if not self._children[node])

    def parents(self, node: str) -> tuple[str, ...]:
        """The direct causes of `node`, in the order of the edges."""
        self.check(node)
        return self._parents[node]

    def children(self, node: str) -> tuple[str, ...]:
        """The direct effects of `node`, in the order of the edges."""
        self.check(node)
        return self._children[node]

    def ancestors(self, *nodes: str, made: Collection[str] = ()) -> frozenset[str]:
        """All causes of `nodes`, direct or not, and `nodes` themselves; what is made has none."""
        self.check(*nodes, *made)
        return _reach(nodes, self._parents, made)

    def descendants(self, *nodes: str) -> frozenset[str]:
        """All effects of `nodes`, direct or not, and `nodes` themselves."""
        self.check(*nodes)
        return _reach(nodes, self._children)

    def d_separated(
        self, x: str | Iterable[str], y: str | Iterable[str], given: str | Iterable[str] = ()
    ) -> bool:
        """Whether `given` blocks every path between `x` and `y`.

        Raises:
            InvalidGraph: The three sets of nodes overlap.
        """
        first, second, blocking = _names(x), _names(y), _names(given)
        self.check(*first, *second, *blocking)
        if first & second or first & blocking or second & blocking:
            raise InvalidGraph(
                "x, y and given must be disjoint, got "
                f"{sorted(first)}, {sorted(second)}, {sorted(blocking)}"
            )
        separated: bool = _networkx().is_d_separator(self.to_networkx(), first, second, blocking)
        return separated

    @cached_property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """The biconnected components of the skeleton, each and all in causal order.

        In a chain of blocks this is the order along the chain, from the root. A node without edges
        is in no block.
        """
        place = {node: position for position, node in enumerate(self.order)}
        components = _networkx().biconnected_components(self.to_networkx().to_undirected())
        ordered = [tuple(sorted(component, key=place.__getitem__)) for component in components]
        return tuple(sorted(ordered, key=lambda block: [place[node] for node in block]))

    @cached_property
    def cutpoints(self) -> tuple[str, ...]:
        """The nodes that belong to more than one block, in causal order."""
        return tuple(node for node in self.order if sum(node in block for block in self.blocks) > 1)

    def without_edges_into(self, nodes: Iterable[str]) -> "Graph":
        """The graph after an intervention on `nodes`: nothing causes them any more."""
        cut = _names(nodes)
        self.check(*cut)
        return Graph(self.nodes, tuple(edge for edge in self.edges if edge[1] not in cut))

    def canonical(self) -> "Graph":
        """The same graph with nodes and edges sorted by name: equal for equal sets of arrows."""
        return Graph(tuple(sorted(self.nodes)), tuple(sorted(self.edges)))

    def to_networkx(self) -> Any:
        """A new `networkx.DiGraph` with these nodes and edges."""
        graph = _networkx().DiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(self.edges)
        return graph


def _names(nodes: str | Iterable[str]) -> frozenset[str]:
    return frozenset((nodes,)) if isinstance(nodes, str) else frozenset(nodes)


def _reach(
    start: Iterable[str], neighbours: dict[str, tuple[str, ...]], ends: Collection[str] = ()
) -> frozenset[str]:
    found = set(start)
    frontier = list(found)
    while frontier:
        node = frontier.pop()
        if node not in ends:
            fresh = [near for near in neighbours[node] if near not in found]
            found.update(fresh)
            frontier += fresh
    return frozenset(found)


def _networkx() -> Any:
    # Importing networkx takes longer than all the rest of this package; most questions need none.
    import networkx  # noqa: PLC0415

    return networkx
