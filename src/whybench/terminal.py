"""What a command prints: tables that fit the terminal, sentences, and how far it is.

At a terminal a table is folded to its width, between words and never inside a number, and verdicts
have colours unless NO_COLOR is set. Anywhere else lines are as long as they need to be, and nothing
is said of progress.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from rich.console import Console

    Row = Mapping[str, str]

    T = TypeVar("T")

UNWRAPPED_WIDTH = 10_000
"""The width of a table that is not printed at a terminal."""

NAMES = 16
"""The width of names that have a text beside them."""

HEAD, TAIL = 30, 12
"""Lines of a very long prompt that are shown at its start and at its end."""

GAP = 2
"""Spaces between columns."""

NUMBER = re.compile(r"[-–+]?[\d.,]*( \[.*\])?(e[-+]\d+)?%?")
"""What a number looks like, with its interval."""

NOWHERE = re.compile("(?!)")
SPACE = re.compile(" ")
PART = re.compile(r" |(?<=[A-Za-z)\]][_/=-])(?=\S)|(?<=[,\[])(?=[A-Za-z])")
LETTER = re.compile("")
"""Where a cell may be folded: if names of columns are enough, not at all; between words; between
parts of words; and where all else fails, letters."""

COLORS = {
    "ok": "green",
    "FAIL": "bold red",
    "few seeds": "dim",
    "right": "green",
    "wrong": "red",
    "undetermined": "yellow",
    "trivial": "yellow",
    "higher": "cyan",
    "lower": "magenta",
    "too many answers lost": "yellow",
    "too many replies cut off": "yellow",
    "cannot be determined": "yellow",
    "no significant difference": "dim",
    "no difference": "dim",
    "too small to matter": "dim",
}
"""The colors of verdicts. A higher value is cyan and a lower one magenta, good or bad."""


def print_rows(
    rows: Sequence[Row],
    title: str = "",
    suffix: str = "",
    err: bool = False,
    share: Sequence[str] = (),
) -> None:
    """Print rows of words as a table with a line of names above; nothing if there are none.

    At a terminal, what the first column repeats from the row above is left out.

    Args:
        rows: Column to cell; columns that are empty everywhere are left out.
        title: What is printed above, in bold.
        suffix: What follows it on the same line.
        err: Whether to print on standard error.
        share: Columns whose words stand behind the suffix where all rows have them.
    """
    from rich.table import Table  # noqa: PLC0415  (not for --help)
    from rich.text import Text  # noqa: PLC0415

    if not rows:
        return
    console = _open_console(err)
    rows, shared = _share_words(rows, share)
    suffix = ", ".join(filter(None, [suffix, *shared]))
    known = dict.fromkeys(name for row in rows for name in row)
    names = [name for name in known if any(row.get(name) for row in rows)]
    columns = [[row.get(name, "") for row in rows] for name in names]
    if console.is_terminal and len(names) > 1:
        columns[0] = ["" if a == b else a for a, b in zip(columns[0], ["", *columns[0]])]  # noqa: B905
    numeric = [all(map(NUMBER.fullmatch, cells)) for cells in columns]
    widths = choose_widths(names, columns, numeric, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold dim")
    for name, width, is_number in zip(names, widths, numeric, strict=True):
        justify: Any = "right" if is_number else "left"
        table.add_column(fold(name, width), width=width, justify=justify, overflow="fold")
    for cells in zip(*columns, strict=True):
        texts = [fold(cell, width) for cell, width in zip(cells, widths, strict=True)]
        table.add_row(
            *(Text(t, COLORS.get(cell, "")) for t, cell in zip(texts, cells, strict=True))
        )
    with console.capture() as captured:
        if title or suffix:
            gap = "  " if title and suffix else ""
            console.print(Text.assemble((title, "bold"), gap, suffix))
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip(), err=err)


def _share_words(rows: Sequence[Row], names: Sequence[str]) -> tuple[Sequence[Row], list[str]]:
    """Return rows without the words that all have in a column, and these words with its name."""
    shared = []
    for name in names if len(rows) > 1 else ():
        every = [row.get(name, "").split() for row in rows]
        common = [word for word in every[0] if all(word in words for words in every)]
        if common:
            shared.append(f"{name} {' '.join(common)}")
            left = (" ".join(word for word in words if word not in common) for words in every)
            rows = [{**row, name: cell} for row, cell in zip(rows, left, strict=True)]
    return rows, shared


def _open_console(err: bool) -> Console:
    """Return where a command writes: as wide as the terminal, or endless."""
    from rich.console import Console  # noqa: PLC0415  (not for --help)

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else UNWRAPPED_WIDTH
    return Console(file=stream, width=width, markup=False, highlight=False, emoji=False)


def choose_widths(
    names: Sequence[str], columns: Sequence[Sequence[str]], numeric: Sequence[bool], room: int
) -> list[int]:
    """Return how wide columns are: as they need to be, or as narrow as words, or parts of words.

    Args:
        names: Names of the columns, which may be folded between words.
        columns: The cells of each.
        numeric: Whether a column is of numbers, which are never folded.
        room: The width of all columns together, with the gaps between them.
    """
    room -= GAP * (len(names) - 1)
    heads = [max(map(len, name.split())) for name in names]
    widths = [max(len(name), *map(len, cells)) for name, cells in zip(names, columns, strict=True)]
    for break_at in (NOWHERE, SPACE, PART, LETTER):
        least = [
            max(head, *(len(part) for cell in cells for part in _split(cell, is_number, break_at)))
            for head, cells, is_number in zip(heads, columns, numeric, strict=True)
        ]
        while sum(widths) > room and widths != least:
            wide = max(range(len(widths)), key=lambda i: (widths[i] > least[i], widths[i]))
            widths[wide] -= 1
    return widths


def _split(cell: str, is_number: bool, break_at: re.Pattern[str]) -> Iterable[str]:
    return [cell] if is_number else break_at.split(cell) or [""]


def fold(text: str, width: int) -> str:
    """Fold a text between words; a word that is too long, between its parts."""
    lines = [""]
    for word in text.split(" ") if len(text) > width and not NUMBER.fullmatch(text) else [text]:
        gap = " " if lines[-1] else ""
        for part in [word] if len(word) <= width else PART.split(word):
            if lines[-1] and len(lines[-1] + gap + part) > width:
                lines.append(part)
            else:
                lines[-1] += gap + part
            gap = ""
    return "\n".join(lines)


def print_line(line: str = "", err: bool = False, begin: str = "", hang: str = "  ") -> None:
    """Print a sentence, folded between words at a terminal.

    Args:
        line: The sentence, or several lines.
        err: Whether to print on standard error.
        begin: What stands before it, apart from what is folded.
        hang: What the lines after the first begin with.
    """
    stream = sys.stderr if err else sys.stdout
    lines = line.split("\n")
    if stream.isatty():
        wrap = textwrap.TextWrapper(
            max(shutil.get_terminal_size().columns, 2 * NAMES) - len(begin),
            subsequent_indent="" if begin else hang,
            break_on_hyphens=False,
            break_long_words=False,
        )
        lines = [part for each in lines for part in wrap.wrap(each) or [""]]
    for number, part in enumerate(lines):
        click.echo(((" " * len(begin) if number else begin) + part).rstrip(), err=err)


def print_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names, each with its text beside it; a name is printed once if it is repeated."""
    before = ""
    for name, text in pairs:
        print_line(text, begin=f"{'' if name == before else name:{NAMES}} ")
        before = name


