"""Which graphs fit: data name a class of graphs, and seldom one graph.

Three columns, seen and not touched, none before another. What the rows can show is which pairs are
independent, alone or given the third; every graph that implies just those independences fits as
well as every other. A chain, the chain backwards and the fork between them fit together; so do the
two directions of a single arrow, and all six ways to join everything with everything. Whoever names
one graph claims what nobody can see.

In the control `collider` two columns are independent and become dependent given the third. Only one
graph does that, and whoever then lists several has not looked.

Linear with normal noise, where nothing but independences can be seen. Effects spread more widely
than their causes, so columns are brought to one spread and then told in units drawn by chance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from whybench.scm import Graph, Linear, Model
from whybench.scm.linear import normal
from whybench.suites.analyze.challenges.contract import CategoricalTruth, Challenge, ConfidenceTruth
from whybench.suites.analyze.column_fields import GraphField, GraphSetField
from whybench.suites.analyze.columns import NORMAL, Column
from whybench.suites.analyze.equivalence import (
    all_graphs,
    colliders,
    equivalence_class,
    independences,
    skeleton,
)
from whybench.suites.analyze.estimators.independence import (
    correlate,
    independence_p_values,
    score_graph,
)
from whybench.suites.analyze.fields import ConfidenceField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import (
        Instance,
        Parameters,
        Rows,
        Simulation,
        Truth,
    )
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.equivalence import Edges, Statement

NODES = ("one", "two", "three")
CLEAR, UNCLEAR = 0.0001, 0.2
"""Dependent at p values below the one, independent at p values above the other; else not kept."""

SHAPES = ("chain", "chain", "fork", "pair", "full")
"""One is drawn; chains twice as often as forks, since two graphs of their class are chains."""


def _truths(
    variant: str, at: Parameters, _rows: Rows, _certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    edges = _edges(at)
    single = [frozenset({graph}) for graph in _orientations(skeleton(edges))]
    fitting = equivalence_class(edges, NODES)
    return {
        "graph": CategoricalTruth(edges, also=tuple(fitting - {edges})),
        "confidence": ConfidenceTruth(1 / len(fitting)),
        "graphs": CategoricalTruth(
            fitting,
            naive=tuple(single) if variant == "trap" else (),
            alarm=(_without_colliders(skeleton(edges)),),
        ),
    }


def _accept(_variant: str, at: Parameters, rows: Rows) -> bool:
    return _seen(rows) == independences(_edges(at), NODES)


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw a graph and its weights."""
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
    return {
        **{f"{one}_{other}": 0.0 for one in NODES for other in NODES if one != other},
        **{f"{one}_{other}": float(w) for (one, other), w in zip(edges, weights, strict=False)},
    }


def _edges(at: Parameters) -> Edges:
    pairs = [(one, other) for one in NODES for other in NODES if one != other]
    return frozenset((one, other) for one, other in pairs if at[f"{one}_{other}"])


def _world(_variant: str, at: Parameters) -> World:
    graph = Graph(NODES, tuple(sorted(_edges(at))))
    weights = {
        node: tuple(at[f"{parent}_{node}"] for parent in graph.parents(node)) for node in NODES
    }
    model = Model(graph, {node: Linear(0, weights[node]) for node in NODES})

    def column(node: str) -> Column:
        deviation = math.sqrt(normal(model, node).variance)

        def mechanism(noise: Array, **causes: Array) -> Array:
            pairs = zip(weights[node], causes.values(), strict=True)
            return sum((weight * values for weight, values in pairs), start=noise)

        return Column(
            node,
            mechanism,
            graph.parents(node),
            NORMAL,
            time=0,
            show=lambda values: values / deviation,
        )

    return World(tuple(map(column, graph.order)))


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    """Return what each independence says is 0; no number is asked for."""
    return dict.fromkeys(sorted(map(_name_statement, independences(_edges(at), NODES))), 0.0)


def _observe(_variant: str, _at: Parameters, world: World, noise: Rows) -> Simulation:
    size = len(noise[NODES[0]])
    return {
        _name_statement(statement): (r, (1 - r**2) / math.sqrt(size))
        for statement, r in correlate(world.respond(noise), NODES).items()
    }


def _seen(rows: Rows) -> frozenset[Statement] | None:
    """Return the statements that hold in the rows, or None where one of them is in doubt."""
    p_values = independence_p_values(rows, NODES)
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


def _name_statement(statement: Statement) -> str:
    one, other, given = statement
    return f"{one} {other}" + (f" given {given}" if given else "")


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Score all graphs by BIC, and take all of the best: equivalent graphs have equal scores."""
    scores = {graph: score_graph(instance.rows, graph) for graph in all_graphs(NODES)}
    best = min(scores.values())
    return _said(frozenset(graph for graph, score in scores.items() if score - best < 1e-6))


def _joined(rows: Rows) -> frozenset[frozenset[str]]:
    """Return the pairs that are related both alone and given the third."""
    p_values = independence_p_values(rows, NODES)
    apart = {frozenset({one, other}) for (one, other, _), p in p_values.items() if p > 0.05}
    return frozenset(frozenset({one, other}) for one, other, _ in p_values) - apart


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Draw one graph: an arrow for each joined pair, in the order of the columns."""
    pairs = (sorted(pair, key=NODES.index) for pair in _joined(instance.rows))
    return _said(frozenset({frozenset((first, second) for first, second in pairs)}))


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """List every graph that joins the right pairs without a collider, be there one or not."""
    return _said(_without_colliders(_joined(instance.rows)))


def _said(graphs: frozenset[Edges]) -> dict[str, Any]:
    """Claim one of the graphs that are held possible, all of them alike."""
    claimed = min(graphs, key=sorted)
    return {"graph": claimed, "confidence": 1 / len(graphs), "graphs": graphs}


CHALLENGE = Challenge(
    name="structure",
    family="discovery",
    summary="several graphs imply the same independences, and no data can choose among them",
    variants=("trap", "collider"),
    report=(GraphField("graph"), ConfidenceField("confidence")),
    diagnosis=(GraphSetField("graphs"),),
    shown=NODES,
    units=NODES,
    size=(1500, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {},
    closed_form=_closed_form,
    truths=_truths,
    accept=_accept,
    observe=_observe,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    not_shallow=("signs",),
)
