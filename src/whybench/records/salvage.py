"""What is whole in a log that is damaged.

A log of Inspect's is a zip file with an entry for each sample, for summaries of the samples and for
the header. Before each entry stand its name, its length and a checksum, and a table of all entries
stands at the end. Whoever reads by that table reads nothing of a log that was cut short, and
Inspect does not look at checksums. Here entries are found by what stands before them, so that
damage costs the entries that it touches and no others.

What is whole is written to a new log, which Inspect reads like any other: to read answers from, or
to go on with the run.
"""

from __future__ import annotations

import json
import mmap
import struct
import zlib
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import pyarrow as pa

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = b"PK\3\4"
HEADER = struct.Struct("<4s5H3L2H")
"""What stands before an entry: mark, 5 short numbers, checksum, sizes, lengths of name and more."""

LARGE = 0xFFFFFFFF
"""The size that stands for one in the field of large sizes."""

START, END, SUMMARIES = "_journal/start.json", "header.json", "summaries.json"
JOURNAL, SAMPLES = "_journal/summaries/", "samples/"


class _LogEntry(NamedTuple):
    """An entry of a log: its name, how it is packed, its checksum, and where its content stands."""

    name: str
    method: int
    checksum: int
    first: int
    end: int
    size: int


def is_whole(path: str | Path, *, samples: bool = False) -> bool:
    """Tell whether what is read of a log is there and has its checksums.

    Args:
        path: A log file ending in .eval.
        samples: Whether whole samples are read, and not only summaries of them.
    """
    try:
        with ZipFile(path) as file, _mapped(path) as content:
            names = set(file.namelist())
            for info in file.infolist():
                entry = _entry_at(content, info.header_offset)
                stated = (info.filename, info.CRC, info.file_size)
                if entry is None or (entry.name, entry.checksum, entry.size) != stated:
                    return False
                if _is_read(info.filename, names, samples) and _unpack(content, entry) is None:
                    return False
            return bool(names & {START, END})
    except (BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def _is_read(name: str, names: set[str], samples: bool) -> bool:
    if name.startswith(SAMPLES):
        return samples
    return name in {START, END, SUMMARIES} or (name.startswith(JOURNAL) and SUMMARIES not in names)


@contextmanager
def open_whole(path: str | Path, *, samples: bool = False) -> Iterator[str]:
    """Yield a log that can be read: this one, or a copy of what is whole in it.

    Args:
        path: A log file. One ending in .json is taken as it is.
        samples: Whether whole samples are to be read, and not only summaries of them.

    Raises:
        UserError: Nothing of it can be read.
    """
    if Path(path).suffix != ".eval" or is_whole(path, samples=samples):
        yield str(path)
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder, Path(path).name)
        write_whole(path, copy)
        yield str(copy)


def write_whole(path: str | Path, target: str | Path, *, resumable: bool = False) -> int:
    """Write a log of what is whole in another one, and return how many samples it has.

    Args:
        path: The damaged log.
        target: The new one.
        resumable: Leave out how the run ended and answers whose sample is lost, so that Inspect
            takes the run for an unfinished one, and goes on with it.

    Raises:
        UserError: It cannot be told what was asked.
    """
    with _mapped(path) as content:
        entries = {entry.name: entry for entry in _whole_entries(content)}
        start, end = (_read_json(content, entries.get(name)) for name in (START, END))
        asked = start or end
        if not isinstance(asked, dict) or not {"version", "eval", "plan"} <= asked.keys():
            raise UserError(f"{path} must be a log, got one of which nothing can be read")
        with ZipFile(target, "w", ZIP_DEFLATED) as file:
            begun = {name: asked[name] for name in ("version", "eval", "plan")}
            file.writestr(START, json.dumps(begun))
            summaries = {} if resumable else _stored_summaries(content, entries)
            for name, entry in entries.items():
                packed = _unpack(content, entry) if name.startswith(SAMPLES) else None
                summary = None if packed is None else _summarize(packed)
                if packed is not None and summary is not None:
                    file.writestr(name, packed)
                    summaries.setdefault((summary["id"], summary["epoch"]), summary)
            # A finished log has its summaries in one entry, an unfinished one in its journal.
            finished = isinstance(end, dict) and not resumable
            if finished:
                file.writestr(END, json.dumps(end))
            name = SUMMARIES if finished else f"{JOURNAL}1.json"
            file.writestr(name, json.dumps(list(summaries.values())))
    return len(summaries)


