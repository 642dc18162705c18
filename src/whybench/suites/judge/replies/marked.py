"""Replies that mark what is the likelihood and what the confidence: with tags, or in JSON."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from whybench.suites.judge.replies.forms import NOUN, parse_clause
from whybench.suites.judge.replies.numbers import (
    ParsedNumber,
    find_numbers,
    is_retraction,
    reason_for_no_answer,
    strip_fences,
    strip_markup,
    strip_scale,
)

__all__ = ["parse_json", "parse_tagged", "parse_tagged_confidence", "strip_confidence"]

# Also without its last bracket, so that a tag which was not finished is seen as such.
_TAG = r"(?i)<\s{0,3}(?P<end>/?)\s{0,3}(?P<name>likelihood|confidence)\s{0,3}(?P<whole>>?)"
_CONFIDENCE_ELEMENT = r"(?i)<confidence>[^<>]{0,80}(?:</confidence>|(?=</response>)|\Z)"
_ANSWER_KEY = rf"(?:final )?{NOUN}"


def parse_tagged(text: str) -> ParsedNumber | None:
    """Return the likelihood from its tags; None if there is no such tag."""
    own = [tag for tag in re.finditer(_TAG, text) if tag["name"].lower() == "likelihood"]
    if not own:
        return None
    contents = _find_elements(text, "likelihood")
    if not contents or not own[-1]["end"]:
        return ParsedNumber(None, "broken_tag")
    answer = _parse_content(contents[-1])
    if answer.value is None:
        return answer
    if {_parse_content(content).value for content in set(contents[:-1])} - {None, answer.value}:
        return ParsedNumber(None, "several_numbers")
    objection = _find_objection(text[own[-1].end() :], answer.value)
    return ParsedNumber(None, objection) if objection else answer


def parse_tagged_confidence(text: str) -> float | None:
    """Return the confidence from its tags; None unless they agree."""
    return _parse_agreed(_find_elements(text, "confidence"))


def strip_confidence(text: str) -> str:
    """Take out tagged confidences, also one whose end is missing at the end of the reply."""
    return re.sub(_CONFIDENCE_ELEMENT, " ", text)


def parse_json(text: str) -> tuple[ParsedNumber, float | None] | None:
    """Return likelihood and confidence from JSON.

    Its object must be the whole reply, its fence aside, or stand at its end. There it must name
    the likelihood; the whole reply may also call it the answer, the estimate and so on.
    """
    body = strip_fences(text.lower(), "").replace("`", " ").strip()
    if not body.endswith("}"):
        return None
    start = 0 if body.startswith("{") else body.rfind("{")
    pairs: list[tuple[str, object]] = []
    try:
        # All pairs of all objects, also those of a key that is given twice.
        json.loads(body[start:], object_pairs_hook=pairs.extend, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    named = [(key.replace("_", " ").strip(), _literal(value, body)) for key, value in pairs]
    answers = [value for key, value in named if key == "likelihood"]
    if start == 0 and not answers:
        answers = [value for key, value in named if re.fullmatch(_ANSWER_KEY, key)]
    if not answers:
        return None
    parsed = {_parse_content(value) for value in answers}
    # Every mention must be one of the pairs: there may be objects before the one at the end.
    if len(parsed) > 1 or body.count('"likelihood"') > len(answers):
        return ParsedNumber(None, "several_numbers"), None
    return parsed.pop(), _parse_agreed([value for key, value in named if key == "confidence"])


def _find_elements(text: str, name: str) -> list[str]:
    """List what stands in the complete elements of a name."""
    return [
        text[first.end() : second.start()]
        for first, second in pairwise(re.finditer(_TAG, text))
        if first["name"].lower() == second["name"].lower() == name
        and second["end"]
        and not first["end"]
        and first["whole"]
        and second["whole"]
    ]


def _find_objection(after: str, value: float) -> str:
    """Return what speaks against a tagged value in the text after it; empty if nothing."""
    plain = strip_scale(strip_markup(strip_confidence(after)))
    if is_retraction(plain):
        return "retracted"
    # Of endless digits the first twenty tell enough.
    if any(float(number[:20]) != value for number in find_numbers(plain)):
        return "several_numbers"
    return ""


def _parse_agreed(contents: list[str]) -> float | None:
    """Parse a confidence that may be given several times; None unless all agree."""
    values = {_parse_content(content).value for content in contents}
    return values.pop() if len(values) == 1 else None


def _parse_content(content: str) -> ParsedNumber:
    """Parse what stands in one tag, or as one JSON value."""
    plain = strip_markup(content)
    form = parse_clause(plain)
    if form is None or form.kind != "answer":
        return ParsedNumber(None, reason_for_no_answer(plain))
    return form.number


def _literal(value: object, body: str) -> str:
    """Return a JSON value as it stands in the reply: not a list, nor digits written as escapes."""
    return value if isinstance(value, str) and value in body else ""
