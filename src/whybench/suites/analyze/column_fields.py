"""Fields that speak of columns or of p values.

| field | typed value | in JSON |
|---|---|---|
| `ColumnSetField` | frozenset of roles | ["age", "region"] |
| `ColumnOrderField` | tuple of roles | ["first", "second"] |
| `GraphField` | frozenset of (from, to) roles | [["x", "y"]] |
| `GraphSetField` | frozenset of graphs, each a frozenset of (from, to) roles | [[["x", "y"]], []] |
| `PValueTableField` | `PValues` | {"x to y": 0.0001, "y to x": "<0.001"} |

Two sound tests of one hypothesis give p values that differ in every digit, 0.61 here and 0.64
there, or 1e-40 and 1e-43; no tolerance suits both. What they must agree on is the verdict, and
challenges accept rows only where it is beyond doubt. So two tables of p values are equal when the
same rows of both are at or below the level of 0.05.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.replies.objects import Pairs
from whybench.suites.analyze.fields import Field, FieldValue, NumberTableField, is_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LEVEL = 0.05
"""A p value of this or less says that there is something."""

_BELOW = re.compile(r"(?:p\s*)?<=?\s*(?=[\d.])", re.IGNORECASE)


@dataclass(frozen=True)
class _ColumnListField(Field):
    """What is given as a list of columns."""

    name: str
    weight: float = 1.0

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a list of names without repetition."""
        return {"type": "array", "items": {"enum": list(names.values())}, "uniqueItems": True}


@dataclass(frozen=True)
class ColumnSetField(_ColumnListField):
    """Some columns of the data, perhaps none."""

    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a list of column names, or one name alone."""
        roles = _read_columns([raw] if isinstance(raw, str) else raw, names)
        return FieldValue(frozenset(roles.value)) if roles.has_value else roles

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the names in the order of the data."""
        return [name for role, name in names.items() if role in value]


@dataclass(frozen=True)
class ColumnOrderField(_ColumnListField):
    """Columns in an order."""

    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a list of column names."""
        roles = _read_columns(raw, names)
        return FieldValue(tuple(roles.value)) if roles.has_value else roles

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the names in their order."""
        return [names[role] for role in value]


@dataclass(frozen=True)
class GraphField(Field):
    """One directed graph on the columns: its edges."""

    name: str
    weight: float = 1.0
    key: bool = True

    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a list of [from, to]; an empty list is the graph without edges."""
        return _read_graph(raw, names)

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the edges by name, in one order."""
        return _write_graph(value, names)

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a graph."""
        return _describe_graph(names.values())


@dataclass(frozen=True)
class GraphSetField(Field):
    """Some directed graphs on the columns; a graph is its edges."""

    name: str
    weight: float = 1.0
    roles: tuple[str, ...] = ()

    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read a list of lists of [from, to]; an empty list is the graph without edges."""
        if not is_list(raw) or not all(is_list(graph) for graph in raw):
            return FieldValue(reason="not_graphs")
        graphs = [_read_graph(graph, names) for graph in raw]
        for graph in graphs:
            if graph.reason:
                return graph
        edges = [graph.value for graph in graphs]
        if len(set(edges)) < len(edges):
            return FieldValue(reason="repeated")
        return FieldValue(frozenset(edges))

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the edges of each graph by name, in one order."""
        return sorted(_write_graph(graph, names) for graph in value)

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a list of graphs."""
        graph = _describe_graph(names[role] for role in self.roles or names)
        return {"type": "array", "items": graph, "uniqueItems": True}


def _read_graph(raw: Any, names: Mapping[str, str]) -> FieldValue:
    if not is_list(raw):
        return FieldValue(reason="not_graphs")
    edges = [_read_columns(edge, names) for edge in raw]
    if any(not edge.has_value or len(edge.value) != 2 for edge in edges):
        reasons = [edge.reason for edge in edges if edge.reason]
        return FieldValue(reason=reasons[0] if reasons else "not_graphs")
    return FieldValue(frozenset(tuple(edge.value) for edge in edges))


def _write_graph(graph: Iterable[tuple[str, str]], names: Mapping[str, str]) -> list[list[str]]:
    return sorted([names[cause], names[effect]] for cause, effect in graph)


def _describe_graph(columns: Iterable[str]) -> dict[str, Any]:
    edge = {"type": "array", "items": {"enum": list(columns)}, "minItems": 2, "maxItems": 2}
    return {"type": "array", "items": edge}


def _read_columns(raw: Any, names: Mapping[str, str]) -> FieldValue:
    if raw is None:
        return FieldValue(reason="null")
    if not is_list(raw) or not all(isinstance(entry, str) for entry in raw):
        return FieldValue(reason="not_columns")
    role_of = {name.casefold(): role for role, name in names.items()}
    roles = [role_of.get(entry.strip().strip("`").casefold()) for entry in raw]
    if None in roles:
        return FieldValue(reason="unknown_column")
    return FieldValue(reason="repeated") if len(set(roles)) < len(roles) else FieldValue(roles)


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
class PValueTableField(Field):
    """A p value for each of some rows, which are named by fixed labels."""

    name: str
    rows: tuple[str, ...]
    weight: float = 1.0

    def _read(self, raw: Any, names: Mapping[str, str], /) -> FieldValue:
        """Read an object with exactly these rows; "<0.001" is read as its bound."""
        if isinstance(raw, Pairs):
            raw = Pairs((key, _strip_below(value)) for key, value in raw)
        numbers = self._numbers.read(raw, names)
        if numbers.has_value and not all(0 <= p <= 1 for p in numbers.value.values()):
            return FieldValue(reason="not_a_table")
        return FieldValue(PValues(numbers.value)) if numbers.has_value else numbers

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write an object of numbers."""
        return self._numbers.write(value.rows, names)

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe an object of numbers from 0 to 1."""
        number = {"type": "number", "minimum": 0, "maximum": 1}
        return {**self._numbers.schema(names), "properties": dict.fromkeys(self.rows, number)}

    @property
    def _numbers(self) -> NumberTableField:
        return NumberTableField(self.name, self.rows, share=True)


def _strip_below(value: Any) -> Any:
    return _BELOW.sub("", value.strip(), count=1) if isinstance(value, str) else value
