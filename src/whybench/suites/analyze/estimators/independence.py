"""What three columns show of the graph behind them: correlations, tests and scores.

A statement is that two columns are independent, given the third or not (see `equivalence`). With
normal columns it says that a correlation, plain or partial, is 0, which Fisher's z tests. Graphs
that make the same statements true have the same score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.equivalence import statements
from whybench.suites.analyze.estimators.regression import normal_p

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.equivalence import Edges, Statement

    Nodes = tuple[str, str, str]


def correlate(rows: Mapping[str, Array], nodes: Nodes) -> dict[Statement, float]:
    """Return the correlation of each pair, and its partial correlation given the third."""
    plain = np.corrcoef([rows[node] for node in nodes])
    partial = np.linalg.inv(plain)
    found = {}
    for one, other, given in statements(nodes):
        x, y = nodes.index(one), nodes.index(other)
        scale = np.sqrt(partial[x, x] * partial[y, y])
        found[one, other, given] = float(plain[x, y] if given is None else -partial[x, y] / scale)
    return found


def independence_p_values(rows: Mapping[str, Array], nodes: Nodes) -> dict[Statement, float]:
    """Test each statement of independence by Fisher's z."""
    size = len(rows[nodes[0]])
    return {
        statement: normal_p(np.arctanh(r) * np.sqrt(size - 3 - (statement[2] is not None)))
        for statement, r in correlate(rows, nodes).items()
    }


def score_graph(rows: Mapping[str, Array], graph: Edges) -> float:
    """Score a graph by how well parents predict each column, less what its arrows cost."""
    size = len(next(iter(rows.values())))
    score = len(graph) * np.log(size)
    for node in rows:
        parents = [rows[one] for one, other in sorted(graph) if other == node]
        matrix = np.column_stack([np.ones(size), *parents])
        residual = rows[node] - matrix @ np.linalg.lstsq(matrix, rows[node], rcond=None)[0]
        score += size * np.log(residual.var())
    return float(score)
