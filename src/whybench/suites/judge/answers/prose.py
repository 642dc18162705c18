"""Replies in words alone, where a form at the right place says what the answer is."""

from __future__ import annotations

import re

from whybench.suites.judge.answers.doubts import declines, takes_back, why_none
from whybench.suites.judge.answers.forms import (
    LABEL,
    LONGEST_FORM,
    NOUN,
    Form,
    is_listed,
    read_form,
)
from whybench.suites.judge.answers.numbers import Number, free_numbers
from whybench.suites.judge.answers.plain import plain_words

__all__ = ["read_prose"]

MOST_CLAUSES = 8

_CLAUSES = (
    r"(?: ?[,;|]|[.!])\s+| \(|\)? ?\n\s*|(?<=[\d%]) (?:and )?(?=(?:confidence|certainty) ?[:=])"
)
_SENTENCES = r"(?<=[.!?])\s+"
_ENDS_IN_NUMBER = r"(?:\A|\s)\d+[.)]\Z"
_STATED = rf"{NOUN}\b"
_LONE_LINE = r"(?m)^ ?(\d{1,3}(?:\.\d{1,20})?) ?%?\.? ?$"
_LABEL_LINE = rf"(?:{LABEL}|(?:my )?(?:confidence|certainty)(?: level| score)?) ?:?"


def read_prose(
    text: str, style: str, confidence: float | None, *, tagged: bool
) -> tuple[Number, float | None]:
    """Read likelihood and confidence from words.

    Args:
        text: The reply, without likelihood tags and JSON.
        style: What was asked for.
        confidence: The tagged confidence, which holds unless the words give one.
        tagged: Whether a confidence was tagged, be it readable or not.
    """
    plain = plain_words(text)
    if not plain:
        return Number(None, "only_confidence" if tagged else "no_number"), None
    forms = _whole(plain) or _last(plain) or _first(plain)
    if not forms:
        return Number(None, why_none(plain)), None
    certainties = {form.number.value for form in forms if form.kind == "confidence"}
    if len(certainties) == 1:
        confidence = certainties.pop()
    return _answer(forms, style, tagged=tagged), confidence


def _answer(forms: list[Form], style: str, *, tagged: bool) -> Number:
    """Find the one likelihood that all forms of a reply give."""
    answers = [form for form in forms if form.kind == "answer"]
    numbers = {form.number for form in answers}
    if not numbers:
        return Number(None, "only_confidence")
    if len(numbers) > 1:
        return Number(None, "several_numbers")
    number = numbers.pop()
    alone = len(answers) == len(forms) and not tagged
    labelled = any(form.labelled for form in answers)
    if number.value is not None and style == "confidence" and alone and not labelled:
        return Number(None, "unlabelled")
    return number


def _whole(plain: str) -> list[Form]:
    """Recognise a reply, or a part of it, that is forms from end to end; else nothing."""
    if len(plain) > LONGEST_FORM:
        return []
    lines = _joined(plain.split("\n"))
    if len(lines) == 1 and (form := read_form(lines[0])):
        return [form]
    if any(map(is_listed, lines)):
        return []  # the number of a list's line is no clause of its own
    clauses = re.split(_CLAUSES, "\n".join(lines))
    if len(clauses) > MOST_CLAUSES:
        return []
    # Only the first clause still has its opening bracket: "85 (90% sure)", but not "1)".
    clauses[1:] = [part if "(" in part else part.replace(")", "", 1) for part in clauses[1:]]
    forms = [form for clause in clauses if (form := read_form(clause))]
    return forms if len(forms) == len(clauses) else []


def _joined(lines: list[str]) -> list[str]:
    """Join a line that is only a label, such as a heading, with the line it labels."""
    joined: list[str] = []
    for line in filter(str.strip, lines):
        if joined and re.fullmatch(_LABEL_LINE, joined[-1].strip()[:LONGEST_FORM]):
            joined[-1] = f"{joined[-1].strip().rstrip(':')}: {line.strip()}"
        else:
            joined.append(line)
    return joined


def _last(plain: str) -> list[Form]:
    """Recognise an answer at the end of prose; one more form for each that contradicts it."""
    above, _, last = plain.rpartition("\n")
    lone = above.endswith(("\n", "\n ")) and above.rstrip(" \n)\"'").endswith((".", "!", "?"))
    # A label or heading above the number is joined with it; any other line is left alone.
    last = _joined([above.rstrip().rpartition("\n")[2], last])[-1]
    forms = _whole(last)
    if not forms:
        *before, last = re.split(_SENTENCES, last[-2 * LONGEST_FORM :])
        # "70. The answer is 80": the number before it may be a list's, or another answer.
        forms = [] if before and re.search(_ENDS_IN_NUMBER, before[-1]) else _whole(last)
        lone = False
    answers = [form for form in forms if form.kind == "answer"]
    if not answers or not (lone or all(form.labelled for form in answers)):
        return []
    return forms + [form for form in _stated(plain) if form.number.value is not None]


def _first(plain: str) -> list[Form]:
    """Recognise an answer in the first line, if only words without numbers follow."""
    first, _, rest = plain.partition("\n")
    if free_numbers(rest) or takes_back(rest) or declines(rest):
        return []
    return _whole(first)


def _stated(plain: str) -> list[Form]:
    """Collect everything in prose that is stated as the answer."""
    sentences = [part for line in plain.split("\n") for part in re.split(_SENTENCES, line)]
    clauses = set(re.findall(_LONE_LINE, plain))
    # Longer sentences are no forms: to search them for nouns would be wasted.
    clauses |= {
        part for part in sentences if len(part) <= LONGEST_FORM and re.search(_STATED, part)
    }
    forms = [form for clause in clauses if (form := read_form(clause))]
    return [form for form in forms if form.kind == "answer"]
