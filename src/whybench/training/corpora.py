"""Texts of a data set: JSON lines, JSON, Parquet or plain text, on disk or where fsspec reaches.

A row's text is all the text in it, at any depth and in any column, unless a column is named: what
is looked for is found within longer texts too, so that nobody needs to know how a data set is
built. A row also counts with what it says in other columns when canaries are looked for. Plain text
has no rows; it comes in overlapping pieces, so that nothing hides at a seam.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.records.partitions import open_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

PIECE = 100_000
"""The number of words, about, of a piece of plain text."""

BATCH = 256
"""Rows of Parquet that are read at once."""


@dataclass(frozen=True)
class Text:
    """A text to look into.

    Attributes:
        where: The file and the number of the row, from 1, or of the piece.
        words: What prompts are looked for in.
        all: What canaries are looked for in.
    """

    where: str
    words: str
    all: str


def read_texts(address: str, column: str | None = None, overlap: int = 0) -> Iterator[Text]:
    """Yield the texts of a data set.

    Args:
        address: A file, or an address that fsspec can read; compressed files are unpacked.
        column: The column whose text counts; all text of a row if none is named.
        overlap: By how many words pieces of plain text overlap.

    Raises:
        UserError: It cannot be read, or has no such column.
    """
    name = address.rpartition("/")[2]
    for suffix in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(suffix)
    kind = name.rpartition(".")[2]
    if kind not in READERS:
        raise UserError(
            f"DATASET must end in {', '.join(f'.{name}' for name in READERS)} (or that and .gz), "
            f"got {address}"
        )
    try:
        files, path = open_address(address)
        with files.open(path, "rb", compression=None if kind == "parquet" else "infer") as file:
            if kind == "txt":
                yield from _pieces(file, address, overlap)
            else:
                for number, row in enumerate(READERS[kind](file), start=1):
                    yield _row(row, f"{address}:{number}", column)
    except UserError:
        raise
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(
            f"DATASET must be a file that can be read, got {address}: {reason}"
        ) from None


def _row(row: Any, where: str, column: str | None) -> Text:
    all_text = "\n".join(_strings(row))
    if column is None:
        return Text(where, all_text, all_text)
    if not isinstance(row, dict) or column not in row:
        columns = ", ".join(row) if isinstance(row, dict) else "none"
        raise UserError(
            f"`column` must be one of the columns of {where} ({columns}), got {column!r}"
        )
    return Text(where, "\n".join(_strings(row[column])), all_text)


def _strings(value: Any) -> Iterator[str]:
    """Yield every text in a value, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from chain.from_iterable(map(_strings, value.values()))
    elif isinstance(value, list | tuple):
        yield from chain.from_iterable(map(_strings, value))


def _pieces(file: IO[bytes], address: str, overlap: int) -> Iterator[Text]:
    """Yield plain text in pieces, each of which begins with the last words of the one before."""
    words: list[str] = []
    new = number = 0
    for line in chain(file, [None]):
        if line is not None:
            line_words = line.decode("utf-8", "replace").split()
            words += line_words
            new += len(line_words)
        if new >= PIECE or (line is None and new):
            number += 1
            text = " ".join(words)
            yield Text(f"{address}, piece {number}", text, text)
            words, new = words[max(0, len(words) - overlap) :], 0


def _json_lines(file: IO[bytes]) -> Iterator[Any]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None


def _json(file: IO[bytes]) -> Iterable[Any]:
    value = json.load(file)
    return value if isinstance(value, list) else [value]


def _parquet(file: IO[bytes]) -> Iterator[Any]:
    import pyarrow.parquet as pq  # noqa: PLC0415  (not for other files)

    for batch in pq.ParquetFile(file).iter_batches(batch_size=BATCH):
        yield from batch.to_pylist()


READERS: dict[str, Callable[[IO[bytes]], Iterable[Any]]] = {
    "jsonl": _json_lines,
    "json": _json,
    "parquet": _parquet,
    "txt": lambda file: file,
}
"""How rows are read, by the ending of a file; plain text is read in pieces."""
