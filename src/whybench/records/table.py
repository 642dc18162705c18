"""Records on disk: Parquet for machines, CSV for people and R.

A file appears whole or not at all: where it cannot be written, what was there before stays.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

from whybench.records.schema import record_schema

__all__ = [
    "FORMATS",
    "as_records",
    "read_column",
    "read_records",
    "readable",
    "whole_file",
    "write_records",
]

FORMATS = (".parquet", ".csv")

AGAIN = "Make it again from its logs with `whybench records`"
"""What helps against a file that cannot be used; logs are kept for that."""


def write_records(table: pa.Table, path: str | Path) -> None:
    """Write records to a .parquet or .csv file, making its folder if need be."""
    target = _known(path)
    with whole_file(target) as beside:
        if target.suffix == ".parquet":
            pa.parquet.write_table(table, beside, compression="zstd")
        else:
            pa.csv.write_csv(table, beside)


@contextmanager
def whole_file(target: Path) -> Iterator[Path]:
    """Give a place beside a file to write to; in the end it takes the file's place, or is gone.

    Raises:
        ValueError: It cannot be written; what was there before is still there.
    """
    beside = target.with_name(f"{target.name}.{uuid4().hex}.part")  # two may write at once
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield beside
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(
            f"{target} must be a file that can be written, got {error}; what was there before is "
            "unchanged. Make room, or write elsewhere"
        ) from error


def read_records(path: str | Path, columns: Mapping[str, type]) -> pa.Table:
    """Read records of a suite, given its own columns, from a .parquet or .csv file."""
    source = _known(path)
    schema = record_schema(columns)
    with readable(source):
        if source.suffix == ".parquet":
            table = pa.parquet.read_table(source)
        else:
            options = pa.csv.ConvertOptions(
                column_types={field.name: field.type for field in schema}, strings_can_be_null=False
            )
            table = pa.csv.read_csv(source, convert_options=options)
    return as_records(table, columns, source)


def as_records(table: pa.Table, columns: Mapping[str, type], source: str | Path) -> pa.Table:
    """Return a table with the columns and types of a suite's records, or say what it lacks."""
    schema = record_schema(columns)
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise ValueError(
            f"{source} must have the columns of the suite's records, got none of the name(s) "
            f"{', '.join(missing)}; another version wrote it. {AGAIN}"
        )
    with readable(source):
        return table.select(schema.names).cast(schema)


@contextmanager
def readable(source: str | Path) -> Iterator[None]:
    """Say of a file that is damaged, or holds something else, what is wrong with it."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"{source} must be a whole file of records, got {reason!r}. {AGAIN}"
        ) from error


def _known(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ValueError(f"records must be in a file ending in .parquet or .csv, got {path}")
    return target


def read_column(path: str | Path, name: str) -> list[str]:
    """Read one column of text; empty if the file has no such column."""
    source = _known(path)
    with readable(source):
        if source.suffix == ".parquet":
            names = pa.parquet.read_schema(source).names
            table = pa.parquet.read_table(source, columns=[name]) if name in names else None
        else:
            table = pa.csv.read_csv(source)
            table = table if name in table.column_names else None
    return [] if table is None else [str(value) for value in table[name].to_pylist()]
