"""All partial orders of up to five entities, and what each of them would have done.

The second way to say what observations entail, beside the solver of `entailment`: every order is
listed and acts, and those that act as was observed remain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.intervene.entailment import (
    Entailed,
    Transition,
    check_entities,
    check_pair,
    check_transition,
    conclude,
)
from whybench.suites.intervene.world import ACTIONS, state_to_bits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from whybench.suites.intervene.world import State

MAX_ENUMERATED = 5
"""The most entities of which all partial orders are listed."""


@dataclass(frozen=True)
class Posets:
    """All strict partial orders of n entities, as arrays over the orders.

    States and sets of entities are bit masks: bit v stands for entity v.

    Attributes:
        n: How many entities.
        below: orders x n; the entities that v reaches.
        above: orders x n; the entities that reach v.
        dags: orders; how many directed acyclic graphs have this order as their reachability.
        closed: orders x states; whether the state can occur.
        after: actions x n x states x orders; the state that follows on moving or holding v, in the
            order of `ACTIONS`. It has no meaning where the state cannot occur.
    """

    n: int
    below: NDArray[np.uint8]
    above: NDArray[np.uint8]
    dags: NDArray[np.int64]
    closed: NDArray[np.bool_]
    after: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.below)

    def causes(self, x: int, y: int) -> NDArray[np.bool_]:
        """Return, for each order, whether x reaches y."""
        check_pair(self.n, x, y)
        reached: NDArray[np.bool_] = (self.below[:, x] >> y & 1).astype(bool)
        return reached


@cache
def list_posets(n: int) -> Posets:
    """List the partial orders of n entities and all that can happen in each.

    Raises:
        ValueError: If n is not 1 to `MAX_ENUMERATED`.
    """
    if not 1 <= n <= MAX_ENUMERATED:
        raise ValueError(f"n must be 1 to {MAX_ENUMERATED} to list all orders, got {n}")
    below = _list_orders(n)
    above = np.zeros_like(below)
    for v in range(n):
        for u in range(n):
            above[:, v] |= (below[:, u] >> v & 1) << u
    states = np.arange(2**n, dtype=np.uint8)
    closed = np.ones((len(below), len(states)), dtype=bool)
    # The sources of a state are those of its entities that nothing in it reaches.
    driven = np.zeros((n, len(below), len(states)), dtype=bool)
    for v in range(n):
        inside = (states >> v & 1).astype(bool)
        closed &= ~inside | ((below[:, v, None] & ~states) == 0)
        driven[v] = (above[:, v, None] & states) != 0
    after = np.empty((len(ACTIONS), n, len(states), len(below)), dtype=np.uint8)
    for v in range(n):
        after[0, v] = (states | below[:, v, None] | 1 << v).T
        left = np.zeros((len(below), len(states)), dtype=np.uint8)
        for u in set(range(n)) - {v}:
            source = (states >> u & 1).astype(bool) & ~driven[u]
            left |= np.where(source, below[:, u, None] | 1 << u, 0).astype(np.uint8)
        stops = (states >> v & 1).astype(bool) & ~driven[v]
        after[1, v] = np.where(stops, left, states).T
    return Posets(n, below, above, _count_dags(below, above), closed, after)


def _list_orders(n: int) -> NDArray[np.uint8]:
    """Extend each order of n - 1 entities by one entity, in every way that leaves an order."""
    if n == 1:
        return np.zeros((1, 1), dtype=np.uint8)
    old, new = _list_orders(n - 1), n - 1
    sets = np.arange(2**new, dtype=np.uint8)
    over, under = (grid.ravel() for grid in np.meshgrid(sets, sets, indexing="ij"))
    fits = np.ones((len(old), len(over)), dtype=bool)
    for v in range(new):
        reached = old[:, v, None]
        # What is under the new entity takes all that it reaches along; what reaches something
        # over it is over it too; and everything over it reaches everything under it.
        fits &= ((under >> v & 1) == 0) | ((reached & ~under) == 0)
        fits &= ((over >> v & 1) == 1) | ((reached & over) == 0)
        fits &= ((over >> v & 1) == 0) | ((under & ~reached) == 0)
    which, sides = np.nonzero(fits)
    orders = np.empty((len(which), n), dtype=np.uint8)
    for v in range(new):
        orders[:, v] = old[which, v] | (over[sides] >> v & 1) << new
    orders[:, new] = under[sides]
    return orders


def _count_dags(below: NDArray[np.uint8], above: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count the graphs of an order: each relation that a third entity mediates may be an edge."""
    free = np.zeros(len(below), dtype=np.int64)
    for u, w in permutations(range(below.shape[1]), 2):
        free += ((below[:, u] >> w & 1) == 1) & ((below[:, u] & above[:, w]) != 0)
    counts: NDArray[np.int64] = 2**free
    return counts


def consistent_orders(
    n: int, transitions: Iterable[Transition], initial: State | None = None
) -> NDArray[np.bool_]:
    """Say of each order of `list_posets(n)` whether it agrees with all that was observed."""
    orders = list_posets(n)
    fits = np.ones(len(orders), dtype=bool)
    if initial is not None:
        check_entities(n, initial)
        fits &= orders.closed[:, state_to_bits(initial)]
    for transition in transitions:
        check_transition(n, transition)
        before, action = state_to_bits(transition.before), ACTIONS.index(transition.action)
        fits &= orders.closed[:, before]
        fits &= orders.after[action, transition.entity, before] == state_to_bits(transition.after)
    return fits


def decide_by_enumeration(
    n: int, transitions: Iterable[Transition], x: int, y: int, initial: State | None = None
) -> Entailed:
    """Say the same as `entailed` by looking at every order of up to five entities."""
    answers = list_posets(n).causes(x, y)[consistent_orders(n, transitions, initial)]
    return conclude(bool(answers.any()), not answers.all())
