"""Read a likelihood from 0 to 100, and a confidence where one was asked for.

Only statements of a number are read (see `whybench.replies.statements`): judgments are compared
number by number, so that a number which was never meant costs more than a lost reply. "The
likelihood of rain is 20" is not read, since its event is not checked.

The last complete `<likelihood>…</likelihood>` counts before everything else. There is no answer if
an earlier one has another number, if a tag is opened after it, or if words after it hold another
number or take it back. Styles differ in the question and not in what is read, except that a single
number without a label is not read in the style `confidence`, which asks for two. A confidence that
cannot be read is None, and there is an answer nevertheless.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from whybench.replies.numbers import ParsedAnswer
from whybench.replies.plain import normalize_signs, strip_markup
from whybench.replies.reader import KEPT_READINGS
from whybench.replies.shown import find_shown_text
from whybench.replies.statements import NOUNS, NumberReader
from whybench.replies.words import REASONS as ALL_REASONS
from whybench.replies.words import RETRACTION

_OTHERS = {"ambiguous", "no_answer_found", "other_form", "several_answers"}
_OWN = {
    "broken_tag": "a likelihood tag without its partner",
    "only_confidence": "a confidence without a likelihood",
    "unlabelled": "one bare number where a likelihood and a confidence were asked for",
}
REASONS = {key: why for key, why in sorted({**ALL_REASONS, **_OWN}.items()) if key not in _OTHERS}
"""Every reason for which there may be no answer, and what it means."""

# Also without its last bracket, so that a tag which was not finished is seen as such.
_TAG = r"(?i)<\s{0,3}(?P<end>/?)\s{0,3}(?P<name>likelihood|confidence)\s{0,3}(?P<whole>>?)"
_CONFIDENCE_ELEMENT = r"(?i)<confidence>[^<>]{0,80}(?:</confidence>|(?=</response>)|\Z)"
_RETRACTION = rf"{RETRACTION}|mistake|instead|not right|was wrong|is wrong|ignore|disregard"


class JudgeReply(NamedTuple):
    """The content of a reply.

    Attributes:
        value: The likelihood, 0–100; None if there is no answer.
        confidence: The confidence that was tagged or labelled as such, 0–100, else None.
        reason: A key of `REASONS` when there is no answer, else "".
    """

    value: float | None
    confidence: float | None
    reason: str


@cache
def make_reader(needs_label: bool) -> NumberReader:
    """Return the reader of everything but tags."""
    return NumberReader(
        nothing="",
        retraction=_RETRACTION,
        keys=("likelihood", f"(?:final )?(?:{NOUNS})"),
        confidence=True,
        needs_label=needs_label,
        marks=NOUNS,
        strict=True,
    )


def parse_reply(text: str, style: str = "direct", *, truncated: bool = False) -> JudgeReply:
    """Return the likelihood that a reply gives, or why it gives none.

    Args:
        text: The whole reply.
        style: What was asked for: `direct`, `cot` or `confidence`.
        truncated: Whether the reply hit the token limit; then there is no answer.
    """
    if truncated:
        return JudgeReply(None, None, "cut_off")
    value, reason, confidence = _parse(text, style)
    return JudgeReply(value, None if value is None else confidence, reason)


@lru_cache(maxsize=KEPT_READINGS)
def _parse(text: str, style: str) -> ParsedAnswer:
    """Return the likelihood of a whole reply, with the confidence as its second number."""
    text, reason, explaining = find_shown_text(normalize_signs(text).strip())
    if reason:
        return ParsedAnswer(None, reason)
    confidence = make_reader(False).agree(_find_elements(text, "confidence"))
    # A tag says what the answer is even inside an explanation that is not closed.
    if (tagged := _read_tagged(text)) is not None:
        return tagged._replace(second=confidence)
    if explaining:
        return ParsedAnswer(None, "unfinished_thinking")
    bare = _strip_confidence(text)
    if bare != text and not strip_markup(bare):
        return ParsedAnswer(None, "only_confidence")
    answer = make_reader(style == "confidence" and bare == text).read_shown(bare)
    return answer if answer.second is not None else answer._replace(second=confidence)


def _read_tagged(text: str) -> ParsedAnswer | None:
    """Return the likelihood from its tags; None if there is no such tag."""
    own = [tag for tag in re.finditer(_TAG, text) if tag["name"].lower() == "likelihood"]
    if not own:
        return None
    contents = _find_elements(text, "likelihood")
    if not contents or not own[-1]["end"]:
        return ParsedAnswer(None, "broken_tag")
    reader = make_reader(False)
    answer = reader.read_content(strip_markup(contents[-1]))
    if answer.value is None:
        return answer
    earlier = {reader.read_content(strip_markup(each)).value for each in {*contents[:-1]}}
    if earlier - {None, answer.value}:
        return ParsedAnswer(None, "several_numbers")
    after = strip_markup(_strip_confidence(text[own[-1].end() :]))
    objection = reader.find_objection(after, answer)
    return ParsedAnswer(None, objection) if objection else answer


def _find_elements(text: str, name: str) -> list[str]:
    """List the contents of the complete elements of a name."""
    return [
        text[first.end() : second.start()]
        for first, second in pairwise(re.finditer(_TAG, text))
        if (first["name"].lower(), first["end"], first["whole"]) == (name, "", ">")
        and (second["name"].lower(), second["end"], second["whole"]) == (name, "/", ">")
    ]


def _strip_confidence(text: str) -> str:
    """Remove tagged confidences, also one whose end is missing at the end of the reply."""
    return re.sub(_CONFIDENCE_ELEMENT, " ", text)
