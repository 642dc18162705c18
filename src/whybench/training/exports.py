"""Rows to a file: JSON lines or Parquet, written as they are made.

Memory does not grow with the number of rows but for what it takes to leave out repeats. The same
items and count are the same file, byte for byte. A file appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.records.table import atomic_write
from whybench.training.canary import canary
from whybench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from whybench.training.items import SplitItems

ROWS, CHARACTERS = 4096, 8_000_000
"""The most rows, and about the most characters, of a batch that is written at once."""

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
    items: SplitItems,
    count: int,
    path: str | Path,
    progress: Callable[[int], object] = lambda _: None,
) -> Exported:
    """Write the rows of the first `count` items to a .jsonl or .parquet file.

    Args:
        items: The items.
        count: How many rows.
        path: The file.
        progress: Called after every batch with its number of rows.

    Raises:
        UserError: The file has another ending, or there are fewer items.
    """
    target = Path(path)
    if target.suffix not in FORMATS:
        raise UserError(f"FILE must end in {' or '.join(FORMATS)}, got {target.name}")
    with atomic_write(target) as part, FORMATS[target.suffix](part, items) as write:
        for batch in _batches(items.rows(count)):
            write(batch)
            progress(len(batch))
    with target.open("rb") as written:
        sha256 = hashlib.file_digest(written, "sha256").hexdigest()
    return Exported(target, count, target.stat().st_size, sha256)


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += len(row["prompt"])
        if len(batch) == ROWS or characters >= CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


@contextmanager
def _json_lines(path: Path, _: SplitItems) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    with path.open("w", encoding="utf-8", newline="\n") as lines:
        yield lambda batch: lines.writelines(f"{_ENCODE(row)}\n" for row in batch)


@contextmanager
def _parquet(path: Path, items: SplitItems) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    import pyarrow as pa  # noqa: PLC0415  (not for JSON lines)
    import pyarrow.parquet as pq  # noqa: PLC0415

    schema = _schema(items)
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        yield lambda batch: file.write_table(pa.Table.from_pylist(batch, schema=schema))


def _schema(items: SplitItems) -> pa.Schema:
    """Return the columns of exported rows: factors and certificate are structures."""
    import pyarrow as pa  # noqa: PLC0415

    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}

    def structure(parts: Mapping[str, type]) -> pa.DataType:
        return pa.struct([pa.field(name, types[kind]) for name, kind in parts.items()])

    derived = structure({"method": str, "value": float})
    columns = {name: types[kind] for name, kind in _CORE.items()}
    columns["certificate"] = pa.struct(
        [pa.field("query", pa.string()), pa.field("first", derived), pa.field("second", derived)]
    )
    columns["factors"] = structure(items.suite.columns)
    metadata = {"whybench": __version__, "stream": items.hash, "canary": canary(items.split)}
    return pa.schema(columns, metadata=metadata)


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
