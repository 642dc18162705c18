"""A field for p values: read as numbers, held against the truth by what they say.

Two sound tests of one hypothesis give p values that differ in every digit, 0.61 here and 0.64
there, or 1e-40 and 1e-43; no tolerance suits both. What they must agree on is the verdict, and
challenges keep rows only where it is beyond doubt. So two tables are equal when the same rows of
both are at or below the level of 0.05.

| field | typed value | in JSON |
|---|---|---|
| `PTable` | `PValues` | {"x to y": 0.0001, "y to x": "<0.001"} |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.fields import NumberTable, Said
from whybench.suites.json_objects import Pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LEVEL", "PTable", "PValues"]

LEVEL = 0.05
"""A p value of this or less says that there is something."""

_BELOW = re.compile(r"(?:p\s*)?<=?\s*(?=[\d.])", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class PValues:
    """P values by row; equal to others when they say the same of every row."""

    rows: Mapping[str, float]

    @property
    def verdicts(self) -> frozenset[tuple[str, bool]]:
        """Each row with whether something was found there."""
        return frozenset((row, p <= LEVEL) for row, p in self.rows.items())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PValues) and self.verdicts == other.verdicts

    def __hash__(self) -> int:
        return hash(self.verdicts)


@dataclass(frozen=True)
class PTable:
    """A p value for each of some rows, which are named by fixed labels."""

    name: str
    rows: tuple[str, ...]
    weight: float = 1.0

    def read(self, raw: Any, names: Mapping[str, str], /) -> Said:
        """Read an object with exactly these rows; "<0.001" is read as its bound."""
        if isinstance(raw, Pairs):
            raw = Pairs((key, _bound(value)) for key, value in raw)
        said = self._numbers.read(raw, names)
        if not said.given:
            return said
        if not all(0 <= p <= 1 for p in said.value.values()):
            return Said(reason="not_a_table")
        return Said(PValues(said.value))

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write an object of numbers."""
        return self._numbers.write(value.rows, names)

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe an object of numbers from 0 to 1."""
        described = self._numbers.schema(names)
        number = {"type": "number", "minimum": 0, "maximum": 1}
        return {**described, "properties": dict.fromkeys(self.rows, number)}

    @property
    def _numbers(self) -> NumberTable:
        return NumberTable(self.name, self.rows, share=True)


def _bound(value: Any) -> Any:
    return _BELOW.sub("", value.strip(), count=1) if isinstance(value, str) else value
