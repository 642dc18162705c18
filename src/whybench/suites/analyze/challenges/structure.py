"""Which graphs fit: data name a class of graphs, and seldom one graph.

Three columns, seen and not touched, none before another. What the rows can show is which pairs are
independent, alone or given the third; every graph that implies just those independences fits as
well as every other. A chain, the chain backwards and the fork between them fit together; so do the
two directions of a single arrow, and all six ways to join everything with everything. Whoever names
one graph claims what nobody can see.

In the control `collider` two columns are independent and become dependent given the third. Only one
graph does that, and whoever then lists several has not looked.

Linear with normal noise, where nothing but independences can be seen. Effects spread more widely
than their causes, so columns are brought to one spread and then to scales drawn by chance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import Graph, Linear, Model, sample
from whybench.scm.linear import normal
from whybench.suites.analyze.challenges.contract import (
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    Simulation,
    round_values,
)
from whybench.suites.analyze.column_fields import GraphSetField
from whybench.suites.analyze.equivalence import (
    Edges,
    Statement,
    all_graphs,
    colliders,
    equivalence_class,
    independences,
    skeleton,
    statements,
)
from whybench.suites.analyze.estimators.regression import normal_p

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CHALLENGE"]

NODES = ("one", "two", "three")
CLEAR, UNCLEAR = 0.0001, 0.2
"""Dependent at p values below the one, independent at p values above the other; else not kept."""

SHAPES = ("chain", "chain", "fork", "pair", "full")
"""One is drawn; chains twice as often as forks, since two graphs of their class are chains."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    if _seen(rows) != independences(_edges(at), NODES):
        return None
    return _ground_truth(variant, at, rows)


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    edges = _edges(at)
    single = [frozenset({graph}) for graph in _orientations(skeleton(edges))]
    return Instance(
        challenge="structure",
        variant=variant,
        parameters=at,
        columns=tuple(DataColumn(role, "real", 0) for role in NODES),
        rows=rows,
        truths={
            "graphs": CategoricalTruth(
                equivalence_class(edges, NODES),
                naive=tuple(single) if variant == "trap" else (),
                alarm=(_without_colliders(skeleton(edges)),),
            )
        },
        derived={_said(statement): 0.0 for statement in independences(edges, NODES)},
    )


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw a graph and its weights, and the level and spread of each column."""
    a, b, c = (NODES[place] for place in rng.permutation(3))
    shape = SHAPES[rng.integers(len(SHAPES))]
    edges = {
        "chain": ((a, b), (b, c)),
        "fork": ((b, a), (b, c)),
        "pair": ((a, b),),
        "full": ((a, b), (a, c), (b, c)),
        "collider": ((a, b), (c, b)),
    }[shape if variant == "trap" else variant]
    weights = rng.choice((-1.0, 1.0), 3) * rng.uniform(0.5, 0.9, 3)
    levels, scales = rng.uniform(-2, 2, 3), rng.uniform(0.5, 2, 3)
    return {
        **{f"{one}_{other}": 0.0 for one in NODES for other in NODES if one != other},
        **{f"{one}_{other}": float(w) for (one, other), w in zip(edges, weights, strict=False)},
        **{f"level_{node}": float(level) for node, level in zip(NODES, levels, strict=True)},
        **{f"scale_{node}": float(scale) for node, scale in zip(NODES, scales, strict=True)},
    }


def _edges(at: Mapping[str, float]) -> Edges:
    pairs = [(one, other) for one in NODES for other in NODES if one != other]
    return frozenset((one, other) for one, other in pairs if at[f"{one}_{other}"])


def _model(at: Mapping[str, float]) -> Model:
    graph = Graph(NODES, tuple(sorted(_edges(at))))
    weights = {
        node: tuple(at[f"{parent}_{node}"] for parent in graph.parents(node)) for node in NODES
    }
    return Model(graph, {node: Linear(0, weights[node]) for node in NODES})


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    model = _model(at)
    drawn = sample(model, int(rng.integers(1500, 3001)), rng)
    spread = {node: math.sqrt(normal(model, node).variance) for node in NODES}
    return {
        node: round_values(at[f"level_{node}"] + at[f"scale_{node}"] * drawn[node] / spread[node])
        for node in NODES
    }


def _correlations(rows: Mapping[str, Array]) -> dict[Statement, float]:
    """Return the correlation of each pair, and its partial correlation given the third."""
    plain = np.corrcoef([rows[node] for node in NODES])
    partial = np.linalg.inv(plain)
    found = {}
    for one, other, given in statements(NODES):
        x, y = NODES.index(one), NODES.index(other)
        scale = np.sqrt(partial[x, x] * partial[y, y])
        found[one, other, given] = float(plain[x, y] if given is None else -partial[x, y] / scale)
    return found


def _p_values(rows: Mapping[str, Array]) -> dict[Statement, float]:
    """Test each statement of independence by Fisher's z."""
    size = len(rows[NODES[0]])
    return {
        statement: normal_p(np.arctanh(r) * np.sqrt(size - 3 - (statement[2] is not None)))
        for statement, r in _correlations(rows).items()
    }


