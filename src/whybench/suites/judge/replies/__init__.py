r"""Words → a likelihood between 0 and 100, or the reason why there is none.

The parser takes only forms that *say* which number is the answer. Where a careful person would
hesitate it gives no answer: a number that was never meant costs a measure more than a lost reply.

What is set aside first
    Thinking blocks (``<think>``, ``[THINK]``, ``<|channel|>analysis`` …) and closed explanations
    (``<explanation>``, ``<reasoning>`` …); what stands before a stray ``</think>`` is thinking.
    Digits of every script are read by their Unicode value; ``٪ ％ ٫`` are ``%`` and ``.``.

Tagged replies (any style)
    The last complete ``<likelihood>…</likelihood>`` decides. No answer if an earlier one reads
    another number, if a tag is opened after it, or if words after it hold another number or
    take it back.

Untagged replies
    ======================================================  =================================
    the whole reply, or each of its clauses, is an answer   ``85``, ``**85%**``, ``about 85``,
    form                                                    ``Likelihood: 85, confidence: 90``
    the last line is a form and says so in words, or is a   ``… Final answer: 70.``,
    number in a paragraph of its own after a full sentence  ``… are independent.\n\n50``
    the first line is a form and no number follows it       ``85\n\nBoth causes are present.``
    a JSON object with a likelihood                         ``{"likelihood": 85}``
    ======================================================  =================================

    Other numbers that are stated as the answer must agree with it. "The likelihood of rain is
    20" is not a form: what it is the likelihood *of* is not checked here.

Numbers
    ``85``, ``62.5``, ``085``, each with ``%``, ``percent``, ``/100``, ``out of 100``. ``0`` and
    ``1`` are themselves, ``0.0`` is 0, ``0.85%`` is 0.85; a bare ``0.85`` or ``1.0`` may be a
    probability and is not read. Not read either: ``62,5``, ``1e2``, ``+85``, words
    (``eighty-five``), fractions of another whole (``8/10``), ranges, bounds (``>90``). The scale
    itself (``0 to 100``, ``0-100``, ``between 0 and 100``) is not an answer and is passed over.

Styles
    ``direct`` and ``cot`` differ in what was asked, not in what is read. In ``confidence``, where
    two numbers were asked for, a single number without a label is not read. The confidence itself
    never decides an outcome: unreadable, it is None.
"""

from __future__ import annotations

from typing import NamedTuple

from whybench.suites.judge.replies.marked import (
    parse_json,
    parse_tagged,
    parse_tagged_confidence,
    strip_confidence,
)
from whybench.suites.judge.replies.numbers import ParsedNumber, normalize_signs
from whybench.suites.judge.replies.prose import parse_prose
from whybench.suites.replies import (
    EXPLAINING,
    THINKING,
    keep_final_channel,
    remove_blocks,
    remove_special_tokens,
)

__all__ = ["REASONS", "JudgeReply", "parse_reply"]

REASONS = {
    "ambiguous_number": "digits that may be read in two ways, such as 62,5 or 1e2 or +85",
    "ambiguous_scale": "a decimal up to 1 without a percent sign: a probability, or 0–100?",
    "bound": "a bound instead of a number: more than 90, at least 60, 85+",
    "broken_tag": "a likelihood tag without its partner",
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "no_number": "no number where the answer should be, the scale itself aside",
    "number_words": "a number in words only",
    "only_confidence": "a confidence without a likelihood",
    "other_scale": "a fraction of something other than 100: 8/10, 1 in 4",
    "out_of_scale": "below 0 or above 100",
    "range": "a range instead of a number",
    "refusal": "a short reply that declines to answer",
    "retracted": "words after the tagged answer take it back",
    "several_numbers": "several numbers, and which of them is the answer is not said",
    "unclear": "a number in words that do not say that it is the answer",
    "unfinished_thinking": "thinking or an explanation that never ends",
    "unlabelled": "one bare number where a likelihood and a confidence were asked for",
}
"""Every reason for which there may be no answer, and what it means."""


class JudgeReply(NamedTuple):
    """What a reply says.

    Attributes:
        value: The likelihood, 0–100; None if there is no answer.
        confidence: The confidence that was tagged or labelled as such, 0–100, else None.
        reason: A key of `REASONS` when there is no answer, else "".
    """

    value: float | None
    confidence: float | None
    reason: str


def parse_reply(text: str, style: str = "direct", *, truncated: bool = False) -> JudgeReply:
    """Return the likelihood that a reply gives, or why it gives none.

    Args:
        text: The whole reply. Any text is taken; nothing raises.
        style: What was asked for: ``direct``, ``cot`` or ``confidence``.
        truncated: Whether the reply hit the token limit. Then there is no answer, since the
            number it holds need not be the one it was heading for.
    """
    if truncated:
        return JudgeReply(None, None, "cut_off")
    (value, reason), confidence = _parse(text, style)
    return JudgeReply(value, None if value is None else confidence, reason)


def _parse(text: str, style: str) -> tuple[ParsedNumber, float | None]:
    """Return the likelihood and the confidence of a whole reply."""
    text = keep_final_channel(normalize_signs(text).strip())
    if not remove_special_tokens(text).strip():
        return ParsedNumber(None, "empty"), None
    text, thinking = remove_blocks(text, THINKING)
    if thinking:
        return ParsedNumber(None, "unfinished_thinking"), None
    # Not before: some of these tokens mark the thinking.
    text = remove_special_tokens(text)
    rest, explaining = remove_blocks(text, EXPLAINING)
    if not explaining:
        text = rest
    confidence = parse_tagged_confidence(text)
    # A tag says what the answer is even inside an explanation that is not closed.
    if (tagged := parse_tagged(text)) is not None:
        return tagged, confidence
    if explaining:
        return ParsedNumber(None, "unfinished_thinking"), None
    bare = strip_confidence(text)
    return parse_json(bare) or parse_prose(bare, style, confidence, tagged=bare != text)
