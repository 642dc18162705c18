"""Which worlds are asked about: the core, limited and graph sets, and the two advanced sets.

**core** has the three smallest causal structures and a fourth that perturbs the third, every state
they can be in, and every ordered pair. It is complete: 84 cases, of which 37 are true. Mediation
and the perturbed confounder behave alike, as their entities reach each other alike.

**limited** is the set of the headline. Cause and effect both move at first, and so do all other
entities, or all but one; the number of actions is what suffices in the worst case
(`experimenters.controlled`), and no more. Of each number of entities and each kind of first state
as many answers are yes as no, and of either as many name first what is listed first. Graphs are
drawn evenly among all directed acyclic ones, a new one for each question, and listed in an order of
its own.

**graph** asks of a world not one pair but all: who causes whom. Graphs are drawn as for limited,
each with a listing of its own; the number of actions is what suffices to settle every pair
(`experimenters.survey`).

**advanced** has random worlds of any size and density. Of each world four questions are asked: one
pair in which one entity causes the other, in both orders (one true, one false); a second such pair
(true); and a pair that is unrelated (false). In each world one true and one false question name
first what is listed first, so neither "always yes" nor "yes if listed first" beats a coin, in any
world.

**source-advanced** has the worlds of the source, as far as it tells how it makes them: entities
listed in causal order and asked about in that order only, all of them moving. It is kept for
comparison and is *not balanced*: nearly three of four answers are yes. The source does not state
its sampler. This one rejects graphs until every entity but the first has a cause, and was chosen
among several because it comes near the 73% of yes that we hold to be the source's; rejecting graphs
that are not connected, as advanced does, would give about 67%.

A random world belongs to one side of the train/test divide: the split is a digest of its *shape*,
which does not depend on names or listing: of each entity, how many it reaches and is reached by,
and how many those do. So no test world is a training world with its entities renamed. Small shapes
are few: six of 16 with four entities are for tests, 18 of 63 with five. The core set and
source-advanced are for tests only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.seeds import Split, generator, split_of
from whybench.suites.contract import UserError
from whybench.suites.intervene.experimenters.pool import draw_graphs
from whybench.suites.intervene.world import InterveneWorld, State

if TYPE_CHECKING:
    from collections.abc import Mapping

Pair = tuple[int, int]
"""The supposed cause and the supposed effect."""

Initial = Literal["all-moving", "rest", "some-moving"]

INITIAL: tuple[Initial, ...] = ("all-moving", "rest", "some-moving")
"""The kinds of first states."""

STRUCTURES: Mapping[str, InterveneWorld] = {
    "direct": InterveneWorld(2, ((0, 1),)),
    "mediation": InterveneWorld(3, ((0, 1), (1, 2))),
    "confounder": InterveneWorld(3, ((1, 0), (1, 2))),
    "confounder-perturbed": InterveneWorld(3, ((1, 0), (1, 2), (0, 2))),
}
"""The structures of the core set."""

QUESTIONS = ("cause", "effect", "second-cause", "unrelated")
"""What is asked of an advanced world; the first two are one pair in both orders."""

LIMITED = tuple((truth, along) for truth in (True, False) for along in (True, False))
"""What is asked of limited worlds, one each: whether the answer is yes, and whether the supposed
cause is listed first."""

SOURCE_PAIRS = 6
"""How many pairs the source asks about in each world."""

CACHED = 4096
"""How many random worlds are remembered: all questions of one stand in one block."""

TRIES = 100_000
LISTINGS = 8


@dataclass(frozen=True)
class RandomWorld:
    """A random world, listed, with the pairs that are asked about.

    Attributes:
        world: The hidden graph; entity i is the i-th listed.
        pairs: The pairs asked about; in an advanced world in the order of `QUESTIONS`.
    """

    world: InterveneWorld
    pairs: tuple[Pair, ...]


def split_of_world(world: InterveneWorld) -> Split:
    """Return the side of the train/test divide on which a world lies, however it is listed."""
    return _split_of_shape(shape_text(world))


def shape_text(world: InterveneWorld) -> str:
    """Return what decides the side of a world, in one line: the same however it is listed."""
    pairs = permutations(range(world.n), 2)
    return _shape_text(world.n, [(x, y) for x, y in pairs if world.reaches[x][y]])


def _shape_text(n: int, related: list[Pair]) -> str:
    """Return of each entity how many it reaches and is reached by, and the same of all of these."""
    below: list[list[int]] = [[] for _ in range(n)]
    above: list[list[int]] = [[] for _ in range(n)]
    for x, y in related:
        below[x].append(y)
        above[y].append(x)
    size = [f"{len(below[v])}.{len(above[v])}" for v in range(n)]
    told = [
        " ".join([size[v], ">", *sorted(size[u] for u in below[v]), "<"])
        + " ".join(sorted(size[u] for u in above[v]))
        for v in range(n)
    ]
    return f"{n}: {'; '.join(sorted(told))}"


SALT = 965
"""Chosen so that both sides have shapes of every size on which fixed lists score alike: of four
entities there are only 16 shapes, and by chance a side may have those that suit a list."""


@cache
def _split_of_shape(shape: str) -> Split:
    return split_of(("intervene", "shape", SALT, shape))


def _reachable_pairs(n: int, edges: tuple[Pair, ...]) -> list[Pair]:
    """Return who reaches whom where every edge leads from an earlier to a later entity."""
    below = [0] * n
    for cause, effect in sorted(edges, reverse=True):
        below[cause] |= 1 << effect | below[effect]
    return [(x, y) for x, y in _ordered_pairs(n) if below[x] >> y & 1]


def classify_initial(world: InterveneWorld, state: State) -> Initial:
    """Say whether all, none or some of the entities move."""
    if not state:
        return "rest"
    return "all-moving" if len(state) == world.n else "some-moving"


def draw_initial(world: InterveneWorld, kind: Initial, *key: object) -> State:
    """Return a first state of a kind; where some move, it is a random one that belongs to the key.

    A random number of entities are set off, and those that they drive move too.
    """
    if kind == "rest":
        return frozenset()
    everything = frozenset(range(world.n))
    if kind == "all-moving":
        return everything
    rng = generator("intervene", "initial", *key)
    while True:
        first = rng.permutation(world.n)[: rng.integers(1, world.n)].tolist()
        state = world.close_state(frozenset(first))
        if state != everything:
            return state


@cache
def list_core_cases() -> tuple[tuple[str, InterveneWorld, State, Pair, bool], ...]:
    """Return the cases of the core set: structure, world, first state, pair, listed in order.

    The last entry says whether the supposed cause is to be listed before the supposed effect. It
    alternates among the true and among the false cases, so that "yes if listed first" is right on
    half of the set.
    """
    cases = []
    seen = {True: 0, False: 0}
    for structure, world in STRUCTURES.items():
        for state in world.closed_states():
            for x, y in permutations(range(world.n), 2):
                truth = world.causes(x, y)
                cases.append((structure, world, state, (x, y), seen[truth] % 2 == 0))
                seen[truth] += 1
    return tuple(cases)


@cache
def edge_count(n: int, density: float) -> int:
    """Return the number of edges nearest to a share of all n (n - 1) / 2 possible ones.

    Raises:
        UserError: That many edges cannot connect all entities, or leave no pair unrelated.
    """
    possible = n * (n - 1) // 2
    edges = round(density * possible)
    if not n - 1 <= edges < possible:
        raise UserError(
            f"density must leave from {n - 1} (to connect all) to {possible - 1} (to leave a pair "
            f"unrelated) of {possible} edges at n = {n}, got {density}, which is {edges} edges"
        )
    return edges


@lru_cache(maxsize=CACHED)
def draw_advanced_world(
    n: int, density: float, draw: int, mirrored: bool, split: Split
) -> RandomWorld:
    """Return a random world with its four questions, always the same for the same arguments.

    Args:
        n: Number of entities.
        density: Share of the possible edges.
        draw: Which of the worlds of this kind.
        mirrored: Whether the first pair is asked against the listing when the truth is yes.
        split: The side on which the world must lie.

    Raises:
        UserError: No such world was found in many tries.
    """
    edges = edge_count(n, density)
    rng = generator("intervene", "advanced", split, n, density, draw, mirrored)
    for _ in range(TRIES):
        graph = _draw_subset(_ordered_pairs(n), edges, rng)
        if not _is_connected(n, graph):
            continue
        related = _reachable_pairs(n, graph)
        if 2 * len(related) == n * (n - 1) or _split_of_shape(_shape_text(n, related)) != split:
            continue
        for _ in range(LISTINGS):
            number = rng.permutation(n).tolist()
            listed = sorted((number[x], number[y]) for x, y in related)
            along = [(x, y) for x, y in listed if x < y]
            against = [(x, y) for x, y in listed if x > y]
            if along and against:
                world = InterveneWorld(n, graph).renumber(number)
                first, second = (against, along) if mirrored else (along, against)
                return RandomWorld(world, _draw_pairs(n, first, second, mirrored, rng))
    raise UserError(
        f"no {split} world with n = {n} and density {density} was found in {TRIES} tries in which "
        "all entities are connected and some pair is unrelated; ask for another density"
    )


def _draw_pairs(
    n: int, first: list[Pair], second: list[Pair], mirrored: bool, rng: np.random.Generator
) -> tuple[Pair, ...]:
    x, y = first[rng.integers(len(first))]
    related = {*first, *second}
    unrelated = [(u, w) for u, w in _ordered_pairs(n) if not related & {(u, w), (w, u)}]
    u, w = unrelated[rng.integers(len(unrelated))]
    return (x, y), (y, x), second[rng.integers(len(second))], (w, u) if mirrored else (u, w)


def draw_limited_case(
    n: int, initial: Initial, truth: bool, along: bool, *key: object, split: Split
) -> tuple[InterveneWorld, State, Pair]:
    """Return a random world, a first state and a pair, with the answer and listing asked for.

    Args:
        n: Number of entities.
        initial: Whether all move at first, or all but one beside cause and effect.
        truth: Whether the supposed cause is one.
        along: Whether it is listed before the supposed effect.
        key: What the draw belongs to.
        split: The side on which the world must lie.

    Raises:
        UserError: No such world was found in many tries.
    """
    rng = generator("intervene", "limited", split, n, initial, truth, along, *key)
    for _ in range(TRIES):
        world = _draw_world(n, rng)
        pairs = [(x, y) for x, y in permutations(range(n), 2) if world.causes(x, y) == truth]
        if not pairs or split_of_world(world) != split:
            continue
        x, y = pairs[rng.integers(len(pairs))]
        state = frozenset(range(n))
        if initial == "some-moving":
            # What rests must not be driven by what moves, which is all the others.
            free = [v for v in range(n) if v not in (x, y) and world.is_closed(state - {v})]
            if not free:
                continue
            state -= {free[rng.integers(len(free))]}
        number = rng.permutation(n).tolist()
        if (number[x] < number[y]) != along:
            number[x], number[y] = number[y], number[x]
        moving = frozenset(number[v] for v in state)
        return world.renumber(number), moving, (number[x], number[y])
    raise UserError(
        f"no {split} world with n = {n} was found in {TRIES} tries for {initial}; "
        "ask for another number of entities"
    )


def _draw_world(n: int, rng: np.random.Generator) -> InterveneWorld:
    """Return a random world, every graph being equally likely."""
    edges = np.argwhere(draw_graphs(n, 1, rng)[0]).tolist()
    return InterveneWorld(n, tuple((cause, effect) for cause, effect in edges))


@lru_cache(maxsize=CACHED)
def draw_graph_world(n: int, initial: Initial, draw: int, split: Split) -> InterveneWorld:
    """Return a random world of which all pairs are asked, always the same for the same arguments.

    Raises:
        UserError: No such world was found in many tries.
    """
    rng = generator("intervene", "graph", split, n, initial, draw)
    for _ in range(TRIES):
        world = _draw_world(n, rng)
        if split_of_world(world) == split:
            return world
    raise UserError(f"no {split} world with n = {n} was found in {TRIES} tries")


@lru_cache(maxsize=CACHED)
def draw_source_world(n: int, density: float, draw: int) -> RandomWorld:
    """Return a world in the manner of the source: listed causes first, pairs asked in that order.

    Raises:
        UserError: No such world was found in many tries, or there are not six pairs.
    """
    pairs = _ordered_pairs(n)
    if len(pairs) < SOURCE_PAIRS:
        raise UserError(f"n must be 4 or more for {SOURCE_PAIRS} pairs of a world, got {n}")
    edges = edge_count(n, density)
    rng = generator("intervene", "source-advanced", n, density, draw)
    for _ in range(TRIES):
        graph = _draw_subset(_ordered_pairs(n), edges, rng)
        if len({effect for _, effect in graph}) == n - 1:
            return RandomWorld(InterveneWorld(n, graph), _draw_subset(pairs, SOURCE_PAIRS, rng))
    raise UserError(
        f"no world with n = {n} and density {density} was found in {TRIES} tries in which "
        "every entity but the first has a cause; ask for another density"
    )


@cache
def _ordered_pairs(n: int) -> tuple[Pair, ...]:
    return tuple(combinations(range(n), 2))


def _draw_subset(pairs: tuple[Pair, ...], count: int, rng: np.random.Generator) -> tuple[Pair, ...]:
    """Return some of the pairs in their order, all choices equally likely."""
    return tuple(pairs[k] for k in sorted(rng.permutation(len(pairs))[:count].tolist()))


def _is_connected(n: int, edges: tuple[Pair, ...]) -> bool:
    """Whether there is a path between any two entities, whatever the directions."""
    part = list(range(n))
    for cause, effect in edges:
        if part[cause] != part[effect]:
            old, new = part[effect], part[cause]
            part = [new if entry == old else entry for entry in part]
    return len(set(part)) == 1
