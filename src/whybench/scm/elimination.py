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

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from math import lcm, prod
from typing import Literal

import numpy as np

from whybench.scm.errors import TooManyStates
from whybench.scm.model import Model
from whybench.scm.parameters import Array, Value, quotient, rows_of, slices
from whybench.scm.queries import Event, Query, describe
from whybench.scm.worlds import Network, network

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
    """Factors, and how to sum out their variables: first the copies, then noise of shared nodes."""
    factors = _factors(worlds)
    sizes = (2,) * len(worlds.copies) + cell_counts
    return _Plan(factors, *_order(tuple(factor.scope for factor in factors), sizes))


@lru_cache(maxsize=4096)
def _order(
    scopes: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]
) -> tuple[tuple[_Step, ...], tuple[int, ...], int]:
    """An elimination order by smallest next product: the steps, what remains, the widest product.

    Depends on who stands with whom alone, and not on names or values: most networks of a few nodes
    were seen before.
    """
    live = {number: frozenset(scope) for number, scope in enumerate(scopes)}
    total = len(scopes)
    steps = []
    width = 1
    joined = {variable: _union(variable, live) for variable in range(len(sizes))}
    entries = {v: prod(sizes[o] for o in union) for v, union in joined.items() if union}
    while entries:
        chosen = min(entries, key=lambda v: (entries[v], v))
        scope = sorted(joined[chosen])
        width = max(width, entries.pop(chosen))
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
            entries[variable] = prod(sizes[other] for other in joined[variable])
        total += 1
    return tuple(steps), tuple(live), width


def _union(variable: int, live: dict[int, frozenset[int]]) -> frozenset[int]:
    """All variables of the factors that mention `variable`."""
    return frozenset().union(*(scope for scope in live.values() if variable in scope))


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
    arrays, wholes = [], 1
    for factor in plan.factors:
        array, whole = _load(model, factor.kind, factor.node)
        arrays.append(rows_of(array, rows)[factor.index].transpose(factor.axes))
        wholes *= whole
    for step in plan.steps:
        operands = (
            arrays[number].reshape(*shape, arrays[number].shape[-1])
            for number, shape in step.operands
        )
        arrays.append(reduce(np.multiply, operands).sum(axis=step.axis))
    result: Array = reduce(np.multiply, (arrays[n] for n in plan.remaining), np.ones(1, np.int64))
    if wholes > 1:
        result = result * Fraction(1, wholes)
    return np.broadcast_to(result, (len(range(model.batch or 1)[rows]),))


def _load(model: Model, kind: Kind, node: str) -> tuple[Array, int]:
    """A factor's numbers, kept with the model, and what they are parts of.

    Axes are for the node, its noise if shared, its parents, the batch.
    """
    kept = model.factors
    if (kind, node) not in kept:
        kept[kind, node] = _make_factor(model, kind, node)
    return kept[kind, node]


def _make_factor(model: Model, kind: Kind, node: str) -> tuple[Array, int]:
    if kind == "noise":
        return _in_whole_numbers(model.cells(node).probability)
    holds, whole = (
        _in_whole_numbers(model.table(node))
        if kind == "table"
        else (model.cells(node).response.astype(np.int64), 1)
    )
    parents = (2,) * len(model.graph.parents(node))
    noise = holds.shape[:1] if kind == "response" else ()
    both = np.stack([whole - holds, holds])
    return both.reshape(2, *noise, *parents, holds.shape[-1]), whole


def _in_whole_numbers(chances: Array) -> tuple[Array, int]:
    """Numerators of fractions over one denominator, and it; what is no fraction, over 1.

    Whole numbers are multiplied and added in a small part of the time.
    """
    if chances.dtype != object or not all(isinstance(n, int | Fraction) for n in chances.flat):
        return chances, 1
    whole = lcm(*(number.denominator for number in chances.flat))
    parts = [number.numerator * (whole // number.denominator) for number in chances.flat]
    return np.array(parts, dtype=object).reshape(chances.shape), whole
