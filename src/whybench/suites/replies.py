"""Parsing replies, as far as suites share it.

Before an answer is parsed, thinking, explanations and special tokens of the chat are removed.
Replies hold prose, drafts and fences around a JSON object that counts: the last complete one that
is in no other; what comes after it, or was opened and never closed, does not count.

`parse_conversation` returns the answer of all replies to an item. How a suite parses a fixed set of
replies goes, with the ids of its items, into the content hash.
"""

from __future__ import annotations

import json
import re
from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Answer, Item
    from whybench.suites.registry import AnySuite

__all__ = [
    "EXPLAINING",
    "THINKING",
    "Pairs",
    "content_hash",
    "find_last_object",
    "keep_final_channel",
    "parse_conversation",
    "parse_replies",
    "remove_blocks",
    "remove_special_tokens",
]


HASHED_ITEMS = 60
"""The number of leading items that the golden replies are tried on: enough to see each style."""

PATIENCE = 20
"""How often each character of a reply may be looked at, on average."""


class Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, those that occur twice among them."""


_OPENED = re.compile(r'\{\s*["}]')
_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)


def find_last_object(text: str) -> Pairs | None:
    """Return the last JSON object of a text that is complete and in no other object.

    A brace that opens no object is passed over. The time is bounded: a text of nothing but opened
    objects would be looked through again from each of them, and is given up.
    """
    last: Pairs | None = None
    patience = PATIENCE * len(text) + 1000
    opened = _OPENED.search(text)
    while opened:
        try:
            last, end = _DECODER.raw_decode(text, opened.start())
        except json.JSONDecodeError as error:
            # Making the error counts the lines before it, at some fifty characters a step.
            patience -= error.pos - opened.start() + error.pos // 50
            end = opened.start() + 1
        except (RecursionError, ValueError):
            # Too deep, or a whole number of more digits than Python will read.
            return None
        if patience < 0:
            return None
        opened = _OPENED.search(text, end)
    return last


# Marks of blocks. A group takes part in a match only if the mark ends its block.
THINKING = (
    r"(?i)[<\[◁](/)?(?:seed:)?"
    r"(?:think|thinking|thoughts?|antthinking|scratchpad|reflection|inner_monologue)[>\]▷]"
    r"|<\|(?:begin|(end))_of_thought\|>"
)
EXPLAINING = r"(?i)<(/)?(?:explanation|reasoning|analysis|rationale|justification)>"

_SPECIAL_TOKEN = r"(?i)<\|[a-z_]{1,30}\|>|</s>\s*\Z"
_CHANNEL, _FINAL = "<|channel|>", "<|channel|>final<|message|>"


def keep_final_channel(text: str) -> str:
    """Keep the final channel of a reply written in channels."""
    if _CHANNEL not in text:
        return text
    _, mark, final = text.rpartition(_FINAL)
    # A reply that never reached its final channel was still thinking.
    return final if mark and _CHANNEL not in final else "<think>"


def remove_blocks(text: str, marks: str) -> tuple[str, bool]:
    """Take closed blocks out; also say whether one stays open."""
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
            # Chat templates may swallow the opening mark: all before the end was inside.
            kept.clear()
        end = mark.end()
    if depth == 0:
        kept.append(text[end:])
    return "\n".join(kept), depth > 0


def remove_special_tokens(text: str) -> str:
    """Take out tokens by which a chat template marks turns and ends, such as `<|im_end|>`."""
    return re.sub(_SPECIAL_TOKEN, " ", text)


def content_hash(suite: AnySuite, items: Sequence[Item]) -> str:
    """Return a digest of the items and of how the suite parses its golden replies to them."""
    from whybench.seeds import digest  # noqa: PLC0415  (parsers of replies do without NumPy)

    kinds = {digest(dict(item.factors)): item.factors for item in items[:HASHED_ITEMS]}
    verdicts = [
        [
            (answer.value, answer.reason)
            for reply in suite.golden_replies
            for answer in [parse_replies(suite, factors, repeat((reply, False)))]
        ]
        for factors in kinds.values()
    ]
    return digest([item.digest for item in items], verdicts).hex()[:16]


def parse_conversation(
    suite: AnySuite, factors: Mapping[str, Any], replies: Sequence[tuple[str, bool]]
) -> Answer:
    """Return the answer of a whole conversation about an item.

    Without an episode the last reply is the answer; what came before was work on it.

    Args:
        suite: The suite.
        factors: The item's factors.
        replies: Each reply, and whether the token limit cut it off.
    """
    return parse_replies(suite, factors, replies if suite.multi_turn else replies[-1:])


def parse_replies(
    suite: AnySuite, factors: Mapping[str, Any], replies: Iterable[tuple[str, bool]]
) -> Answer:
    """Return the answer of replies to an item, all heard in turn; see `parse_conversation`."""
    episode = suite.open_episode(factors)
    for text, truncated in replies:
        if episode.over:
            break
        episode.hear(text, truncated)
    return episode.answer
