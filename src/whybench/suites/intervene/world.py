"""The world of intervene: entities that move, and make others move.

A hidden directed acyclic graph says who drives whom. Whatever a moving entity drives moves too, so
the set of moving entities, the *state*, is closed under descendants. Two actions change it:

- *move* an entity: it moves, and so do all its descendants.
- *hold* an entity: if something that moves drives it, nothing happens. Otherwise it stops, and with
  it whatever it alone kept going: the other *sources* (moving entities that nothing drives) keep
  moving, and their descendants do.

Moving what moves and holding what is still do nothing; that is no error. The world keeps no memory
of who was moved by hand:

>>> pair = InterveneWorld(2, ((0, 1),))
>>> sorted(pair.hold(pair.move(pair.move(frozenset(), 1), 0), 0))
[]

Transitions depend on who reaches whom alone. A chain behaves exactly like the same chain with a
shortcut, so direct causing cannot be found out by acting, and no question is about it:

>>> chain = InterveneWorld(3, ((0, 1), (1, 2)))
>>> shortcut = InterveneWorld(3, ((0, 1), (1, 2), (0, 2)))
>>> chain.reaches == shortcut.reaches
True

Everything is defined twice. `InterveneWorld` finds descendants by graph search and computes states
from them; `simulate_action` lets parents drive their children step by step, and
`transitive_closure` multiplies matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.scm import CyclicGraph, InvalidGraph, UnknownNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

State = frozenset[int]
"""The moving entities."""

Action = Literal["move", "hold"]

ACTIONS: tuple[Action, ...] = ("move", "hold")


@dataclass(frozen=True)
class InterveneWorld:
    """A hidden graph over the entities 0, 1, ..., n - 1.

    Attributes:
        n: Number of entities.
        edges: Distinct (cause, effect) pairs, in any order.

    Raises:
        InvalidGraph: There is no entity, an edge is listed twice or joins an entity to itself.
        UnknownNode: An edge names an entity outside 0, ..., n - 1.
        CyclicGraph: The edges form a directed cycle.
    """

    n: int
    edges: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if self.n < 1:
            raise InvalidGraph(f"n must be 1 or more, got {self.n}")
        if len(set(self.edges)) != len(self.edges):
            raise InvalidGraph(f"edges must be distinct, got {self.edges}")
        for cause, effect in self.edges:
            self._check(cause)
            self._check(effect)
            if cause == effect:
                raise InvalidGraph(f"an edge must join two entities, got {cause} -> {effect}")
        if any(self._below[entity] >> entity & 1 for entity in range(self.n)):
            raise CyclicGraph(f"edges must form no directed cycle, got {self.edges}")

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """What each entity drives directly."""
        children: list[list[int]] = [[] for _ in range(self.n)]
        for cause, effect in self.edges:
            children[cause].append(effect)
        return tuple(map(tuple, children))

    @cached_property
    def _below(self) -> tuple[int, ...]:
        """The descendants of each entity as bits, by search along the edges."""
        below = []
        for entity in range(self.n):
            reachable = 0
            frontier = list(self.children[entity])
            while frontier:
                reached = frontier.pop()
                if not reachable >> reached & 1:
                    reachable |= 1 << reached
                    frontier.extend(self.children[reached])
            below.append(reachable)
        return tuple(below)

    @cached_property
    def _above(self) -> tuple[int, ...]:
        """The ancestors of each entity as bits."""
        return tuple(
            sum(1 << cause for cause in range(self.n) if self._below[cause] >> entity & 1)
            for entity in range(self.n)
        )

    @cached_property
    def reaches(self) -> tuple[tuple[bool, ...], ...]:
        """`reaches[x][y]`: whether y is a descendant of x; no entity is its own descendant."""
        return tuple(
            tuple(bool(below >> entity & 1) for entity in range(self.n)) for below in self._below
        )

    def causes(self, x: int, y: int) -> bool:
        """Whether x causes y, directly or through others."""
        self._check(x)
        self._check(y)
        return bool(self._below[x] >> y & 1)

    def closed_states(self) -> Iterator[State]:
        """Yield every state that is closed under descendants, rest first."""
        # Effects before causes: an entity may move only if all its descendants already do.
        order = sorted(range(self.n), key=lambda entity: self._below[entity].bit_count())
        states = [0]
        for entity in order:
            below = self._below[entity]
            states += [state | 1 << entity for state in states if state & below == below]
        yield from map(bits_to_state, sorted(states, key=lambda bits: (bits.bit_count(), bits)))

    def is_closed(self, state: State) -> bool:
        """Whether all descendants of what moves move too."""
        bits = self._bits(state)
        return all(self._below[entity] & ~bits == 0 for entity in state)

    def close_state(self, state: State) -> State:
        """Return the state with all descendants of what moves."""
        bits = self._bits(state)
        return bits_to_state(bits | self._driven(bits))

    def sources(self, state: State) -> State:
        """Return the moving entities that no moving entity drives."""
        bits = self._bits(state)
        return bits_to_state(bits & ~self._driven(bits))

    def move(self, state: State, v: int) -> State:
        """Return the state after v is made to move."""
        return self.step(state, "move", v)

    def hold(self, state: State, v: int) -> State:
        """Return the state after v is held: the same if v is still, or driven by what moves."""
        return self.step(state, "hold", v)

    def step(self, state: State, action: Action, v: int) -> State:
        """Return the state after an action on v."""
        if action not in ACTIONS:
            raise ValueError(f"action must be one of {', '.join(ACTIONS)}, got {action!r}")
        self._check(v)
        return bits_to_state(self.after(self._bits(state), action, v))

    def after(self, bits: int, action: Action, v: int) -> int:
        """Return the state after an action on v, fast: states are bits, and nothing is checked."""
        if action == "move":
            return bits | 1 << v | self._below[v]
        if not bits >> v & 1 or bits & self._above[v]:
            return bits
        left = bits & ~self._driven(bits) & ~(1 << v)
        return left | self._driven(left)

    def renumber(self, numbers: Sequence[int]) -> InterveneWorld:
        """Return the same world with each entity known by another number."""
        edges = sorted((numbers[cause], numbers[effect]) for cause, effect in self.edges)
        return InterveneWorld(self.n, tuple(edges))

    def _driven(self, bits: int) -> int:
        """Return all descendants of a set of entities."""
        driven = 0
        for entity, below in enumerate(self._below):
            if bits >> entity & 1:
                driven |= below
        return driven

    def _bits(self, state: State) -> int:
        bits = 0
        for entity in state:
            self._check(entity)
            bits |= 1 << entity
        return bits

    def _check(self, entity: int) -> None:
        if not 0 <= entity < self.n:
            raise UnknownNode(f"entity must be from 0 to {self.n - 1}, got {entity!r}")


def list_pairs(n: int) -> Iterator[tuple[int, int]]:
    """Yield every ordered pair of n entities."""
    return permutations(range(n), 2)


def state_to_bits(state: Iterable[int]) -> int:
    """Return a state as a bit mask."""
    return sum(1 << v for v in set(state))


@lru_cache(maxsize=4096)
def bits_to_state(bits: int) -> State:
    """Return the entities whose bits are set."""
    return frozenset(entity for entity in range(bits.bit_length()) if bits >> entity & 1)


def simulate_action(world: InterveneWorld, state: State, action: Action, v: int) -> State:
    """Return the state after an action, by parents that drive their children: the second way.

    Every moving entity is either driven by a moving parent or runs by itself. An action switches
    v's own running on or off; then all stops but what runs by itself, and motion spreads from
    parent to child until nothing changes. Nothing here knows of descendants.
    """
    driven = {effect for cause, effect in world.edges if cause in state}
    running = set(state) - driven
    if action == "move":
        running |= {v} - driven
    else:
        running -= {v}
    moving: set[int] = set()
    spread = running
    while spread != moving:
        moving = spread
        spread = moving | {effect for cause, effect in world.edges if cause in moving}
    return frozenset(moving)


def transitive_closure(world: InterveneWorld) -> NDArray[np.bool_]:
    """Return who reaches whom by squaring the matrix of edges: the second way to `reaches`."""
    paths = np.eye(world.n, dtype=np.int64)
    for cause, effect in world.edges:
        paths[cause, effect] = 1
    for _ in range(world.n.bit_length()):
        paths = np.minimum(paths @ paths, 1)
    np.fill_diagonal(paths, 0)
    return paths.astype(np.bool_)
