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
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from whybench.replies.numbers import ParsedAnswer
from whybench.replies.objects import find_objects
from whybench.replies.plain import normalize_signs, strip_markup
from whybench.replies.shown import find_shown_text

if TYPE_CHECKING:
    from collections.abc import Iterable


def label_pattern(nouns: str) -> str:
    """Return a pattern of words that announce an answer, such as "my final answer"."""
    return (
        r"(?:(?:my|the|a|an|final|best|overall|estimated|numeric|numerical|rough|approximate|single"
        rf"|percentage|likelihood|probability|correct|short|direct) ){{0,4}}(?:{nouns})(?: (?:here"
        r"|then|estimate|score|rating|value|percentage|to (?:the|this|your) question))?(?: ?\(%\))?"
    )


KEPT_READINGS = 256
"""The number of readings that are kept: the solver and then the scorer read the same reply."""

_LABEL = rf"(?m)^ ?(?:[-•] )?{label_pattern('answer|verdict|conclusion')} ?:"
_QUESTION = re.compile(r"(?m)^ ?question ?:")


@dataclass(frozen=True)
class Reader(ABC):
    """How a suite reads replies.

    Attributes:
        nothing: The reason for no answer; empty if the reader distinguishes why there is none.
        several: The reason for several answers.
        keys: Patterns of the keys of an answer in a JSON object; the first that occurs counts.
        shows_work: Whether work may stand before the answer, so that the last one counts.
        retraction: A pattern of words behind an answer that take it back.
    """

    nothing: str = "no_answer_found"
    several: str = "several_answers"
    keys: tuple[str, ...] = ("(?:final )?answer",)
    shows_work: bool = False
    retraction: str = ""

    def read(self, text: str, truncated: bool = False) -> ParsedAnswer:
        """Return the answer of a whole reply, which is none if the token limit cut it off."""
        return ParsedAnswer(None, "cut_off") if truncated else _read(self, text)

    def read_shown(self, shown: str, explaining: bool = False) -> ParsedAnswer:
        """Return the answer of a text without thinking, in normalized signs.

        In an explanation that never ends, only a label or a JSON object marks an answer.
        """
        plain = strip_markup(shown)
        if answer := self._read_objects(shown) or self._read_marked(plain):
            return answer
        return ParsedAnswer(None, "unfinished_thinking") if explaining else self._read_placed(plain)

    @abstractmethod
    def read_content(self, plain: str) -> ParsedAnswer:
        """Return the answer of plain text that should be nothing else."""

    @abstractmethod
    def find_objection(self, after: str, answer: ParsedAnswer) -> str:
        """Return the reason why plain text after an answer makes it none; empty if it does not."""

    @abstractmethod
    def _find_marks(self, plain: str) -> Iterable[tuple[re.Match[str], ParsedAnswer]]: ...

    @abstractmethod
    def _read_placed(self, plain: str) -> ParsedAnswer: ...

    def agree(self, contents: Iterable[str]) -> float | None:
        """Return the number that all of some texts give; None unless they agree."""
        values = {self.read_content(strip_markup(content)).value for content in contents}
        return values.pop() if len(values) == 1 else None

    def _read_objects(self, shown: str) -> ParsedAnswer | None:
        """Read the answers of the JSON objects of a reply; None if there is none in them."""
        answer, end = None, 0
        for pairs, end_of_object in find_objects(shown, literal=True):
            entries = [(k.lower().replace("_", " ").strip(), v) for k, v in pairs.entries()]
            found = (
                {self._write(v, shown) for k, v in entries if re.fullmatch(key, k)}
                for key in self.keys
            )
            readings = {self.read_content(strip_markup(v)) for v in next(filter(None, found), ())}
            if not readings:
                continue
            if len(readings) > 1 or (not self.shows_work and answer and {answer} != readings):
                return ParsedAnswer(None, self.several)
            answer, end = readings.pop(), end_of_object
            second = self.agree(self._write(v, shown) for k, v in entries if k == "confidence")
        return answer and self._check(answer._replace(second=second), strip_markup(shown[end:]))

    def _write(self, value: Any, shown: str) -> str:
        """Return a JSON value as the reply has it: not a list, nor digits written as escapes."""
        return value if isinstance(value, str) and value in shown else ""

    def _read_marked(self, plain: str) -> ParsedAnswer | None:
        """Read the last answer behind a label; None if there is none."""
        marks = list(self._find_marks(plain))
        # A later label with something else behind it replaces the earlier answer.
        if not marks or re.compile(_LABEL).search(plain, marks[-1][0].end()):
            return None
        end, last = marks[-1][0].end(), marks[-1][1]
        others = [mark.end() for mark, reading in marks if reading != last]
        if others and (not self.shows_work or _QUESTION.search(plain, others[-1], end)):
            return ParsedAnswer(None, self.several)
        return self._check(last, plain[end:])

    def _check(self, answer: ParsedAnswer, after: str) -> ParsedAnswer:
        """Return an answer, or the objection of the plain text after it."""
        objection = self.find_objection(after, answer)
        return ParsedAnswer(None, objection) if objection else answer


@lru_cache(maxsize=KEPT_READINGS)
def _read(reader: Reader, text: str) -> ParsedAnswer:
    shown, reason, explaining = find_shown_text(normalize_signs(text).strip())
    return ParsedAnswer(None, reason) if reason else reader.read_shown(shown, explaining)
