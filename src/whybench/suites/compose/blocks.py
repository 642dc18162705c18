"""Blocks: the parts of a world between two nodes through which everything passes.

A block begins in one node and ends in another, and no node between them is one through which
everything passes: else it would be two blocks.

| block | edges, with its nodes numbered 0 … s-1 |
|---|---|
| bridge (2 nodes) | 0 → 1 |
| cycle (3 or more) | i → i+1, and 0 → s-1 |
| wheel (4 or more) | 0 → all others, i → i+1 among these, and 1 → s-1 |
| ladder (4 or more) | i → i+1 and i → i+2 |
| graph (4 or more) | any others, given one by one |

A graph with one root and one leaf is taken apart by `find_blocks`, whatever its nodes are called:

>>> blocks, nodes = find_blocks([("X", "A"), ("X", "B"), ("A", "C"), ("B", "C"), ("C", "Y")])
>>> [str(block) for block in blocks], nodes
(['graph AB.AC.BD.CD', 'bridge 2'], ('X', 'A', 'B', 'C', 'Y'))

The nodes of the first four kinds can be put into one order only, causes first. Those of a graph may
have several, and so several lists of edges that say the same. It is known by the smallest of them,
whichever it was given in; so no world of the training side comes again, in another order, on the
test side. What is still alike is told by `list_symmetries`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from string import ascii_uppercase
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

from whybench.scm import InvalidGraph

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

Kind = Literal["cycle", "wheel", "ladder", "bridge", "graph"]

Edge = tuple[int, int]
"""A cause and an effect."""

SMALLEST = {"bridge": 2, "cycle": 3, "wheel": 4, "ladder": 4, "graph": 4}

MOST_ORDERS = 5040
"""How many orders of its nodes, causes first, a block may have: those of seven nodes side by side.
"""

Node = TypeVar("Node")


@dataclass(frozen=True)
class Block:
    """A part of a world between two anchors.

    Attributes:
        kind: Its shape.
        size: Number of nodes, both ends included.
        given: The edges of a graph, as `find_blocks` numbers them; none for other kinds.

    Raises:
        InvalidGraph: There is no such shape, or not in this size.
    """

    kind: Kind
    size: int
    given: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise InvalidGraph(f"kind must be one of {', '.join(get_args(Kind))}, got {self.kind}")
        if not _fits(self.kind, self.size):
            smallest = SMALLEST[self.kind]
            bound = str(smallest) if self.kind == "bridge" else f"{smallest} or more"
            raise InvalidGraph(f"size of a {self.kind} must be {bound}, got {self.size}")
        if (self.kind == "graph") != bool(self.given):
            raise InvalidGraph(f"a graph is given by edges, and nothing else is, got {self!r}")
        if self.given and (
            not _settles(self.given) or {*range(self.size)} != {n for e in self.given for n in e}
        ):
            raise InvalidGraph(
                f"edges of a graph must be those of one block, as find_blocks has them, got {self}"
            )

    @property
    def edges(self) -> tuple[Edge, ...]:
        """Its (cause, effect) pairs, with its nodes numbered from 0, in the order of effects."""
        if self.given:
            return self.given
        last = self.size - 1
        edges = {(i, i + 1) for i in range(last)}
        if self.kind == "ladder":
            edges |= {(i, i + 2) for i in range(last - 1)}
        elif self.kind != "bridge":
            edges.add((0, last))
        if self.kind == "wheel":
            edges |= {(0, i) for i in range(1, self.size)} | {(1, last)}
        return _sort_edges(edges)

    def __str__(self) -> str:
        if not self.given:
            return f"{self.kind} {self.size}"
        letters = ascii_uppercase
        return f"{self.kind} {'.'.join(letters[c] + letters[e] for c, e in self.given)}"


def find_blocks(edges: Collection[tuple[Node, Node]]) -> tuple[tuple[Block, ...], tuple[Node, ...]]:
    """Return the blocks of a graph, and its nodes in the order in which blocks number them.

    Raises:
        InvalidGraph: It has a cycle, or several roots or leaves, or an edge twice; or a block that
            is too large to be written down, or too symmetrical to be told from others.
    """
    nodes = _sort_nodes(edges)
    place = {node: number for number, node in enumerate(nodes)}
    numbered = [(place[cause], place[effect]) for cause, effect in edges]
    found, order = [], [0]
    for first, last in pairwise(_list_anchors(len(nodes), numbered)):
        inside = [(c - first, e - first) for c, e in numbered if first < e <= last]
        settled, within = _settle_edges(_sort_edges(inside))
        found.append(_make_block(last - first + 1, settled))
        order += [first + node for node in within[1:]]
    return tuple(found), tuple(nodes[number] for number in order)


@lru_cache(maxsize=1024)
def list_symmetries(block: Block) -> tuple[tuple[int, ...], ...]:
    """Return the orders of its nodes in which a block has the same edges, the given one first."""
    if block.kind != "graph":
        return (tuple(range(block.size)),)
    orders = _list_orders(block.edges)
    return tuple(order for order in orders if _renumber(block.edges, order) == block.edges)


def _fits(kind: Kind, size: int) -> bool:
    """Tell whether there is a block of a kind in a size."""
    return size == SMALLEST[kind] or (kind != "bridge" and size > SMALLEST[kind])


def _make_block(size: int, edges: tuple[Edge, ...]) -> Block:
    for kind in get_args(Kind):
        if kind != "graph" and _fits(kind, size):
            block = Block(kind, size)
            if block.edges == edges:
                return block
    return Block("graph", size, edges)


def _sort_nodes(edges: Collection[tuple[Node, Node]]) -> list[Node]:
    """Return the nodes of a graph with one root and one leaf, causes first."""
    named = list(dict.fromkeys(node for edge in edges for node in edge))
    if len(set(edges)) < len(edges):
        raise InvalidGraph(f"every edge must be given once, got {_tell(edges)}")
    causes = {node: {cause for cause, effect in edges if effect == node} for node in named}
    order: list[Node] = []
    while len(order) < len(named):
        ready = [node for node in named if node not in order and causes[node] <= {*order}]
        if not ready:
            raise InvalidGraph(f"a graph must have no cycle, got the edges {_tell(edges)}")
        order += ready
    ends = {
        "causes": [node for node in named if not causes[node]],
        "effects": [node for node in named if not any(node in them for them in causes.values())],
    }
    for without, nodes in ends.items():
        if len(nodes) != 1:
            raise InvalidGraph(
                f"a graph must have one node without {without}, got "
                f"{' and '.join(map(str, nodes)) or 'none'}"
            )
    return order


def _tell(edges: Collection[tuple[Node, Node]]) -> str:
    return ", ".join(f"{cause} → {effect}" for cause, effect in edges)


def _list_anchors(size: int, edges: Sequence[Edge]) -> list[int]:
    """Return the nodes that nothing passes by: no later node has an earlier one for its cause."""
    return [n for n in range(size) if not any(cause < n < effect for cause, effect in edges)]


def _sort_edges(edges: Collection[Edge]) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda edge: edge[::-1]))


def _renumber(edges: Sequence[Edge], order: Sequence[int]) -> tuple[Edge, ...]:
    place = {node: number for number, node in enumerate(order)}
    return _sort_edges([(place[cause], place[effect]) for cause, effect in edges])


def _settles(edges: tuple[Edge, ...]) -> bool:
    """Tell whether edges are those of one block, and the smallest of all that say the same."""
    nodes = _sort_nodes(edges)
    alone = _list_anchors(len(nodes), edges) == [0, len(nodes) - 1]
    return alone and _settle_edges(edges)[0] == edges


@lru_cache(maxsize=1024)
def _settle_edges(edges: tuple[Edge, ...]) -> tuple[tuple[Edge, ...], tuple[int, ...]]:
    """Return the smallest list of edges that says the same, and the order of nodes it is for."""
    return min((_renumber(edges, order), order) for order in _list_orders(edges))


@lru_cache(maxsize=1024)
def _list_orders(edges: tuple[Edge, ...]) -> list[tuple[int, ...]]:
    """Return the orders of the nodes, causes first."""
    size = 1 + max(effect for _, effect in edges)
    if size > len(ascii_uppercase):
        raise InvalidGraph(f"a block must have at most {len(ascii_uppercase)} nodes, got {size}")
    causes = [{cause for cause, effect in edges if effect == node} for node in range(size)]

    def extend(order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(order) == size:
            yield order
        for node in range(size):
            if node not in order and causes[node] <= {*order}:
                yield from extend((*order, node))

    orders = list(islice(extend(()), MOST_ORDERS + 1))
    if len(orders) > MOST_ORDERS:
        raise InvalidGraph(
            f"the nodes of a block must have at most {MOST_ORDERS:,} orders, causes first; those "
            f"of {_tell(edges)} have more"
        )
    return orders
