import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import CyclicGraph, Graph, InvalidGraph, UnknownNode

CHAIN = Graph(
    tuple("XACDY"), (("A", "C"), ("X", "A"), ("X", "C"), ("C", "D"), ("D", "Y"), ("C", "Y"))
)


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 7))
    names = draw(st.permutations([f"V{place}" for place in range(size)]))
    pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return Graph(tuple(sorted(names)), tuple((names[a], names[b]) for a, b in chosen))


def test_relations():
    assert CHAIN.parents("C") == ("A", "X")  # in the order of the edges, not of the nodes
    assert CHAIN.children("C") == ("D", "Y")
    assert CHAIN.ancestors("C") == {"X", "A", "C"}
    assert CHAIN.descendants("D") == {"D", "Y"}
    assert (CHAIN.roots, CHAIN.leaves) == (("X",), ("Y",))
    assert CHAIN.order == ("X", "A", "C", "D", "Y")


def test_order_breaks_ties_by_listing():
    assert Graph(("c", "a", "b"), (("b", "c"),)).order == ("a", "b", "c")


def test_blocks_and_cutpoints():
    assert CHAIN.blocks == (("X", "A", "C"), ("C", "D", "Y"))
    assert CHAIN.cutpoints == ("C",)
    assert Graph(("alone",)).blocks == ()


def test_mutilation():
    assert CHAIN.without_edges_into(["C"]).parents("C") == ()
    assert CHAIN.without_edges_into("C").parents("A") == ("X",)


def test_canonical_form_forgets_order():
    turned = Graph(CHAIN.nodes[::-1], CHAIN.edges[::-1])
    assert turned != CHAIN
    assert turned.canonical() == CHAIN.canonical()
    assert hash(turned.canonical()) == hash(CHAIN.canonical())


@pytest.mark.parametrize(
    ("x", "y", "given_nodes", "expected"),
    [
        ("A", "D", ["C"], True),
        ("A", "D", [], False),
        ("X", "Y", "C", True),
        ("D", "X", ["C"], True),
    ],
)
def test_d_separation(x, y, given_nodes, expected):
    assert CHAIN.d_separated(x, y, given_nodes) is expected


def test_d_separation_needs_disjoint_sets():
    with pytest.raises(InvalidGraph, match="must be disjoint"):
        CHAIN.d_separated("X", "X")


@pytest.mark.parametrize(
    ("nodes", "edges", "error", "message"),
    [
        (("a", "a"), (), InvalidGraph, "nodes must be distinct"),
        (("a", "b"), (("a", "b"), ("a", "b")), InvalidGraph, "edges must be distinct"),
        (("a",), (("a", "a"),), InvalidGraph, "got a -> a"),
        (("a",), (("a", "z"),), UnknownNode, "got 'a' -> 'z'"),
        (("r", "a", "b"), (("r", "a"), ("a", "b"), ("b", "a")), CyclicGraph, r"among \('a', 'b'\)"),
    ],
)
def test_refusals(nodes, edges, error, message):
    with pytest.raises(error, match=message):
        Graph(nodes, edges)


def test_unknown_nodes_are_named():
    for ask in (CHAIN.parents, CHAIN.children, CHAIN.ancestors, CHAIN.descendants):
        with pytest.raises(UnknownNode, match="got 'Q'"):
            ask("Q")


@given(graphs())
def test_order_puts_causes_first(graph):
    place = {node: index for index, node in enumerate(graph.order)}
    assert all(place[cause] < place[effect] for cause, effect in graph.edges)
    assert set(place) == set(graph.nodes)


@given(graphs())
def test_each_edge_is_in_exactly_one_block(graph):
    for edge in graph.edges:
        assert sum(set(edge) <= set(block) for block in graph.blocks) == 1


@given(graphs())
def test_ancestors_and_descendants_are_inverse(graph):
    for node in graph.nodes:
        assert all(node in graph.descendants(cause) for cause in graph.ancestors(node))
