"""Which item stands where: worlds and questions are drawn until they are what a cell asks for.

| variant | what the item is |
|---|---|
| `trap` | all is told; every typical mistake is more than a point off, or picks the wrong one |
| `control` | all is told; the main mistake leads to the right answer |
| `idle` | one number is not told, and does not matter; else like a trap |
| `missing` | one number is not told, without which the answer may differ by five points or more |

Questions about what tables leave open have the answer that it cannot be computed, whatever the
variant, unless what is known lies upstream of the cause: a control of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import ImpossibleEvidence, Query, elimination, enumeration
from whybench.seeds import generator
from whybench.suites.calculate.drawing import draw_graph, draw_question, draw_rules, leave_out
from whybench.suites.calculate.mistakes import MAIN, make_mistakes
from whybench.suites.calculate.quantities import (
    EFFECTS,
    NOT_COMPUTABLE,
    PERCENT,
    POINTWISE,
    certify_quantities,
    complete_values,
    mediators,
)
from whybench.suites.calculate.splits import move_to_split

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate, Event
    from whybench.seeds import Split
    from whybench.suites.calculate.drawing import Mechanism, Variant
    from whybench.suites.calculate.quantities import Quantity, QueryKind
    from whybench.suites.calculate.world import StatedWorld

TOLERANCE = 0.5
"""An answer this near is right: half of the last place in which numbers are printed."""

SAME = 1e-9
"""Points by which floats may differ that stand for one number."""

MARGIN = 2 * TOLERANCE + SAME
"""Mistakes come to more than this away from the truth, so that no answer is near both."""

SPREAD = 5 + SAME
"""Points by which models differ where the answer is that it cannot be computed."""

APART = 3 + SAME
"""Points between two quantities of which the greater is asked."""

RAREST = 0.02 + SAME
"""What is known of a case holds in this share of cases or more."""

MOST_STATES = 2**12
"""States that enumeration may visit for one model: truths are found twice in good time."""

ATTEMPTS = 5000


@dataclass(frozen=True)
class ItemCell:
    """What an item must be.

    Attributes:
        query: The kind of quantity.
        mechanism: The kind of rules.
        variant: Trap, control, idle or missing.
        form: Whether a number is asked, or which of two is greater.
        size: The number of variables; one or two more where the query needs them.
        indegree: The most causes of a variable.
        number: Which of the items of the cell.
        split: The side of the train/test divide.
    """

    query: QueryKind
    mechanism: Mechanism
    variant: Variant
    form: str
    size: int
    indegree: int
    number: int
    split: Split = "test"

    @property
    def room(self) -> int:
        """The number of variables that the world has."""
        least = 2
        if self.query in {"nde", "nie"}:
            least = 3
        if self.variant in {"trap", "idle"} or self.form == "greater":
            least += 1
        if self.variant == "idle" and self.query in {"ett", *POINTWISE}:
            least += 1  # all else matters
        return max(self.size, least + (self.form == "greater" and self.variant != "control"))


@dataclass(frozen=True)
class Drawn:
    """A world and a question with their truth.

    Attributes:
        world: What is told, with nameless variables.
        asked: One quantity, or two.
        certificate: The truth by two derivations.
        mistakes: What each typical mistake comes to.
    """

    world: StatedWorld
    asked: tuple[Quantity, ...]
    certificate: Certificate
    mistakes: Mapping[str, float]


@lru_cache(maxsize=4096)
def draw_item(cell: ItemCell) -> Drawn:
    """Draw worlds and questions until one is what the cell asks for."""
    keys = (cell.query, cell.mechanism, cell.variant, cell.form, cell.room, cell.indegree)
    side = () if cell.split == "test" else (cell.split,)
    rng = generator("calculate", *keys, *side, cell.number)
    for _ in range(ATTEMPTS):
        graph = draw_graph(rng, cell.room, cell.indegree)
        asked = draw_question(rng, graph, cell.query, cell.variant, cell.form == "greater")
        if not asked:
            continue
        world = draw_rules(rng, graph, cell.mechanism)
        told = leave_out(rng, world, asked, cell.variant)
        placed = move_to_split(world, told, cell.split) if told else None
        if placed and (drawn := _accept(cell, *placed, asked)):
            return drawn
    raise ValueError(f"a world must be found in {ATTEMPTS} attempts, got none for {cell}")


def _accept(
    cell: ItemCell, full: StatedWorld, told: StatedWorld, asked: tuple[Quantity, ...]
) -> Drawn | None:
    """Return the item if it is what the cell asks for; None if not.

    That is seen in floats, which are fast; the truth of what is taken is found in fractions.
    """
    if cell.query == "nde" and cell.variant in {"trap", "idle"} and _acts_alike(full, asked[0]):
        return None
    queries = [query for each in asked for _, query in each.terms(told.graph)]
    if any(enumeration.states(full.rounded, query) > MOST_STATES for query in queries) or any(
        _is_rare(full, known) for known in {query.given for query in queries} - {()}
    ):
        return None
    try:
        found = complete_values(elimination.probability, told, asked, float)
        values = [row[0] - sum(row[1:]) for row in found]
        if not _fits_values(cell, values):
            return None
        mistakes = make_mistakes(told, asked)
        fits = _fits_pair if len(asked) > 1 else _fits_number
        if not _is_open(cell) and not fits(cell, values[0], mistakes):
            return None
        return Drawn(told, asked, certify_quantities(told, asked), mistakes)
    except ImpossibleEvidence:  # In floats, its probability may be a little more than 0.
        return None


def _acts_alike(world: StatedWorld, asked: Quantity) -> bool:
    """Whether a cause does nearly the same to the effect whatever the mediators, its only others.

    A direct effect and what is seen of it are then two means of nearly the same numbers.
    """
    causes = world.rule[asked.effect].causes
    if {*causes} != {asked.cause, *mediators(world.graph, asked.cause, asked.effect)}:
        return False
    shares = world.rounded.table(asked.effect).reshape([2] * len(causes))
    absent, present = np.moveaxis(shares, causes.index(asked.cause), 0)
    return bool(PERCENT * np.ptp(present - absent) < 2 * TOLERANCE)


def _fits_values(cell: ItemCell, values: list[float]) -> bool:
    """Whether models agree or differ as the variant says, and by enough."""
    low, high, pair = min(values), max(values), cell.form == "greater"
    settled = high - low < SAME
    if settled == _is_open(cell):
        return False
    if settled:
        return abs(low) > APART if pair else MARGIN < abs(low) < PERCENT - MARGIN
    return low < -APART and high > APART if pair else high - low > SPREAD


def _is_open(cell: ItemCell) -> bool:
    """Whether what is asked is to have no answer."""
    return cell.variant == "missing" or _is_open_in_tables(cell)


def _is_open_in_tables(cell: ItemCell) -> bool:
    """Whether what is asked is left open by tables, whatever their numbers."""
    known_before = cell.query == "counterfactual" and cell.variant == "control"
    return cell.mechanism == "tables" and cell.query in POINTWISE and not known_before


def _is_rare(world: StatedWorld, known: tuple[Event, ...]) -> bool:
    return float(elimination.probability(world.rounded, Query(known))) < RAREST


def _fits_number(cell: ItemCell, truth: float, mistakes: Mapping[str, float]) -> bool:
    """Whether mistakes about a number come to what the variant says of them."""
    main = mistakes[MAIN[cell.query]]
    if cell.variant == "control":
        right = abs(main - truth) < SAME
        return right and (cell.query in EFFECTS or abs(mistakes["base_rate"] - truth) > MARGIN)
    made = [value for value in mistakes.values() if value != NOT_COMPUTABLE]
    return all(abs(value - truth) > MARGIN for value in made)


def _fits_pair(cell: ItemCell, difference: float, mistakes: Mapping[str, float]) -> bool:
    """Whether the main mistake picks the one of two that the variant says."""
    picked, right = mistakes[MAIN[cell.query]], 1.0 if difference > 0 else 2.0
    if picked == NOT_COMPUTABLE:
        return False
    return picked == right if cell.variant == "control" else picked != right
