"""What a reply says: to act, to go on, to answer, or nothing that can be read.

The last complete JSON object of a reply counts. It says one thing: an action on an entity, how to
go on, or an answer; keys and values may be in any case, and further keys do not matter. Whatever
could be taken in two ways is unreadable: an object that says two of these things, or one of them
twice, or that repeats the form it was asked for ("yes|no"). Blocks of thinking do not count, and a
reply that never stops thinking says nothing. Nothing is ever guessed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from whybench.suites.json_objects import last_object
from whybench.suites.thinking import THINKING, final_channel, without_blocks

__all__ = ["Act", "Choice", "Said", "read_reply"]

KEYS = {"entity", "action", "next", "answer"}
FORM = "|"


class Act(NamedTuple):
    """An action on an entity, in lower case; empty where it does not say."""

    entity: str
    action: str


class Choice(NamedTuple):
    """How to go on, or the answer; `said` is in lower case."""

    kind: Literal["next", "answer"]
    said: str


Said = Act | Choice


def read_reply(text: str) -> Said | None:
    """Return what a reply says, or None if it cannot be read."""
    if not text.startswith("{"):
        text, thinking = without_blocks(final_channel(text), THINKING)
        if thinking:
            return None
    found = last_object(text)
    if found is None:
        return None
    said: dict[str, str] = {}
    for key, value in found:
        name = key.strip().lower()
        if name in KEYS:
            words = value.strip().lower() if isinstance(value, str) else ""
            if name in said or FORM in words:
                return None
            said[name] = words
    if "answer" in said or "next" in said:
        if len(said) > 1:
            return None
        return (
            Choice("answer", said["answer"]) if "answer" in said else Choice("next", said["next"])
        )
    return Act(said.get("entity", ""), said.get("action", "")) if said else None
