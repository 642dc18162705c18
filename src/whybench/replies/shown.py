"""Find the text that a reply shows: what is left without thinking, explanations and chat tokens."""

from __future__ import annotations

import re

# Marks of blocks. A group takes part in a match only if the mark ends its block.
_THINKING = (
    r"(?i)[<\[◁](/)?(?:seed:)?"
    r"(?:think|thinking|thoughts?|antthinking|scratchpad|reflection|inner_monologue)[>\]▷]"
    r"|<\|(?:begin|(end))_of_thought\|>"
)
_EXPLAINING = r"(?i)<(/)?(?:explanation|reasoning|analysis|rationale|justification)>"
_SPECIAL_TOKEN = r"(?i)<\|[a-z_]{1,30}\|>|</s>\s*\Z"
_CHANNEL, _FINAL = "<|channel|>", "<|channel|>final<|message|>"


def remove_thinking(text: str) -> tuple[str, bool]:
    """Remove closed blocks of thinking and all channels of a reply but the final one.

    Returns:
        The text that is left, and whether the thinking never ends.
    """
    if _CHANNEL in text:
        _, mark, text = text.rpartition(_FINAL)
        if not mark or _CHANNEL in text:
            return "", True
    return _remove_blocks(text, _THINKING)


def find_shown_text(text: str) -> tuple[str, str, bool]:
    """Return the text of a reply outside of thinking, closed explanations and chat tokens.

    Returns:
        The text; the reason if there is none (`empty` or `unfinished_thinking`); and whether an
        explanation is opened and never closed, which then is part of the text.
    """
    if not _remove_special_tokens(text).strip():
        return "", "empty", False
    text, thinking = remove_thinking(text)
    if thinking:
        return "", "unfinished_thinking", False
    # Not before: some of these tokens mark the thinking.
    text = _remove_special_tokens(text)
    shown, explaining = _remove_blocks(text, _EXPLAINING)
    return (text if explaining else shown), "", explaining


def _remove_blocks(text: str, marks: str) -> tuple[str, bool]:
    """Remove closed blocks; also return whether one stays open."""
    kept: list[str] = []
    depth = end = 0
    for mark in re.finditer(marks, text):
        if mark.lastindex is None:
            if depth == 0:
                kept.append(text[end : mark.start()])
            depth += 1
        elif depth:
            depth -= 1
        else:
            # Chat templates may drop the opening mark: everything before the end was inside.
            kept.clear()
        end = mark.end()
    if depth == 0:
        kept.append(text[end:])
    return "\n".join(kept), depth > 0


def _remove_special_tokens(text: str) -> str:
    """Remove tokens by which a chat template marks turns and ends, such as `<|im_end|>`."""
    return re.sub(_SPECIAL_TOKEN, " ", text)
