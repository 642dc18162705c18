"""Read the typed fields of a reply, or the reason why there are none.

The last complete JSON object of a reply that has any of the fields counts, or one object in it.
Keys may be in any case, with hyphens or spaces for underscores. Further keys do not matter.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass
from dataclasses import field as data_field
from typing import TYPE_CHECKING, Any

from whybench.replies.objects import Pairs, find_last_object
from whybench.replies.shown import remove_thinking
from whybench.suites.analyze.fields import Field, FieldValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REASONS = {
    "cut_off": "the reply hit the token limit",
    "empty": "nothing but white space",
    "unfinished_thinking": "thinking that never ends",
    "no_object": "no complete JSON object",
    "no_field": "a JSON object that answers none of the fields",
}
"""Every reason for which a reply may have no answers at all, and what it means."""


@dataclass(frozen=True)
class ParsedReply:
    """What a reply says of each field; nothing at all where there is a reason."""

    fields: Mapping[str, FieldValue] = data_field(default_factory=dict)
    reason: str = ""


def parse_reply(
    text: str, fields: Sequence[Field], names: Mapping[str, str], truncated: bool = False
) -> ParsedReply:
    """Read a reply.

    Args:
        text: The whole reply.
        fields: What was asked for.
        names: Column names by role, as the agent was told them.
        truncated: Whether the reply hit the token limit; then there is no answer.
    """
    if truncated:
        return ParsedReply(reason="cut_off")
    if not text.strip():
        return ParsedReply(reason="empty")
    # Inside a reply that is an object, marks of thinking are somebody's words.
    if not text.lstrip().startswith("{"):
        text, thinking = remove_thinking(text)
        if thinking:
            return ParsedReply(reason="unfinished_thinking")
    pairs = find_last_object(text, lambda pairs: bool(_find_entries(pairs, fields)))
    if pairs is None:
        return ParsedReply(reason="no_object")
    entries = _find_entries(pairs, fields)
    values = {field.name: _read(field, entries[field.name], names) for field in fields}
    if not any(value.has_value for value in values.values()):
        return ParsedReply(reason="no_field")
    return ParsedReply(values)


def render_reply(
    answers: Mapping[str, Any], fields: Sequence[Field], names: Mapping[str, str]
) -> str:
    """Return typed values as the JSON object that an agent would give; fields may be left out."""
    answered = [field for field in fields if field.name in answers]
    return json.dumps({field.name: field.write(answers[field.name], names) for field in answered})


def _find_entries(pairs: Pairs, fields: Sequence[Field]) -> defaultdict[str, list[Any]]:
    """Return the values of each field in an object, or in the only object in it that has any."""
    if own := _group_by_field(pairs, fields):
        return own
    inside = (_group_by_field(value, fields) for _, value in pairs if isinstance(value, Pairs))
    found = [entries for entries in inside if entries]
    return found[0] if len(found) == 1 else own


def _group_by_field(pairs: Pairs, fields: Sequence[Field]) -> defaultdict[str, list[Any]]:
    """Return the values of each field that the pairs have, by the field's name."""
    names = {field.name for field in fields}
    values: defaultdict[str, list[Any]] = defaultdict(list)
    for key, value in pairs:
        name = re.sub(r"[\s-]+", "_", key.strip().lower())
        if name in names:
            values[name].append(value)
    return values


def _read(field: Field, values: Sequence[Any], names: Mapping[str, str]) -> FieldValue:
    if len(values) == 1:
        return field.read(values[0], names)
    return FieldValue(reason="said_twice" if values else "missing")