def _stored_summaries(
    content: mmap.mmap, entries: dict[str, _LogEntry]
) -> dict[tuple[Any, Any], dict[str, Any]]:
    """Return the summaries of samples that stand in a log; what was written later counts."""
    found: dict[tuple[Any, Any], dict[str, Any]] = {}
    for name, entry in sorted(entries.items(), key=lambda pair: pair[1].first):
        if name == SUMMARIES or name.startswith(JOURNAL):
            stored = _read_json(content, entry)
            for summary in stored if isinstance(stored, list) else ():
                found[summary["id"], summary["epoch"]] = summary
    return found


def _summarize(packed: bytes) -> dict[str, Any] | None:
    """Return the summary of a sample, as Inspect makes it."""
    from inspect_ai.log import EvalSample  # noqa: PLC0415  (importing Inspect takes seconds)

    try:
        summary = EvalSample.model_validate_json(packed).summary()
    except ValueError:
        return None
    found: dict[str, Any] = json.loads(summary.model_dump_json(exclude_none=True))
    return found


@contextmanager
def _mapped(path: str | Path) -> Iterator[mmap.mmap]:
    if not Path(path).stat().st_size:
        raise UserError(f"{path} must be a log, got an empty file")
    with Path(path).open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        with content:
            yield content


def _whole_entries(content: mmap.mmap) -> Iterator[_LogEntry]:
    """Yield every entry that is there with all that its checksum covers, in order."""
    position = content.find(MARK)
    while position >= 0:
        entry = _entry_at(content, position)
        if entry is not None and _unpack(content, entry) is not None:
            yield entry
            position = content.find(MARK, entry.end)
        else:
            position = content.find(MARK, position + len(MARK))


def _entry_at(content: mmap.mmap, position: int) -> _LogEntry | None:
    """Return the entry that begins at a position, if one does and it ends within the file."""
    head = content[position : position + HEADER.size]
    if len(head) < HEADER.size or not head.startswith(MARK):
        return None
    _, _, _, method, _, _, checksum, packed, size, name_length, more_length = HEADER.unpack(head)
    first = position + HEADER.size + name_length + more_length
    named = content[position + HEADER.size : first]
    if LARGE in (packed, size):
        # The two sizes stand as long numbers in a field of the kind 1.
        field = named[name_length:]
        if len(field) < 20 or field[:2] != b"\1\0":
            return None
        size, packed = struct.unpack("<QQ", field[4:20])
    if first + packed > len(content):
        return None
    name = named[:name_length].decode("utf-8", "replace")
    return _LogEntry(name, method, checksum, first, first + packed, size)


def _unpack(content: mmap.mmap, entry: _LogEntry) -> bytes | None:
    """Return what an entry holds; None if it is not what its checksum says."""
    packed = content[entry.first : entry.end]
    try:
        if entry.method == 93:
            unpacked = pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read()
        else:
            unpacked = zlib.decompress(packed, -zlib.MAX_WBITS) if entry.method == 8 else packed
    except (pa.ArrowException, OSError, zlib.error):
        return None
    whole = len(unpacked) == entry.size and zlib.crc32(unpacked) == entry.checksum
    return unpacked if whole else None


def _read_json(content: mmap.mmap, entry: _LogEntry | None) -> Any:
    packed = None if entry is None else _unpack(content, entry)
    return None if packed is None else json.loads(packed)
