"""Read yes or no, or a number of 100 cases.

Work may be shown in every style but `direct`: there the last answer counts. Behind yes or no an
explanation may follow, which must not give the other answer. Behind a number no other number may
follow: each product on the way to the answer is one.
"""

from __future__ import annotations

from whybench.replies.choices import ChoiceReader
from whybench.replies.statements import NOUNS, NumberReader
from whybench.suites.contract import Answer

_CHOICES = {direct: ChoiceReader(shows_work=not direct) for direct in (True, False)}
_NUMBERS = {
    direct: NumberReader(
        nouns=f"{NOUNS}|product|value",
        marks="answer|result|product|number",
        shows_work=not direct,
    )
    for direct in (True, False)
}


def parse_reply(text: str, style: str = "direct", truncated: bool = False) -> Answer:
    """Read the answer that a reply gives: 1.0 for yes, 0.0 for no.

    Args:
        text: The whole reply.
        style: What was asked for: a style of questions.
        truncated: Whether the reply hit the token limit; then there is no answer.
    """
    answer = _CHOICES[style == "direct"].read(text, truncated)
    return Answer(answer.value, answer.reason)


def parse_number_reply(text: str, style: str = "direct", truncated: bool = False) -> Answer:
    """Read the number of 100 cases that a reply gives; arguments are as in `parse_reply`."""
    answer = _NUMBERS[style == "direct"].read(text, truncated)
    return Answer(answer.value, answer.reason)
