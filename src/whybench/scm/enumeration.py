"""First exact engine: go through every state of the world and add up.

Where all events share one world, a state is a value for each node and weighs the product of the
conditional tables. Where they do not, what the worlds share is the noise: a state is then a
response cell for each node, weighs the product of their probabilities, and determines every node in
every world. Evidence keeps the states that agree with it; the answer is the weight of those that
also agree with the target, over the weight of all kept. This is abduction, action and prediction in
a single pass.

States are grown node by node, causes first, so that what contradicts the evidence is dropped early,
and so is what cannot be, where numbers are exact; the early nodes cost little. Only ancestors of
the events matter, and only they are visited. The arithmetic is deliberately plain; nothing here is
shared with `elimination`, which must agree with it.
"""

from fractions import Fraction
from functools import lru_cache
from math import lcm, prod

import numpy as np
from numpy.typing import NDArray

from whybench.scm.errors import TooManyStates
from whybench.scm.graph import Graph
from whybench.scm.model import Model
from whybench.scm.parameters import Array, Value, quotient, rows_of, slices
from whybench.scm.queries import Event, Query, Setting, describe

LIMIT = 2**20
"""The most states that are visited for one model."""


def states(model: Model, query: Query) -> int:
    """How many states must be visited, before any are dropped, to answer `query`."""
    model.check(query)
    _, free = _relevant(model.graph, query)
    if len(query.worlds) == 1:
        return 1 << len(free)
    counts = [len(model.cells(node).probability) for node in free]
    return prod(counts)


def probability(model: Model, query: Query) -> Value:
    """P(target | given) by enumeration.

    Returns:
        A float; a Fraction where all relevant parameters are fractions; an array of shape (batch,)
        for a batched model.

    Raises:
        TooManyStates: More than `LIMIT` states.
        ImpossibleEvidence: P(given) = 0.
    """
    count = states(model, query)
    if count > LIMIT:
        raise TooManyStates(f"states must number at most {LIMIT}, got {count} for {query}")
    parts = [_weigh(model, query, rows) for rows in slices(model.batch, count, LIMIT)]
    joint, evidence = (np.concatenate(part) for part in zip(*parts, strict=True))
    return quotient(joint, evidence, model.batch, describe(query.given))


@lru_cache(maxsize=4096)
def _relevant(graph: Graph, query: Query) -> tuple[tuple[str, ...], frozenset[str]]:
    """The nodes that matter to some event in its world, causes first; those whose noise does."""
    needed: set[str] = set()
    free: set[str] = set()
    for world in query.worlds:
        fixed = {node for node, _ in world}
        frontier = {event.node for event in query.events if event.do == world}
        seen: set[str] = set()
        while frontier:
            node = frontier.pop()
            seen.add(node)
            if node not in fixed:
                free.add(node)
                frontier.update(set(graph.parents(node)) - seen)
        needed |= seen
    return tuple(node for node in graph.order if node in needed), frozenset(free)


def _weigh(model: Model, query: Query, rows: slice) -> tuple[Array, Array]:
    """The weights of target with given, and of given, for the models `rows` of the batch."""
    nodes, free = _relevant(model.graph, query)
    worlds = query.worlds
    settings = [dict(world) for world in worlds]
    place = {node: index for index, node in enumerate(nodes)}
    # values[node, world, state, model]; the last axis is 1 long while no response needs it.
    values = np.zeros((len(nodes), len(worlds), 1, 1), dtype=np.uint8)
    weight: Array = np.ones((1, 1), dtype=np.int64)
    for node in nodes:
        branches = 1
        new = np.zeros((len(worlds), *values.shape[2:]), dtype=np.uint8)
        if node in free:
            parents = [place[parent] for parent in model.graph.parents(node)]
            configuration = _configurations(values[parents])
            branch = _by_value if len(worlds) == 1 else _by_cell
            new, weight, branches = branch(model, node, rows, configuration, weight)
        values = values.repeat(branches, axis=2)
        for index, setting in enumerate(settings):
            if node in setting:
                new[index] = setting[node]
        if new.shape[-1] > values.shape[-1]:
            values = values.repeat(new.shape[-1], axis=3)
        values[place[node]] = new
        seen = _holds([event for event in query.given if event.node == node], worlds, place, values)
        if seen is not None:
            kept = seen.any(axis=1)
            values, weight = values[:, :, kept], weight[kept] * seen[kept]
        if weight.dtype == object:
            kept = (weight != 0).any(axis=1)
            values, weight = values[:, :, kept], weight[kept]
    hit = _holds(query.target, worlds, place, values)
    width = len(range(model.batch or 1)[rows])
    joint: Array = np.broadcast_to((weight * hit).sum(axis=0), (width,))
    evidence: Array = np.broadcast_to(weight.sum(axis=0), (width,))
    return joint, evidence


def _by_value(
    model: Model, node: str, rows: slice, configuration: NDArray[np.intp], weight: Array
) -> tuple[NDArray[np.uint8], Array, int]:
    """Part each state by the node's value, 0 and 1: values, weights, number of parts."""
    present, whole = _in_proportion(rows_of(model.table(node), rows))
    absent = whole - present
    here = configuration[0, :, 0]
    parts = np.stack([weight * absent[here], weight * present[here]], axis=1)
    value = np.tile(np.array([0, 1], dtype=np.uint8), len(here))
    return value[None, :, None], parts.reshape(-1, parts.shape[-1]), 2


def _by_cell(
    model: Model, node: str, rows: slice, configuration: NDArray[np.intp], weight: Array
) -> tuple[NDArray[np.uint8], Array, int]:
    """Part each state by the node's response cell: values by world, weights, number of parts."""
    cells = model.cells(node)
    chances, _ = _in_proportion(rows_of(cells.probability, rows))
    parts = weight[:, None] * chances
    count = parts.shape[1]
    cell = np.tile(np.arange(count), len(parts))[None, :, None]
    response = rows_of(cells.response, rows)
    models = np.arange(response.shape[-1])
    value = response[cell, configuration.repeat(count, axis=1), models]
    return value, parts.reshape(-1, parts.shape[-1]), count


def _in_proportion(chances: Array) -> tuple[Array, Array | int]:
    """Chances as whole numbers, and what they are parts of in each model, if all are fractions.

    One denominator for each model, which cancels in the end.
    """
    if chances.dtype != object or not all(isinstance(n, int | Fraction) for n in chances.flat):
        return chances, 1
    columns = [[number.as_integer_ratio() for number in column] for column in chances.T]
    wholes = [lcm(*(denominator for _, denominator in column)) for column in columns]
    parts = [
        [numerator * (whole // denominator) for numerator, denominator in column]
        for column, whole in zip(columns, wholes, strict=True)
    ]
    return np.array(parts, dtype=object).T, np.array(wholes, dtype=object)


def _configurations(parents: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Number the configurations of parents[parent, world, state, model], the first on top."""
    number = np.zeros(parents.shape[1:], dtype=np.intp)
    for value in parents:
        number = 2 * number + value
    return number


def _holds(
    events: tuple[Event, ...] | list[Event],
    worlds: tuple[Setting, ...],
    place: dict[str, int],
    values: NDArray[np.uint8],
) -> NDArray[np.bool_] | None:
    """Whether all events hold, by state and model; None if there are none."""
    held = None
    for event in events:
        one = values[place[event.node], worlds.index(event.do)] == event.value
        held = one if held is None else held & one
    return held
