"""Plain text, the numbers in it, and words that speak against an answer.

`strip_markup` puts any text into plain words: one script for digits and signs, lower case, no
markup. `parse_number` says what a number is worth on the scale from 0 to 100, and
`reason_for_no_answer` why plain words hold no answer.

Here and in the modules beside it a pattern is a plain string, which `re` compiles when it is first
used and then keeps: compiled on import, they would cost everyone who never parses a reply.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = [
    "PERCENT",
    "TOKEN",
    "UNIT",
    "ParsedNumber",
    "find_numbers",
    "is_refusal",
    "is_retraction",
    "normalize_signs",
    "parse_number",
    "reason_for_no_answer",
    "strip_fences",
    "strip_markup",
    "strip_scale",
]


# Parts of patterns. A token takes in more than is read, so that 62,5 is not read as 62.
TOKEN = r"\.?\d+(?:[.,']\d+)*(?:e[-+]?\d+| ?[x×] ?10 ?\^ ?\{?[-+]?\d+\}?)?"
PERCENT = r" ?(?:%|percent\b|per cent\b|pct\b\.?)"
UNIT = rf"(?:(?P<percent>{PERCENT})|(?: ?/ ?| out of | of | in )(?P<whole>\d+))?"

_PLAIN_NUMBER = r"(?!0\d{3})(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})"
_NAMED_END = r"(?: \([a-z ]{1,30}\))?"  # 0 (impossible) to 100 (certain)
_SCALE = (
    r"(?<!\w)[(\[]?(?:on )?(?:(?:a|the) )?(?:scale(?: of| from|:)? )?(?:from )?"
    rf"(?:(?<![\d.,])0(?: ?%)?{_NAMED_END}(?: ?[-–] ?| to )|between 0(?: ?%)?{_NAMED_END} and )"
    rf"100(?!\d|\.\d)(?: ?%)?{_NAMED_END}(?: scale)?[)\]]?"
)


class ParsedNumber(NamedTuple):
    """A value from 0 to 100, or None and the reason why there is none."""

    value: float | None
    reason: str = ""


def parse_number(
    token: str, *, sign: str = "", percent: bool = False, whole: str | None = None
) -> ParsedNumber:
    """Return the value of a number that was found with its sign and unit."""
    if sign:
        # "- 5" with a space may be a bullet.
        return ParsedNumber(None, "out_of_scale" if sign in ("-", "–") else "ambiguous_number")
    if not re.fullmatch(_PLAIN_NUMBER, token):
        huge = token.isdecimal() and token[0] != "0"
        return ParsedNumber(None, "out_of_scale" if huge else "ambiguous_number")
    if whole not in (None, "100"):
        return ParsedNumber(None, "other_scale")
    value = float(token)
    if value > 100:
        return ParsedNumber(None, "out_of_scale")
    if "." in token and 0 < value <= 1 and not percent and whole is None:
        return ParsedNumber(None, "ambiguous_scale")
    return ParsedNumber(value)


def find_numbers(words: str) -> list[str]:
    """List the numbers in some words; names such as u8jz hold none."""
    return re.findall(r"(?<!\w)\d+(?:\.\d+)?", words)


def strip_scale(words: str) -> str:
    """Take out every mention of the scale, whose 0 and 100 are no answers."""
    return re.sub(_SCALE, " ", words)


_SIGNS = str.maketrans(
    {
        **dict.fromkeys("٪％﹪", "%"),
        **dict.fromkeys("٫．", "."),
        **dict.fromkeys("−﹣－", "-"),
        **dict.fromkeys("‐‑‒–—", "–"),
        **dict.fromkeys("’‘＇", "'"),
        **dict.fromkeys("“”„«»「」", '"'),
        "／": "/",
        "：": ":",
        "＜": "<",
        "＞": ">",
        "≈": "~",
        # Invisible marks become spaces: dropping one could join two numbers.
        **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\ufe0f", " "),
        **dict.fromkeys("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", " "),
    }
)
_OTHER_DIGIT = r"(?![0-9])\d"

_MARKUP = (
    r"(?i)</?(?:response|answer|final_answer|output|likelihood|confidence|explanation|reasoning"
    r"|p|b|i|u|em|strong|span|div|code|pre|center|h[1-6])>"
)
_FENCE = r"```[a-z]{0,12} ?\n"
_BREAK = r"<br ?/?>"
_LATEX_SIGN = r"\\[()\[\],;! ]"
_LATEX_BOX = r"\\(?:boxed|fbox|text|textbf|mathbf|mathrm|bf) ?\{([^{}]{0,60})\}|\$([^$\n]{1,60})\$"
_LATEX_DEPTH = 3  # $\boxed{\text{85}}$
# The gaps in the ranges are emoji that stand for numbers, such as 💯 and 🔟.
_EMOJI = (
    r"[\u2705\u2714\u2728\u2b50\U0001f300-\U0001f4ae\U0001f4b0-\U0001f51e\U0001f525-\U0001faff]"
)
_QUOTED = r'"([^"\n]{1,40})"'
_EMPHASIS = str.maketrans("*_`", "   ")
_SPACES = r"[^\S\n]+"
_BULLET = r"(?m)^ ?(?:#{1,6} |[•‣▪◦] |[-–] (?=[a-z]))"  # but "- 5" may be a negative number
_LOOSE_STOP = r" \.(?!\d)"


def normalize_signs(text: str) -> str:
    """Write digits and signs of all scripts, and escaped tags, in one way."""
    if not text.isascii():
        text = text.translate(_SIGNS)
        text = re.sub(_OTHER_DIGIT, lambda found: str(unicodedata.decimal(found[0])), text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ")


def strip_fences(text: str, instead: str) -> str:
    """Take out the opening lines of code blocks, of a text in lower case."""
    return re.sub(_FENCE, instead, text)


def strip_markup(text: str) -> str:
    """Take the dress off: markdown, LaTeX, HTML, emoji.

    What goes becomes a space or a new line, so that no two numbers are joined.
    """
    text = re.sub(_MARKUP, " ", text.replace("\r", "\n")).lower()
    text = re.sub(_BREAK, "\n", strip_fences(text, "\n"))
    if "\\" in text or "$" in text:
        text = text.replace("\\%", "%").replace("\\approx", "~")
        text = re.sub(_LATEX_SIGN, " ", text)
        for _ in range(_LATEX_DEPTH):
            text = re.sub(_LATEX_BOX, r" \1\2 ", text)
    text = re.sub(_QUOTED, r" \1 ", re.sub(_EMOJI, " ", text))
    text = re.sub(_SPACES, " ", text.translate(_EMPHASIS))
    return re.sub(_LOOSE_STOP, ".", re.sub(_BULLET, "", text)).strip()


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


def is_retraction(plain: str) -> bool:
    """Whether plain words take back what was said before them."""
    return re.search(_RETRACTION, plain) is not None


def is_refusal(plain: str) -> bool:
    """Whether plain words decline to answer."""
    return re.search(_REFUSAL, plain) is not None


def reason_for_no_answer(plain: str) -> str:
    """Return why plain words hold no answer: a key of `REASONS`."""
    plain = strip_scale(plain)  # whose ends may be called impossible and certain
    if len(plain) <= LONGEST_REFUSAL and is_refusal(plain):
        return "refusal"
    # Digits inside names count too: where there are any, "no number" would say too much.
    numbers = set(re.findall(r"\d+(?:\.\d+)?", plain))
    if not numbers:
        return "no_number"
    return "several_numbers" if len(numbers) > 1 else "unclear"
