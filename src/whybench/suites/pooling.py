"""The answers of a run as records of one condition, for the figures that Inspect shows below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.records.schema import record_table
from whybench.suites.groups import GROUP_KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["pooled"]


def pooled(
    rows: Sequence[Mapping[str, Any]], condition: Sequence[str], columns: Mapping[str, type]
) -> pa.Table:
    """Return rows as records of one agent under one condition.

    Args:
        rows: The answers.
        condition: The columns of the condition. What all answers share of it stays; what differs
            is left blank.
        columns: The columns of the suite's records and their types.
    """
    one: dict[str, Any] = dict.fromkeys(GROUP_KEYS, "")
    for name in condition:
        levels = {row[name] for row in rows}
        blank = "" if columns[name] is str else None
        one[name] = levels.pop() if len(levels) == 1 else blank
    return record_table([{**row, **one} for row in rows], columns)
