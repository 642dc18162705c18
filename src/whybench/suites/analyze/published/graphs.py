"""Graphs as the source's keys write them, and the graphs that rows cannot tell apart.

>>> read_graph("a<-b->c") == {("b", "a"), ("b", "c")}
True
>>> write_graph(frozenset({("b", "a"), ("b", "c")}), ("a", "b", "c"))
'a<-b->c'
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.equivalence import Edges, all_graphs, independences, statements
from whybench.suites.analyze.estimators import normal_p

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["compatible_graphs", "partial_correlation", "read_graph", "write_graph"]

LEVEL = 0.05

_ARROW = re.compile(r"\s*(->|<-)\s*")


def read_graph(text: str) -> Edges:
    """Read a path of arrows, such as `a<-b->c`."""
    first, *rest = _ARROW.split(text.strip())
    edges, last = set(), first
    for arrow, node in zip(rest[::2], rest[1::2], strict=True):
        edges.add((last, node) if arrow == "->" else (node, last))
        last = node
    return frozenset(edges)


def write_graph(edges: Edges, nodes: tuple[str, str, str]) -> str:
    """Write a graph: a path in the order of the nodes where it is one, else edge by edge."""
    pairs = list(pairwise(nodes))
    if {frozenset(edge) for edge in edges} != {frozenset(pair) for pair in pairs}:
        return ", ".join(f"{cause}->{effect}" for cause, effect in sorted(edges))
    arrows = ["->" if pair in edges else "<-" for pair in pairs]
    return "".join([nodes[0], *(a + node for a, node in zip(arrows, nodes[1:], strict=True))])


def partial_correlation(
    rows: Mapping[str, NDArray[Any]], one: str, other: str, given: str | None
) -> float:
    """Return the correlation of two columns, given a third or not."""
    if given is None:
        return float(np.corrcoef(rows[one], rows[other])[0, 1])
    matrix = np.corrcoef([rows[one], rows[other], rows[given]])
    left = matrix[0, 1] - matrix[0, 2] * matrix[1, 2]
    return float(left / math.sqrt((1 - matrix[0, 2] ** 2) * (1 - matrix[1, 2] ** 2)))


def compatible_graphs(
    rows: Mapping[str, NDArray[Any]], nodes: tuple[str, str, str]
) -> frozenset[Edges]:
    """Return the graphs on three columns whose independences are those that the rows show.

    Independence is what a test of the (partial) correlation does not reject at the 5% level
    (Fisher's z). There may be no such graph.
    """

    def independent(one: str, other: str, given: str | None) -> bool:
        r = partial_correlation(rows, one, other, given)
        room = len(rows[one]) - 3 - (given is not None)
        return normal_p(math.atanh(r) * math.sqrt(room)) > LEVEL

    seen = frozenset(entry for entry in statements(nodes) if independent(*entry))
    return frozenset(graph for graph in all_graphs(nodes) if independences(graph, nodes) == seen)
