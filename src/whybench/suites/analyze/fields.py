"""The fields of an answer: what may be said in each, how it is read, written and described.

An answer is a JSON object with one entry per field. A field reads the entry into a typed value or
gives a reason why it cannot; forms that can mean one thing only are taken ("0.12" for 0.12, a
single column name for a set of one, "not identifiable" for null if null is an answer), everything
else is left unread. Nothing is guessed.

Columns are spoken of by *role* (treatment, outcome) everywhere in the suite; only what an agent
sees has the column names of a story. `names` maps the one to the other.

| field | typed value | in JSON |
|---|---|---|
| `NumberField` | float, or None where `nullable` | 0.12 |
| `IntervalField` | (low, high) | [0.05, 0.19] |
| `ConfidenceField` | float from 0 to 1 | 0.9 |
| `ChoiceField` | one of the options | "increases" |
| `FlagField` | bool | true |
| `NumberTableField` | dict of row label to float | {"x to y": 0.3} |

Fields that speak of columns are in `column_fields`; one of your own is a subclass of `Field`.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.replies.numbers import read_decimal
from whybench.replies.objects import Pairs
from whybench.replies.words import is_undetermined

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "REASONS",
    "ChoiceField",
    "ConfidenceField",
    "Field",
    "FieldValue",
    "FlagField",
    "IntervalField",
    "NumberField",
    "NumberTableField",
    "is_list",
]

REASONS = {
    "missing": "the object has no such field",
    "said_twice": "the field occurs more than once",
    "null": "null, where a value was asked for",
    "not_a_number": "no number, or one that could be read in two ways",
    "not_finite": "a number without end, or not a number at all",
    "not_a_chance": "a number that is not from 0 to 1",
    "not_an_interval": "not two numbers, the lower one first",
    "not_an_option": "none of the options",
    "not_a_flag": "neither true nor false",
    "not_columns": "not a list of columns",
    "unknown_column": "a column that the data do not have",
    "repeated": "the same entry twice",
    "not_a_table": "not one number for each of the rows asked for",
    "not_graphs": "not a list of graphs, each a list of [from, to]",
}
"""Every reason for which a field may have no value, and what it means."""

_NUMBER = r"[-+\u2212\u2013]?[\d.]+(?:[eE][-+]?\d+)? ?%?"
_INTERVAL = re.compile(rf"[(\[]?\s*(?P<low>{_NUMBER})\s*(?:,|to)\s*(?P<high>{_NUMBER})\s*[)\]]?")
_ENDS = (("low", "high"), ("lower", "upper"), ("min", "max"))
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class FieldValue:
    """What one field says: a value, or the reason why there is none; `None` may be a value."""

    value: Any = None
    reason: str = ""

    @property
    def has_value(self) -> bool:
        """Whether there is a value."""
        return not self.reason


class Field(ABC):
    """One entry of an answer.

    Attributes:
        name: Its key in the object.
        weight: What it counts for in the score.
        nullable: Whether null is an answer: what is asked for cannot be had from the data.
        key: Whether the trap bends it, so that an answer that is wrong there is worth little.
    """

    name: str
    weight: float
    nullable: bool = False
    key: bool = False

    def read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a JSON value, with the column names by role; never raises."""
        if self.nullable and isinstance(raw, str) and is_undetermined(raw):
            return FieldValue()
        if raw is None:
            return FieldValue() if self.nullable else FieldValue(reason="null")
        return self._read(raw, names)

    @abstractmethod
    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a JSON value that is not null."""

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Return the JSON value that `read` takes for `value`; numbers with all their digits."""
        return value

    @abstractmethod
    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Return the JSON schema of the entry."""


@dataclass(frozen=True)
class NumberField(Field):
    """A number.

    Attributes:
        name: Its key in the object.
        weight: What it counts for.
        key: Whether the trap bends it: a failed key number at the naive value is a fall.
        share: Whether it is a share or a difference of shares, so that "12%" can only be 0.12.
        nullable: Whether null is an answer.
    """

    name: str
    weight: float = 1.0
    key: bool = True
    share: bool = False
    nullable: bool = False

    def _read(self, raw: Any, _names: Mapping[str, str], /) -> FieldValue:
        """Read a number; a percentage only where the field is a share."""
        return _read_number(raw, self.share)

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a number."""
        return {"type": ["number", "null"] if self.nullable else "number"}


