from __future__ import annotations

from collections import Counter
from itertools import permutations

import networkx as nx
import pytest

from whybench.scm import Graph
from whybench.suites.analyze.equivalence import (
    Edges,
    all_graphs,
    colliders,
    equivalence_class,
    independences,
    skeleton,
    statements,
)

NODES = ("a", "b", "c")
GRAPHS = all_graphs(NODES)


def graph(text: str) -> Edges:
    """Read `ab cb` as a → b ← c."""
    return frozenset((edge[0], edge[1]) for edge in text.split())


def test_there_are_25_graphs() -> None:
    assert len(set(GRAPHS)) == len(GRAPHS) == 25
    assert Counter(map(len, GRAPHS)) == {0: 1, 1: 6, 2: 12, 3: 6}
    for edges in GRAPHS:
        drawn = nx.DiGraph(list(edges))
        assert not edges or nx.is_directed_acyclic_graph(drawn)


def test_there_are_11_classes_of_known_sizes() -> None:
    """By hand: none 1; a pair 2, thrice; a line 3, thrice; a collider 1, thrice; all joined 6."""
    classes = {equivalence_class(edges, NODES) for edges in GRAPHS}
    assert sorted(map(len, classes)) == [1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 6]
    assert sum(map(len, classes)) == 25


@pytest.mark.parametrize(
    ("one", "others"),
    [
        ("ab bc", {"ab bc", "cb ba", "ba bc"}),
        ("ab cb", {"ab cb"}),
        ("ac", {"ac", "ca"}),
        ("", {""}),
        ("ab ac bc", {f"{x}{y} {x}{z} {y}{z}" for x, y, z in permutations("abc")}),
    ],
)
def test_golden_classes(one: str, others: set[str]) -> None:
    assert equivalence_class(graph(one), NODES) == {graph(other) for other in others}


@pytest.mark.parametrize("edges", GRAPHS, ids=lambda edges: " ".join(map("".join, sorted(edges))))
def test_independences_are_the_d_separations(edges: Edges) -> None:
    drawn = Graph(NODES, tuple(sorted(edges)))
    separated = {
        (one, other, given)
        for one, other, given in statements(NODES)
        if drawn.d_separated(one, other, given or ())
    }
    assert independences(edges, NODES) == separated


def test_colliders_are_those_whose_causes_are_not_joined() -> None:
    assert colliders(graph("ab cb")) == {(frozenset("ac"), "b")}
    assert colliders(graph("ab cb ac")) == frozenset()
    assert colliders(graph("ab bc")) == frozenset()
    assert (
        skeleton(graph("ab cb")) == skeleton(graph("ba bc")) == {frozenset("ab"), frozenset("bc")}
    )
