"""The shape of a world: blocks in a row, joined at single nodes.

There is one root X and one leaf Y. Between them lie *blocks*, each a small graph that begins in one
node and ends in another; the last node of a block is the first of the next. Such a node is a
*cutpoint*: everything that X does to Y passes through it. Root, cutpoints and leaf together are the
*anchors*, and it is about anchors that questions are asked.

>>> from whybench.suites.compose.blocks import Block
>>> chain = Chain((Block("cycle", 3), Block("bridge", 2)))
>>> chain.edges
((0, 1), (0, 2), (1, 2), (2, 3))
>>> chain.anchors, chain.pairs, chain.compositions
((0, 2, 3), ((0, 2), (0, 3), (2, 3)), ((0, 2, 3),))

Worlds of gates (`world`) and of weights (`linear`) are chains that also say how nodes get values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from whybench.scm import Graph, InvalidGraph, UnknownNode

if TYPE_CHECKING:
    from whybench.suites.compose.blocks import Block

Pair = tuple[int, int]
"""A cause and an effect, both anchors."""


@dataclass(frozen=True)
class Chain:
    """Blocks in a row: who may cause whom, and what is asked about.

    Nodes are numbered 0, 1, … with causes first; a block covers consecutive nodes.

    Attributes:
        blocks: Two or more.

    Raises:
        InvalidGraph: Fewer than two blocks, so that there is no cutpoint.
    """

    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        if len(self.blocks) < 2:
            raise InvalidGraph(
                "blocks must number two or more, so that there is a cutpoint, got "
                f"{', '.join(map(str, self.blocks)) or 'none'}"
            )

    @cached_property
    def anchors(self) -> tuple[int, ...]:
        """Root, cutpoints and leaf, in order: block b lies between anchors b and b + 1."""
        anchors = [0]
        for block in self.blocks:
            anchors.append(anchors[-1] + block.size - 1)
        return tuple(anchors)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return self.anchors[-1] + 1

    @property
    def nodes(self) -> range:
        """All nodes, causes first."""
        return range(self.size)

    @property
    def root(self) -> int:
        """The node without causes, X."""
        return 0

    @property
    def leaf(self) -> int:
        """The node without effects, Y."""
        return self.anchors[-1]

    @property
    def cutpoints(self) -> tuple[int, ...]:
        """The nodes that two blocks share."""
        return self.anchors[1:-1]

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All (cause, effect) pairs, in the order of effects."""
        return tuple(
            (start + cause, start + effect)
            for start, block in zip(self.anchors, self.blocks, strict=False)
            for cause, effect in block.edges
        )

    @cached_property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """The direct causes of each node, in order; a cutpoint's lie in the block that it ends."""
        parents: list[list[int]] = [[] for _ in self.nodes]
        for cause, effect in self.edges:
            parents[effect].append(cause)
        return tuple(map(tuple, parents))

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """All (cause, effect) pairs of anchors, the cause before the effect."""
        return tuple(combinations(self.anchors, 2))

    @cached_property
    def compositions(self) -> tuple[tuple[int, ...], ...]:
        """The ways from root to leaf in the cut tree, other than the direct one, short ones first.

        Each is a tuple of anchors; its steps are the pairs whose quantities are multiplied.
        """
        return tuple(
            (self.root, *between, self.leaf)
            for count in range(1, len(self.blocks))
            for between in combinations(self.cutpoints, count)
        )

    def blocks_between(self, cause: int, effect: int) -> range:
        """Return the numbers of the blocks through which `cause` acts on `effect`."""
        if (cause, effect) not in self.pairs:
            raise UnknownNode(
                f"cause and effect must be two of the anchors {self.anchors}, in order, "
                f"got {cause} and {effect}"
            )
        return range(self.anchors.index(cause), self.anchors.index(effect))

    def mediators(self, cause: int, effect: int) -> range:
        """Return the nodes through which `cause` acts on `effect`: all that lie between them.

        Every node of a block is on a directed path from its first to its last node.
        """
        self.blocks_between(cause, effect)
        return range(cause + 1, effect)

    @cached_property
    def graph(self) -> Graph:
        """The graph, with nodes named by `node_name`."""
        return Graph(
            tuple(map(node_name, self.nodes)),
            tuple((node_name(cause), node_name(effect)) for cause, effect in self.edges),
        )


def node_name(node: int) -> str:
    """Return the name of a node in the models of `scm`."""
    return str(node)
