"""The columns of records, and records on disk: Parquet for machines, CSV for people and R.

All suites share a core of columns; beside it there is a typed column for every factor. A file
appears whole or not at all: where it cannot be written, what was there before stays.
"""

from __future__ import annotations

import csv
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from whybench.errors import UserError, atomic_write
from whybench.model_settings import MODEL_SETTINGS, read_model_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = [
    "CORE",
    "FORMATS",
    "atomic_write",
    "cast_records",
    "csv_columns",
    "explain_damage",
    "read_column",
    "read_parquet",
    "record_schema",
    "record_table",
    "select_columns",
    "unescape_ids",
    "write_parquet",
    "write_records",
]


_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

CORE: dict[str, pa.DataType] = {
    "agent": pa.string(),
    "suite": pa.string(),
    "version": pa.int32(),
    "design": pa.string(),
    "design_hash": pa.string(),
    "item": pa.string(),
    "case": pa.string(),
    "epoch": pa.int32(),
    "outcome": pa.string(),
    "reason": pa.string(),
    "value": pa.float64(),
    "truth": pa.float64(),
    "input_tokens": pa.int64(),
    "output_tokens": pa.int64(),
    "seconds": pa.float64(),
    "log": pa.string(),
    **{name: _TYPES[kind] for name, kind in MODEL_SETTINGS.items()},
}
"""Name and type of the columns that every suite's records have.

`case` is what the item asks, apart from what may be manipulated; null in judgments of people
that a paper published. `outcome` is scored, no_answer or error, and `reason` says why it is not
scored. `value` is null unless scored. Tokens and seconds are a sample's, shared evenly by the items
it asked. Settings of the model are those that the agent's name mentions; null is the model's own.
"""


def record_schema(columns: Mapping[str, type]) -> pa.Schema:
    """Return the schema of a suite's records, given its own columns and their types."""
    return pa.schema([*CORE.items(), *((name, _TYPES[kind]) for name, kind in columns.items())])


def record_table(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type]) -> pa.Table:
    """Return rows as a table; a column that a row lacks is null there.

    Raises:
        UserError: A row has something else than its column holds.
    """
    try:
        return _add_settings(pa.Table.from_pylist(list(rows), schema=record_schema(columns)))
    except pa.ArrowException as error:
        raise UserError(
            f"records must fit the columns of their suite, got {str(error)!r}; another version "
            "made these answers, and can read them"
        ) from error


def _add_settings(table: pa.Table) -> pa.Table:
    """Return records with the settings of models that the names of agents mention."""
    encoded = table["agent"].cast(pa.string()).combine_chunks().dictionary_encode()
    said = [read_model_settings(agent) for agent in encoded.dictionary.to_pylist()]
    for name, kind in MODEL_SETTINGS.items():
        levels = pa.array([settings.get(name) for settings in said], _TYPES[kind])
        column = levels.take(encoded.indices)
        table = table.set_column(table.column_names.index(name), name, column)
    return table


FORMATS = (".parquet", ".csv")

AGAIN = "Make it again from its logs with `whybench results`"
"""What helps against a file that cannot be used; logs are kept for that."""


def write_records(table: pa.Table, path: str | Path) -> None:
    """Write records to a .parquet or .csv file, making its folder if need be."""
    target = _check_format(path)
    with atomic_write(target) as part:
        if target.suffix == ".parquet":
            write_parquet(table, part)
        else:
            pa.csv.write_csv(_edit_ids(table, *_ESCAPE), part)


_IDS = ("agent", "item", "log", "person")
_ESCAPE = (r"^('*[=+\-@\t\r])", r"'\1")
_UNESCAPE = (r"^'('*[=+\-@\t\r])", r"\1")
"""Columns that may hold what a stranger called themselves, and how CSV has what a spreadsheet would
take for a formula: with an apostrophe before it, which is taken off when it is read."""


def _edit_ids(table: pa.Table, pattern: str, replacement: str) -> pa.Table:
    """Return a table of records with something replaced in its ids."""
    for name in _IDS:
        if name in table.column_names:
            edited = pc.replace_substring_regex(table[name], pattern, replacement)
            table = table.set_column(table.column_names.index(name), name, edited)
    return table


def unescape_ids(table: pa.Table) -> pa.Table:
    """Return records from CSV with their ids as they were before they were written."""
    return _edit_ids(table, *_UNESCAPE)


def write_parquet(table: pa.Table, where: Any) -> None:
    """Write a table as Parquet, with checksums by which damage is noticed."""
    pa.parquet.write_table(table, where, compression="zstd", write_page_checksum=True)


def read_parquet(source: Any) -> pa.Table:
    """Read a table from Parquet; where there are checksums, they are looked at."""
    return pa.parquet.read_table(source, page_checksum_verification=True)


def cast_records(table: pa.Table, columns: Mapping[str, type], source: str | Path) -> pa.Table:
    """Return a table with the columns and types of a suite's records, or say what it lacks."""
    chosen = select_columns(table, columns, source)
    with explain_damage(source):
        return chosen.cast(record_schema(columns))


def select_columns(table: pa.Table, columns: Mapping[str, type], source: str | Path) -> pa.Table:
    """Return a table with the columns of a suite's records.

    Args:
        table: Records as they were read.
        columns: The suite's own columns.
        source: The file, for messages.
    """
    schema = record_schema(columns)
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise UserError(
            f"{source} must have the columns of the suite's records, got none of the name(s) "
            f"{', '.join(missing)}; another version wrote it. {AGAIN}"
        )
    with explain_damage(source):
        return _add_settings(table.select(schema.names))  # CSV has no null in a column of text


@contextmanager
def explain_damage(source: str | Path) -> Iterator[None]:
    """Say of a file that is damaged, or holds something else, what is wrong with it."""
    try:
        yield
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise UserError(
            f"{source} must be a whole file of records, got {reason!r}. {AGAIN}"
        ) from error


def _check_format(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix not in FORMATS:
        raise UserError(f"records must be in a file ending in .parquet or .csv, got {path}")
    return target


def read_column(path: str | Path, name: str) -> list[str] | None:
    """Read one column of text; None if the file has no such column."""
    source = _check_format(path)
    with explain_damage(source):
        if source.suffix == ".parquet":
            names = pa.parquet.read_schema(source).names
            table = pa.parquet.read_table(source, columns=[name]) if name in names else None
        else:
            options = pa.csv.ConvertOptions(
                include_columns=[name], column_types={name: pa.string()}
            )
            parse = pa.csv.ParseOptions(invalid_row_handler=lambda _: "skip")
            table = None
            if name in csv_columns(source):
                table = pa.csv.read_csv(source, parse_options=parse, convert_options=options)
    return None if table is None else [str(value) for value in table[name].to_pylist()]


def csv_columns(source: Path) -> list[str]:
    """Return the names in the first line of a CSV file."""
    with source.open(encoding="utf-8", errors="replace", newline="") as file:
        return next(csv.reader(file), [])
