"""Second exact engine: variable elimination on the network of all worlds at once.

In the network of `worlds` each copy of a node contributes a factor. A node with one copy needs no
noise: its factor is its conditional table. The copies of a shared node are functions of their
parents and of the node's *noise variable*, whose values are the response cells; their factors are 0
or 1, and the noise adds a factor with its probabilities. What is set or observed picks a slice.

The variables are then summed out one by one: multiply the factors that mention the variable, add
over its values. The order decides the cost; we take each time the variable whose product is
smallest. In a chain of blocks products stay as small as the widest block allows, however long the
chain.

The plan (which slices, which order) depends on the graph, the events and the numbers of cells
alone. It is kept, and run again for the next parameters.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import prod
from typing import Literal

import numpy as np

from whybench.scm.errors import TooManyStates
from whybench.scm.model import Model
from whybench.scm.parameters import Array, Value, quotient, rows_of, slices
from whybench.scm.queries import Event, Query, describe
from whybench.scm.worlds import Network, network

__all__ = ["LIMIT", "operations", "probability"]

LIMIT = 2**22
"""The most entries that a product of factors may have for one model."""

AT_ONCE = 2**18
"""How many entries are worked on together, so that they stay in cache."""

Kind = Literal["table", "response", "noise"]


@dataclass(frozen=True)
class _Factor:
    """Where a factor's numbers come from: an array, a slice of it, an order of its axes."""

    kind: Kind
    node: str
    index: tuple[int | slice, ...]
    axes: tuple[int, ...]
    scope: tuple[int, ...]


@dataclass(frozen=True)
class _Step:
    """Multiply these factors, each reshaped so as to broadcast, and sum over one axis."""

    operands: tuple[tuple[int, tuple[int, ...]], ...]
    axis: int


@dataclass(frozen=True)
class _Plan:
    """Factors are numbered as loaded; each step adds one. What remains has no variables left."""

    factors: tuple[_Factor, ...]
    steps: tuple[_Step, ...]
    remaining: tuple[int, ...]
    width: int


def probability(model: Model, query: Query) -> Value:
    """P(target | given) by variable elimination.

    Returns:
        A float; a Fraction where all relevant parameters are fractions; an array of shape (batch,)
        for a batched model.

    Raises:
        TooManyStates: Some product of factors has more than `LIMIT` entries.
        ImpossibleEvidence: P(given) = 0.
    """
    model.check(query)
    evidence = _weigh(model, query.given) if query.given else np.ones(1, dtype=np.int64)
    joint = _weigh(model, query.events)
    return quotient(joint, evidence, model.batch, describe(query.given))


def operations(model: Model, query: Query) -> int:
    """How many multiplications and additions `query` takes, each factor being as wide as its step.

    Both sums are counted, that of the events and that of what is given; a division is one more.
    """
    model.check(query)
    asked = [query.events, query.given] if query.given else [query.events]
    plans = [_plan_for(model, network(model.graph, events)) for events in asked]
    return sum(_count(plan) for plan in plans if plan) + len(asked) - 1


def _count(plan: _Plan) -> int:
    steps = 0
    for step in plan.steps:
        shapes = [shape for _, shape in step.operands]
        shape = tuple(map(max, zip(*shapes, strict=True)))
        entries = prod(shape)
        steps += (len(shapes) - 1) * entries + entries - entries // shape[step.axis]
    return steps + len(plan.remaining) - 1


def _plan_for(model: Model, worlds: Network) -> _Plan | None:
    """The plan for the network of some events; None if they contradict each other."""
    if worlds.contradictory:
        return None
    return _plan(worlds, tuple(len(model.cells(node).probability) for node in worlds.shared))


def _weigh(model: Model, events: tuple[Event, ...]) -> Array:
    """P(all events), for each model of the batch."""
    plan = _plan_for(model, network(model.graph, events))
    if plan is None:
        return np.zeros(model.batch or 1, dtype=np.int64)
    if plan.width > LIMIT:
        raise TooManyStates(
            f"factors must have at most {LIMIT} entries, got {plan.width} for {describe(events)}"
        )
    batches = slices(model.batch, plan.width, AT_ONCE)
    parts = [_run(model, plan, rows) for rows in batches]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


