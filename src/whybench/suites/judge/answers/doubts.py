"""Words that speak against an answer, and the reason why plain words hold none."""

from __future__ import annotations

import re

from whybench.suites.judge.answers.numbers import without_scale

__all__ = ["declines", "takes_back", "why_none"]

LONGEST_REFUSAL = 300  # in longer replies "cannot" and the like belong to the reasoning

_RETRACTION = (
    r"(?i)\b(?:wait|actually|correction|scratch that|second thought|take (?:that|it) back|mistake"
    r"|let me (?:re|correct)|instead|not right|was wrong|is wrong|ignore|disregard)"
)
_REFUSAL = (
    r"\b(?:cannot|can't|can not|could not|couldn't|unable|not able|won't|refuse|decline|impossible"
    r"|not possible|insufficient|not enough|no way to|don't know|do not know|unknown|n/a|none"
    r"|undetermined|indeterminate|sorry|not sure|unsure|depends)\b"
)


def takes_back(plain: str) -> bool:
    """Tell whether plain words take back what was said before them."""
    return re.search(_RETRACTION, plain) is not None


def declines(plain: str) -> bool:
    """Tell whether plain words decline to answer."""
    return re.search(_REFUSAL, plain) is not None


def why_none(plain: str) -> str:
    """Say why no answer was read from plain words: a key of `REASONS`."""
    if len(plain) <= LONGEST_REFUSAL and declines(plain):
        return "refusal"
    # Digits inside names count too: where there are any, "no number" would say too much.
    numbers = set(re.findall(r"\d+(?:\.\d+)?", without_scale(plain)))
    if not numbers:
        return "no_number"
    return "several_numbers" if len(numbers) > 1 else "unclear"
