"""Records on disk: Parquet for machines, CSV for people and R."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

if TYPE_CHECKING:
    from collections.abc import Mapping

from whybench.records.schema import record_schema

__all__ = ["FORMATS", "read_column", "read_records", "write_records"]

FORMATS = (".parquet", ".csv")


def write_records(table: pa.Table, path: str | Path) -> None:
    """Write records to a .parquet or .csv file, making its folder if need be."""
    target = _known(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix == ".parquet":
        pa.parquet.write_table(table, target, compression="zstd")
    else:
        pa.csv.write_csv(table, target)


def read_records(path: str | Path, columns: Mapping[str, type]) -> pa.Table:
    """Read records of a suite, given its own columns, from a .parquet or .csv file."""
    source = _known(path)
    schema = record_schema(columns)
    if source.suffix == ".parquet":
        table = pa.parquet.read_table(source)
    else:
        options = pa.csv.ConvertOptions(
            column_types={field.name: field.type for field in schema}, strings_can_be_null=False
        )
        table = pa.csv.read_csv(source, convert_options=options)
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise ValueError(
            f"{source} must have the columns of the suite's records, got none of the name(s) "
            f"{', '.join(missing)}"
        )
    return table.select(schema.names).cast(schema)


def _known(path: str | Path) -> Path:
    target = Path(path)
    if target.suffix not in FORMATS:
        raise ValueError(f"records must be in a file ending in .parquet or .csv, got {path}")
    return target


def read_column(path: str | Path, name: str) -> list[str]:
    """Read one column of text; empty if the file has no such column."""
    source = _known(path)
    if source.suffix == ".parquet":
        names = pa.parquet.read_schema(source).names
        table = pa.parquet.read_table(source, columns=[name]) if name in names else None
    else:
        table = pa.csv.read_csv(source)
        table = table if name in table.column_names else None
    return [] if table is None else [str(value) for value in table[name].to_pylist()]
