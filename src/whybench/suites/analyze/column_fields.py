"""Fields that speak of columns: some of them, an order of them, graphs on them.

| field | typed value | in JSON |
|---|---|---|
| `ColumnSet` | frozenset of roles | ["age", "region"] |
| `ColumnOrder` | tuple of roles | ["first", "second"] |
| `GraphSet` | frozenset of graphs, each a frozenset of (from, to) roles | [[["x", "y"]], []] |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.fields import Said, is_list

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ColumnOrder", "ColumnSet", "GraphSet"]


@dataclass(frozen=True)
class ColumnSet:
    """Some columns of the data, perhaps none."""

    name: str
    weight: float = 1.0

    def read(self, raw: Any, names: Mapping[str, str], /) -> Said:
        """Read a list of column names, or one name alone."""
        said = _columns([raw] if isinstance(raw, str) else raw, names)
        return Said(frozenset(said.value)) if said.given else said

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the names in the order of the data."""
        return [name for role, name in names.items() if role in value]

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a list of names without repetition."""
        return {"type": "array", "items": {"enum": list(names.values())}, "uniqueItems": True}


@dataclass(frozen=True)
class ColumnOrder:
    """Columns in an order."""

    name: str
    weight: float = 1.0

    def read(self, raw: Any, names: Mapping[str, str], /) -> Said:
        """Read a list of column names."""
        said = _columns(raw, names)
        return Said(tuple(said.value)) if said.given else said

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the names in their order."""
        return [names[role] for role in value]

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a list of names without repetition."""
        return {"type": "array", "items": {"enum": list(names.values())}, "uniqueItems": True}


@dataclass(frozen=True)
class GraphSet:
    """Some directed graphs on the columns; a graph is its edges."""

    name: str
    weight: float = 1.0
    roles: tuple[str, ...] = ()

    def read(self, raw: Any, names: Mapping[str, str], /) -> Said:
        """Read a list of lists of [from, to]; an empty list is the graph without edges."""
        if not is_list(raw) or not all(is_list(graph) for graph in raw):
            return Said(reason="null" if raw is None else "not_graphs")
        graphs = []
        for graph in raw:
            edges = [_columns(edge, names) for edge in graph]
            if any(not edge.given or len(edge.value) != 2 for edge in edges):
                known = [edge.reason for edge in edges if edge.reason]
                return Said(reason=known[0] if known else "not_graphs")
            graphs.append(frozenset(tuple(edge.value) for edge in edges))
        if len(set(graphs)) < len(graphs):
            return Said(reason="repeated")
        return Said(frozenset(graphs))

    def write(self, value: Any, names: Mapping[str, str], /) -> Any:
        """Write the edges of each graph by name, in one order."""
        return sorted(sorted([names[one], names[other]] for one, other in graph) for graph in value)

    def schema(self, names: Mapping[str, str], /) -> dict[str, Any]:
        """Describe a list of graphs."""
        entry = {"enum": [names[role] for role in self.roles or names]}
        edge = {"type": "array", "items": entry, "minItems": 2, "maxItems": 2}
        return {"type": "array", "items": {"type": "array", "items": edge}, "uniqueItems": True}


def _columns(raw: Any, names: Mapping[str, str]) -> Said:
    if raw is None:
        return Said(reason="null")
    if not is_list(raw) or not all(isinstance(entry, str) for entry in raw):
        return Said(reason="not_columns")
    role_of = {name.casefold(): role for role, name in names.items()}
    roles = [role_of.get(entry.strip().strip("`").casefold()) for entry in raw]
    if None in roles:
        return Said(reason="unknown_column")
    return Said(reason="repeated") if len(set(roles)) < len(roles) else Said(roles)
