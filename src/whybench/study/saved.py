"""The data that a study saved, in whatever files, and the plan that its folder stands for.

Rows are saved as JSON lines (`whybench study serve`), as an array of JSON (a download, DataPipe),
as CSV (jsPsych), as text that a server strung together (JATOS: an array or an object for each
participant), or as such files in a zip. Nobody has to say which. In text, the objects of JSON are
rows, and whatever brackets, commas and line breaks stand between them do not matter; an array whose
end was cut off has lost no more than what is missing. CSV is known by a column called `kind`. An
object without `kind` is somebody else's: jsPsych's own, or metadata. What cannot be read is never
fatal and never silent: `SavedData.broken` names each location with its reason.

A study's folder holds ids of items, not items. `reopen_study` makes these anew from the settings of
the design, and they must be the ones that people saw: else answers would be read as answers to
other questions.
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

from whybench.errors import UserError
from whybench.study.export import MANIFEST, read_manifest
from whybench.study.plan import StudyPlan
from whybench.study.rows import StudyRow
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "SavedData",
    "read_saved",
    "reopen_study",
]


ARCHIVES = (".zip", ".jrzip")
TEXTS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")
"""The files of a folder that may hold rows; one that is named itself may be called anything."""

_BETWEEN = re.compile(r"[\s,\[\]]*")


@dataclass
class SavedData:
    """The rows in files, and what was not one.

    Attributes:
        rows: The rows, in the order of files and lines.
        broken: Locations that could not be read, each with its reason.
        foreign: How many objects were not rows of a study.
        files: How many files were read.
        empty: Files without any row.
    """

    rows: list[StudyRow] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    foreign: int = 0
    files: int = 0
    empty: list[str] = field(default_factory=list)

    def read_text(self, name: str, content: bytes) -> None:
        """Add the rows of a file."""
        self.files += 1
        before = len(self.rows) + len(self.broken)
        sessions: dict[str, str] = {}
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
                    row = StudyRow.read(values, name, line)
                except ValueError as error:
                    self.broken.append(f"{name}:{line}: {error}")
                    continue
                if row.kind == "start" and not row.resumed:
                    sessions[row.participant] = row.at
                self.rows.append(replace(row, session=sessions.get(row.participant, "")))
        if len(self.rows) + len(self.broken) == before:
            self.empty.append(name)

    def read_archive(self, name: str, content: bytes) -> None:
        """Add the rows of the files in a zip."""
        try:
            with ZipFile(BytesIO(content)) as archive:
                for member in archive.namelist():
                    if member.lower().endswith(TEXTS):
                        self.read_text(f"{name}/{member}", archive.read(member))
        except (BadZipFile, RuntimeError, zlib.error) as error:
            # RuntimeError says that an archive is locked, or packed in an unknown way.
            self.broken.append(f"{name}: must be a whole, open zip file, got {error}")


def read_saved(paths: Sequence[str | Path]) -> SavedData:
    """Read the rows in these files, and in the files of these folders."""
    saved = SavedData()
    for path, name in _files(paths):
        read = saved.read_archive if path.suffix.lower() in ARCHIVES else saved.read_text
        try:
            read(name, path.read_bytes())
        except OSError as error:
            saved.broken.append(f"{name}: {error.strerror}")
    return saved


def _files(paths: Sequence[str | Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file once, with its name: its path below the folder that was given."""
    seen = set()
    for path in map(Path, paths):
        if not path.exists():
            raise UserError(f"data must be files or folders, got {path}: there is no such thing")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            chosen = file == path or file.suffix.lower() in (*TEXTS, *ARCHIVES)
            if chosen and file.is_file() and file.resolve() not in seen:
                seen.add(file.resolve())
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
    line, counted, end = 1, 0, 0
    while True:
        between = _BETWEEN.match(text, end)
        assert between is not None  # it matches nothing too
        start = between.end()
        if start == len(text):
            return
        line, counted = line + text.count("\n", counted, start), start
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            value, end = None, text.find("\n", start) % (len(text) + 1)  # to the end, if none
        excerpt = repr(text[start : start + 60].partition("\n")[0])
        whole = isinstance(value, dict)
        yield line, value if whole else f"a row must be an object of JSON, got {excerpt}"


def reopen_study(folder: Path) -> StudyPlan:
    """Return the plan of the study in a folder.

    Raises:
        UserError: There is no study, or this version of the package would ask something else.
    """
    manifest = read_manifest(folder)
    suite = get_suite(manifest["suite"])
    design = suite.make_design(manifest["settings"])
    if (design.hash, suite.version) != (manifest["design_hash"], manifest["version"]):
        raise UserError(
            f"the design of {folder} must be the one that people saw ({manifest['design_hash']}, "
            f"version {manifest['version']} of {suite.name}), got {design.hash}, version "
            f"{suite.version}; use whybench {manifest['whybench']}, which made the study"
        )
    items = {item.id: item for item in suite.items(design)}
    lists = tuple(tuple(items[i] for i in entry if i in items) for entry in manifest["lists"])
    plan = StudyPlan(suite, manifest["settings"], design.hash, lists)
    if plan.id != manifest["study"]:
        raise UserError(
            f"{folder / MANIFEST} must be as `whybench study export` wrote it, got lists that make "
            f"the study {plan.id} and not {manifest['study']}; export it again"
        )
    return plan
