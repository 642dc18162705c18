"""Parsing replies, as far as suites share it.

Before an answer is parsed, thinking, explanations and special tokens of the chat are removed.
Replies hold prose, drafts and fences around a JSON object that counts: the last complete one that
is in no other and has what was asked for; what comes after it, or was opened and never closed, does
not count. What is not quite JSON is taken where it can mean one thing only: the words and quotes of
Python, comments, a comma before a closing bracket, +0.12, and the minus sign of typesetters.

`parse_conversation` returns the answer of all replies to an item. How a suite parses a fixed set of
replies goes, with the ids of its items, into the content hash.
"""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from whybench.suites.contract import Answer, Item
    from whybench.suites.registry import AnySuite

__all__ = [
    "EXPLAINING",
    "REASK",
    "THINKING",
    "Pairs",
    "content_hash",
    "find_last_object",
    "find_shown_text",
    "keep_final_channel",
    "parse_conversation",
    "parse_replies",
    "remove_blocks",
    "remove_special_tokens",
]


REASK = "Your reply could not be read."
"""What an agent is told whose reply is asked for once more."""

HASHED_ITEMS = 60
"""The number of leading items that the golden replies are tried on: enough to see each style."""

PATIENCE = 20
"""How often each character of a reply may be looked at, on average."""

LOOSE = 10
"""How many characters of JSON can be looked at in the time for one of what is not quite JSON."""


class Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, those that occur twice among them."""


_OPENED = re.compile(r"\{\s*[\"'}/#]")
_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_TOKEN = re.compile(rf"(?s){_STRING}|//[^\n]*|\#[^\n]*|[{{}}\[\],:]|\s+|[^\s\"'{{}}\[\],:/#]+|.")
_LOOSE_NUMBER = re.compile(r"[-+\u2212]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_WORDS = {word: word for word in ("true", "false", "null")}
_WORDS |= {"True": "true", "False": "false", "None": "null"}
_SIGNS = frozenset("{}[],:")


def find_last_object(
    text: str, is_wanted: Callable[[Pairs], bool] = lambda _: True
) -> Pairs | None:
    """Return the last object of a text that is complete, in no other object, and wanted.

    Where none is wanted it is the last of all. A brace that opens no object is passed over. The
    time is bounded: a text of nothing but opened objects would be looked through again from each of
    them, and is given up.

    Args:
        text: The text.
        is_wanted: Whether an object has something of what was asked for.
    """
    last = wanted = None
    patience = PATIENCE * len(text) + 1000
    opened = _OPENED.search(text)
    while opened:
        start, found = opened.start(), None
        try:
            found, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # Making the error counts the lines before it, at some fifty characters a step.
            patience -= error.pos - start + error.pos // 50
            found, end, looked_at = _decode_loosely(text, start)
            patience -= looked_at
        except (RecursionError, ValueError):
            # Too deep, or a whole number of more digits than Python will read.
            return None
        if patience < 0:
            return None
        if found is not None:
            last, wanted = found, found if is_wanted(found) else wanted
        opened = _OPENED.search(text, end)
    return last if wanted is None else wanted


def _decode_loosely(text: str, start: int) -> tuple[Pairs | None, int, int]:
    """Return the object that begins here, not quite in JSON, and its end.

    None if there is none; then the end is one step further. Last comes what it cost to see that,
    in characters of JSON.
    """
    written: list[str] = []
    depth, end = 0, start
    while depth or end == start:
        token = _TOKEN.match(text, end)
        word = token[0] if token else ""
        end += len(word)
        json_word = _write_as_json(word)
        if json_word is None:
            # A string without an end was looked for as far as the text goes.
            looked_at = len(text) if word in {"", '"', "'"} else end
            return None, start + 1, LOOSE * (looked_at - start)
        if word in {"}", "]"} and written and written[-1] == ",":
            written.pop()
        if json_word:
            written.append(json_word)
        depth += (word in {"{", "["}) - (word in {"}", "]"})
    try:
        found, _ = _DECODER.raw_decode("".join(written))
    except (RecursionError, ValueError):
        return None, start + 1, LOOSE * (end - start)
    return found, end, LOOSE * (end - start)


def _write_as_json(word: str) -> str | None:
    """Return a word of an object in JSON; nothing for comments and space; None for any other."""
    if word.isspace() or word.startswith(("//", "#")):
        return ""
    if word in _SIGNS or (word[:1] == '"' and len(word) > 1):
        return word
    if word[:1] == "'" and len(word) > 1:
        inside = word[1:-1].replace("\\'", "'")
        return json.dumps(inside) if "\\" not in inside else None
    if _LOOSE_NUMBER.fullmatch(word):
        sign, digits = ("-" if word[0] in "-\u2212" else ""), word.lstrip("-+\u2212")
        return sign + (digits if digits.isdecimal() else repr(float(digits)))
    return _WORDS.get(word)


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


def find_shown_text(text: str) -> tuple[str, str]:
    """Return what a reply says besides thinking and closed explanations, or why that is nothing.

    Returns:
        The text and no reason, or no text and the reason: `empty` or `unfinished_thinking`.
    """
    text = keep_final_channel(unicodedata.normalize("NFKC", text))
    if not remove_special_tokens(text).strip():
        return "", "empty"
    text, thinking = remove_blocks(text, THINKING)
    if thinking:
        return "", "unfinished_thinking"
    # Not before: some of these tokens mark the thinking.
    text = remove_special_tokens(text)
    shown, explaining = remove_blocks(text, EXPLAINING)
    return (text if explaining else shown), ""


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
