"""What a reply says: to act, to go on, to answer, or nothing that can be read.

The last complete JSON object of a reply that says one of these things counts. Keys and values may
be in any case, with a full stop behind them, an answer may be `true` or `false`, and further keys
do not matter. Whatever could be taken in two ways is unreadable: an object that says two of these
things, or one of them twice, or that repeats the form it was asked for ("yes|no"). Only to act and
to go on is one thing. Blocks of thinking do not count, and a reply that never stops thinking says
nothing. Nothing is ever guessed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from whybench.suites.replies import THINKING, find_last_object, keep_final_channel, remove_blocks

__all__ = ["ActionReply", "Decision", "InterveneReply", "parse_reply"]

KEYS = {"entity", "action", "next", "answer"}
FORM = "|"
_FLAGS = {True: "yes", False: "no"}


class ActionReply(NamedTuple):
    """An action on an entity, in lower case; empty where it does not say."""

    entity: str
    action: str


class Decision(NamedTuple):
    """How to go on, or the answer; `value` is in lower case."""

    kind: Literal["next", "answer"]
    value: str


InterveneReply = ActionReply | Decision


def parse_reply(text: str) -> InterveneReply | None:
    """Return what a reply says, or None if it cannot be read."""
    if not text.startswith("{"):
        text, thinking = remove_blocks(keep_final_channel(text), THINKING)
        if thinking:
            return None
    pairs = find_last_object(
        text, lambda pairs: any(key.strip().lower() in KEYS for key, _ in pairs)
    )
    if pairs is None:
        return None
    fields: dict[str, str] = {}
    for key, value in pairs:
        name = key.strip().lower()
        if name in KEYS:
            words = value.strip(" \t\n.!").lower() if isinstance(value, str) else ""
            if name in fields or FORM in words:
                return None
            flag = name == "answer" and isinstance(value, bool)
            fields[name] = _FLAGS[value] if flag else words
    if fields.get("next") == "continue" and {"entity", "action"} <= fields.keys():
        del fields["next"]
    for kind in ("answer", "next"):
        if kind in fields:
            return Decision(kind, fields[kind]) if len(fields) == 1 else None
    return ActionReply(fields.get("entity", ""), fields.get("action", "")) if fields else None
