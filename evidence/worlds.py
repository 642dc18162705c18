"""The figures of the worlds of intervene: transitions, the core set, balance, sameness, speed."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts, figures_of
from whybench.suites.intervene.design import DESIGNS
from whybench.suites.intervene.generation import intervene_items, item_at
from whybench.suites.intervene.sets import draw_advanced_world, split_of_world
from whybench.suites.intervene.world import (
    ACTIONS,
    InterveneWorld,
    simulate_action,
    transitive_closure,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TRANSITIONS = {2: 28, 3: 264, 4: 4064, 5: 109_760}
"""Number of transitions of all topologically labelled graphs, by number of entities."""

CORE = {"direct": 6, "mediation": 24, "confounder": 30, "confounder-perturbed": 24}


@dataclass(frozen=True)
class Compared:
    """How many worlds and transitions were computed in two ways, and how many came out unlike."""

    worlds: int
    transitions: int
    unlike: int


def all_worlds(n: int) -> Iterator[InterveneWorld]:
    """Yield every graph on n entities whose edges lead from earlier to later ones."""
    pairs = tuple(combinations(range(n), 2))
    for bits in range(2 ** len(pairs)):
        yield InterveneWorld(
            n, tuple(pair for place, pair in enumerate(pairs) if bits >> place & 1)
        )


def compare_transitions(n: int) -> Compared:
    """Compare every transition of every world on n entities, and who reaches whom."""
    worlds = transitions = unlike = 0
    for world in all_worlds(n):
        worlds += 1
        unlike += transitive_closure(world).tolist() != [list(row) for row in world.reaches]
        for state in world.closed_states():
            for action in ACTIONS:
                for entity in range(n):
                    transitions += 1
                    after = world.step(state, action, entity)
                    unlike += after != simulate_action(world, state, action, entity)
    return Compared(worlds, transitions, unlike)


def yes_of_blocks(graphs: int) -> set[tuple[float, int]]:
    """Return, for the blocks of an advanced design, share of yes and of "yes if listed first"."""
    design = replace(DESIGNS["advanced"], graphs=graphs)
    items = list(intervene_items(design))
    blocks = [items[start : start + design.block] for start in range(0, len(items), design.block)]
    return {
        (
            sum(item.truth for item in block) / len(block),
            2 * sum(item.truth == (item.order == "along") for item in block) - len(block),
        )
        for block in blocks
    }


def worlds_a_second(n: int, count: int) -> float:
    """Return how many advanced worlds of the test side are made in a second of this process."""
    started = time.process_time()
    for draw in range(count):
        draw_advanced_world(n, 0.5, draw, False, "test")
    return count / (time.process_time() - started)


def transitions(small: bool) -> Iterator[Figure]:
    """Compare the transition function with its second definition."""
    for n in (2, 3, 4) if small else TRANSITIONS:
        compared = compare_transitions(n)
        yield Figure(
            f"n = {n}: both definitions agree on all {TRANSITIONS[n]:,} transitions",
            f"{compared.worlds:,} worlds, {compared.transitions:,} transitions, "
            f"{compared.unlike} unlike",
            compared.transitions == TRANSITIONS[n] and compared.unlike == 0,
        )


def core(_: bool) -> Iterator[Figure]:
    """Count the core set."""
    items = list(intervene_items(DESIGNS["core"]))
    counts = Counter(item.structure for item in items)
    true = sum(item.truth for item in items)
    yield Figure(
        "core: 84 cases, 6/24/30/24 by structure, 37 of them true",
        f"{len(items)} cases, {'/'.join(str(counts[name]) for name in CORE)}, {true:.0f} true",
        dict(counts) == CORE and len(items) == 84 and true == 37,
    )
    listed = sum(item.truth == (item.order == "along") for item in items)
    yield Figure(
        'core: "yes if listed first" is right on half of the cases (61 of 84 in the source)',
        f"right on {listed} of {len(items)}",
        2 * listed == len(items),
    )


def balance(small: bool) -> Iterator[Figure]:
    """Look at the labels of the advanced sets."""
    graphs = 40 if small else 400
    found = yes_of_blocks(graphs)
    yield Figure(
        'advanced: in every block half of the answers are yes, and "yes if listed first" is chance',
        f"{graphs // 2} blocks: share of yes {sorted({share for share, _ in found})}, "
        f"excess of listed first {sorted({excess for _, excess in found})}",
        found == {(0.5, 0)},
    )
    items = list(intervene_items(replace(DESIGNS["source-advanced"], graphs=graphs)))
    share = sum(item.truth for item in items) / len(items)
    yield Figure(
        "source-advanced: always yes is right on 0.73 (±0.03; its sampler was chosen for it)",
        f"{share:.4f} of {len(items):,} questions",
        abs(share - 0.73) <= 0.03,
    )


def sameness(small: bool) -> Iterator[Figure]:
    """See whether items depend on how many are made, whether ids repeat, and sides mix."""
    few = replace(DESIGNS["advanced"], graphs=20 if small else 200)
    many = replace(few, graphs=2_500_000)
    items = list(intervene_items(few))
    same = sum(item == item_at(many, index) for index, item in enumerate(items))
    yield Figure(
        f"item i is the same among {few.size:,} and among {many.size:,}",
        f"{same:,} of {few.size:,} the same",
        same == few.size,
    )
    train = list(intervene_items(replace(few, split="train")))
    ids = {item.id for item in items} | {item.id for item in train}
    yield Figure(
        "ids are unique", f"{len(ids):,} ids of {2 * few.size:,} items", len(ids) == 2 * few.size
    )
    wrong = sum(split_of_world(item.hidden) != item.split for item in (*items, *train))
    yield Figure("every world lies on its side of the divide", f"{wrong} do not", wrong == 0)


def speed(small: bool) -> Iterator[Figure]:
    """Measure how fast worlds are made."""
    count, bound = (300, 300) if small else (5000, 2000)
    for n in (4, 5, 6, 7):
        rate = worlds_a_second(n, count)
        yield Figure(f"n = {n}: {bound:,} worlds a second", f"{rate:,.0f}", rate >= bound, True)


PARTS: Parts = {
    "transitions": transitions,
    "core": core,
    "balance": balance,
    "sameness": sameness,
    "speed": speed,
}

figures = partial(figures_of, PARTS)
