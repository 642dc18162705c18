r"""Write a reply as plain text: one script for digits and signs, lower case, no markup.

What is removed becomes a space or a new line, so that no two numbers are joined. An answer in
`\boxed{}` or in answer tags becomes a line of its own, `answer: …`.

Patterns in this package are plain strings where they can be: `re` compiles them when they are first
used, and importing the package stays cheap.
"""

from __future__ import annotations

import re
import unicodedata

_SAME = {
    **{"%": "٪﹪", ".": "٫。", ",": "、", "-": "−﹣", "–": "‐‑‒–—―", "'": "’‘", '"': "“”„«»「」"},
    **{"\n": "\r\u2028\u2029", "~": "≈"},
    # Invisible marks become spaces: dropping one could join two numbers.
    " ": "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\ufe0f"
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
}
# Full-width forms besides, which leaves out superscripts and fractions: 5² is not 52.
_SIGNS = str.maketrans(
    {chr(0xFF01 + code): chr(0x21 + code) for code in range(94)}
    | {sign: plain for plain, signs in _SAME.items() for sign in signs}
)
_OTHER_DIGIT = r"(?![0-9])\d"

_ANSWER_TAG = r"<(?:final[_ ])?answer>(.{1,60}?)</(?:final[_ ])?answer>"
_MARKUP = (
    r"</?(?:response|answer|final_answer|output|explanation|reasoning"
    r"|p|b|i|u|em|strong|span|div|code|pre|center|h[1-6])>"
)
_FENCE = r"```[a-z]{0,12} ?\n"
_BREAK = r"<br ?/?>"
_LATEX_SIGN = r"\\[()\[\],;! ]"
_LATEX_WORDS = {"\\%": "%", "\\approx": "~", "\\times": "×", "\\cdot": "×", "\\minus": "-"}
_LATEX_TEXT = r"\\(?:text|textbf|mathbf|mathrm|bf) ?\{([^{}]{0,60})\}"
_LATEX_BOX = r"\\(?:boxed|fbox) ?\{([^{}]{1,60})\}"
_LATEX_DEPTH = 3  # \boxed{\mathbf{\text{85}}}
# The gaps in the ranges are emoji that stand for numbers, such as 💯 and 🔟.
_EMOJI = (
    r"[\u2705\u2714\u2728\u2b50\U0001f300-\U0001f4ae\U0001f4b0-\U0001f51e\U0001f525-\U0001faff]"
)
_EMPHASIS = str.maketrans("*_`", "   ")
_SPACES = r"[^\S\n]+"
_BULLET = r"(?m)^ ?(?:#{1,6} |[•‣▪◦] |[-–] (?=[a-z]))"  # but "- 5" may be a negative number
_LOOSE_STOP = r" \.(?!\d)"
_SIGNS_ALONE = r"(?m)^[^\w\n]+$"


def normalize_signs(text: str) -> str:
    """Write digits and signs of all scripts, and escaped tags, in one way."""
    if not text.isascii():
        text = text.translate(_SIGNS)
        text = re.sub(_OTHER_DIGIT, lambda found: str(unicodedata.decimal(found[0])), text)
    text = text.replace("\r", "\n")
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", " ")


def strip_markup(text: str) -> str:
    """Remove markdown, LaTeX, HTML and emoji from a text with normalized signs."""
    text = re.sub(_FENCE, "\n", text.lower())
    if "<" in text:
        text = re.sub(_ANSWER_TAG, r"\nanswer: \1\n", text, flags=re.DOTALL)
        text = re.sub(_BREAK, "\n", re.sub(_MARKUP, " ", text))
    if "\\" in text:
        for word, sign in _LATEX_WORDS.items():
            text = text.replace(word, sign)
        text = re.sub(_LATEX_SIGN, " ", text)
        for _ in range(_LATEX_DEPTH):
            text = re.sub(_LATEX_BOX, r"\nanswer: \1\n", re.sub(_LATEX_TEXT, r" \1 ", text))
    # A sign that encloses something comes in pairs; one alone is a unit: $85, 85".
    for sign in '$"':
        text = text.replace(sign, " ") if text.count(sign) % 2 == 0 else text
    text = re.sub(_SPACES, " ", re.sub(_EMOJI, " ", text).translate(_EMPHASIS))
    text = re.sub(_LOOSE_STOP, ".", re.sub(_BULLET, "", text))
    return re.sub(_SIGNS_ALONE, "", text).strip()
