"""Read one of a few words, such as yes or no.

A *verdict* is such a word where it stands for an answer: behind it the line ends, or comes a mark
such as a comma, or words such as "because". "No one comes" is no verdict, nor is "yes/no". Without
a label, a verdict counts as the beginning of the last line or as the last sentence, and where the
answer alone was asked for also as the first word. No verdict elsewhere may differ from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whybench.replies.numbers import Reading
from whybench.replies.reader import Reader, label_pattern
from whybench.replies.words import LONGEST_REFUSAL, RETRACTION_OF_WORD

if TYPE_CHECKING:
    from collections.abc import Mapping

YES_OR_NO = {"yes": 1.0, "no": 0.0}

# Arrows and brackets of all kinds are written as a few.
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("→⇒➔➡=", ":"),
        **dict.fromkeys("#>|~$\"'『』【】", " "),
        "…": ".",
    }
)
_HTML = r"</?[a-z][a-z0-9]{0,9} ?/?>"
_SYMBOLS = r"[\u2190-\u2bff\U0001f000-\U0001faff]"

_BEHIND = (
    r"(?= ?(?:$|[.,;:!)\]}–(])| - | ?--| (?:because|since|as|given|due)\b"
    r"| (?:it|he|she|they|this|that|the)\b)"
)
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|then|finally|overall|in conclusion|in short|ok|okay),? )?"
    r"(?:(?:i|we) (?:think|believe|conclude|say)(?: that)? )?"
)
_HEAD = r"(?:^ ?(?:[-•{] ?)?|(?<=[.!?;] )|(?<=, )(?=(?:so|hence|thus|therefore) the answer))"
_LINK = (
    r"(?:(?: ?(?:: ?|– ?)| - | is(?: therefore| thus| clearly| simply)?:? | must be:? )\n{0,3} ?"
    r"| ?\n{1,3} ?)"
)
_REFUSAL = (
    r"\bi (?:can(?:not| not| t)|am unable|am not able|won t|will not|don t know|do not know)\b"
    r"|\bi m (?:unable|not able|sorry)|\bnot enough information|\bcannot be determined"
    r"|\bnot identifiable|\bimpossible to (?:say|tell|know|determine)"
)
_CLOSING = " \n.,;:!)]}–-"


def read_word(value: Any) -> str:
    """Return a JSON value as a word in lower case, true and false as yes and no; else nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.strip(" \t\n.!").lower() if isinstance(value, str) else ""


@dataclass(frozen=True)
class ChoiceReader(Reader):
    """A reader of one of a few words.

    Attributes:
        options: The words, with the value of each.
    """

    several: str = "ambiguous"
    retraction: str = RETRACTION_OF_WORD
    options: Mapping[str, float] = field(default_factory=lambda: YES_OR_NO)

    @cached_property
    def _verdict(self) -> str:
        return rf"[(\[{{]? ?(?P<choice>{'|'.join(self.options)}){_BEHIND}"

    @cached_property
    def _mark(self) -> re.Pattern[str]:
        label = label_pattern("answer|verdict|conclusion")
        return re.compile(rf"(?m){_HEAD}{_LEAD}{label}{_LINK}{self._verdict}")

    @cached_property
    def _standing(self) -> re.Pattern[str]:
        return re.compile(rf"(?m)(?:{_HEAD}|(?<=[,–(] )|(?<=[(–])){_LEAD}{self._verdict}")

    @cached_property
    def _both(self) -> re.Pattern[str]:
        one = "|".join(self.options)
        return re.compile(rf"\b({one}) ?(?:/|or|and|,) ?(?!\1)(?:{one})\b")

    def _read_match(self, found: re.Match[str]) -> Reading:
        return Reading(self.options[found["choice"]])

    def read_content(self, plain: str) -> Reading:
        """Return the choice of plain text that should be nothing else."""
        word = plain.strip(" .!")
        if word in self.options:
            return Reading(self.options[word])
        return Reading(None, self.several if self._both.search(plain) else self.nothing)

    def _literal(self, value: Any, shown: str) -> str:
        return read_word(value) if isinstance(value, bool) else super()._literal(value, shown)

    def _strip(self, plain: str) -> str:
        """Remove signs that matter to numbers only."""
        plain = re.sub(_SYMBOLS, " ", re.sub(_HTML, " ", plain).translate(_SIGNS))
        plain = re.sub(r" ([.,;:!?])", r"\1", re.sub(r"[^\S\n]+", " ", plain))
        return re.sub(r"\n(?: ?\n)+", "\n\n", plain).strip()

    def _read_marked(self, plain: str) -> Reading | None:
        return super()._read_marked(self._strip(plain))

    def _read_placed(self, plain: str) -> Reading:
        plain = self._strip(plain)
        standing = list(self._standing.finditer(plain))
        verdicts = {verdict["choice"] for verdict in standing}
        if len(verdicts) > 1 or (not verdicts and self._both.search(plain)):
            return Reading(None, self.several)
        if not standing:
            declines = len(plain) <= LONGEST_REFUSAL and re.search(_REFUSAL, plain)
            return Reading(None, "refusal" if declines else self.nothing)
        first, last = standing[0], standing[-1]
        opens = not self.shows_work and first.start() == 0
        line = plain.rfind("\n") + 1
        ends = last.start() == line or not plain[last.end() :].strip(_CLOSING)
        if not opens and not (last.start() >= line and ends):
            return Reading(None, self.nothing)
        kept = first if opens else last
        answer = self._read_match(kept)
        objection = self.find_objection(plain[kept.end() :], answer)
        return Reading(None, objection) if objection else answer

    def find_objection(self, after: str, answer: Reading) -> str:
        """Return the reason why plain text after a choice makes it no answer; empty if not."""
        after = after.translate(_SIGNS)
        if re.search(self.retraction, after):
            return "retracted"
        if re.search(_REFUSAL, after):
            return "refusal"
        behind = {self._read_match(found) for found in self._standing.finditer(after)}
        return self.several if behind - {answer} else ""
