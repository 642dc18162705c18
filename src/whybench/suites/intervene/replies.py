"""Read a reply: an action, how to go on, an answer, or a report on all pairs.

The last complete JSON object of a reply that has one of these counts. Keys and values may be in any
case, with a full stop behind them, an answer may be `true` or `false`, and further keys do not
matter. An object that has two of these, or one of them twice, or that repeats the form it was asked
for ("yes|no") is not read. An action with `continue` is one thing.

A report has pairs under `drives`, and under `open` if there are any. A pair is written as
`circle > star`, with an arrow of another form, or as a list of two names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from whybench.replies.choices import read_word
from whybench.replies.objects import find_last_object
from whybench.replies.shown import remove_thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

KEYS = {"entity", "action", "next", "answer"}
REPORTED = "drives"
FORM = "|"

_ARROW = re.compile(r"\s*(?:[-=]*>|→)\s*")


class ActionReply(NamedTuple):
    """An action on an entity, in lower case; empty where it does not say."""

    entity: str
    action: str


class Synonyms(NamedTuple):
    """Other words in which a prompt may ask for a reply, in lower case, and ours for them."""

    keys: Mapping[str, str] = {}
    choices: Mapping[str, str] = {}


class Decision(NamedTuple):
    """How to go on, or the answer; `value` is in lower case."""

    kind: Literal["next", "answer"]
    value: str


class ReportReply(NamedTuple):
    """Pairs of names in lower case: causes with their effects, and those that are left open.

    What is listed and is no pair has empty names.
    """

    drives: tuple[tuple[str, str], ...]
    open: tuple[tuple[str, str], ...]


InterveneReply = ActionReply | Decision | ReportReply

NO_SYNONYMS = Synonyms()


def parse_reply(
    text: str, report: bool = False, synonyms: Synonyms = NO_SYNONYMS
) -> InterveneReply | None:
    """Return what a reply says, or None if it cannot be read.

    Args:
        text: The reply.
        report: Whether all pairs are asked, so that it may be a report.
        synonyms: Other words for keys and for ways to go on, which are also read.
    """
    if not text.startswith("{"):
        text, thinking = remove_thinking(text)
        if thinking:
            return None
    wanted = {*KEYS, REPORTED} if report else KEYS
    keys = synonyms.keys
    pairs = find_last_object(
        text, lambda pairs: any(_fold(key, keys) in wanted for key, _ in pairs)
    )
    if pairs is None:
        return None
    if report and any(key.strip().lower() == REPORTED for key, _ in pairs):
        return _parse_report([(key.strip().lower(), value) for key, value in pairs])
    fields: dict[str, str] = {}
    for key, value in pairs:
        name = _fold(key, keys)
        if name in KEYS:
            words = _read_value(name, value)
            if name == "next":
                words = synonyms.choices.get(words, words)
            if name in fields or FORM in words:
                return None
            fields[name] = words
    if fields.get("next") == "continue" and {"entity", "action"} <= fields.keys():
        del fields["next"]
    for kind in ("answer", "next"):
        if kind in fields:
            return Decision(kind, fields[kind]) if len(fields) == 1 else None
    return ActionReply(fields.get("entity", ""), fields.get("action", "")) if fields else None


def _read_value(name: str, value: Any) -> str:
    """Return the words of a value; a link may also be a list of two names."""
    if name == "answer" and isinstance(value, list) and len(value) == 2:
        return " -> ".join(map(read_word, value))
    return read_word(value) if isinstance(value, str) or name == "answer" else ""


def _fold(key: str, others: Mapping[str, str]) -> str:
    """Return a key in lower case, and in our word for it."""
    folded = key.strip().lower()
    return others.get(folded, folded)


def _parse_report(pairs: list[tuple[str, Any]]) -> ReportReply | None:
    """Return the report of an object; None if it says something else too, or a thing twice."""
    fields = dict(pairs)
    names = [name for name, _ in pairs if name in {*KEYS, *ReportReply._fields}]
    if len({*names}) < len(names) or KEYS & {*names}:
        return None
    return ReportReply(*(_parse_pairs(fields.get(name)) for name in ReportReply._fields))


def _parse_pairs(value: Any) -> tuple[tuple[str, str], ...]:
    listed = value.split(",") if isinstance(value, str) else [] if value is None else value
    return tuple(map(_parse_pair, listed)) if isinstance(listed, list) else (("", ""),)


def read_link(value: str) -> tuple[str, str]:
    """Return the names of a link in lower case; empty ones if it is no link."""
    return _parse_pair(value)


def _parse_pair(value: Any) -> tuple[str, str]:
    names = _ARROW.split(value) if isinstance(value, str) else value
    if type(names) is not list or len(names) != 2 or not all(isinstance(n, str) for n in names):
        return "", ""
    return read_word(names[0]), read_word(names[1])
