"""Replies in words alone, where a form at the right place says what the answer is."""

from __future__ import annotations

import re

from whybench.suites.judge.replies.forms import (
    LABEL,
    LONGEST_FORM,
    NOUN,
    AnswerForm,
    is_list_item,
    parse_clause,
)
from whybench.suites.judge.replies.numbers import (
    ParsedNumber,
    find_numbers,
    is_refusal,
    is_retraction,
    reason_for_no_answer,
    strip_markup,
)

__all__ = ["parse_prose"]

MAX_CLAUSES = 8

_CLAUSES = (
    r"(?: ?[,;|]|[.!])\s+| \(|\)? ?\n\s*|(?<=[\d%]) (?:and )?(?=(?:confidence|certainty) ?[:=])"
)
_SENTENCES = r"(?<=[.!?])\s+"
_ENDS_IN_NUMBER = r"(?:\A|\s)\d+[.)]\Z"
_STATED = rf"{NOUN}\b"
_LONE_LINE = r"(?m)^ ?(\d{1,3}(?:\.\d{1,20})?) ?%?\.? ?$"
_LABEL_LINE = (
    rf"(?:(?:sure[,!.]? )?(?:here(?: is|'s) )?{LABEL}"
    r"|(?:my )?(?:confidence|certainty)(?: level| score)?) ?:?"
)


def parse_prose(
    text: str, style: str, confidence: float | None, *, tagged: bool
) -> tuple[ParsedNumber, float | None]:
    """Return likelihood and confidence from words.

    Args:
        text: The reply, without likelihood tags and JSON.
        style: What was asked for.
        confidence: The tagged confidence, which holds unless the words give one.
        tagged: Whether a confidence was tagged, be it readable or not.
    """
    plain = strip_markup(text)
    if not plain:
        return ParsedNumber(None, "only_confidence" if tagged else "no_number"), None
    forms = _parse_forms(plain) or _parse_end(plain) or _parse_first_line(plain)
    if not forms:
        return ParsedNumber(None, reason_for_no_answer(plain)), None
    certainties = {form.number.value for form in forms if form.kind == "confidence"}
    if len(certainties) == 1:
        confidence = certainties.pop()
    return _choose_number(forms, style, tagged=tagged), confidence


def _choose_number(forms: list[AnswerForm], style: str, *, tagged: bool) -> ParsedNumber:
    """Find the one likelihood that all forms of a reply give."""
    answers = [form for form in forms if form.kind == "answer"]
    numbers = {form.number for form in answers}
    if not numbers:
        return ParsedNumber(None, "only_confidence")
    if len(numbers) > 1:
        return ParsedNumber(None, "several_numbers")
    number = numbers.pop()
    alone = len(answers) == len(forms) and not tagged
    labelled = any(form.labelled for form in answers)
    if number.value is not None and style == "confidence" and alone and not labelled:
        return ParsedNumber(None, "unlabelled")
    return number


def _parse_forms(plain: str) -> list[AnswerForm]:
    """Recognise a reply, or a part of it, that is forms from end to end; else nothing."""
    if len(plain) > LONGEST_FORM:
        return []
    lines = _join_labels(plain.split("\n"))
    if len(lines) == 1 and (form := parse_clause(lines[0])):
        return [form]
    if any(map(is_list_item, lines)):
        return []  # the number of a list's line is no clause of its own
    clauses = re.split(_CLAUSES, "\n".join(lines))
    if len(clauses) > MAX_CLAUSES:
        return []
    # Only the first clause still has its opening bracket: "85 (90% sure)", but not "1)".
    clauses[1:] = [part if "(" in part else part.replace(")", "", 1) for part in clauses[1:]]
    forms = [form for clause in clauses if (form := parse_clause(clause))]
    return forms if len(forms) == len(clauses) else []


def _join_labels(lines: list[str]) -> list[str]:
    """Join a line that is only a label, such as a heading, with the line it labels."""
    joined: list[str] = []
    for line in filter(str.strip, lines):
        if joined and re.fullmatch(_LABEL_LINE, joined[-1].strip()[:LONGEST_FORM]):
            joined[-1] = f"{joined[-1].strip().rstrip(':')}: {line.strip()}"
        else:
            joined.append(line)
    return joined


def _parse_end(plain: str) -> list[AnswerForm]:
    """Recognise an answer at the end of prose; one more form for each that contradicts it."""
    above, _, last = plain.rpartition("\n")
    lone = above.endswith(("\n", "\n ")) and above.rstrip(" \n)\"'").endswith((".", "!", "?"))
    # A label or heading above the number is joined with it; any other line is left alone.
    last = _join_labels([above.rstrip().rpartition("\n")[2], last])[-1]
    forms = _parse_forms(last)
    if not forms:
        *before, last = re.split(_SENTENCES, last[-2 * LONGEST_FORM :])
        # "70. The answer is 80": the number before it may be a list's, or another answer.
        forms = [] if before and re.search(_ENDS_IN_NUMBER, before[-1]) else _parse_forms(last)
        lone = False
    answers = [form for form in forms if form.kind == "answer"]
    if not answers or not (lone or all(form.labelled for form in answers)):
        return []
    return forms + [form for form in _find_stated(plain) if form.number.value is not None]


def _parse_first_line(plain: str) -> list[AnswerForm]:
    """Recognise an answer in the first line, if only words without numbers follow."""
    first, _, rest = plain.partition("\n")
    if find_numbers(rest) or is_retraction(rest) or is_refusal(rest):
        return []
    return _parse_forms(first)


def _find_stated(plain: str) -> list[AnswerForm]:
    """Collect everything in prose that is stated as the answer."""
    sentences = [part for line in plain.split("\n") for part in re.split(_SENTENCES, line)]
    clauses = set(re.findall(_LONE_LINE, plain))
    # Longer sentences are no forms: to search them for nouns would be wasted.
    clauses |= {
        part for part in sentences if len(part) <= LONGEST_FORM and re.search(_STATED, part)
    }
    forms = [form for clause in clauses if (form := parse_clause(clause))]
    return [form for form in forms if form.kind == "answer"]