@lru_cache(maxsize=4096)
def _plan(worlds: Network, cell_counts: tuple[int, ...]) -> _Plan:
    """Factors and an elimination order by smallest next product."""
    factors = _factors(worlds)
    sizes = _sizes(worlds, cell_counts)
    live = {number: frozenset(factor.scope) for number, factor in enumerate(factors)}
    total = len(factors)
    steps = []
    width = 1
    joined = {variable: _union(variable, live) for variable in sizes if _union(variable, live)}
    while joined:
        chosen = min(joined, key=lambda v: (prod(sizes[o] for o in joined[v]), v))
        scope = sorted(joined.pop(chosen))
        width = max(width, prod(sizes[variable] for variable in scope))
        operands = sorted(
            (number for number, mentioned in live.items() if chosen in mentioned),
            key=lambda number: len(live[number]),
        )
        shaped = tuple(
            (number, tuple(sizes[v] if v in live[number] else 1 for v in scope))
            for number in operands
        )
        steps.append(_Step(shaped, scope.index(chosen)))
        for number in operands:
            del live[number]
        live[total] = frozenset(scope) - {chosen}
        for variable in live[total]:
            joined[variable] = _union(variable, live)
        total += 1
    return _Plan(factors, tuple(steps), tuple(live), width)


def _union(variable: int, live: dict[int, frozenset[int]]) -> frozenset[int]:
    """All variables of the factors that mention `variable`."""
    return frozenset().union(*(scope for scope in live.values() if variable in scope))


def _sizes(worlds: Network, cell_counts: tuple[int, ...]) -> dict[int, int]:
    """How many values each variable has: first the copies, then the noise of shared nodes."""
    return dict(enumerate([2] * len(worlds.copies) + list(cell_counts)))


def _factors(worlds: Network) -> tuple[_Factor, ...]:
    number = {copy.variable: place for place, copy in enumerate(worlds.copies)}
    noise = {node: len(number) + place for place, node in enumerate(worlds.shared)}
    known = {number[variable]: value for variable, value in worlds.observed}

    def factor(kind: Kind, node: str, axes: list[int | None], constants: list[int]) -> _Factor:
        # An axis is a variable's number, or None for a parent that was set: then the next constant.
        index: list[int | slice] = []
        scope: list[int] = []
        values = iter(constants)
        for axis in axes:
            if axis is None:
                index.append(next(values))
            elif axis in known:
                index.append(known[axis])
            else:
                index.append(slice(None))
                scope.append(axis)
        order = sorted(range(len(scope)), key=scope.__getitem__)
        return _Factor(
            kind, node, tuple(index), (*order, len(scope)), tuple(scope[place] for place in order)
        )

    found = [factor("noise", node, [variable], []) for node, variable in noise.items()]
    for copy in worlds.copies:
        node = copy.variable[0]
        own: list[int | None] = [number[copy.variable]]
        if node in noise:
            own.append(noise[node])
        axes = own + [None if isinstance(p, int) else number[p] for p in copy.parents]
        constants = [p for p in copy.parents if isinstance(p, int)]
        found.append(factor("response" if node in noise else "table", node, axes, constants))
    return tuple(found)


def _run(model: Model, plan: _Plan, rows: slice) -> Array:
    """Load the factors for some models of the batch, and do the steps."""
    arrays = [
        _load(model, factor.kind, factor.node, rows)[factor.index].transpose(factor.axes)
        for factor in plan.factors
    ]
    for step in plan.steps:
        operands = (
            arrays[number].reshape(*shape, arrays[number].shape[-1])
            for number, shape in step.operands
        )
        arrays.append(_product(operands).sum(axis=step.axis))
    width = len(range(model.batch or 1)[rows])
    result: Array = _product(arrays[number] for number in plan.remaining)
    return np.broadcast_to(result, (width,))


def _product(arrays: Iterable[Array]) -> Array:
    return reduce(np.multiply, arrays, np.ones(1, dtype=np.int64))


def _load(model: Model, kind: Kind, node: str, rows: slice) -> Array:
    """A factor's full array: axes for the node, its noise if shared, its parents, the batch."""
    if kind == "noise":
        return rows_of(model.cells(node).probability, rows)
    return rows_of(_by_value(model, kind, node), rows)


def _by_value(model: Model, kind: Kind, node: str) -> Array:
    """The factor of a node's two values, kept with the model."""
    kept = model.factors
    if (kind, node) not in kept:
        holds = model.table(node) if kind == "table" else model.cells(node).response
        parents = (2,) * len(model.graph.parents(node))
        noise = holds.shape[:1] if kind == "response" else ()
        both = np.stack([1 - holds, holds])
        kept[kind, node] = both.reshape(2, *noise, *parents, holds.shape[-1])
    return kept[kind, node]
