"""Flat rows in files of JSON lines: writing, reading and comparing them."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tests.frozen.sections import Section

DATA = Path(__file__).parent / "data"

DIGITS = 12
"""Significant digits of a float in a file."""

Row = dict[str, Any]


def plain(row: Mapping[str, Any]) -> Row:
    """Return a row as a file holds it: floats at 12 digits, all else as JSON has it."""
    rounded = {
        name: float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
        for name, value in row.items()
    }
    # Through JSON, so that a tuple is a list on both sides, and a row that has no JSON fails here.
    found: Row = json.loads(json.dumps(rounded))
    return found


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write rows, one a line, with sorted keys."""
    lines = (json.dumps(plain(row), sort_keys=True, ensure_ascii=False) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def write_sections(
    words: Sequence[str], sections: Sequence[Section], folder: Path, usage: str
) -> None:
    """Write sections to the files of a folder, as the words of a command line request."""
    if words[:1] != ["write"] or not os.environ.get("WHYBENCH_DATA_MIRROR"):
        sys.exit(usage)
    names = [section.name for section in sections]
    if unknown := set(words[1:]) - set(names):
        sys.exit(f"a section must be one of {', '.join(names)}, got {', '.join(sorted(unknown))}")
    folder.mkdir(exist_ok=True)
    for section in sections:
        if section.name in (words[1:] or names):
            path = folder / f"{section.name}.jsonl"
            write_rows(path, section.rows())
            print(f"{path.name}: {path.stat().st_size} bytes")


def changed_rows(section: Section, folder: Path) -> list[str]:
    """Return in words how the rows of a section differ from its file."""
    held = read_rows(folder / f"{section.name}.jsonl")
    assert held
    return differences(section.rows(), held, section.key, section.relative, section.absolute)


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def differences(
    found: Iterable[Mapping[str, Any]],
    held: Iterable[Mapping[str, Any]],
    key: Sequence[str],
    relative: float = 1e-9,
    absolute: float = 1e-12,
) -> list[str]:
    """Return in words how rows differ from those that are held; nothing where they do not.

    Args:
        found: The rows as they are now.
        held: The rows as they should be.
        key: The columns that tell which row is which; equal keys are numbered.
        relative: How far a float may be off, as a share of it.
        absolute: How far a float may be off in any case.
    """
    now, then = (_by_key(map(plain, rows), key) for rows in (found, held))
    said = [f"missing: {_named(one)}" for one in then if one not in now]
    said += [f"additional: {_named(one)}" for one in now if one not in then]
    for one, row in then.items():
        other = now.get(one, row)
        for column in sorted({*row, *other}):
            was, is_now = row.get(column, "no such column"), other.get(column, "no such column")
            if not _same(was, is_now, relative, absolute):
                said.append(f"{_named(one)}: {column} was {was!r}, is {is_now!r}")
    return said


def _same(one: Any, other: Any, relative: float, absolute: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=relative, abs_tol=absolute)
    return type(one) is type(other) and one == other


def _by_key(rows: Iterable[Row], key: Sequence[str]) -> dict[tuple[str, ...], Row]:
    met: Counter[tuple[str, ...]] = Counter()
    keyed = {}
    for row in rows:
        name = tuple(str(row.get(column, "")) for column in key)
        met[name] += 1
        keyed[*name, str(met[name])] = row
    return keyed


def _named(key: tuple[str, ...]) -> str:
    *name, number = key
    return " | ".join(name) + (f" (number {number})" if number != "1" else "")
