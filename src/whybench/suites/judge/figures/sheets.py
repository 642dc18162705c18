"""Which records are drawn together: those of one design, and people beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from whybench.drawing.names import is_people
from whybench.suites.groups import GROUP_KEYS
from whybench.suites.judge.groups import CONDITION

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

__all__ = ["sheets_of"]


@dataclass
class _Sheet:
    """Designs of one name that are drawn together: no agent met a condition in two of them."""

    name: str
    hashes: set[str] = field(default_factory=set)
    met: set[tuple[str, ...]] = field(default_factory=set)
    asked: set[tuple[str, str]] = field(default_factory=set)


def sheets_of(records: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the records of each design under its name, with people who judged such stories.

    Where an agent met one condition in two designs of the same name, as in two changed ones, the
    second is drawn apart and has a number after the name. Records of nobody but people are one
    sheet.
    """
    sheets = _sheets(records)
    columns = (*GROUP_KEYS, "graph", "content")
    whose = list(zip(*(records[name].to_pylist() for name in columns), strict=True))
    for place, sheet in enumerate(sheets):
        mine = [
            (graph, content) in sheet.asked
            if is_people(agent)
            else design == sheet.name and digest in sheet.hashes
            for agent, design, digest, graph, content in whose
        ]
        again = sum(other.name == sheet.name for other in sheets[:place])
        yield f"{sheet.name}-{again + 1}" if again else sheet.name, records.filter(mine)
    if not sheets:
        yield "people", records


def _sheets(records: pa.Table) -> list[_Sheet]:
    runs: dict[tuple[str, str], list[dict[str, str]]] = {}
    keys = [*GROUP_KEYS, *CONDITION]
    for row in records.group_by(keys, use_threads=False).aggregate([]).to_pylist():
        if not is_people(row["agent"]):
            runs.setdefault((row["design"], row["design_hash"]), []).append(row)
    sheets: list[_Sheet] = []
    for (name, digest), rows in runs.items():
        met = {tuple(row[label] for label in ("agent", *CONDITION)) for row in rows}
        fitting = [sheet for sheet in sheets if sheet.name == name and not sheet.met & met]
        if not fitting:
            sheets.append(_Sheet(name))
        sheet = fitting[0] if fitting else sheets[-1]
        sheet.hashes.add(digest)
        sheet.met |= met
        sheet.asked |= {(row["graph"], row["content"]) for row in rows}
    return sheets
