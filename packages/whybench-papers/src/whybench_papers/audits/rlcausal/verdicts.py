"""The verdict on one item of RLCausal, from its prompt and its key alone.

The tables are printed with two digits, and what is printed is all that a reader has. So a key is
right if it is the answer of the printed world, with two digits. Three cases need care:

- A key that is not may be that of a world that prints alike: then the key was computed from other
  digits than those shown (`OTHER_DIGITS`). A key of no such world is `IMPOSSIBLE`.
- Three printed numbers may add up to 0.99 or 1.01. Such a row is no distribution; it stands for all
  that round to it. Where two of them give different answers, nothing is right or wrong.
- A right key may be had with less: if it is also the answer without what was seen or set, or if the
  question is about the very variable that was set or seen.

By the benchmark's own rule an answer passes that is less than 0.01 from the key. The distance is
half of the sum of absolute differences, in floats. Answers and keys with two digits differ by whole
hundredths, so that the least difference between two is a distance of just 0.01, and whether that
passes is decided by the rounding errors of floats.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import ImpossibleEvidence
from whybench_papers.audits.findings import Finding
from whybench_papers.audits.rlcausal.prompts import HALF, read_distribution
from whybench_papers.audits.rlcausal.slack import (
    farthest,
    find_others,
    find_world,
    nearest,
    rounds_to,
)
from whybench_papers.audits.rlcausal.worlds import ask, certified

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from whybench_papers.audits.findings import Verdict
    from whybench_papers.audits.rlcausal.prompts import (
        Distribution,
        DistributionQuestion,
        PrintedWorld,
    )
    from whybench_papers.audits.rlcausal.worlds import Asked, RowPlace

THRESHOLD = 0.01
"""`threshold` of the source's `training/rlvr/score_strict.py`."""

FOLLOWS = "follows from the print"
OTHER_DIGITS = "key of other digits than printed"
IMPOSSIBLE = "key of no world that prints so"
NOT_REACHED = "no world found that prints so and has the key"
SEVERAL_ANSWERS = "rows that do not add up to 1"
UNSEEABLE = "what is seen has probability 0"
ASKS_OF_SET = "asks about what was set"
ASKS_OF_SEEN = "asks about what was seen"
WITHOUT_BOTH = "the same without seeing and setting"
WITHOUT_SEEING = "the same without seeing"
WITHOUT_SETTING = "the same without setting"


@dataclass(frozen=True)
class KeyFinding(Finding):
    """A verdict, and how two perfect readers fare by the benchmark's own rule.

    Attributes:
        rounded_passes: Whether the answer of the printed world, with two digits as the prompt
            asks, passes the rule; in a row that does not add up to 1, that of the nearest one.
        exact_passes: Whether it passes with all its digits.
        exact_rule: Whether the answer with two digits would pass, if the rule were computed
            without rounding errors.
    """

    rounded_passes: bool
    exact_passes: bool
    exact_rule: bool