@dataclass(frozen=True)
class IntervalField(Field):
    """A 95% confidence interval of the number field `of`."""

    name: str
    of: str
    weight: float = 1.0
    share: bool = False
    nullable: bool = False

    def _read(self, raw: Any, _names: Mapping[str, str], /) -> FieldValue:
        """Read [low, high], also as a string or as an object that names the two ends."""
        if _is_object(raw):
            ends = {key.strip().lower(): value for key, value in raw}
            named = [pair for pair in _ENDS if set(pair) == set(ends)]
            raw = [ends[end] for end in named[0]] if named and len(raw) == 2 else None
        elif isinstance(raw, str) and (written := _INTERVAL.fullmatch(raw.strip())):
            raw = [written["low"], written["high"]]
        if not is_list(raw) or len(raw) != 2:
            return FieldValue(reason="not_an_interval")
        low, high = (_read_number(end, self.share) for end in raw)
        if reason := low.reason or high.reason:
            return FieldValue(reason=reason)
        if low.value > high.value:
            return FieldValue(reason="not_an_interval")
        return FieldValue((low.value, high.value))

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write [low, high]."""
        return None if value is None else list(value)

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe two numbers."""
        kind = ["array", "null"] if self.nullable else "array"
        return {"type": kind, "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class ConfidenceField(NumberField):
    """How sure somebody is of a claim, from 0 to 1."""

    key: bool = False
    share: bool = True

    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a number from 0 to 1, also as a percentage."""
        number = super()._read(raw, names)
        if number.has_value and not 0 <= number.value <= 1:
            return FieldValue(reason="not_a_chance")
        return number

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a number from 0 to 1."""
        return {"type": "number", "minimum": 0, "maximum": 1}


@dataclass(frozen=True)
class ChoiceField(Field):
    """One of some words; `key` as in a number."""

    name: str
    options: tuple[str, ...]
    weight: float = 1.0
    key: bool = False

    def _read(self, raw: Any, _names: Mapping[str, str], /) -> FieldValue:
        """Read an option in any case, spaces or hyphens for underscores, s or no s at its end."""
        word = re.sub(r"[\s-]+", "_", raw.strip().lower()) if isinstance(raw, str) else ""
        meant = [
            option
            for option in (word, f"{word}s", word.removesuffix("s"))
            if option in self.options
        ]
        return FieldValue(meant[0]) if meant else FieldValue(reason="not_an_option")

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe the options."""
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class FlagField(Field):
    """True or false."""

    name: str
    weight: float = 1.0

    def _read(self, raw: Any, _names: Mapping[str, str], /) -> FieldValue:
        """Read true or false, also as a word, or yes or no."""
        if isinstance(raw, bool):
            return FieldValue(raw)
        word = raw.strip().lower() if isinstance(raw, str) else ""
        return FieldValue(_FLAGS[word]) if word in _FLAGS else FieldValue(reason="not_a_flag")

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe true and false."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class NumberTableField(Field):
    """One number for each of some rows, which are named by fixed labels."""

    name: str
    rows: tuple[str, ...]
    weight: float = 1.0
    key: bool = True
    share: bool = False

    def _read(self, raw: Any, _names: Mapping[str, str], /) -> FieldValue:
        """Read an object with exactly these rows."""
        if not _is_object(raw) or sorted(key for key, _ in raw) != sorted(self.rows):
            return FieldValue(reason="not_a_table")
        numbers = {key: _read_number(value, self.share) for key, value in raw}
        for number in numbers.values():
            if number.reason:
                return number
        return FieldValue({row: numbers[row].value for row in self.rows})

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write an object."""
        return {row: value[row] for row in self.rows}

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe an object of numbers."""
        rows = {row: {"type": "number"} for row in self.rows}
        return {"type": "object", "properties": rows, "required": list(self.rows)}


def _read_number(raw: Any, share: bool) -> FieldValue:
    if isinstance(raw, str):
        raw = read_decimal(raw, share)
        if raw is None:
            return FieldValue(reason="not_a_number")
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return FieldValue(reason="null" if raw is None else "not_a_number")
    try:
        value = float(raw)
    except OverflowError:
        return FieldValue(reason="not_finite")
    return FieldValue(value) if math.isfinite(value) else FieldValue(reason="not_finite")


def _is_object(raw: Any) -> bool:
    """Whether a value is an object: it comes as pairs, so that a repeated key is seen."""
    return isinstance(raw, Pairs)


def is_list(raw: Any) -> bool:
    """Whether a value is a list, and no object."""
    return isinstance(raw, list) and not _is_object(raw)
