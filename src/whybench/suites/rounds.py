"""Asking in rounds: the questions of a round depend on the answers to the rounds before.

A suite whose items have a depth may ask them adaptively (`Adaptive`). Each horizon of a design is a
ladder: the cells of the design that differ in depth alone. Its next questions are placed by
`whybench.stats.placement`, and are about the next worlds at these depths, so no item is asked twice
and no horizon has two questions about one world. All follows from the design and the answers, so
an interrupted run continues with the same questions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import TYPE_CHECKING, Any

from whybench.stats.placement import Placement, expect_questions
from whybench.suites.abilities import Budget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from whybench.suites.items import Item, Scalar

    Cell = dict[str, Scalar]
    Answers = Mapping[str, bool | None]

DEPTH = "depth"


@dataclass(frozen=True)
class Adaptive:
    """How a suite asks in rounds.

    Attributes:
        guess: The guessing rate.
        make_item: Returns the item of a design, a cell and the number of a world.
    """

    guess: float
    make_item: Callable[[Any, Mapping[str, Any], int], Item]


BUDGETS = {
    "small": Budget(
        {"design": "adaptive", "worlds": 12, "most": 48},
        "at most 48 questions of each horizon, placed by the answers",
    ),
    "standard": Budget(
        {"design": "adaptive"},
        "at most 96 questions of each horizon, placed by the answers",
    ),
    "full": Budget(
        {"design": "adaptive", "worlds": 60, "most": 240},
        "at most 240 questions of each horizon, placed by the answers",
    ),
}
"""The budgets of suites with a design `adaptive`."""


@dataclass(frozen=True)
class Rounds:
    """The rounds of a design.

    Attributes:
        adaptive: How its suite asks in rounds.
        design: The design. It has `cells`, the most questions of a ladder (`most`), and the number
            of worlds at each depth (`worlds`).
    """

    adaptive: Adaptive
    design: Any

    @cached_property
    def _ladders(self) -> list[dict[int, Cell]]:
        """The cells of each ladder by depth, in ascending order."""
        ladders: dict[tuple[object, ...], dict[int, Cell]] = {}
        for cell in sorted(self.design.cells(), key=lambda cell: int(cell[DEPTH])):
            key = tuple(level for name, level in cell.items() if name != DEPTH)
            ladders.setdefault(key, {})[int(cell[DEPTH])] = cell
        return list(ladders.values())

    def _placement(self, ladder: Mapping[int, Cell]) -> Placement:
        design = self.design
        return Placement(tuple(ladder), self.adaptive.guess, design.most, design.worlds)

    @property
    def expected(self) -> int:
        """The mean number of questions to agents of different ability."""
        return sum(expect_questions(self._placement(ladder)) for ladder in self._ladders)

    @property
    def most(self) -> int:
        """The largest number of questions."""
        sizes = (min(self.design.most, self.design.worlds * len(one)) for one in self._ladders)
        return sum(sizes)

    def at_once(self) -> dict[str, int]:
        """Return the levels with which a design of the same size is asked all at once."""
        depths = max(map(len, self._ladders))
        return {"most": 0, "worlds": min(ceil(self.design.most / depths), self.design.worlds)}

    def list_items(self, answers: Answers) -> list[Item]:
        """Return the items of all rounds up to the first one that has no answers yet.

        Args:
            answers: Whether the answer to an item is correct, by its id; None if an error that the
                run accepts took its place.
        """
        found = [
            (number, item)
            for ladder in self._ladders
            for number, item in self._climb(ladder, answers)
        ]
        return [item for _, item in sorted(found, key=lambda one: one[0])]

    def _climb(self, ladder: Mapping[int, Cell], answers: Answers) -> Iterator[tuple[int, Item]]:
        """Yield the items of a ladder, each with the number of its round."""
        placement = self._placement(ladder)
        drawn, asked, right = Counter[int](), Counter[int](), Counter[int]()
        lost, number = 0, 0
        while True:
            left = replace(placement, most=placement.most - lost)
            counts = ([each[depth] for depth in ladder] for each in (asked, right))
            places = zip(ladder, left.next_round(*counts), strict=True)
            items = [
                (depth, self._make(ladder[depth], drawn[depth] + extra))
                for depth, several in places
                for extra in range(several)
            ]
            number += 1
            yield from ((number, item) for _, item in items)
            if not items or any(item.id not in answers for _, item in items):
                return
            for depth, item in items:
                drawn[depth] += 1
                answer = answers[item.id]
                lost += answer is None
                asked[depth] += answer is not None
                right[depth] += bool(answer)

    @cached_property
    def _made(self) -> dict[tuple[tuple[tuple[str, Scalar], ...], int], Item]:
        return {}

    def _make(self, cell: Cell, draw: int) -> Item:
        """Return an item, made once."""
        key = (tuple(cell.items()), draw)
        if key not in self._made:
            self._made[key] = self.adaptive.make_item(self.design, cell, draw)
        return self._made[key]
