"""A pool of random worlds, for where all partial orders are too many to list.

Every directed acyclic graph is equally likely to be drawn, as for the exact experimenter. A graph
falls into *layers*: its sources, then what would be a source if those were gone, and so on. So
it is drawn layer by layer. With k entities left below a layer of j, the next layer has s of them
in

    C(k, s) (2^j - 1)^s 2^(j (k - s)) (ways to go on below it)

ways: each entity of the next layer has a cause in the layer just above, and the layer just above
may or may not drive each of the rest. These counts, which are exact, are the odds of s.

A first state rules out all graphs that lead from a moving to a still entity. Those that remain are
made of any graph among the moving, any among the still, and any edges from still to moving: they
are drawn as such, and none is drawn in vain. Which entities move first is a matter of names, so
there is one pool for each number of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import comb
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from whybench.seeds import generator

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORLDS = 20_000
"""The number of worlds in a pool."""

LARGEST = 62
"""The most entities whose states fit the bits of a number."""

POOLS = 32

Masks: TypeAlias = "NDArray[np.unsignedinteger[Any]]"
"""Sets of entities as bits: bit v stands for entity v."""


@dataclass(frozen=True)
class WorldPool:
    """Random worlds of n entities.

    Attributes:
        n: How many entities.
        below: n x worlds; the entities that v reaches.
    """

    n: int
    below: Masks

    def causes(self, x: int, y: int) -> NDArray[np.bool_]:
        """Return, for each world, whether x reaches y."""
        reached: NDArray[np.bool_] = (self.below[x] >> y & 1).astype(bool)
        return reached

    def after(self, state: int, worlds: NDArray[np.intp]) -> Masks:
        """Return the states (n x worlds) that follow if v is moved, or held where it moves.

        The state must be one that can occur in all these worlds.
        """
        below = self.below[:, worlds]
        entities = np.arange(self.n)[:, None]
        itself = _bits(self.n)[:, None]
        moving = (state >> entities & 1).astype(bool)
        driven = np.bitwise_or.reduce(below[moving[:, 0]], axis=0)
        source = moving & (driven & itself == 0)
        kept = np.where(source, below | itself, 0)
        held = np.where(source, _or_others(kept), state)
        return np.where(moving, held, state | below | itself)


def _or_others(rows: Masks) -> Masks:
    """Combine, for each row, all rows but itself: those before it with those behind it."""
    others = np.zeros_like(rows)
    others[1:] |= np.bitwise_or.accumulate(rows, axis=0)[:-1]
    others[:-1] |= np.bitwise_or.accumulate(rows[::-1], axis=0)[-2::-1]
    return others


@lru_cache(maxsize=POOLS)
def draw_pool(n: int, moving: int) -> WorldPool:
    """Return the pool of n entities of which the first `moving` move at first; always the same.

    Raises:
        ValueError: If n is not 2 to `LARGEST`, or moving not 0 to n.
    """
    if not 2 <= n <= LARGEST:
        raise ValueError(f"n must be 2 to {LARGEST} for a pool of worlds, got {n}")
    if not 0 <= moving <= n:
        raise ValueError(f"moving must be 0 to {n}, got {moving}")
    rng = generator("intervene", "pool", n, moving)
    edges = np.zeros((WORLDS, n, n), dtype=bool)
    edges[:, :moving, :moving] = draw_graphs(moving, WORLDS, rng)
    edges[:, moving:, moving:] = draw_graphs(n - moving, WORLDS, rng)
    edges[:, moving:, :moving] = rng.integers(2, size=(WORLDS, n - moving, moving), dtype=bool)
    for v in range(n):
        edges |= edges[:, :, v, None] & edges[:, None, v, :]
    return WorldPool(n, np.ascontiguousarray((edges @ _bits(n)).T))


def _bits(n: int) -> Masks:
    """Return the mask of each entity, in the smallest numbers that hold n bits."""
    return np.array([1 << v for v in range(n)], dtype=np.min_scalar_type(2**n - 1))


def draw_graphs(n: int, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw `count` graphs of n entities (count x causes x effects), all equally likely."""
    layer = _draw_layers(n, count, rng)
    above = layer[:, :, None] < layer[:, None, :]
    just_above = layer[:, :, None] + 1 == layer[:, None, :]
    edges = np.zeros((count, n, n), dtype=bool)
    wanting = layer > 0
    # An entity that got no cause in the layer just above it has all its causes drawn anew.
    while wanting.any():
        graph, effect = np.nonzero(wanting)
        causes = rng.integers(2, size=(len(graph), n), dtype=bool)
        edges[graph, :, effect] = causes & above[graph, :, effect]
        wanting[graph, effect] = ~(causes & just_above[graph, :, effect]).any(axis=1)
    return edges


def _draw_layers(n: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw in which layer each entity is (count x n); the sources are in layer 0."""
    positions = np.arange(n)
    layer = np.zeros((count, n), dtype=np.int64)
    placed, last = np.zeros((2, count), dtype=np.int64)
    while (placed < n).any():
        size = np.zeros(count, dtype=np.int64)
        for done, upper in np.unique(np.stack([placed, last]), axis=1).T.tolist():
            if done < n:
                alike = (placed == done) & (last == upper)
                odds = _size_probabilities(n - done, upper)
                size[alike] = 1 + rng.choice(n - done, size=alike.sum(), p=odds)
        placed, last = placed + size, size
        layer += positions >= placed[:, None]
    return rng.permuted(layer, axis=1)


def _size_probabilities(left: int, upper: int) -> list[float]:
    """Return how likely the next layer has 1, 2, ... of the entities left."""
    ways = [_count_graphs(left, upper, size) for size in range(1, left + 1)]
    total = sum(ways)
    return [each / total for each in ways]


@cache
def _count_graphs(left: int, upper: int, size: int) -> int:
    """Count the graphs of the entities left whose first layer is of a size.

    All edges from the layer above them, which has `upper` entities, count too; 0 if there is none.
    """
    rest = left - size
    inside = (
        sum(_count_graphs(rest, size, next_size) for next_size in range(1, rest + 1)) if rest else 1
    )
    driven: int = ((1 << upper) - 1) ** size if upper else 1
    return comb(left, size) * driven * (1 << upper * rest) * inside
