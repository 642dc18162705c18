"""Read yes or no.

A *verdict* is one of these words at the beginning of a clause, with its end behind it, a mark such
as a comma, or words such as "because". "No one comes" is no verdict, nor is "yes/no". Without a
label, a verdict counts as the beginning of the last line or as the last sentence, and where the
answer alone was asked for also as the first word. No verdict elsewhere may differ from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from whybench.replies.numbers import ParsedAnswer
from whybench.replies.reader import Reader, label_pattern
from whybench.replies.words import LONGEST_REFUSAL, RETRACTION_OF_WORD

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
_VERDICT = rf"[(\[{{]? ?(?P<choice>yes|no){_BEHIND}"
_LABEL = label_pattern("answer|verdict|conclusion")
_MARK = re.compile(rf"(?m){_HEAD}{_LEAD}{_LABEL}{_LINK}{_VERDICT}")
_STANDING = re.compile(rf"(?m)(?:{_HEAD}|(?<=[,–(] )|(?<=[(–])){_LEAD}{_VERDICT}")
_BOTH = re.compile(r"\byes ?(?:/|or|and|,) ?no\b|\bno ?(?:/|or|and|,) ?yes\b")
_CLOSING = " \n.,;:!)]}–-"


def _read_match(found: re.Match[str]) -> ParsedAnswer:
    return ParsedAnswer(YES_OR_NO[found["choice"]])


def read_word(value: Any) -> str:
    """Return a JSON value as a word in lower case, true and false as yes and no; else nothing."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.strip(" \t\n.!").lower() if isinstance(value, str) else ""


@dataclass(frozen=True)
class ChoiceReader(Reader):
    """A reader of yes (1) or no (0)."""

    several: str = "ambiguous"
    retraction: str = RETRACTION_OF_WORD

    def _find_marks(self, plain: str) -> list[tuple[re.Match[str], ParsedAnswer]]:
        return [(mark, _read_match(mark)) for mark in _MARK.finditer(plain)]

    def read_content(self, plain: str) -> ParsedAnswer:
        """Return the choice of plain text that should be nothing else."""
        if (word := plain.strip(" .!")) in YES_OR_NO:
            return ParsedAnswer(YES_OR_NO[word])
        return ParsedAnswer(None, self.several if _BOTH.search(plain) else self.nothing)

    def _write(self, value: Any, shown: str) -> str:
        return read_word(value) if isinstance(value, bool) else super()._write(value, shown)

    def _strip(self, plain: str) -> str:
        """Remove signs that matter to numbers only."""
        plain = re.sub(_SYMBOLS, " ", re.sub(_HTML, " ", plain).translate(_SIGNS))
        plain = re.sub(r" ([.,;:!?])", r"\1", re.sub(r"[^\S\n]+", " ", plain))
        return re.sub(r"\n(?: ?\n)+", "\n\n", plain).strip()

    def _read_marked(self, plain: str) -> ParsedAnswer | None:
        return super()._read_marked(self._strip(plain))

    def _read_placed(self, plain: str) -> ParsedAnswer:
        plain = self._strip(plain)
        standing = list(_STANDING.finditer(plain))
        verdicts = {verdict["choice"] for verdict in standing}
        if len(verdicts) > 1 or (not verdicts and _BOTH.search(plain)):
            return ParsedAnswer(None, self.several)
        if not standing:
            declines = len(plain) <= LONGEST_REFUSAL and re.search(_REFUSAL, plain)
            return ParsedAnswer(None, "refusal" if declines else self.nothing)
        first, last = standing[0], standing[-1]
        opens = not self.shows_work and first.start() == 0
        line = plain.rfind("\n") + 1
        ends = last.start() == line or not plain[last.end() :].strip(_CLOSING)
        if not opens and not (last.start() >= line and ends):
            return ParsedAnswer(None, self.nothing)
        kept = first if opens else last
        return self._check(_read_match(kept), plain[kept.end() :])

    def find_objection(self, after: str, answer: ParsedAnswer) -> str:
        """Return the reason why plain text after a choice makes it no answer; empty if not."""
        after = after.translate(_SIGNS)
        if re.search(self.retraction, after):
            return "retracted"
        if re.search(_REFUSAL, after):
            return "refusal"
        behind = {_read_match(found) for found in _STANDING.finditer(after)}
        return self.several if behind - {answer} else ""
