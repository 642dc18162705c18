"""The data that a study saved, in whatever files, and the plan that its folder stands for.

Rows are saved as JSON lines (`whybench study serve`), as an array of JSON (a download, DataPipe),
as CSV (jsPsych), as text that a server strung together (JATOS: an array or an object for each
participant), or as such files in a zip. Nobody has to say which. In text, the objects of JSON are
rows, and whatever brackets, commas and line breaks stand between them do not matter; an array whose
end was cut off has lost no more than what is missing, and a row that stands behind a torn one is
found. CSV is known by a column called `kind`. An object without `kind` is somebody else's:
jsPsych's own, or metadata. What cannot be read is never fatal and never silent: `SavedData.broken`
names each location with its reason. Files may come from strangers, so their sizes are bounded.

A study's folder holds ids of items, not items. `reopen_study` makes these anew from the settings of
the design, and they must be the ones that people saw: else answers would be read as answers to
other questions.
"""

from __future__ import annotations

import csv
import json
import os
import re
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from whybench.errors import UserError
from whybench.study.export import MANIFEST, read_manifest
from whybench.study.plan import StudyPlan
from whybench.study.rows import StudyRow
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ARCHIVES = (".zip", ".jrzip")
TEXTS = (".json", ".jsonl", ".ndjson", ".csv", ".txt")
"""The files of a folder that may hold rows; one that is named itself may be called anything."""

LARGEST_FILE = 100_000_000
LARGEST_IMPORT = 500_000_000
MOST_MEMBERS = 100_000
"""How many bytes a file may have, all files of an import together, and files a zip may have."""

MOST_BROKEN = 10_000
"""So many broken locations are named; more are counted."""

MOST_TORN = 1_000
"""So often a table of CSV is gone on with after a line that cannot be read."""

_BETWEEN = re.compile(r"[\s,\[\]]*")
_ROW = re.compile(r'\{\s*"(?:kind|study)"|\n')
"""Where a row may begin after one that was torn: on the same line, or on the next."""

_OPEN = re.compile(r"[\[{]")
_OBJECT = re.compile(r"[{\n]")

PIECES = (1 << 14, 1 << 18, 1 << 22)
"""So many signs are looked at for a row, more only if it does not end there: an error costs time
for all of the text that it is found in. The last is the length of the longest row."""

DEEPEST = 500
"""So many brackets are passed over where rows are too deep to be read."""


@dataclass
class SavedData:
    """The rows in files, and what was not one.

    Attributes:
        rows: The rows, in the order of files and lines.
        broken: Locations that could not be read, each with its reason.
        more_broken: How many more there are than are named.
        foreign: How many objects were not rows of a study.
        files: How many files were read.
        size: How many bytes they have together.
        empty: Files without any row.
    """

    rows: list[StudyRow] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    more_broken: int = 0
    foreign: int = 0
    files: int = 0
    size: int = 0
    empty: list[str] = field(default_factory=list)

    def read_text(self, name: str, content: bytes) -> None:
        """Add the rows of a file, unless it is too large."""
        if not self._fits(name, len(content)):
            return
        self.files += 1
        before = len(self.rows) + len(self.broken) + self.more_broken
        # A wrong byte costs its row, and not the file: it becomes a sign that no row may have.
        text = content.decode("utf-8-sig", "surrogateescape")
        for line, values in _values(text):
            if isinstance(values, str):
                self.note_broken(f"{name}:{line}: {values}")
            elif not values.get("kind"):
                self.foreign += 1
            else:
                try:
                    self.rows.append(StudyRow.read(values, name, line))
                except (ValueError, RecursionError) as error:
                    self.note_broken(f"{name}:{line}: {error}")
        if len(self.rows) + len(self.broken) + self.more_broken > before:
            return
        if any("\udc80" <= sign <= "\udcff" for sign in text):
            self.note_broken(f"{name}: text must be UTF-8, got another encoding")
        else:
            self.empty.append(name)

    def read_archive(self, name: str, content: bytes) -> None:
        """Add the rows of the files in a zip; what is damaged in it costs itself alone."""
        try:
            with ZipFile(BytesIO(content)) as archive:
                members = [m for m in archive.infolist() if m.filename.lower().endswith(TEXTS)]
                if len(members) > MOST_MEMBERS:
                    raise ValueError(f"more than {MOST_MEMBERS} files")
                for member in members:
                    location = f"{name}/{_printable(member.filename)}"
                    try:
                        with archive.open(member) as file:
                            text = file.read(LARGEST_FILE + 1)
                    except Exception as error:
                        self.note_broken(f"{location}: must be whole and open, got {error}")
                    else:
                        self.read_text(location, text)
        except Exception as error:  # a damaged zip may raise almost anything
            self.note_broken(f"{name}: must be a whole, open zip file, got {error}")

    def read_file(self, path: Path, name: str) -> None:
        """Add the rows of a file on the disk, by what its name ends in."""
        archive = path.suffix.lower() in ARCHIVES
        try:
            size = path.stat().st_size
            if archive and size > LARGEST_IMPORT:
                self.note_broken(f"{name}: a zip file must be at most {LARGEST_IMPORT} bytes")
            elif archive:
                self.read_archive(name, path.read_bytes())
            elif size <= LARGEST_FILE or self._fits(name, size):
                self.read_text(name, path.read_bytes())
        except OSError as error:
            self.note_broken(f"{name}: {error.strerror}")

    def note_broken(self, message: str) -> None:
        """Name a location that cannot be read, or count it where many are named already."""
        if len(self.broken) < MOST_BROKEN:
            self.broken.append(message)
        else:
            self.more_broken += 1

    def _fits(self, name: str, size: int) -> bool:
        """Return whether a file of this size may be read, and count it; else it is broken."""
        if size > LARGEST_FILE:
            bound = f"a file must be at most {LARGEST_FILE} bytes, got more; cut it into several"
        elif self.size + size > LARGEST_IMPORT:
            bound = (
                f"files must be at most {LARGEST_IMPORT} bytes in all, got more; import in parts"
            )
        else:
            self.size += size
            return True
        self.note_broken(f"{name}: {bound}")
        return False


