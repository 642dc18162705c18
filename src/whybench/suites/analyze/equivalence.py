"""Graphs that no data can tell apart.

Two directed acyclic graphs are *Markov equivalent* when they imply the same independences. With
three columns there are few enough graphs, 25, to look at all of them, and two ways to see which
belong together:

- **by pattern**: the same pairs are joined, and the same pairs of causes that are not joined to
  each other meet in a common effect (Verma and Pearl);
- **by independences**: give every arrow a prime for a weight and every column a noise of variance
  1. All covariances are then whole numbers, and a pair is independent, given a third column or
  not, exactly where one of them, or a difference of products of them, is 0.

`equivalence_class` does both, and raises where they differ. A graph is a frozenset of (from, to).

>>> nodes = ("a", "b", "c")
>>> chain, collider = frozenset({("a", "b"), ("b", "c")}), frozenset({("a", "b"), ("c", "b")})
>>> len(all_graphs(nodes)), len(equivalence_class(chain, nodes))
(25, 3)
>>> equivalence_class(collider, nodes) == {collider}
True
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np

from whybench.scm import CyclicGraph, Disagreement, Graph

Edges = frozenset[tuple[str, str]]
Statement = tuple[str, str, str | None]
"""That two columns are independent, given a third or, with None, alone."""

PRIMES = (2, 3, 5)


@cache
def all_graphs(nodes: tuple[str, str, str]) -> tuple[Edges, ...]:
    """Return every directed acyclic graph on three nodes, fewest edges first."""
    choices = [((), ((a, b),), ((b, a),)) for a, b in combinations(nodes, 2)]
    graphs = [frozenset(edge for edges in chosen for edge in edges) for chosen in product(*choices)]
    return tuple(sorted(filter(_is_acyclic, graphs), key=lambda edges: (len(edges), sorted(edges))))


def skeleton(edges: Edges) -> frozenset[frozenset[str]]:
    """Return the pairs that are joined."""
    return frozenset(frozenset(edge) for edge in edges)


def colliders(edges: Edges) -> frozenset[tuple[frozenset[str], str]]:
    """Return the pairs of causes that are not joined, each with the effect in which they meet."""
    meeting = [
        (frozenset({cause, other}), effect)
        for (cause, effect), (other, same) in combinations(sorted(edges), 2)
        if effect == same
    ]
    return frozenset(entry for entry in meeting if entry[0] not in skeleton(edges))


def statements(nodes: tuple[str, str, str]) -> tuple[Statement, ...]:
    """Return the six statements on three columns, be they true or not."""
    pairs = [(a, b, *set(nodes) - {a, b}) for a, b in combinations(nodes, 2)]
    return tuple((a, b, given) for a, b, third in pairs for given in (None, third))


@cache
def independences(edges: Edges, nodes: tuple[str, str, str]) -> frozenset[Statement]:
    """Return the statements that a graph makes true."""
    index = {node: row for row, node in enumerate(nodes)}
    weights = np.zeros((3, 3), dtype=np.int64)
    for prime, (cause, effect) in zip(PRIMES, sorted(edges), strict=False):
        weights[index[effect], index[cause]] = prime
    # A path has two arrows at most, so the series of (I - B)⁻¹ ends there.
    transfer = np.eye(3, dtype=np.int64) + weights + weights @ weights
    covariance = transfer @ transfer.T

    def is_independent(node: str, other: str, given: str | None) -> bool:
        x, y = index[node], index[other]
        if given is None:
            return bool(covariance[x, y] == 0)
        z = index[given]
        return bool(covariance[x, y] * covariance[z, z] == covariance[x, z] * covariance[y, z])

    return frozenset(entry for entry in statements(nodes) if is_independent(*entry))


@cache
def equivalence_class(edges: Edges, nodes: tuple[str, str, str]) -> frozenset[Edges]:
    """Return the graphs that are Markov equivalent to one.

    Raises:
        Disagreement: Patterns and independences do not give the same graphs.
    """
    graphs = all_graphs(nodes)
    pattern = skeleton(edges), colliders(edges)
    by_pattern = {graph for graph in graphs if (skeleton(graph), colliders(graph)) == pattern}
    implied = independences(edges, nodes)
    by_independences = {graph for graph in graphs if independences(graph, nodes) == implied}
    if by_pattern != by_independences:
        raise Disagreement(
            f"derivations of the class of {sorted(edges)} must agree, got pattern = "
            f"{sorted(map(sorted, by_pattern))} and independences = "
            f"{sorted(map(sorted, by_independences))}"
        )
    return frozenset(by_pattern)


def _is_acyclic(edges: Edges) -> bool:
    nodes = tuple(sorted({node for edge in edges for node in edge}))
    try:
        Graph(nodes, tuple(sorted(edges)))
    except CyclicGraph:
        return False
    return True
