"""The columns of records: a core that all suites share, and a typed column for every factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["CORE", "record_schema", "record_table"]

CORE: dict[str, pa.DataType] = {
    "agent": pa.string(),
    "suite": pa.string(),
    "version": pa.int32(),
    "design": pa.string(),
    "design_hash": pa.string(),
    "item": pa.string(),
    "epoch": pa.int32(),
    "outcome": pa.string(),
    "reason": pa.string(),
    "value": pa.float64(),
    "truth": pa.float64(),
    "input_tokens": pa.int64(),
    "output_tokens": pa.int64(),
    "seconds": pa.float64(),
    "log": pa.string(),
}
"""Name and type of the columns that every suite's records have.

`outcome` is scored, no_answer or error, and `reason` says why it is not scored. `value` is null
unless scored. Tokens and seconds are a sample's, shared evenly by the items it asked.
"""

_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}


def record_schema(columns: Mapping[str, type]) -> pa.Schema:
    """Return the schema of a suite's records, given its own columns and their types."""
    return pa.schema([*CORE.items(), *((name, _TYPES[kind]) for name, kind in columns.items())])


def record_table(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type]) -> pa.Table:
    """Return rows as a table; a column that a row lacks is null there.

    Raises:
        ValueError: A row has something else than its column holds.
    """
    try:
        return pa.Table.from_pylist(list(rows), schema=record_schema(columns))
    except pa.ArrowException as error:
        raise ValueError(
            f"records must fit the columns of their suite, got {str(error)!r}; another version "
            "made these answers, and can read them"
        ) from error