def read_saved(paths: Sequence[str | Path]) -> SavedData:
    """Read the rows in these files, and in the files of these folders."""
    saved = SavedData()
    for path, name in _files(paths):
        saved.read_file(path, name)
    return saved


def _files(paths: Sequence[str | Path]) -> Iterator[tuple[Path, str]]:
    """Yield each file once, with its name: its path below the folder that was given."""
    seen = set()
    for path in map(Path, paths):
        if not os.path.lexists(path):
            raise UserError(f"data must be files or folders, got {path}: there is no such thing")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            chosen = file == path or file.suffix.lower() in (*TEXTS, *ARCHIVES)
            if chosen and _is_file(file) and file.resolve() not in seen:
                seen.add(file.resolve())
                name = file.name if file == path else file.relative_to(path).as_posix()
                yield file, _printable(name)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # of a folder that may not be entered
        return False


def _printable(name: str) -> str:
    """Return a file's name as it can be printed and written down, whatever signs it has."""
    return "".join(sign if sign.isprintable() else "?" for sign in name)


def _values(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield line and object, or line and what is wrong there."""
    header = text.partition("\n")[0]
    if "kind" in (cell.strip('" \r') for cell in header.split(",")):
        yield from _lines(text)
    elif '"kind"' in text:
        yield from _objects(text)


def _lines(text: str) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """Yield the lines of CSV as objects; one that cannot be read costs no other."""
    lines = list(StringIO(text, newline=""))
    names: list[str] = []
    start = 0
    for _ in range(MOST_TORN):
        table = csv.reader(map(lines.__getitem__, range(start, len(lines))), strict=True)
        read, wrong = 0, ""
        try:
            for cells in table:
                if not names:
                    names = cells
                elif len(cells) == len(names):
                    yield start + table.line_num, dict(zip(names, cells, strict=True))
                elif cells:
                    wrong = "a line must have a cell for each column"
                    break
                read = table.line_num
        except csv.Error as error:
            wrong = f"a line must be CSV, got {error}"
        if not wrong:
            return
        # A quote that is not closed makes several lines one: the next is tried by itself.
        start += read + 1
        yield start, wrong
        if not names:
            return
    yield start, "what follows is not read: too many lines are not CSV"


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
        value, end = _object_at(decoder, text, start)
        if isinstance(value, dict):
            yield line, value
        else:
            excerpt = repr(text[start : min(end, start + 60)].partition("\n")[0])
            yield line, f"a row must be an object of JSON, got {excerpt}"


def _object_at(decoder: json.JSONDecoder, text: str, start: int) -> tuple[Any, int]:
    """Return the value at a place and where it ends; None and where to go on if there is none."""
    if text[start] != "{":
        following = _OBJECT.search(text, start)
        return None, following.start() if following else len(text)
    for size in PIECES:
        try:
            value, length = decoder.raw_decode(text[start : start + size])
        except RecursionError:
            brackets = [found.end() for found in islice(_OPEN.finditer(text, start), DEEPEST)]
            return None, brackets[-1]
        except ValueError as error:
            place = getattr(error, "pos", 0)
            torn = place > size - 16 or str(error).startswith("Unterminated")
            if not torn or start + size >= len(text):
                break
        else:
            return value, start + length
    following = _ROW.search(text, start + 1)
    return None, following.start() if following else len(text)


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
    items = {item.digest: item for item in suite.items(design)}
    lists = tuple(tuple(items[i] for i in entry if i in items) for entry in manifest["lists"])
    plan = StudyPlan(suite, manifest["settings"], design.hash, lists, manifest["pictures"])
    if plan.id != manifest["study"]:
        raise UserError(
            f"{folder / MANIFEST} must be as `whybench study export` wrote it, got lists that make "
            f"the study {plan.id} and not {manifest['study']}; export it again"
        )
    return plan
