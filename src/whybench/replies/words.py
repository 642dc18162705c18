"""Words that decline to answer, take an answer back, or state that there is none."""

from __future__ import annotations

import re

from whybench.replies.plain import normalize_signs

REASONS = {
    "ambiguous": "two choices, and which of them is the answer is not said",
    "ambiguous_number": "digits that may be read in two ways, such as 62,5 or 1e2 or a lone +85",
    "ambiguous_scale": "a decimal up to 1 without a percent sign: a share of 1, or of 100?",
    "bound": "a bound instead of a number: more than 90, at least 60, 85+",
    "change": "a change, such as 12% less likely, where a level was asked for",
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "no_answer_found": "no answer where it should be",
    "no_number": "no number where the answer should be, the scale itself aside",
    "number_words": "a number in words only",
    "other_form": "a number where one of two was asked for, or the other way round",
    "other_scale": "a fraction of something other than 100: 8/10, 1 in 4",
    "out_of_scale": "outside the range that was asked for",
    "range": "a range instead of a number",
    "refusal": "a short reply that declines to answer",
    "retracted": "words after the answer take it back",
    "several_answers": "several answers, and which of them is meant is not said",
    "several_numbers": "several numbers, and which of them is the answer is not said",
    "unclear": "a number in words that do not say that it is the answer",
    "unfinished_thinking": "thinking or an explanation that never ends",
}
"""Reasons for which there may be no answer, and what they mean."""

LONGEST_REFUSAL = 300  # in longer replies "cannot" and the like belong to the reasoning

_FOUND = "computed|determined|calculated|identified|estimated|inferred|derived"
CANNOT = (
    r"(?:(?:it|this|that|the (?:answer|number|quantity|effect|probability|value)) )?(?:is )?"
    rf"(?:(?:cannot|can't|can not|could not|couldn't) be (?:{_FOUND})"
    r"|(?:not|non-?) ?(?:computable|identifiable|determinable|estimable|identified)"
    r"|unidentifiable|undetermined|indeterminate|undeterminable"
    r"|impossible to (?:compute|determine|calculate|identify))"
)
"""A pattern of plain words which state that a number cannot be determined."""

_BEGIN = r"(?:^|[.!?;,–(]) ?(?:but |oh |hmm,? |no,? )?"
RETRACTION = (
    r"\b(?:wait|actually|correction|hold on|scratch that|on second thought|let me (?:re|correct)\w*"
    r"|i was wrong|i made a mistake|take (?:that|it) back)\b"
)
"""A pattern of plain words behind a number that take it back."""

RETRACTION_OF_WORD = (
    rf"(?m){_BEGIN}(?:wait|actually|correction|hold on|scratch that|on second thought"
    r"|let me (?:re|correct))|(?:^|[.!?;]) ?(?:but|however)\b|\bi (?:was|am) (?:wrong|mistaken)"
    r"|\bmade (?:a mistake|an error)|\btake (?:that|it) back"
)
"""The same behind a choice: an explanation follows, so that most words must begin a clause."""

_REFUSAL = (
    r"\b(?:cannot|can't|can not|could not|couldn't|unable|not able|won't|refuse|decline|impossible"
    r"|not possible|insufficient|not enough|no way to|don't know|do not know|unknown|n/a|none"
    rf"|undetermined|indeterminate|sorry|not sure|unsure|depends|rather not)\b|\b{CANNOT}"
)


def is_undetermined(text: str) -> bool:
    """Return whether a text states, and states only, that something cannot be determined."""
    return re.fullmatch(CANNOT, normalize_signs(text).lower().strip(" \n.!")) is not None


def is_refusal(plain: str) -> bool:
    """Return whether plain words decline to answer."""
    return re.search(_REFUSAL, plain) is not None
