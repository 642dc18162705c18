from __future__ import annotations

from itertools import pairwise
from math import comb

import pytest
from evidence.compositions import GRAPHS
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import InvalidGraph, UnknownNode
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.chain import Chain, node_name

BLOCKS = [
    Block("bridge", 2),
    *(Block("cycle", size) for size in range(3, 7)),
    *(Block("wheel", size) for size in range(4, 7)),
    *(Block("ladder", size) for size in range(4, 7)),
    *GRAPHS,
]
chains = st.lists(st.sampled_from(BLOCKS), min_size=2, max_size=6).map(
    lambda blocks: Chain(tuple(blocks))
)


def test_edges_of_blocks() -> None:
    assert Block("bridge", 2).edges == ((0, 1),)
    assert Block("cycle", 3).edges == ((0, 1), (0, 2), (1, 2))
    assert set(Block("cycle", 5).edges) == {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
    # The closing arrow of the rim is one of the rim where it has three nodes at most.
    assert set(Block("wheel", 4).edges) == {(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (1, 3)}
    spokes = {(0, 1), (0, 2), (0, 3), (0, 4)}
    assert set(Block("wheel", 5).edges) == spokes | {(1, 2), (2, 3), (3, 4), (1, 4)}


@given(chains)
def test_the_shape_is_what_graph_theory_says(chain: Chain) -> None:
    graph = chain.graph
    assert graph.order == graph.nodes
    assert graph.roots == (node_name(chain.root),)
    assert graph.leaves == (node_name(chain.leaf),)
    assert graph.cutpoints == tuple(map(node_name, chain.cutpoints))
    expected = [range(first, last + 1) for first, last in pairwise(chain.anchors)]
    assert graph.blocks == tuple(tuple(map(node_name, block)) for block in expected)
    for node in chain.nodes:
        assert graph.parents(node_name(node)) == tuple(map(node_name, chain.parents[node]))


@given(chains)
def test_pairs_and_compositions(chain: Chain) -> None:
    k = len(chain.blocks)
    assert len(chain.anchors) == k + 1
    assert len(chain.pairs) == comb(k + 1, 2)
    assert len(set(chain.compositions)) == len(chain.compositions) == 2 ** (k - 1) - 1
    pairs = set(chain.pairs)
    for composition in chain.compositions:
        assert (composition[0], composition[-1]) == (chain.root, chain.leaf)
        assert pairs.issuperset(pairwise(composition))


@given(chains)
def test_mediators_lie_on_directed_paths(chain: Chain) -> None:
    for cause, effect in chain.pairs:
        below = chain.graph.descendants(node_name(cause))
        between = below & chain.graph.ancestors(node_name(effect)) - {
            node_name(cause),
            node_name(effect),
        }
        assert between == set(map(node_name, chain.mediators(cause, effect)))


def test_blocks_between() -> None:
    chain = Chain((Block("cycle", 3), Block("bridge", 2), Block("wheel", 4)))
    assert chain.anchors == (0, 2, 3, 6)
    assert list(chain.blocks_between(2, 6)) == [1, 2]
    assert list(chain.blocks_between(0, 2)) == [0]
    for pair in ((2, 0), (0, 1), (3, 3)):
        with pytest.raises(UnknownNode, match="two of the anchors"):
            chain.blocks_between(*pair)
    with pytest.raises(UnknownNode, match="got 1 and 6"):
        chain.mediators(1, 6)


@pytest.mark.parametrize(
    ("kind", "size", "message"),
    [
        ("bridge", 3, "size of a bridge must be 2, got 3"),
        ("cycle", 2, "size of a cycle must be 3 or more, got 2"),
        ("wheel", 3, "size of a wheel must be 4 or more, got 3"),
        ("star", 4, "kind must be one of cycle, wheel, ladder, bridge, graph, got star"),
    ],
)
def test_what_is_no_block_is_refused(kind, size: int, message: str) -> None:
    with pytest.raises(InvalidGraph, match=message):
        Block(kind, size)


@pytest.mark.parametrize("blocks", [(), (Block("cycle", 3),)])
def test_without_a_cutpoint_there_is_no_chain(blocks: tuple[Block, ...]) -> None:
    with pytest.raises(InvalidGraph, match="so that there is a cutpoint, got"):
        Chain(blocks)
