"""Draw worlds and questions: first the graph, then the side of the divide, then all percentages."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from whybench.seeds import generator, split_of
from whybench.suites.derive.world import (
    ChainGraph,
    DeriveQuestion,
    Start,
    associate,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from whybench.seeds import Split
    from whybench.suites.derive.world import Pair

DEEPEST = 10

PERCENTAGES = range(2, 99)
"""The percentages of rules."""

LARGEST = 94
"""The largest difference in points, so that skipping a rule changes the answer by 6% or more."""

LINKS: tuple[Pair, ...] = tuple(
    pair
    for low in PERCENTAGES[:29]
    for high in PERCENTAGES[-29:]
    if high - low <= LARGEST
    for pair in ((low, high), (high, low))
)
"""The percentages that a lamp on the chain after c1 may have, all equally likely."""

SHARES = (*range(25, 46), *range(55, 76))
"""The percentages of the confounder."""

SELECTING = 60
"""By how many points at least the confounder changes the probability of x."""

SMALLEST = 10
"""The smallest first factor in points."""

INTERACTION = 60
"""How many points D0 and D1 are apart, at least."""

MARGIN = 7
"""By what percentage of the first factor D0, D1 and their mean are off, at least."""

CONFOUNDING = 0.1
"""By what share of the effect the observational difference is off, at least."""


def size_for(depth: int) -> int:
    """Return the number of lamps of a world for questions of this depth."""
    return 6 + 2 * depth


def draw_structure(rng: np.random.Generator, depth: int, size: int) -> ChainGraph:
    """Draw a graph, in which lamps outside the question have up to two causes among all lamps."""
    confounder, *chain = sorted(rng.choice(size, depth + 2, replace=False).tolist())
    cause, first = chain[:2]
    known = {after: (before,) for before, after in pairwise(chain)}
    known |= {confounder: (), cause: (confounder,), first: (cause, confounder)}
    causes = []
    for lamp in range(size):
        if lamp not in known:
            number = min(lamp, int(rng.integers(3)))
            known[lamp] = tuple(rng.choice(lamp, number, replace=False).tolist())
        causes.append(known[lamp])
    return ChainGraph(tuple(causes), confounder, tuple(chain))


def draw_link(rng: np.random.Generator) -> Pair:
    """Draw the percentages of a lamp on the chain."""
    return LINKS[rng.integers(len(LINKS))]


def is_strong(start: Start) -> Any:
    """Return whether the first factor is large and depends enough on the confounder.

    It is from `SMALLEST` to `LARGEST`, D0 and D1 are `INTERACTION` apart, and neither of them nor
    their mean is within `MARGIN` of it. All of this is about the percentage that the confounder
    has, and D0 and D1 may differ in sign. If the margins held for every percentage, one of the two
    would nearly give the other.
    """
    off, on = start.differences
    size = abs(start.first)
    strong = (size >= 100 * SMALLEST) & (size <= 100 * LARGEST) & (abs(on - off) >= INTERACTION)
    for other in (100 * off, 100 * on, 50 * (off + on)):
        strong &= 100 * abs(other - start.first) >= MARGIN * size
    return strong


def is_confounded(start: Start) -> Any:
    """Return whether the observational difference is `CONFOUNDING` or more off."""
    first = start.first / 100
    return abs(associate(start) - first) >= CONFOUNDING * abs(first)


def draw_start(rng: np.random.Generator) -> tuple[int, Pair, tuple[Pair, Pair]]:
    """Draw the percentages of the confounder, of the cause and of the first lamp after it.

    All that have the margins are equally likely.
    """
    while True:
        selection = _draw_pair(rng)
        while abs(selection[0] - selection[1]) < SELECTING:
            selection = _draw_pair(rng)
        share, strata = _draw_terms(rng)
        while not is_strong(Start(share, selection, strata)):
            share, strata = _draw_terms(rng)
        if is_confounded(Start(share, selection, strata)):
            return share, selection, strata


def _draw_terms(rng: np.random.Generator) -> tuple[int, tuple[Pair, Pair]]:
    return int(rng.choice(SHARES)), (_draw_pair(rng), _draw_pair(rng))


def _draw_pair(rng: np.random.Generator) -> Pair:
    one, other = _draw_percentages(rng, 2)
    return one, other


def _draw_percentages(rng: np.random.Generator, number: int) -> list[int]:
    drawn: list[int] = rng.integers(PERCENTAGES.start, PERCENTAGES.stop, number).tolist()
    return drawn


def draw_rules(rng: np.random.Generator, structure: ChainGraph) -> tuple[tuple[int, ...], ...]:
    """Draw the percentages of all lamps."""
    share, selection, (without, with_) = draw_start(rng)
    cause, first, *later = structure.chain
    rules: dict[int, Sequence[int]] = {
        structure.confounder: (share,),
        cause: selection[::-1],
        first: (without[1], with_[1], without[0], with_[0]),
    }
    rules |= {lamp: draw_link(rng)[::-1] for lamp in later}
    for lamp, causes in enumerate(structure.causes):
        if lamp not in rules:
            rules[lamp] = rng.integers(
                PERCENTAGES.start, PERCENTAGES.stop, 2 ** len(causes)
            ).tolist()
    return tuple(tuple(rules[lamp]) for lamp in range(structure.size))


def split_of_structure(structure: ChainGraph) -> Split:
    """Return the side of the train/test divide, which does not depend on the percentages."""
    return split_of(("derive", structure))


def draw_question(depth: int, size: int, split: str, draw: int, query: str) -> DeriveQuestion:
    """Draw a world and a question of a depth; both queries are about the same world.

    Args:
        depth: The number of rules between cause and effect.
        size: The number of lamps.
        split: The side of the train/test divide.
        draw: The number of the world.
        query: `do` or `product`.
    """
    rng = generator("derive", depth, size, split, draw)
    structure = draw_structure(rng, depth, size)
    while split_of_structure(structure) != split:
        structure = draw_structure(rng, depth, size)
    return DeriveQuestion(structure, draw_rules(rng, structure), query)
