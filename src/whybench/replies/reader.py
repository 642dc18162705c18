r"""Find the answer of a reply, wherever it stands, and what contradicts it.

An answer stands, in this order,

- in a JSON object under one of the reader's keys: ``{"answer": 12}``;
- behind a label: ``Answer: 12``, ``The answer is 12``, ``\boxed{12}``, ``<answer>12</answer>``;
- where its place alone marks it: it is the whole reply, its last line or its first one.

Where work is shown, the last answer counts; where the answer alone was asked for, all must agree.
Words behind an answer may take it back or give another one; then there is no answer.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from whybench.replies.numbers import Reading
from whybench.replies.objects import Pairs, find_objects
from whybench.replies.plain import normalize_signs, strip_markup
from whybench.replies.shown import find_shown_text

_QUALITIES = (
    r"(?:(?:my|the|a|an|final|best|overall|estimated|numeric|numerical|rough|approximate|single"
    r"|percentage|likelihood|probability|correct|short|direct) ){0,4}"
)
_QUESTION = re.compile(r"(?m)^ ?question ?:")


def label_pattern(nouns: str) -> str:
    """Return a pattern of words that announce an answer, such as "my final answer"."""
    return (
        rf"{_QUALITIES}(?:{nouns})(?: (?:estimate|score|rating|value|percentage|here|then"
        r"|to (?:the|this|your) question))?(?: ?\(%\))?"
    )


@dataclass(frozen=True)
class Reader(ABC):
    """How a suite reads replies.

    Attributes:
        nothing: The reason for no answer; empty if the reader distinguishes why there is none.
        several: The reason for several answers.
        keys: Patterns of the keys of an answer in a JSON object; the first that occurs counts.
        second_key: The key of a second number that was asked for.
        shows_work: Whether work may stand before the answer, so that the last one counts.
        retraction: A pattern of words behind an answer that take it back.
    """

    nothing: str = "no_answer_found"
    several: str = "several_answers"
    keys: tuple[str, ...] = ("(?:final )?answer",)
    second_key: str = ""
    shows_work: bool = False
    retraction: str = ""

    def read(self, text: str, truncated: bool = False) -> Reading:
        """Return the answer of a reply.

        Args:
            text: The whole reply. Any text is read; nothing raises.
            truncated: Whether the reply hit the token limit. Then there is no answer, since the one
                it holds need not be the one that was to follow.
        """
        if truncated:
            return Reading(None, "cut_off")
        shown, reason, explaining = find_shown_text(normalize_signs(text).strip())
        return Reading(None, reason) if reason else self.read_shown(shown, explaining)

    def read_shown(self, shown: str, explaining: bool = False) -> Reading:
        """Return the answer of a text without thinking, in normalized signs.

        Args:
            shown: The text.
            explaining: Whether an explanation in it never ends, so that only a label or a JSON
                object can mark the answer.
        """
        plain = strip_markup(shown)
        if answer := self._read_objects(shown) or self._read_marked(plain):
            return answer
        return Reading(None, "unfinished_thinking") if explaining else self._read_placed(plain)

    @abstractmethod
    def read_content(self, plain: str) -> Reading:
        """Return the answer of plain text that should be nothing else."""

    @abstractmethod
    def find_objection(self, after: str, answer: Reading) -> str:
        """Return the reason why plain text after an answer makes it none; empty if it does not."""

    @abstractmethod
    def _read_match(self, found: re.Match[str]) -> Reading:
        """Return the answer of a match of the mark."""

    @abstractmethod
    def _read_placed(self, plain: str) -> Reading:
        """Return an answer that only its place marks, or why there is none."""

    @property
    @abstractmethod
    def _mark(self) -> re.Pattern[str] | None:
        """A pattern of an answer with its label."""

    @cached_property
    def _label(self) -> re.Pattern[str]:
        """A pattern of a label at the beginning of a line, whatever is behind it."""
        nouns = "answer|verdict|conclusion"
        return re.compile(rf"(?m)^ ?(?:[-•] )?{label_pattern(nouns)} ?:")

    def _read_objects(self, shown: str) -> Reading | None:
        """Read the answers of the JSON objects of a reply; None if there is none in them."""
        answers: list[tuple[Reading, int]] = []
        for pairs, end in find_objects(shown, literal=True):
            readings = {self._read_value(value, shown) for value in self._find_values(pairs)}
            if len(readings) > 1:
                return Reading(None, self.several)
            if readings:
                second = self.agree([self._literal(v, shown) for v in self._find_second(pairs)])
                answers.append((readings.pop()._replace(second=second), end))
        if not answers:
            return None
        last, end = answers[-1]
        if not self.shows_work and len({answer[:2] for answer, _ in answers}) > 1:
            return Reading(None, self.several)
        objection = self.find_objection(strip_markup(shown[end:]), last)
        return Reading(None, objection) if objection else last

    def _find_values(self, pairs: Pairs) -> list[Any]:
        named = [(key.lower().replace("_", " ").strip(), value) for key, value in pairs.entries()]
        for wanted in self.keys:
            if values := [value for key, value in named if re.fullmatch(wanted, key)]:
                return values
        return []

    def _find_second(self, pairs: Pairs) -> list[Any]:
        return [value for key, value in pairs.entries() if key.lower() == self.second_key]

    def _read_value(self, value: Any, shown: str) -> Reading:
        return self.read_content(strip_markup(self._literal(value, shown)))

    def _literal(self, value: Any, shown: str) -> str:
        """Return a JSON value as the reply has it: not a list, nor digits written as escapes."""
        return value if isinstance(value, str) and value in shown else ""

    def agree(self, contents: list[str]) -> float | None:
        """Return the number that all of some texts give; None unless they agree."""
        values = {self.read_content(strip_markup(content)).value for content in contents}
        return values.pop() if len(values) == 1 else None

    def _read_marked(self, plain: str) -> Reading | None:
        """Read the last answer behind a label; None if there is none."""
        marks = list(self._mark.finditer(plain)) if self._mark else []
        labels = [label.start() for label in self._label.finditer(plain)]
        # A later label with something else behind it replaces the earlier answer.
        if not marks or (labels and labels[-1] > marks[-1].end()):
            return None
        readings = [self._read_match(mark) for mark in marks]
        last = readings[-1]
        others = [mark for mark, read in zip(marks, readings, strict=True) if read != last]
        if others and (
            not self.shows_work or _QUESTION.search(plain, others[-1].end(), marks[-1].start())
        ):
            return Reading(None, self.several)
        objection = self.find_objection(plain[marks[-1].end() :], last)
        return Reading(None, objection) if objection else last
