"""Any text in plain words: one script for digits and signs, lower case, no markup."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain_words", "same_signs", "without_fences"]

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


def same_signs(text: str) -> str:
    """Write digits and signs of all scripts, and escaped tags, in one way."""
    if not text.isascii():
        text = text.translate(_SIGNS)
        text = re.sub(_OTHER_DIGIT, lambda found: str(unicodedata.decimal(found[0])), text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ")


def without_fences(text: str, instead: str) -> str:
    """Take out the opening lines of code blocks, of a text in lower case."""
    return re.sub(_FENCE, instead, text)


def plain_words(text: str) -> str:
    """Take the dress off: markdown, LaTeX, HTML, emoji.

    What goes becomes a space or a new line, so that no two numbers are joined.
    """
    text = re.sub(_MARKUP, " ", text.replace("\r", "\n")).lower()
    text = re.sub(_BREAK, "\n", without_fences(text, "\n"))
    if "\\" in text or "$" in text:
        text = text.replace("\\%", "%").replace("\\approx", "~")
        text = re.sub(_LATEX_SIGN, " ", text)
        for _ in range(_LATEX_DEPTH):
            text = re.sub(_LATEX_BOX, r" \1\2 ", text)
    text = re.sub(_QUOTED, r" \1 ", re.sub(_EMOJI, " ", text))
    text = re.sub(_SPACES, " ", text.translate(_EMPHASIS))
    return re.sub(_LOOSE_STOP, ".", re.sub(_BULLET, "", text)).strip()
