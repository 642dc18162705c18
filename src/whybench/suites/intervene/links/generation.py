"""Draw cases of dotted links: `python -m whybench.suites.intervene.links.generation FILE`.

All diagrams have the same number of entities and of dotted links. For each depth there are chains.
A chain begins with a random diagram of this depth. It changes one thing at a time, and keeps a
change after which the depth is the same and lists of actions score no more than before. Once no
list scores more than 0.35 for suitable weights, the diagram is a case. The chain goes on from
there, and yields another case after a number of changes that were kept. All cases of a chain lie on
one side of the train/test divide, and isomorphic copies are left out. Chains depend on their
numbers alone, so the file is the same on every machine.
"""

from __future__ import annotations

import sys
from itertools import permutations
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import CyclicGraph
from whybench.seeds import generator
from whybench.suites.intervene.links.cases import (
    DEPTHS,
    ENTITIES,
    LINKS,
    TESTS,
    LinkCase,
    write_case,
)
from whybench.suites.intervene.links.diagram import Diagram
from whybench.suites.intervene.links.lists import (
    best_share,
    round_weights,
    settled_sets,
    solve_game,
)
from whybench.suites.intervene.links.planning import find_depth
from whybench.suites.intervene.links.shapes import describe_shape
from whybench.suites.intervene.world import InterveneWorld, bits_to_state, state_to_bits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.seeds import Split
    from whybench.suites.intervene.world import State

MOST = 0.35
"""The highest share of the weight that a list may settle in a case."""

LARGEST = 0.25
"""The largest share of the weight that one dotted link may have in a case."""

FEWEST = 5
"""The least number of dotted links with weight in a case."""

DENSITIES = {
    2: (0.1, 0.2, 0.35, 0.5, 0.65),
    3: (0.1, 0.2, 0.35, 0.5, 0.65),
    4: (0.35, 0.5, 0.65),
}
"""The probabilities of a solid link at the beginning of a chain by depth."""

START = (0.5, 1.0)
"""The probabilities that an entity is set off at the beginning of a chain."""

NARROW, WIDE = 20, 100
"""How many beginnings of lists are followed to compare diagrams."""

FIRST = {2: inf, 3: inf, 4: 0.4}
"""The most that lists may cost on the first diagram of a chain by depth. With a limit, this diagram
may be a case; without one, the first case comes after some changes."""

CLIMB = {2: (90, 300), 3: (90, 300), 4: (0, 0)}
"""After how many changes without a case a chain ends: where lists cost much, and little."""

MUCH = 0.5
"""The cost of lists that is much."""

APART = 30
"""How many changes lie between two cases of a chain."""

PER_CHAIN = {2: 5, 3: 5, 4: 1}
"""The largest number of cases of a chain by depth."""

TRAIN_EVERY = 5
"""One of this number of chains with a case is for training."""


def draw_diagram(depth: int, rng: np.random.Generator) -> Diagram:
    """Return a random diagram to begin a chain of a depth, perhaps of another depth itself."""
    while True:
        density = DENSITIES[depth][rng.integers(len(DENSITIES[depth]))]
        drawn = np.argwhere(np.triu(rng.random((ENTITIES, ENTITIES)) < density, 1)).tolist()
        world = InterveneWorld(ENTITIES, tuple((u, w) for u, w in drawn))
        moving = np.flatnonzero(rng.random(ENTITIES) < START[rng.integers(len(START))]).tolist()
        initial = world.close_state(frozenset(moving))
        pairs = permutations(range(ENTITIES), 2)
        free = [link for link in pairs if _is_free(world, initial, link)]
        if len(free) >= LINKS:
            dotted = tuple(free[k] for k in rng.permutation(len(free))[:LINKS].tolist())
            return Diagram(ENTITIES, world.edges, dotted, state_to_bits(initial))