def _seen(rows: Mapping[str, Array]) -> frozenset[Statement] | None:
    """Return the statements that hold in the rows, or None where one of them is in doubt."""
    p_values = _p_values(rows)
    if any(CLEAR <= p <= UNCLEAR for p in p_values.values()):
        return None
    return frozenset(statement for statement, p in p_values.items() if p > UNCLEAR)


def _has_trap(instance: Instance) -> bool:
    """Whether more than one graph implies just the independences that the rows show."""
    seen = _seen(instance.rows)
    return sum(independences(graph, NODES) == seen for graph in all_graphs(NODES)) > 1


def _orientations(joined: Iterable[frozenset[str]]) -> list[Edges]:
    """Return the graphs that join these pairs and no others."""
    return [graph for graph in all_graphs(NODES) if skeleton(graph) == frozenset(joined)]


def _without_colliders(joined: Iterable[frozenset[str]]) -> frozenset[Edges]:
    return frozenset(graph for graph in _orientations(joined) if not colliders(graph))


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    """Return what each statement says is 0, with its standard error; no number is asked for."""
    drawn = sample(_model(instance.parameters), n, rng)
    return {
        _said(statement): (r, (1 - r**2) / np.sqrt(n))
        for statement, r in _correlations(drawn).items()
    }


def _said(statement: Statement) -> str:
    one, other, given = statement
    return f"{one} {other}" + (f" given {given}" if given else "")


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Score all graphs by BIC, and take all of the best: equivalent graphs have equal scores."""
    scores = {graph: _bic(instance.rows, graph) for graph in all_graphs(NODES)}
    best = min(scores.values())
    return {"graphs": frozenset(graph for graph, score in scores.items() if score - best < 1e-6)}


def _bic(rows: Mapping[str, Array], graph: Edges) -> float:
    """Score a graph by how well parents predict each column, less what its arrows cost."""
    size = len(rows[NODES[0]])
    score = len(graph) * np.log(size)
    for node in NODES:
        parents = [rows[one] for one, other in sorted(graph) if other == node]
        matrix = np.column_stack([np.ones(size), *parents])
        residual = rows[node] - matrix @ np.linalg.lstsq(matrix, rows[node], rcond=None)[0]
        score += size * np.log(residual.var())
    return float(score)


def _joined(rows: Mapping[str, Array]) -> frozenset[frozenset[str]]:
    """Return the pairs that are related both alone and given the third."""
    p_values = _p_values(rows)
    apart = {frozenset({one, other}) for (one, other, _), p in p_values.items() if p > 0.05}
    return frozenset(frozenset({one, other}) for one, other, _ in p_values) - apart


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Draw one graph: an arrow for each joined pair, in the order of the columns."""
    arrows = [tuple(sorted(pair, key=NODES.index)) for pair in _joined(instance.rows)]
    return {"graphs": frozenset({frozenset(arrows)})}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """List every graph that joins the right pairs without a collider, be there one or not."""
    return {"graphs": _without_colliders(_joined(instance.rows))}


CHALLENGE = Challenge(
    name="structure",
    family="discovery",
    summary="several graphs imply the same independences, and no data can choose among them",
    variants=("trap", "collider"),
    fields=(GraphSetField("graphs"),),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
