"""What is set aside before the answer is read: thinking, explanations, tokens of the chat."""

from __future__ import annotations

import re

__all__ = ["EXPLAINING", "THINKING", "final_channel", "without_blocks", "without_special_tokens"]

# Marks of blocks. A group takes part in a match only if the mark ends its block.
THINKING = (
    r"(?i)[<\[◁](/)?(?:seed:)?"
    r"(?:think|thinking|thoughts?|antthinking|scratchpad|reflection|inner_monologue)[>\]▷]"
    r"|<\|(?:begin|(end))_of_thought\|>"
)
EXPLAINING = r"(?i)<(/)?(?:explanation|reasoning|analysis|rationale|justification)>"

_SPECIAL_TOKEN = r"(?i)<\|[a-z_]{1,30}\|>|</s>\s*\Z"
_CHANNEL, _FINAL = "<|channel|>", "<|channel|>final<|message|>"


def final_channel(text: str) -> str:
    """Keep the final channel of a reply written in channels."""
    if _CHANNEL not in text:
        return text
    _, found, final = text.rpartition(_FINAL)
    # A reply that never reached its final channel was still thinking.
    return final if found and _CHANNEL not in final else "<think>"


def without_blocks(text: str, marks: str) -> tuple[str, bool]:
    """Take closed blocks out; also say whether one stays open."""
    kept: list[str] = []
    depth = at = 0
    for mark in re.finditer(marks, text):
        if mark.lastindex is None:
            if depth == 0:
                kept.append(text[at : mark.start()])
            depth += 1
        elif depth:
            depth -= 1
        else:
            # Chat templates may swallow the opening mark: all before the end was inside.
            kept.clear()
        at = mark.end()
    if depth == 0:
        kept.append(text[at:])
    return "\n".join(kept), depth > 0


def without_special_tokens(text: str) -> str:
    """Take out tokens by which a chat template marks turns and ends, such as `<|im_end|>`."""
    return re.sub(_SPECIAL_TOKEN, " ", text)