def _is_free(world: InterveneWorld, initial: State, link: tuple[int, int]) -> bool:
    """Return whether a link may be dotted: new, without a cycle, possible in the first state."""
    u, w = link
    related = world.causes(u, w) or world.causes(w, u)
    return not related and (u not in initial or w in initial)


def change_diagram(diagram: Diagram, rng: np.random.Generator) -> Diagram:
    """Return a diagram that differs in one solid link, dotted link, or entity that moves first."""
    while True:
        kind, entity = rng.integers(4), int(rng.integers(ENTITIES))
        u, w = rng.permutation(ENTITIES)[:2].tolist()
        solid, dotted, moving = (
            {*diagram.solid},
            list(diagram.dotted),
            bits_to_state(diagram.initial),
        )
        if kind == 0:
            moving = moving ^ {entity}
        elif kind == 1:
            solid ^= {(u, w)}
        else:
            dotted[rng.integers(LINKS)] = (u, w)
        try:
            world = InterveneWorld(ENTITIES, tuple(sorted(solid)))
        except CyclicGraph:
            continue
        initial = world.close_state(moving)
        links = {link for link in dotted if _is_free(world, initial, link)}
        if len(links) == LINKS:
            return Diagram(ENTITIES, world.edges, tuple(dotted), state_to_bits(initial))


def find_weights(diagram: Diagram, depth: int) -> tuple[int, ...] | None:
    """Return the weights with which a diagram is a case; None if there are none."""
    for width in (WIDE, 0):
        sets = settled_sets(diagram, depth, width)
        weights = round_weights(solve_game(sets, LINKS)[1])
        largest = max(weights) / sum(weights)
        support = sum(weight > 0 for weight in weights)
        if best_share(sets, weights) > MOST or largest > LARGEST or support < FEWEST:
            return None
    return weights


def walk_chain(depth: int, number: int) -> Iterator[tuple[Diagram, tuple[int, ...]]]:
    """Yield the diagrams of a chain that are cases, with their weights."""
    rng = generator("intervene", "links", depth, number)
    cost = inf
    while cost == inf or cost > FIRST[depth]:
        diagram = draw_diagram(depth, rng)
        if find_depth(diagram, depth) == depth:
            cost = solve_game(settled_sets(diagram, depth, NARROW), LINKS)[0]
    kept = found = changes = 0
    if isfinite(FIRST[depth]) and (weights := find_weights(diagram, depth)):
        yield diagram, weights
        found = 1
    while found < PER_CHAIN[depth] and changes < CLIMB[depth][cost < MUCH] * (1 + found):
        changes += 1
        other = change_diagram(diagram, rng)
        if find_depth(other, depth) != depth:
            continue
        for width in (NARROW, WIDE):
            # Against more lists the cost is not lower, so a few lists rule most changes out.
            new = solve_game(settled_sets(other, depth, width), LINKS)[0]
            if new > cost + 1e-9:
                break
        else:
            diagram, cost, kept = other, new, kept + 1
            if kept >= APART * bool(found) and (weights := find_weights(diagram, depth)):
                yield diagram, weights
                found, kept = found + 1, 0


def draw_cases(depth: int) -> Iterator[LinkCase]:
    """Yield cases of a depth until enough are for tests, no two of them isomorphic."""
    shapes: set[str] = set()
    number = chains = tests = 0
    while tests < TESTS:
        last = chains % TRAIN_EVERY == TRAIN_EVERY - 1
        side: Split = "train" if last else "test"
        before = len(shapes)
        for diagram, weights in walk_chain(depth, number):
            shape = describe_shape(diagram)
            if shape not in shapes and tests < TESTS:
                shapes.add(shape)
                tests += side == "test"
                yield LinkCase(depth, side, diagram, weights)
        number += 1
        chains += len(shapes) > before


def main() -> None:
    """Write the file that the command line names."""
    lines = [f"{write_case(case)}\n" for depth in DEPTHS for case in draw_cases(depth)]
    Path(sys.argv[1]).write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
