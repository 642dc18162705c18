r"""Read a number with its sign, unit and range, in plain text.

A number is `85`, `62.5` or `.5`, with `%`, `percent`, `/100` or `out of 100`, and where differences
are asked also with `percentage points`. A sign is a hyphen, a minus sign or an en dash. A decimal
may be restated as a percentage, `0.718 (71.8%)`, if the two agree. Where differences are asked,
`12.3% less likely` and `a decrease of 12.3%` are -12.3; where a level is asked, they are no answer.

These have no value: a bare decimal up to 1 (`0.85` may be a share of 1), `62,5`, `1e2`, `- 5`
(which may be a bullet), fractions of another whole (`8/10`), and numbers outside of the range.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from whybench.replies.plain import normalize_signs

# A token includes more than is read, so that 62,5 is not read as 62.
TOKEN = r"\.?\d+(?:[.,']\d+)*(?:e[-+]?\d+| ?[x×] ?10 ?\^ ?\{?[-+]?\d+\}?)?"
PERCENT = r" ?(?:%|percent\b|per cent\b|pct\b\.?)"
_POINTS = r" ?(?:percentage points?|%-points?|pp|points?)\b"
_PLAIN_NUMBER = r"(?!0\d{3})(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})"
_CHANCE = "likely|likelihood|chance|probability|probable"
_CASES = r"(?: (?:of )?(?:the )?cases)?(?: on average)?"
_RESTATES = (
    r"(?: ?(?P<open>\()| ?=| ~|,?(?= i\.?e| that is| or )) ?"
    r"(?:(?:i\.?e\.?|that is|or|about|approximately|~),? ?)?"
)
_DECIMAL = r"[-+–]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?(?: ?%)?"
_DECIMALS = rf"({_DECIMAL})(?: ?\(({_DECIMAL})\))?"
WHOLE = rf"(?:{PERCENT}|(?: ?/ ?| out of | of | in )\d+)?"
_WORD = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six"
    r"|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|half|thirds?"
    r"|quarters?|a|an|and|point)"
)
_NO_NUMBER = (
    rf"(?:(?P<range>(?:between {TOKEN}(?:{PERCENT})? and {TOKEN}|(?:from )?{TOKEN}(?:{PERCENT})?"
    rf"(?: ?(?:-|–|~|\.\.+|…|±|\+/-) ?| (?:to|through|plus or minus) ){TOKEN}){WHOLE})"
    r"|(?P<bound>(?:(?:at least|at most|(?:more|less|greater|higher|lower|no more|no less) than"
    r"|over|under|above|below|up to|nearly|almost|close to|just under|just over) |[<>≤≥]=? ?)"
    rf"{TOKEN}{WHOLE}|{TOKEN}(?:{PERCENT})?(?: ?\+| or (?:more|less|higher|lower|above|below)))"
    rf"|(?P<number_words>{_WORD}(?:[ –-]{_WORD}){{0,8}}"
    rf"(?:{PERCENT}| out of (?:one |a )?hundred)?))(?: (?:{_CHANCE}))?[.!]?"
)
_DOWN = (
    r"less|fewer|smaller|lower(?:s|ed)?|decreas(?:e|es|ed)|reduc(?:es|ed|tion)|drops?|dropped"
    r"|declin(?:e|es|ed)|falls?|fell"
)
_UP = r"more|higher|greater|larger|increas(?:e|es|ed)|rises?|rose|raises?|raised"
_TURN = rf"(?:(?:it |an? )?(?:(?P<down>{_DOWN})|(?:{_UP}))(?: it)? (?:of|by) (?P<turned>))?"
_TURNED = (
    rf" (?:(?P<less>{_DOWN})|(?P<more>{_UP}))\b(?: (?:likely|probable|often|frequent))?"
    r"(?: (?:than|if|when|with|without|under|because) [^\n]{1,80})?"
)
_NAMED_END = r"(?: \([a-z ]{1,30}\))?"  # 0 (impossible) to 100 (certain)
_SCALE = (
    r"(?<!\w)[(\[]?(?:on )?(?:(?:a|the) )?(?:scale(?: of| from|:)? )?(?:from )?"
    rf"(?:(?<![\d.,])0(?: ?%)?{_NAMED_END}(?: ?[-–] ?| to )|between 0(?: ?%)?{_NAMED_END} and )"
    rf"100(?!\d|\.\d)(?: ?%)?{_NAMED_END}(?: scale)?[)\]]?"
)


TOLERANCE = 0.5
"""How far a number may be from one that restates it on another scale, in percentage points."""


class ParsedAnswer(NamedTuple):
    """A value, or None and the reason why there is none; and a second number, if one was given."""

    value: float | None
    reason: str = ""
    second: float | None = None


def strip_scale(plain: str) -> str:
    """Remove every mention of the scale from 0 to 100, whose ends are no answers."""
    return re.sub(_SCALE, " ", plain) if "100" in plain else plain


def find_numbers(plain: str) -> list[float]:
    """List the numbers in plain text except for the scale; names such as u8jz hold none."""
    counted = re.sub(r"(?:/| out of | of | in ) ?100\b", " ", strip_scale(plain))
    # The first twenty of endless digits are enough to compare them.
    return [float(number[:20]) for number in re.findall(r"(?<!\w)\d+(?:\.\d+)?", counted)]


def read_decimal(text: str, share: bool) -> float | None:
    """Return the number that a text is, such as the value of a field in JSON; None if it is none.

    Args:
        text: The text.
        share: Whether a share of 1 is asked, so that "12%" is 0.12.
    """
    found = re.fullmatch(_DECIMALS, normalize_signs(text).lower().strip())
    if found is None or (not share and "%" in found[0]):
        return None
    written = [number.replace("–", "-") for number in found.groups() if number]
    value, *restated = (float(each.rstrip("% ")) / (100 if "%" in each else 1) for each in written)
    return value if all(abs(value - other) <= TOLERANCE / 100 for other in restated) else None


def explain_no_number(plain: str) -> str:
    """Return why plain words are not one number: a range, a bound or words; empty if neither."""
    found = re.fullmatch(_NO_NUMBER, plain)
    return (found and found.lastgroup) or ""


@dataclass(frozen=True)
class Percent:
    """A number in percent.

    Attributes:
        low: The lowest value; below 0, signs and percentage points are read.
        high: The highest value.
        difference: Whether a difference is asked, so that "12% less" has a meaning.
    """

    low: float = 0.0
    high: float = 100.0
    difference: bool = False

    @cached_property
    def pattern(self) -> str:
        """A pattern of a number in plain text, whose match `read` takes."""
        first, second = (self._pattern(name) for name in ("", "2"))
        tail = rf"(?: (?P<likely>{_CHANCE})|{_TURNED})?"
        return rf"{_TURN}{first}(?:{_RESTATES}{second}(?(open)\)))?{_CASES}{tail}"

    def _pattern(self, name: str) -> str:
        points = f"|{_POINTS}" if self.low < 0 else ""
        return (
            rf"(?P<sign{name}>[-–+] ?)?(?P<token{name}>{TOKEN})(?:(?P<percent{name}>{PERCENT}"
            rf"{points})|(?: ?/ ?| out of | of | in )(?:every |the )?(?P<whole{name}>\d+))?"
        )

    def read(self, found: re.Match[str], several: str) -> ParsedAnswer:
        """Return the value of a match of the pattern.

        Args:
            found: The match.
            several: The reason for two numbers that do not agree.
        """
        turned = found["turned"] is not None or found["less"] or found["more"]
        if turned and not self.difference:
            return ParsedAnswer(None, "change")
        restated = found["token2"] is not None
        number = self._read_restated(found, several) if restated else self._read_one(found, "")
        if number.value is not None and (found["down"] or found["less"]):
            return ParsedAnswer(-abs(number.value))
        return number

    def _read_one(self, found: re.Match[str], name: str) -> ParsedAnswer:
        token, sign = found[f"token{name}"], found[f"sign{name}"] or ""
        whole, has_unit = found[f"whole{name}"], bool(found[f"percent{name}"])
        # "- 5" with a space may be a bullet, and "+5" a change.
        if sign.endswith(" ") or (sign == "+" and self.low >= 0):
            return ParsedAnswer(None, "ambiguous_number")
        if not re.fullmatch(_PLAIN_NUMBER, token):
            huge = token.isdecimal() and token[0] != "0"
            return ParsedAnswer(None, "out_of_scale" if huge else "ambiguous_number")
        if whole not in (None, "100"):
            return ParsedAnswer(None, "other_scale")
        value = -float(token) if sign in ("-", "–") else float(token)
        if not self.low <= value <= self.high or (sign in ("-", "–") and self.low >= 0):
            return ParsedAnswer(None, "out_of_scale")
        if "." in token and 0 < abs(value) <= 1 and not has_unit and whole is None:
            return ParsedAnswer(None, "ambiguous_scale")
        return ParsedAnswer(value)

    def _read_restated(self, found: re.Match[str], several: str) -> ParsedAnswer:
        """Return the value of two numbers that agree, such as 0.4 (40%) or 12.3% (12.34%)."""
        one, other = self._read_one(found, ""), self._read_one(found, "2")
        known, name = (other, "") if one.value is None else (one, "2")
        if known.value is None:
            return one
        reason = other.reason if name else one.reason
        if not reason:
            digits = min(len(found[token].partition(".")[2]) for token in ("token", "token2"))
            agree = round(known.value, digits) == round(other.value or 0.0, digits)
        else:
            sign = -1 if found[f"sign{name}"] in ("-", "–") else 1
            whole = float(found[f"whole{name}"] or 1) or math.inf
            agree = (
                reason in ("ambiguous_scale", "other_scale")
                and abs(100 * sign * float(found[f"token{name}"]) / whole - known.value)
                <= TOLERANCE
            )
        return known if agree else ParsedAnswer(None, several)
