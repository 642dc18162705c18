"""What a study saved: files, in any of the shapes in which data come home, to rows.

A row is what the experiment noted about one event: consent, a page, a check, an answer. Rows are
saved as JSON lines (`whybench study serve`), as an array of JSON (a download, DataPipe), as CSV
(jsPsych), as text that a server strung together (JATOS: an array or an object for each
participant), or as such files in a zip. So nothing is asked about where data come from. In text,
the objects of JSON are rows, and whatever brackets, commas and line breaks stand between them do
not matter; an array whose end was cut off has lost no more than what is missing. CSV is known by a
column called `kind`. An object without `kind` is somebody else's: jsPsych's own, or metadata.

What cannot be read is never fatal and never silent: `Saved.broken` names each place with its
reason.
"""

from __future__ import annotations

import csv
import json
import re
import zlib
from dataclasses import dataclass, field, replace
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from whybench.study.rows import Row
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Saved", "read_saved"]

ARCHIVES = (".zip", ".jrzip")
TEXTS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")
"""The files of a folder that may hold rows; one that is named itself may be called anything."""

_BETWEEN = re.compile(r"[\s,\[\]]*")


@dataclass
class Saved:
    """What was found in files.

    Attributes:
        rows: The rows, in the order of files and lines.
        broken: Places that could not be read, each with its reason.
        foreign: How many objects were not rows of a study.
        files: How many files were read.
        empty: Files without any row.
    """

    rows: list[Row] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    foreign: int = 0
    files: int = 0
    empty: list[str] = field(default_factory=list)

    def read_text(self, name: str, content: bytes) -> None:
        """Take in the rows of a file."""
        self.files += 1
        before = len(self.rows) + len(self.broken)
        began: dict[str, str] = {}
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            self.broken.append(f"{name}: text must be UTF-8, got {error}")
            return
        for line, values in _values(text):
            if isinstance(values, str):
                self.broken.append(f"{name}:{line}: {values}")
            elif not values.get("kind"):
                self.foreign += 1
            else:
                try:
                    row = Row.read(values, name, line)
                except ValueError as error:
                    self.broken.append(f"{name}:{line}: {error}")
                    continue
                if row.kind == "start" and not row.resumed:
                    began[row.participant] = row.at
                self.rows.append(replace(row, session=began.get(row.participant, "")))
        if len(self.rows) + len(self.broken) == before:
            self.empty.append(name)

    def read_archive(self, name: str, content: bytes) -> None:
        """Take in the rows of the files in a zip."""
        try:
            with ZipFile(BytesIO(content)) as archive:
                for member in archive.namelist():
                    if member.lower().endswith(TEXTS):
                        self.read_text(f"{name}/{member}", archive.read(member))
        except (BadZipFile, RuntimeError, zlib.error) as error:
            # RuntimeError says that an archive is locked, or packed in an unknown way.
            self.broken.append(f"{name}: must be a whole, open zip file, got {error}")


def read_saved(paths: Sequence[str | Path]) -> Saved:
    """Read the rows in these files, and in the files of these folders."""
    saved = Saved()
    for path, name in _files(paths):
        read = saved.read_archive if path.suffix.lower() in ARCHIVES else saved.read_text
        try:
            read(name, path.read_bytes())
        except OSError as error:
            saved.broken.append(f"{name}: {error.strerror}")
    return saved


def _files(paths: Sequence[str | Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file once, with what it is called: its way below the folder that was named."""
    met = set()
    for path in map(Path, paths):
        if not path.exists():
            raise UserError(f"data must be files or folders, got {path}: there is no such thing")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            wanted = file == path or file.suffix.lower() in (*TEXTS, *ARCHIVES)
            if wanted and file.is_file() and file.resolve() not in met:
                met.add(file.resolve())
                yield file, file.name if file == path else file.relative_to(path).as_posix()


def _values(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield line and object, or line and what is wrong there."""
    header = text.partition("\n")[0]
    if "kind" in (cell.strip('" \r') for cell in header.split(",")):
        yield from _lines(text)
    elif '"kind"' in text:
        yield from _objects(text)


def _lines(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the lines of CSV as objects."""
    lines = csv.DictReader(StringIO(text, newline=""), strict=True)
    try:
        for values in lines:
            whole = None not in values and None not in values.values()
            yield lines.line_num, values if whole else "a line must have a cell for each column"
    except csv.Error as error:
        yield lines.line_num, f"lines must be CSV, got {error}; what follows is not read"


def _objects(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the objects of JSON in a text, whatever brackets and commas stand between them."""
    decoder = json.JSONDecoder()
    line, counted, place = 1, 0, 0
    while True:
        between = _BETWEEN.match(text, place)
        assert between is not None  # it matches nothing too
        start = between.end()
        if start == len(text):
            return
        line, counted = line + text.count("\n", counted, start), start
        try:
            found, place = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            found, place = None, text.find("\n", start) % (len(text) + 1)  # to the end, if none
        whole = isinstance(found, dict)
        yield (
            line,
            found if whole else f"a row must be an object of JSON, got {_start(text, start)}",
        )


def _start(text: str, place: int) -> str:
    """Return the beginning of what stands at a place, to be recognised by."""
    return repr(text[place : place + 60].partition("\n")[0])
