"""Read an answer in percent, one of two, or the statement that something cannot be determined.

Work may be shown in the style `cot`: there the last answer counts. Words with other numbers may
follow the answer, since explanations of it are full of them.
"""

from __future__ import annotations

from functools import cache

from whybench.replies.numbers import ParsedAnswer, Percent
from whybench.replies.statements import NOUNS, NumberReader
from whybench.replies.words import CANNOT
from whybench.suites.calculate.quantities import EFFECTS, FIRST, NOT_COMPUTABLE, SECOND
from whybench.suites.contract import Answer

_BASIS = r"(?: (?:from|with|without|given|since|because|as|based on|using)\b[^\n]{0,100})?"
_ONE_OF_TWO = {
    r"(?:the )?first(?: (?:one|number|is greater))?": FIRST,
    r"(?:the )?second(?: (?:one|number|is greater))?": SECOND,
}


@cache
def make_reader(form: str, style: str, difference: bool) -> NumberReader:
    """Return the reader of a form and a style; `difference` is whether one was asked."""
    is_number = form == "number"
    other = ParsedAnswer(None, "other_form")
    picks = [
        (word, other if is_number else ParsedAnswer(code)) for word, code in _ONE_OF_TWO.items()
    ]
    return NumberReader(
        several="several_answers",
        number=Percent(-100, 100, difference) if is_number else None,
        words=((f"{CANNOT}{_BASIS}", ParsedAnswer(NOT_COMPUTABLE)), *picks),
        nouns=f"{NOUNS}|value|number|effect|difference",
        shows_work=style != "direct",
        rivals=False,
    )


def parse_stated_reply(
    text: str, form: str, style: str, truncated: bool, query: str = "ate"
) -> Answer:
    """Read the answer that a reply gives.

    Args:
        text: The whole reply.
        form: What was asked for: `number`, or `greater`, one of two.
        style: `direct` or `cot`.
        truncated: Whether the reply hit the token limit; then there is no answer.
        query: The quantity that was asked for.
    """
    answer = make_reader(form, style, query in EFFECTS).read(text, truncated)
    return Answer(answer.value, answer.reason)
