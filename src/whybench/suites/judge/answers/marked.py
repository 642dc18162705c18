"""Replies that mark what is the likelihood and what the confidence: with tags, or in JSON."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from whybench.suites.judge.answers.doubts import takes_back, why_none
from whybench.suites.judge.answers.forms import NOUN, read_form
from whybench.suites.judge.answers.numbers import Number, free_numbers, without_scale
from whybench.suites.judge.answers.plain import plain_words, without_fences

__all__ = ["read_object", "read_tagged", "tagged_confidence", "without_confidence"]

# Also without its last bracket, so that a tag which was not finished is seen as such.
_TAG = r"(?i)<\s{0,3}(?P<end>/?)\s{0,3}(?P<name>likelihood|confidence)\s{0,3}(?P<whole>>?)"
_CONFIDENCE_ELEMENT = r"(?i)<confidence>[^<>]{0,80}(?:</confidence>|(?=</response>)|\Z)"
_ANSWER_KEY = rf"(?:final )?{NOUN}"


def read_tagged(text: str) -> Number | None:
    """Read the likelihood from its tags; None if there is no such tag."""
    own = [tag for tag in re.finditer(_TAG, text) if tag["name"].lower() == "likelihood"]
    if not own:
        return None
    contents = _elements(text, "likelihood")
    if not contents or not own[-1]["end"]:
        return Number(None, "broken_tag")
    answer = _read_content(contents[-1])
    if answer.value is None:
        return answer
    if {_read_content(content).value for content in set(contents[:-1])} - {None, answer.value}:
        return Number(None, "several_numbers")
    objection = _objection(text[own[-1].end() :], answer.value)
    return Number(None, objection) if objection else answer


def tagged_confidence(text: str) -> float | None:
    """Read the confidence from its tags; None unless they agree."""
    return _agreed(_elements(text, "confidence"))


def without_confidence(text: str) -> str:
    """Take out tagged confidences, also one whose end is missing at the end of the reply."""
    return re.sub(_CONFIDENCE_ELEMENT, " ", text)


def read_object(text: str) -> tuple[Number, float | None] | None:
    """Read likelihood and confidence from JSON.

    Its object must be the whole reply, its fence aside, or stand at its end. There it must name
    the likelihood; the whole reply may also call it the answer, the estimate and so on.
    """
    body = without_fences(text.lower(), "").replace("`", " ").strip()
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
    read = {_read_content(value) for value in answers}
    # Every mention must be one of the pairs: there may be objects before the one at the end.
    if len(read) > 1 or body.count('"likelihood"') > len(answers):
        return Number(None, "several_numbers"), None
    return read.pop(), _agreed([value for key, value in named if key == "confidence"])


def _elements(text: str, name: str) -> list[str]:
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


def _objection(after: str, value: float) -> str:
    """Say what speaks against a tagged value in the text after it, or nothing."""
    plain = without_scale(plain_words(without_confidence(after)))
    if takes_back(plain):
        return "retracted"
    # Of endless digits the first twenty tell enough.
    if any(float(number[:20]) != value for number in free_numbers(plain)):
        return "several_numbers"
    return ""


def _agreed(contents: list[str]) -> float | None:
    """Read a confidence that may be given several times; None unless all agree."""
    values = {_read_content(content).value for content in contents}
    return values.pop() if len(values) == 1 else None


def _read_content(content: str) -> Number:
    """Read what stands in one tag, or as one JSON value."""
    plain = plain_words(content)
    form = read_form(plain)
    if form is None or form.kind != "answer":
        return Number(None, why_none(plain))
    return form.number


def _literal(value: object, body: str) -> str:
    """Return a JSON value as it stands in the reply: not a list, nor digits written as escapes."""
    return value if isinstance(value, str) and value in body else ""
