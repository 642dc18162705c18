r"""Words to a number of 100 cases, or the reason why there is none.

As for yes and no (`replies`), only forms count that say what the answer is. Thinking blocks and
closed explanations are set aside, then the dress. What is left says a number

- that is marked: ``Answer: 15.12``, ``The answer is 15.12%``, ``\boxed{15.12}``,
  ``<answer>15.12</answer>``, ``{"answer": 15.12}``. The last mark counts, unless words behind it
  take it back or give another number; where nothing but a number was asked for (``direct``), two
  marks that differ are none;
- or that is the whole reply, or its last line: ``15.12``, ``about 15.12 of 100 cases``; there it
  may end a calculation: ``0.36 x 0.42 = 15.12%``. In the style ``direct`` it may also be the first
  line, with words and no other number behind it.

A number is ``15``, ``15.12``, each with ``%``, ``percent``, ``/100`` or ``of 100``. A bare decimal
up to 1 may be a share of 1 and is not read: no truth lies there. Not read either: ``15,12``,
ranges, numbers of another whole (``3/20``), and what lies beyond 0 and 100.
"""

from __future__ import annotations

import re

from whybench.suites.contract import Answer
from whybench.suites.replies import find_last_object, find_shown_text

__all__ = ["NUMBER_REASONS", "parse_number_reply"]

NUMBER_REASONS = {
    "ambiguous_number": "digits that may be read in two ways, such as 15,12",
    "ambiguous_scale": "a decimal up to 1 without a percent sign: a share of 1, or of 100?",
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "no_answer_found": "no number where the answer should be",
    "other_scale": "a number of another whole than 100",
    "out_of_scale": "below 0 or above 100",
    "refusal": "a reply that declines to answer",
    "retracted": "words after the answer take it back",
    "several_numbers": "several numbers, and which of them is the answer is not said",
    "unfinished_thinking": "thinking that never ends",
}
"""Every reason for which there may be no number, and what it means."""

_TOKEN = r"[-+\u2212]?\d[\d.,'’]*"
_UNIT = (
    r"(?P<unit> ?(?:%|percent\b|per cent\b)| ?(?:/|out of|of|in) ?(?:every |the )?(?P<whole>\d+))?"
    r"(?: (?:of )?(?:the )?cases)?(?: on average)?"
)
_NUMBER = rf"(?P<token>{_TOKEN}){_UNIT}"
_ABOUT = r"(?:(?:in |about |around |approximately |approx\. ?|roughly |~ ?|≈ ?)*)"
_LABEL = (
    r"(?:(?:the|my|final|correct) ){0,3}(?:answer|result|product|number)"
    r"(?: ?[:=] ?| is:? ?| ?\n{1,3} ?| must be )"
)
_END = r" ?[.!)]*(?= |$)"
_MARKED = re.compile(rf"(?m)\b{_LABEL}{_ABOUT}{_NUMBER}{_END}")
_LINE = re.compile(rf"(?:[^\n]*= ?)?{_ABOUT}{_NUMBER}{_END}")
_DRESS = str.maketrans(dict.fromkeys('*_`$"“”', " "))
_BOXED = r"\\(?:boxed|fbox) ?\{([^{}]{1,40})\}|<(?:final_)?answer>(.{1,40}?)</(?:final_)?answer>"
_LATEX = r"\\(?:text|mathrm|mathbf) ?\{([^{}]{0,40})\}|\\[()\[\],;! ]"
_RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|hold on|scratch that|on second thought|let me (?:re|correct)"
    r"|i was wrong|i made a mistake|take (?:that|it) back)\b"
)
_REFUSAL = re.compile(
    r"\bi (?:can(?:not|'t| not)|am unable|won't|will not|don't know|do not know)\b"
    r"|\bnot enough information|\bcannot be determined|\bimpossible to (?:say|tell|know)"
    r"|\brather not\b"
)
LONGEST_REFUSAL = 300


def parse_number_reply(text: str, style: str = "direct", truncated: bool = False) -> Answer:
    """Read the number of 100 cases that a reply gives.

    Args:
        text: The whole reply. Any text is taken; nothing raises.
        style: What was asked for: ``direct`` or ``cot``.
        truncated: Whether the reply hit the token limit. Then there is no answer.
    """
    if truncated:
        return Answer(None, "cut_off")
    text, reason = find_shown_text(text)
    if reason:
        return Answer(None, reason)
    return _parse_json(text) or _parse_plain(_strip_markup(text), style == "direct")


def _strip_markup(text: str) -> str:
    """Take the dress off and write marked answers in one way."""
    text = text.lower().replace("\r", "\n").replace("\\%", "%")
    text = re.sub(_BOXED, r"\nanswer: \1\2\n", text, flags=re.S)
    text = re.sub(_LATEX, r" \1 ", text).translate(_DRESS)
    return re.sub(r"[^\S\n]+", " ", text).strip()


def _parse_json(text: str) -> Answer | None:
    """Read a JSON object that ends the reply and names an answer; None if there is none."""
    body = re.sub(r"```(?:json)?", " ", text.lower()).strip()
    if not body.endswith("}") or (found := find_last_object(body)) is None:
        return None
    answers = {str(value).strip() for key, value in found if re.fullmatch("(?:final.)?answer", key)}
    if len(answers) != 1:
        return Answer(None, "several_numbers") if answers else None
    number = re.fullmatch(_NUMBER, answers.pop())
    return _read(number) if number else Answer(None, "no_answer_found")


def _parse_plain(plain: str, direct: bool) -> Answer:
    marks = list(_MARKED.finditer(plain))
    if marks:
        if direct and len({_read(mark).value for mark in marks}) > 1:
            return Answer(None, "several_numbers")
        return _object(plain[marks[-1].end() :], marks[-1]) or _read(marks[-1])
    above, _, last = plain.rpartition("\n")
    if (found := _LINE.fullmatch(last.strip())) and (not above or not direct or "=" in last):
        return _read(found)
    first, _, rest = plain.partition("\n")
    if direct and (found := _LINE.fullmatch(first.strip())):
        return _object(rest, found) or _read(found)
    if len(plain) <= LONGEST_REFUSAL and _REFUSAL.search(plain):
        return Answer(None, "refusal")
    many = len(set(re.findall(_TOKEN, plain))) > 1
    return Answer(None, "several_numbers" if many else "no_answer_found")


def _object(after: str, mark: re.Match[str]) -> Answer | None:
    """Return what speaks against a number in the words behind it; None if nothing does."""
    if _RETRACTION.search(after):
        return Answer(None, "retracted")
    others = set(re.findall(r"\d+(?:\.\d+)?", after)) - {mark["token"], "100"}
    return Answer(None, "several_numbers") if others else None


def _read(found: re.Match[str]) -> Answer:
    """Return what a number is worth, or why it is not read."""
    token = found["token"].rstrip(".,'’").replace("\u2212", "-")
    if not re.fullmatch(r"[-+]?\d{1,15}(?:\.\d{1,20})?", token) or token[0] == "+":
        return Answer(None, "ambiguous_number")
    if found["whole"] not in (None, "100"):
        return Answer(None, "other_scale")
    value = float(token)
    if not 0 <= value <= 100 or token[0] == "-":
        return Answer(None, "out_of_scale")
    if "." in token and 0 < value <= 1 and not found["unit"]:
        return Answer(None, "ambiguous_scale")
    return Answer(value)
