"""Forms: the ways in which a clause says that a number is the answer, or the confidence.

A clause is read in plain words and as a whole; nothing may stand before or behind its form.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from whybench.suites.judge.replies.numbers import (
    PERCENT,
    TOKEN,
    UNIT,
    ParsedNumber,
    parse_number,
    strip_scale,
)

__all__ = ["LABEL", "LONGEST_FORM", "NOUN", "AnswerForm", "is_list_item", "parse_clause"]

LONGEST_FORM = 200  # characters; longer lines are prose, and every pattern below stays cheap

# Parts of patterns.
NOUN = (
    r"(?:answer|likelihood|probability|chance|estimate|estimation|rating|score|response"
    r"|judge?ment|prediction|guess|assessment)"
)
LABEL = (
    r"(?:(?:my|the|a|an|final|best|overall|estimated|numeric|numerical|rough|approximate"
    r"|single|percentage|likelihood|probability) ){0,4}"
    rf"{NOUN}(?: (?:estimate|score|rating|value|percentage))?(?: ?\(%\))?"
)
_AT = r"at(?! least| most)"
_LINK = rf"(?: ?(?::|=|->|→)| is:?| would be| {_AT}| of| [-–](?= ))"
_SAY = (
    r"i(?: would|'d| will|'ll)? (?:say|estimate|guess|answer|rate|put|judge|go with|assign)"
    rf"(?: (?:it|this|that|{LABEL}))?(?: (?:{_AT}|as|to be|is)|'s)?"
)
_LIKELY = r"(?: (?P<likely>likely|likelihood|chance|probability|probable))?"
_END = r"[.!。]?"
_WORD = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen"
    r"|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|hundred|half|third|thirds|quarter|quarters|a|an|and|point)"
)

# What may lead to the number. It all may be absent, so that this always matches.
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|overall|finally|in conclusion|in summary|ok|okay|sure"
    r"|out of 100)[,:!.]? )?(?:here(?: is|'s) )?"
    # "Likelihood 85" is plain, but "Answer 2" or "Response 3" may only count answers.
    rf"(?P<label>{LABEL}{_LINK} ?|likelihood |probability |{_SAY} )?"
    r"(?:it(?: is|'s) |there(?: is|'s) an? )?"
    r"(?:(?:about|around|approximately|approx\.?|roughly|circa|maybe|perhaps|probably|say) |~ ?)?"
)
_ANSWER = rf"(?P<sign>[-–+] ?)?(?P<token>{TOKEN}){UNIT}{_LIKELY}{_END}"
_RANGE = (
    rf"(?:between {TOKEN}(?:{PERCENT})? and {TOKEN}|(?:from )?{TOKEN}(?:{PERCENT})?"
    rf"(?: ?(?:-|–|~|\.\.+|…|±|\+/-) ?| (?:to|through|plus or minus) ){TOKEN})"
    rf"(?:{PERCENT}| ?/ ?100| out of 100)?{_LIKELY}{_END}"
)
_BOUND = (
    r"(?:(?:at least|at most|(?:more|less|greater|higher|lower|no more|no less) than|over|under"
    r"|above|below|up to|nearly|almost|close to|just under|just over) |[<>≤≥]=? ?)"
    rf"{TOKEN}{UNIT}{_LIKELY}{_END}"
    rf"|{TOKEN}(?:{PERCENT})?(?: ?\+| or (?:more|less|higher|lower|above|below)){_END}"
)
_WORDS = rf"{_WORD}(?:[ –-]{_WORD}){{0,8}}(?:{PERCENT}| out of (?:one |a )?hundred)?{_LIKELY}{_END}"
_NO_NUMBER = {"range": _RANGE, "bound": _BOUND, "number_words": _WORDS}
_CERTAINTY = (
    r"(?:(?:and|with|my|the|a) ){0,3}(?:confidence|certainty)(?: (?:level|score|rating))?"
    rf"{_LINK}? ?(?P<token>{TOKEN}){UNIT}{_END}"
    rf"|(?:and |with |i am |i'm ){{0,2}}(?P<token2>{TOKEN})(?:{PERCENT})?"
    rf" (?:confidence|confident|certain|certainty|sure){_END}"
)
_ENCLOSING = ("()", "[]", "{}", "''", '""')
_ENCLOSING_DEPTH = 4


class AnswerForm(NamedTuple):
    """A clause that gives a likelihood or a confidence, or says why it does not.

    Attributes:
        kind: Which of the two it gives.
        number: What it gives.
        labelled: Whether words say which of the two it is.
    """

    kind: Literal["answer", "confidence"]
    number: ParsedNumber
    labelled: bool


def parse_clause(clause: str) -> AnswerForm | None:
    """Return the form that a clause in plain words is; None if it is none."""
    clause = _strip_enclosing(clause)
    if not clause or len(clause) > LONGEST_FORM or is_list_item(clause):
        return None
    # A clause of nothing but the scale stays as it is: a range.
    clause = _strip_enclosing(" ".join(strip_scale(clause).split()).lstrip(",: ")) or clause
    if match := re.fullmatch(_CERTAINTY, clause):
        number = parse_number(
            match["token"] or match["token2"],
            percent=bool(match["percent"]),
            whole=match["whole"],
        )
        return AnswerForm("confidence", number, labelled=True)
    lead = re.match(_LEAD, clause)
    label, rest = (lead["label"], clause[lead.end() :]) if lead else (None, clause)
    if match := re.fullmatch(_ANSWER, rest):
        number = parse_number(
            match["token"],
            sign=match["sign"] or "",
            percent=bool(match["percent"]),
            whole=match["whole"],
        )
        return AnswerForm("answer", number, labelled=bool(label or match["likely"]))
    for reason, pattern in _NO_NUMBER.items():
        if re.fullmatch(pattern, rest):
            return AnswerForm("answer", ParsedNumber(None, reason), labelled=True)
    return None


def is_list_item(line: str) -> bool:
    """Whether a line begins with its number in a list, such as "1. " or "2) "."""
    return re.match(r"\d+[.)] ", line) is not None


def _strip_enclosing(clause: str) -> str:
    """Take quotes and brackets off that enclose the whole clause."""
    clause = clause.strip()
    for _ in range(_ENCLOSING_DEPTH):
        if len(clause) < 2 or clause[0] + clause[-1] not in _ENCLOSING:
            break
        clause = clause[1:-1].strip()
    return clause
