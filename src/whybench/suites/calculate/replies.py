r"""Words to an answer, or the reason why there is none.

Only forms count that say what the answer is. Thinking blocks and closed explanations are set aside,
then the dress. What is left says an answer

- that is marked: ``Answer: 12.3%``, ``The answer is -4%``, ``\boxed{12.3\%}``,
  ``<answer>first</answer>``, ``{"answer": "cannot be computed"}``. The last mark counts, unless
  words behind it take it back; where the answer alone was asked for (``direct``), marks that differ
  are none;
- or that is the whole reply, or its last line: there a number may end a calculation,
  ``0.3 x 0.4 = 12%``.

A number is ``12``, ``12.3``, ``-4.5``, each with ``%``, ``percent`` or ``percentage points``. A
bare decimal between -1 and 1 may be a share of 1, and is not read. Not read either: ``12,3``,
ranges, and what lies beyond -100 and 100. That something cannot be computed is an answer of its
own, with the code `NOT_COMPUTABLE`; which of two is greater has the codes 1 and 2.
"""

from __future__ import annotations

import re

from whybench.suites.calculate.quantities import FIRST, NOT_COMPUTABLE, SECOND
from whybench.suites.contract import Answer
from whybench.suites.replies import find_last_object, find_shown_text

__all__ = ["STATED_REASONS", "parse_stated_reply"]

STATED_REASONS = {
    "ambiguous_number": "digits that may be read in two ways, such as 12,3",
    "ambiguous_scale": "a decimal between -1 and 1 without a percent sign",
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "no_answer_found": "no answer where it should be",
    "other_form": "a number where one of two was asked for, or the other way round",
    "out_of_scale": "beyond -100 or 100",
    "retracted": "words after the answer take it back",
    "several_answers": "several answers, and which of them is meant is not said",
    "unfinished_thinking": "thinking that never ends",
}
"""Every reason for which there may be no answer, and what it means."""

_NUMBER = (
    r"(?P<token>[-+\u2212]?(?:\d[\d.,']*|\.\d+))"
    r"(?P<unit> ?(?:%|percent(?:age points?)?\b|per cent\b|pp\b|points?\b))?"
)
_CANNOT = (
    r"(?P<cannot>(?:it )?(?:cannot|can't|can not|could not) be (?:computed|determined|calculated)"
    r"|not computable|undetermined)"
)
_PICK = r"(?:the )?(?P<pick>first|second)(?: (?:one|number|is greater))?"
_VALUE = (
    rf"(?:(?:about|around|approximately|approx\.|roughly|~|≈) ?)?(?:{_CANNOT}|{_PICK}|{_NUMBER})"
)
_LABEL = r"(?:(?:the|my|final|correct) ){0,3}answer(?: ?[:=] ?| is:? ?)"
_END = r" ?[.!)]*(?= |$)"
_MARKED = re.compile(rf"(?m)\b{_LABEL}{_VALUE}{_END}")
_LINE = re.compile(rf"(?:[^\n]*= ?)?{_VALUE}{_END}")
_DRESS = str.maketrans(dict.fromkeys('*_`$"“”', " "))
_BOXED = r"\\(?:boxed|fbox) ?\{([^{}]{1,60})\}|<(?:final_)?answer>(.{1,60}?)</(?:final_)?answer>"
_LATEX = r"\\(?:text|mathrm|mathbf) ?\{([^{}]{0,60})\}|\\[()\[\],;! ]"
_RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|hold on|scratch that|on second thought|let me (?:re|correct)"
    r"|i was wrong|i made a mistake|take (?:that|it) back)\b"
)


def parse_stated_reply(text: str, form: str, style: str, truncated: bool) -> Answer:
    """Read the answer that a reply gives.

    Args:
        text: The whole reply. Any text is taken; nothing raises.
        form: What was asked for: ``number``, or ``greater``, one of two.
        style: ``direct`` or ``cot``.
        truncated: Whether the reply hit the token limit. Then there is no answer.
    """
    if truncated:
        return Answer(None, "cut_off")
    text, reason = find_shown_text(text)
    if reason:
        return Answer(None, reason)
    found = _find_json(text) or _find_plain(_strip_markup(text), style == "direct")
    return _read(found, form) if isinstance(found, re.Match) else Answer(None, found)


def _strip_markup(text: str) -> str:
    """Take the dress off and write marked answers in one way."""
    text = text.lower().replace("\r", "\n").replace("\\%", "%").replace("’", "'")
    text = re.sub(_LATEX, r" \1 ", text)
    text = re.sub(_BOXED, r"\nanswer: \1\2\n", text, flags=re.S).translate(_DRESS)
    return re.sub(r"[^\S\n]+", " ", text).strip()


def _find_json(text: str) -> re.Match[str] | str | None:
    """Return the answer of a JSON object that ends the reply; None if there is no such object."""
    body = re.sub(r"```(?:json)?", " ", text.lower()).strip()
    if not body.endswith("}") or (found := find_last_object(body)) is None:
        return None
    answers = {str(value).strip() for key, value in found if re.fullmatch("(?:final.)?answer", key)}
    if len(answers) != 1:
        return "several_answers" if answers else None
    return re.fullmatch(_VALUE, answers.pop()) or "no_answer_found"


def _find_plain(plain: str, direct: bool) -> re.Match[str] | str:
    """Return where the answer stands, or why there is none."""
    marks = list(_MARKED.finditer(plain))
    if marks:
        if direct and len({_said(mark) for mark in marks}) > 1:
            return "several_answers"
        after = plain[marks[-1].end() :]
        return "retracted" if _RETRACTION.search(after) else marks[-1]
    lines = [line.strip() for line in plain.split("\n") if line.strip()]
    if lines and (found := _LINE.fullmatch(lines[-1])) and (len(lines) == 1 or not direct):
        return found
    if direct and lines and (found := _LINE.fullmatch(lines[0])):
        return "retracted" if _RETRACTION.search(plain) else found
    return "no_answer_found"


def _said(mark: re.Match[str]) -> tuple[bool, str | None, str]:
    return bool(mark["cannot"]), mark["pick"], (mark["token"] or "").rstrip(".,'")


def _read(found: re.Match[str], form: str) -> Answer:
    """Return what an answer is worth, or why it is not read."""
    if found["cannot"]:
        return Answer(NOT_COMPUTABLE)
    if bool(found["pick"]) != (form == "greater"):
        return Answer(None, "other_form")
    if found["pick"]:
        return Answer(FIRST if found["pick"] == "first" else SECOND)
    return _read_number(found["token"], bool(found["unit"]))


def _read_number(digits: str, has_unit: bool) -> Answer:
    token = digits.rstrip(".,'").replace("\u2212", "-").lstrip("+")
    if not re.fullmatch(r"-?(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})", token):
        return Answer(None, "ambiguous_number")
    value = float(token)
    if not -100 <= value <= 100:  # percent
        return Answer(None, "out_of_scale")
    if "." in token and 0 < abs(value) <= 1 and not has_unit:
        return Answer(None, "ambiguous_scale")
    return Answer(value)
