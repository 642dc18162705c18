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

from whybench.aliases import current_table
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
    "read_records",
    "record_schema",
    "record_table",
    "select_columns",
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
    "pairing_key": pa.string(),
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

`pairing_key` is what the item asks, apart from what may be manipulated; null in answers from before
there were such keys. `outcome` is scored, no_answer or error, and `reason` says why it is not
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
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, column)
        else:
            table = table.append_column(name, column)
    return table


FORMATS = (".parquet", ".csv")

AGAIN = "Make it again from its logs with `whybench records`"
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


def write_parquet(table: pa.Table, where: Any) -> None:
    """Write a table as Parquet, with checksums by which damage is noticed."""
    pa.parquet.write_table(table, where, compression="zstd", write_page_checksum=True)


def read_parquet(source: Any) -> pa.Table:
    """Read a table from Parquet; where there are checksums, they are looked at."""
    return pa.parquet.read_table(source, page_checksum_verification=True)


def read_records(path: str | Path, columns: Mapping[str, type]) -> pa.Table:
    """Read records of a suite, given its own columns, from a .parquet or .csv file."""
    source = _check_format(path)
    schema = record_schema(columns)
    with explain_damage(source):
        if source.suffix == ".parquet":
            table = read_parquet(source)
        else:
            options = pa.csv.ConvertOptions(
                column_types={field.name: field.type for field in schema}, strings_can_be_null=False
            )
            lines = pa.csv.ParseOptions(newlines_in_values=True)
            table = pa.csv.read_csv(source, convert_options=options, parse_options=lines)
            table = _edit_ids(table, *_UNESCAPE)
    return cast_records(table, columns, source)


def cast_records(
    table: pa.Table, columns: Mapping[str, type], source: str | Path, suite: str = ""
) -> pa.Table:
    """Return a table with the columns and types of a suite's records, or say what it lacks."""
    chosen = select_columns(table, columns, source, suite)
    with explain_damage(source):
        return chosen.cast(record_schema(columns))


def select_columns(
    table: pa.Table, columns: Mapping[str, type], source: str | Path, suite: str = ""
) -> pa.Table:
    """Return a table with the columns of a suite's records in today's words.

    Args:
        table: Records as they were read.
        columns: The suite's own columns.
        source: The file, for messages.
        suite: The suite; that of the first row if it is not said.
    """
    schema = record_schema(columns)
    if table.num_rows and "suite" in table.column_names:
        with explain_damage(source):
            table = current_table(suite or str(table["suite"][0]), table)
            table = _add_settings(table) if "agent" in table.column_names else table
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise UserError(
            f"{source} must have the columns of the suite's records, got none of the name(s) "
            f"{', '.join(missing)}; another version wrote it. {AGAIN}"
        )
    table = table.select(schema.names)
    for place, field in enumerate(schema):
        # A column that was taken on later is empty, of whatever type.
        if table[field.name].type != field.type and table[field.name].null_count == table.num_rows:
            table = table.set_column(place, field, pa.nulls(table.num_rows, field.type))
    return table


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
