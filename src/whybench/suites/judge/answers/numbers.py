r"""Numbers as they are written, and what they are worth on the scale from 0 to 100.

Here and in the modules beside it a pattern is a plain string, which `re` compiles when it is first
used and then keeps: compiled on import, they would cost everyone who never reads a reply.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["PERCENT", "TOKEN", "UNIT", "Number", "free_numbers", "read_number", "without_scale"]

# Parts of patterns. A token takes in more than is read, so that 62,5 is not read as 62.
TOKEN = r"\.?\d+(?:[.,']\d+)*(?:e[-+]?\d+| ?[x×] ?10 ?\^ ?\{?[-+]?\d+\}?)?"
PERCENT = r" ?(?:%|percent\b|per cent\b|pct\b\.?)"
UNIT = rf"(?:(?P<percent>{PERCENT})|(?: ?/ ?| out of | of | in )(?P<whole>\d+))?"

_PLAIN_NUMBER = r"(?!0\d{3})(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})"
_SCALE = (
    r"(?<!\w)[(\[]?(?:on )?(?:(?:a|the) )?(?:scale(?: of| from|:)? )?(?:from )?"
    r"(?:(?<![\d.,])0 ?%?(?: ?[-–] ?| to )|between 0 ?%? and )100(?!\d|\.\d) ?%?(?: scale)?[)\]]?"
)


class Number(NamedTuple):
    """A value from 0 to 100, or None and the reason why there is none."""

    value: float | None
    reason: str = ""


def read_number(
    token: str, *, sign: str = "", percent: bool = False, whole: str | None = None
) -> Number:
    """Give the value of a number that was found with its sign and unit."""
    if sign:
        # "- 5" with a space may be a bullet.
        return Number(None, "out_of_scale" if sign in ("-", "–") else "ambiguous_number")
    if not re.fullmatch(_PLAIN_NUMBER, token):
        huge = token.isdecimal() and token[0] != "0"
        return Number(None, "out_of_scale" if huge else "ambiguous_number")
    if whole not in (None, "100"):
        return Number(None, "other_scale")
    value = float(token)
    if value > 100:
        return Number(None, "out_of_scale")
    if "." in token and 0 < value <= 1 and not percent and whole is None:
        return Number(None, "ambiguous_scale")
    return Number(value)


def free_numbers(words: str) -> list[str]:
    """List the numbers in some words; names such as u8jz hold none."""
    return re.findall(r"(?<!\w)\d+(?:\.\d+)?", words)


def without_scale(words: str) -> str:
    """Take out every mention of the scale, whose 0 and 100 are no answers."""
    return re.sub(_SCALE, " ", words)
