"""Words to typed fields, or the reason why there are none; never raises, never guesses.

The last complete JSON object of a reply counts (see `json_objects`). Blocks of thinking do not
count, nor does a reply that never stops thinking or that the token limit cut off. Keys may be in
any case, with hyphens or spaces for underscores, and further keys do not matter. Where the object
has none of the fields and nothing but one object in it, that one is meant.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.fields import Field, Said
from whybench.suites.json_objects import Pairs, last_object
from whybench.suites.thinking import THINKING, final_channel, without_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["REASONS", "Answers", "read_answers", "worded"]

REASONS = {
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "unfinished_thinking": "thinking that never ends",
    "no_object": "no complete JSON object",
    "no_field": "a JSON object that answers none of the fields",
}
"""Every reason for which a reply may have no answers at all, and what it means."""


@dataclass(frozen=True)
class Answers:
    """What a reply says of each field; nothing at all where there is a reason."""

    fields: Mapping[str, Said] = field(default_factory=dict)
    reason: str = ""


def read_answers(
    text: str, fields: Sequence[Field], names: Mapping[str, str], truncated: bool = False
) -> Answers:
    """Read a reply.

    Args:
        text: The whole reply. Any text is taken.
        fields: What was asked for.
        names: Column names by role, as the agent was told them.
        truncated: Whether the reply hit the token limit; then there is no answer.
    """
    if truncated:
        return Answers(reason="cut_off")
    if not text.strip():
        return Answers(reason="empty")
    # Inside a reply that is an object, marks of thinking are somebody's words.
    if not text.lstrip().startswith("{"):
        text, thinking = without_blocks(final_channel(text), THINKING)
        if thinking:
            return Answers(reason="unfinished_thinking")
    found = last_object(text)
    if found is None:
        return Answers(reason="no_object")
    said = _by_field(found, fields)
    if not said and len(found) == 1 and isinstance(found[0][1], Pairs):
        said = _by_field(found[0][1], fields)
    read = {entry.name: _read(entry, said.get(entry.name, []), names) for entry in fields}
    if not any(value.given for value in read.values()):
        return Answers(reason="no_field")
    return Answers(read)


def worded(answers: Mapping[str, Any], fields: Sequence[Field], names: Mapping[str, str]) -> str:
    """Word typed values as the JSON object that an agent would give; fields may be left out."""
    return json.dumps(
        {
            entry.name: entry.write(answers[entry.name], names)
            for entry in fields
            if entry.name in answers
        }
    )


def _by_field(pairs: Pairs, fields: Sequence[Field]) -> dict[str, list[Any]]:
    asked = {entry.name for entry in fields}
    found: dict[str, list[Any]] = {}
    for key, value in pairs:
        name = re.sub(r"[\s-]+", "_", key.strip().lower())
        if name in asked:
            found.setdefault(name, []).append(value)
    return found


def _read(entry: Field, values: Sequence[Any], names: Mapping[str, str]) -> Said:
    if not values:
        return Said(reason="missing")
    return Said(reason="said_twice") if len(values) > 1 else entry.read(values[0], names)
