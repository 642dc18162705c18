"""Rows to a file: JSON lines or Parquet, written as they are made.

Memory does not grow with the number of rows but for what it takes to leave out repeats. The same
series and count are the same file, byte for byte. A file appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench import __version__
from whybench.records.table import whole_file
from whybench.suites.contract import UserError
from whybench.training.canary import canary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from whybench.training.series import Series

__all__ = ["FORMATS", "Exported", "export", "peak_memory"]

ROWS, CHARACTERS = 4096, 8_000_000
"""The most rows, and about the most text, of a portion that is written at once."""

_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_CORE: Mapping[str, type] = {
    "id": str, "prompt": str, "world": str, "truth": float, "suite": str, "version": int,
    "design": str, "split": str, "stream": str, "canary": str,
}  # fmt: skip


@dataclass(frozen=True)
class Exported:
    """A file that was written.

    Attributes:
        path: Where.
        rows: How many rows it has.
        size: How many bytes.
        sha256: Its digest.
    """

    path: Path
    rows: int
    size: int
    sha256: str


def export(
    series: Series, count: int, path: str | Path, told: Callable[[int], object] = lambda _: None
) -> Exported:
    """Write the first so many rows of a series to a .jsonl or .parquet file.

    Args:
        series: The series.
        count: How many rows.
        path: The file.
        told: Is told of every portion how many rows it has.

    Raises:
        UserError: The file has another ending, or there are not so many items.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise UserError(f"FILE must end in {' or '.join(FORMATS)}, got {target.name}")
    with whole_file(target) as beside, FORMATS[target.suffix](beside, series) as write:
        for portion in _portions(series.rows(count)):
            write(portion)
            told(len(portion))
    with target.open("rb") as written:
        sha256 = hashlib.file_digest(written, "sha256").hexdigest()
    return Exported(target, count, target.stat().st_size, sha256)


def _portions(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    portion: list[dict[str, Any]] = []
    characters = 0
    for row in rows:
        portion.append(row)
        characters += len(row["prompt"])
        if len(portion) == ROWS or characters >= CHARACTERS:
            yield portion
            portion, characters = [], 0
    if portion:
        yield portion


@contextmanager
def _json_lines(path: Path, _: Series) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    with path.open("w", encoding="utf-8", newline="\n") as lines:
        yield lambda portion: lines.writelines(f"{_ENCODE(row)}\n" for row in portion)


@contextmanager
def _parquet(path: Path, series: Series) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    import pyarrow as pa  # noqa: PLC0415  (not for JSON lines)
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema = _schema(series)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        yield lambda portion: file.write_table(
            pa.Table.from_arrays([_column(portion, field) for field in schema], schema=schema)
        )


def _schema(series: Series) -> pa.Schema:
    """Return the columns of a series: factors and certificate are structures."""
    import pyarrow as pa  # noqa: PLC0415

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

    def structure(parts: Mapping[str, type]) -> pa.DataType:
        return pa.struct([pa.field(name, types[kind]) for name, kind in parts.items()])

    derived = structure({"method": str, "value": float})
    columns = {name: types[kind] for name, kind in _CORE.items()}
    columns["certificate"] = pa.struct(
        [pa.field("query", pa.string()), pa.field("first", derived), pa.field("second", derived)]
    )
    columns["factors"] = structure(series.suite.columns)
    said = {"whybench": __version__, "stream": series.hash, "canary": canary(series.split)}
    return pa.schema(columns, metadata=said)


def _column(portion: list[dict[str, Any]], field: pa.Field) -> pa.Array:
    """Return a column of rows; a structure is put together from columns, which is faster."""
    import pyarrow as pa  # noqa: PLC0415

    values = [row[field.name] for row in portion]
    if not pa.types.is_struct(field.type):
        return pa.array(values, field.type)
    return pa.StructArray.from_arrays(
        [_column(values, part) for part in field.type], fields=list(field.type)
    )


FORMATS = {".jsonl": _json_lines, ".parquet": _parquet}
"""How rows are written, by the ending of a file."""


def peak_memory() -> float | None:
    """Return the most memory that this process held, in MB, where the system tells."""
    try:
        import resource  # noqa: PLC0415
    except ImportError:
        return None
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(held / (2**20 if sys.platform == "darwin" else 2**10), 1)