def print_prompt(prompt: str) -> None:
    """Print what an agent is asked: whole, or at a terminal only the ends of what is very long."""
    lines = prompt.splitlines()
    left = len(lines) - HEAD - TAIL
    if sys.stdout.isatty() and left > TAIL:
        lines[HEAD:-TAIL] = ["", f"… {left:,} more lines here; --json prints all …", ""]
    for line in lines:
        print_line(line, hang="  " if line.startswith("- ") else "")


def print_note(note: str) -> None:
    """Print on standard error what a reader should know."""
    print_line(f"Note: {note}", err=True)


@contextmanager
def show_progress(
    label: str, total: int | None = None, quiet: bool = False
) -> Iterator[Callable[[int], object]]:
    """Show at a terminal that something goes on, and how far it is; gone when it has ended.

    Yields:
        What counts a number of steps as done.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda count: count
        return
    from rich.progress import (  # noqa: PLC0415  (not for --help)
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TimeRemainingColumn,
    )

    far = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) if total else ()
    columns = (SpinnerColumn(), "{task.description}", *far)
    with Progress(*columns, console=_open_console(err=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda count: progress.advance(task, count)


def track(things: Sequence[T], label: str, quiet: bool = False) -> Iterator[T]:
    """Yield things, and show how many are done."""
    with show_progress(label, len(things), quiet) as advance:
        for thing in things:
            yield thing
            advance(1)


def print_groups(
    things: Iterable[T], get_group: Callable[[T], str], print_group: Callable[[str, list[T]], None]
) -> None:
    """Print what belongs together, with an empty line between groups."""
    groups: dict[str, list[T]] = {}
    for thing in things:
        groups.setdefault(get_group(thing), []).append(thing)
    for number, (name, own) in enumerate(groups.items()):
        if number:
            click.echo()
        print_group(name, own)
