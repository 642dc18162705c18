"""The fields of an answer: what may be said in each, how it is read, written and described.

An answer is a JSON object with one entry per field. A field reads the entry into a typed value or
gives a reason why it cannot; forms that can mean one thing only are taken ("0.12" for 0.12, a
single column name for a set of one), everything else is left unread. Nothing is guessed.

Columns are spoken of by *role* (treatment, outcome) everywhere in the suite; only what an agent
sees has the column names of a story. `names` maps the one to the other.

| field | typed value | in JSON |
|---|---|---|
| `Number` | float, or None where `nullable` | 0.12 |
| `Interval` | (low, high) | [0.05, 0.19] |
| `Choice` | one of the options | "increases" |
| `Flag` | bool | true |
| `NumberTable` | dict of row label to float | {"x to y": 0.3} |

Fields that speak of columns are in `column_fields`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from whybench.suites.json_objects import Pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "REASONS",
    "Asking",
    "Choice",
    "Field",
    "Flag",
    "Interval",
    "Number",
    "NumberTable",
    "Said",
    "is_list",
]

REASONS = {
    "missing": "the object has no such field",
    "said_twice": "the field occurs more than once",
    "null": "null, where a value was asked for",
    "not_a_number": "no number, or one that could be read in two ways",
    "not_finite": "a number without end, or not a number at all",
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

_PLAIN_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_FLAGS = {"true": True, "yes": True, "false": False, "no": False}


@dataclass(frozen=True)
class Said:
    """What one field says: a value, or the reason why there is none; `None` may be a value."""

    value: Any = None
    reason: str = ""

    @property
    def given(self) -> bool:
        """Whether there is a value."""
        return not self.reason


class Field(Protocol):
    """One entry of the answer."""

    @property
    def name(self) -> str:
        """Its key in the object."""

    @property
    def weight(self) -> float:
        """What it counts for in the score."""

    def read(self, raw: Any, names: Mapping[str, str], /) -> Said:
        """Read a JSON value; never raises."""

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Return the JSON value that `read` takes for `value`."""

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Return the JSON schema of the entry."""


class Asking(Protocol):
    """What asks for fields: a challenge, or the form of published data."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """What an answer consists of."""


@dataclass(frozen=True)
class Number:
    """A number.

    Attributes:
        name: Its key in the object.
        weight: What it counts for.
        key: Whether the trap bends it: a failed key number at the naive value is a fall.
        share: Whether it is a share or a difference of shares, so that "12%" can only be 0.12.
        nullable: Whether null is an answer: what is asked for cannot be had from the data.
    """

    name: str
    weight: float = 1.0
    key: bool = True
    share: bool = False
    nullable: bool = False

    def read(self, raw: Any, _names: Mapping[str, str], /) -> Said:
        """Read a number; a percentage only where the field is a share."""
        if raw is None:
            return Said(None) if self.nullable else Said(reason="null")
        return _number(raw, self.share)

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write all digits: rounding is no part of an analysis."""
        return value

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a number."""
        return {"type": ["number", "null"] if self.nullable else "number"}


@dataclass(frozen=True)
class Interval:
    """A 95% confidence interval of the number field `of`."""

    name: str
    of: str
    weight: float = 1.0
    share: bool = False

    def read(self, raw: Any, _names: Mapping[str, str], /) -> Said:
        """Read [low, high] or an object with the keys low and high."""
        if raw is None:
            return Said(reason="null")
        keyed = dict(raw) if _is_object(raw) else None
        if keyed is not None and len(raw) == 2 and set(keyed) == {"low", "high"}:
            ends = [keyed["low"], keyed["high"]]
        elif is_list(raw) and len(raw) == 2:
            ends = raw
        else:
            return Said(reason="not_an_interval")
        low, high = (_number(end, self.share) for end in ends)
        if not (low.given and high.given):
            return Said(reason=low.reason or high.reason)
        if low.value > high.value:
            return Said(reason="not_an_interval")
        return Said((low.value, high.value))

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write [low, high]."""
        return list(value)

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe two numbers."""
        return {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    name: str
    options: tuple[str, ...]
    weight: float = 1.0

    def read(self, raw: Any, _names: Mapping[str, str], /) -> Said:
        """Read an option in any case, with spaces or hyphens for underscores."""
        if raw is None:
            return Said(reason="null")
        said = re.sub(r"[\s-]+", "_", raw.strip().lower()) if isinstance(raw, str) else ""
        return Said(said) if said in self.options else Said(reason="not_an_option")

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write the option."""
        return value

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe the options."""
        return {"enum": list(self.options)}


@dataclass(frozen=True)
class Flag:
    """True or false."""

    name: str
    weight: float = 1.0

    def read(self, raw: Any, _names: Mapping[str, str], /) -> Said:
        """Read true or false, also as a word, or yes or no."""
        if raw is None:
            return Said(reason="null")
        if isinstance(raw, bool):
            return Said(raw)
        said = raw.strip().lower() if isinstance(raw, str) else ""
        return Said(_FLAGS[said]) if said in _FLAGS else Said(reason="not_a_flag")

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write true or false."""
        return value

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe true and false."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class NumberTable:
    """One number for each of some rows, which are named by fixed labels."""

    name: str
    rows: tuple[str, ...]
    weight: float = 1.0
    key: bool = True
    share: bool = False

    def read(self, raw: Any, _names: Mapping[str, str], /) -> Said:
        """Read an object with exactly these rows."""
        if raw is None:
            return Said(reason="null")
        if not _is_object(raw) or sorted(key for key, _ in raw) != sorted(self.rows):
            return Said(reason="not_a_table")
        read = {key: _number(value, self.share) for key, value in raw}
        wrong = [said.reason for said in read.values() if not said.given]
        return Said(reason=wrong[0]) if wrong else Said({row: read[row].value for row in self.rows})

    def write(self, value: Any, _names: Mapping[str, str], /) -> Any:
        """Write an object."""
        return {row: value[row] for row in self.rows}

    def schema(self, _names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe an object of numbers."""
        rows = {row: {"type": "number"} for row in self.rows}
        return {"type": "object", "properties": rows, "required": list(self.rows)}


def _number(raw: Any, share: bool) -> Said:
    if isinstance(raw, str):
        text = raw.strip().replace("\N{MINUS SIGN}", "-")
        percent = text.endswith("%")
        text = text.removesuffix("%").rstrip()
        if not _PLAIN_NUMBER.fullmatch(text) or (percent and not share):
            return Said(reason="not_a_number")
        raw = float(text) / (100 if percent else 1)
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        return Said(reason="null" if raw is None else "not_a_number")
    try:
        value = float(raw)
    except OverflowError:
        return Said(reason="not_finite")
    return Said(value) if math.isfinite(value) else Said(reason="not_finite")


def _is_object(raw: Any) -> bool:
    """Whether a value is an object: it comes as pairs, so that a repeated key is seen."""
    return isinstance(raw, Pairs)


def is_list(raw: Any) -> bool:
    """Whether a value is a list, and no object."""
    return isinstance(raw, list) and not _is_object(raw)
