"""Rows: what the experiment notes, one for each event of a participation.

A row comes from JSON, where its values have their types, or from CSV, where all are words and the
others are written as JSON. Both are read by the same readers, so that a row is the same row
wherever it was saved. Fields that are not known here are left alone: jsPsych adds its own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Row"]


def _plain(value: Any) -> Any:
    """Return what a cell of CSV says; what comes from JSON is there already."""
    return json.loads(value) if isinstance(value, str) else value


def _word(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("a word")
    return str(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("a number")
    return float(value)


def _whole(value: Any) -> int:
    if not _number(value).is_integer():
        raise ValueError("a whole number")
    return int(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _words(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError("a list of words")
    return tuple(value)


FIELDS: Mapping[str, Callable[[Any], Any]] = {
    "kind": _word,
    "study": _word,
    "participant": _word,
    "position": _whole,
    "number": _whole,
    "at": _word,
    "seconds": _number,
    "item": _word,
    "order": _whole,
    "replies": _words,
    "slider_start": _number,
    "attempts": _whole,
    "correct": _truth,
    "resumed": _truth,
}
"""What is read of a row; whatever else stands there is left alone."""

NEEDED = ("study", "participant", "position")
NEEDED_OF_ITEMS = ("item", "replies")


@dataclass(frozen=True)
class Row:
    """One event of one participation, as the experiment noted it.

    Two rows are equal if they say the same, wherever they were found.

    Attributes:
        kind: What happened: start, consent, instructions, learning, comprehension, attention, item
            or end.
        study: The study's id.
        participant: Who took part, by the id that the study was opened with.
        session: When this time of taking part began: the `at` of the last start before it in the
            file that did not resume another.
        position: Which row of the session, in order.
        number: The participant's place in the counterbalancing.
        at: When, as ISO writes it.
        seconds: How long the response took.
        item: The item answered.
        order: Which item of the participant, in order.
        replies: What was replied, a word for each turn, as a model would have.
        slider_start: Where the slider stood at first.
        attempts: How often a comprehension check was tried.
        correct: Whether a check was answered rightly.
        resumed: Whether a start goes on with what was begun before.
        file: The file it was found in.
        line: And where there.
    """

    kind: str
    study: str
    participant: str
    position: int
    session: str = ""
    number: int | None = None
    at: str = ""
    seconds: float | None = None
    item: str = ""
    order: int | None = None
    replies: tuple[str, ...] = ()
    slider_start: float | None = None
    attempts: int | None = None
    correct: bool | None = None
    resumed: bool | None = None
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.file}:{self.line}"

    @classmethod
    def read(cls, values: Mapping[str, Any], file: str, line: int) -> Row:
        """Read a row.

        Raises:
            ValueError: Something that a row needs is missing, or is not what it should be.
        """
        found = {}
        for name, read in FIELDS.items():
            value = values.get(name)
            if value in (None, "", "null"):
                continue
            try:
                found[name] = read(value if read is _word else _plain(value))
            except ValueError as error:
                wanted = "JSON" if isinstance(error, json.JSONDecodeError) else error
                raise ValueError(f"{name} must be {wanted}, got {value!r}") from None
        needed = (*NEEDED, *(NEEDED_OF_ITEMS if found.get("kind") == "item" else ()))
        lacks = [name for name in needed if name not in found]
        if lacks:
            raise ValueError(f"a row must have {', '.join(needed)}, got no {', '.join(lacks)}")
        return cls(**found, file=file, line=line)