class Examiner:
    """What is asked of one printed world; each answer is computed once, by both engines."""

    def __init__(self, world: PrintedWorld) -> None:
        self.world = world
        self._asked: dict[DistributionQuestion, Asked] = {}
        self._known: dict[Asked, Distribution] = {}
        self._compared: dict[
            tuple[Asked, Distribution], tuple[Verdict, str, Distribution | None]
        ] = {}

    def ask(self, question: DistributionQuestion) -> Asked:
        """Return a question as one about bits."""
        if question not in self._asked:
            self._asked[question] = ask(self.world, question)
        return self._asked[question]

    def answer(self, question: DistributionQuestion) -> Distribution:
        """Return the answer that follows from the nearest distributions of all rows.

        Raises:
            ImpossibleEvidence: What was seen has probability 0.
        """
        asked = self.ask(question)
        if asked not in self._known:
            rows = {place: nearest(row) for place, row in self.printed(asked).items()}
            self._known[asked] = certified(asked, rows)
        return self._known[asked]

    def printed(self, asked: Asked) -> dict[RowPlace, Distribution]:
        """Return the printed rows that a question needs."""
        return {place: self.world.table_of(place.node)[place.row] for place in asked.rows}

    def judge(
        self, place: tuple[str, str], question: DistributionQuestion, printed_key: str
    ) -> KeyFinding:
        """Return the verdict on one item.

        Args:
            place: The file and the item in it.
            question: What is asked.
            printed_key: The key as the benchmark prints it.

        Raises:
            DataError: The key is not of the known form.
        """
        key = read_distribution(printed_key, self.world.values_of(question.target))
        try:
            answer = self.answer(question)
        except ImpossibleEvidence:
            return KeyFinding(
                *place,
                question.kind,
                printed_key,
                "none",
                "undetermined",
                UNSEEABLE,
                rounded_passes=False,
                exact_passes=False,
                exact_rule=False,
            )
        verdict, reason, other = self._decide(question, key, answer)
        short = tuple(round(number, 2) for number in answer)
        recomputed = " or ".join(format_distribution(row) for row in (answer, other) if row)
        return KeyFinding(
            *place,
            question.kind,
            printed_key,
            recomputed,
            verdict,
            reason,
            rounded_passes=passes(short, key),
            exact_passes=passes(answer, key),
            exact_rule=sum(abs(a - b) for a, b in zip(short, key, strict=True)) / 2 * 100 < 1,
        )

    def _decide(
        self, question: DistributionQuestion, key: Distribution, answer: Distribution
    ) -> tuple[Verdict, str, Distribution | None]:
        """Return verdict, reason and, if there are several answers, another one."""
        asked = self.ask(question)
        if (asked, key) not in self._compared:  # what cannot matter is no part of what is asked
            self._compared[asked, key] = self._compare(asked, key, answer)
        compared = self._compared[asked, key]
        return self._right(question, key) if compared[0] == "right" else compared

    def _compare(
        self, asked: Asked, key: Distribution, answer: Distribution
    ) -> tuple[Verdict, str, Distribution | None]:
        """Return whether a key is that of the print, of worlds that print alike, or of none."""
        printed = self.printed(asked)
        loose = [place for place in asked.places if sum(printed[place]) != 1]
        if rounds_to(answer, key):
            for rows in find_others(asked, printed, loose, key) if loose else ():
                other = certified(asked, rows)
                if not rounds_to(other, key):
                    return "undetermined", SEVERAL_ANSWERS, other
            return "right", FOLLOWS, None
        other_rows = find_world(asked, printed, loose, key)
        if other_rows is not None:
            other = certified(asked, other_rows)
            if rounds_to(other, key):
                return "undetermined", SEVERAL_ANSWERS, other
        any_rows = find_world(asked, printed, asked.places, key)
        if any_rows is not None and rounds_to(certified(asked, any_rows), key):
            return "wrong", OTHER_DIGITS, None
        off = max(abs(a - b) for a, b in zip(answer, key, strict=True))
        out = off > farthest(asked, printed) + HALF
        return "wrong", IMPOSSIBLE if out else NOT_REACHED, None

    def _right(
        self, question: DistributionQuestion, key: Distribution
    ) -> tuple[Verdict, str, None]:
        """Return whether a right key can be had with less, and how."""
        seen, done = question.seen, question.done
        if done and done[0] == question.target:
            return "trivial", ASKS_OF_SET, None
        if seen and not done and seen[0] == question.target:
            return "trivial", ASKS_OF_SEEN, None
        less = {
            WITHOUT_BOTH: replace(question, seen=None, done=None) if seen and done else None,
            WITHOUT_SETTING: replace(question, done=None) if done else None,
            WITHOUT_SEEING: replace(question, seen=None) if seen else None,
        }
        for reason, easier in less.items():
            if easier is not None and rounds_to(self.answer(easier), key):
                return "trivial", reason, None
        return "right", FOLLOWS, None


def passes(answer: Sequence[Fraction], key: Sequence[Fraction]) -> bool:
    """Say whether an answer has the full score of the source's `compute_score`."""
    one = np.array([float(number) for number in answer])
    other = np.array([float(number) for number in key])
    return len(answer) == len(key) and bool(np.abs(one - other).sum() / 2 < THRESHOLD)


def format_distribution(row: Distribution) -> str:
    """Return a distribution as text, with at most six digits."""
    return "[" + ", ".join(f"{float(number):.6f}".rstrip("0").rstrip(".") for number in row) + "]"
