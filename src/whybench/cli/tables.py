"""Numbers as text, and rows of text as tables that fit the terminal.

At a terminal a table is folded to its width, between words and never inside a number, and verdicts
have colours unless NO_COLOR is set. Anywhere else lines are as long as they need to be.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.results import Change, Measures, Records
    from whybench.stats import Measure

    Row = Mapping[str, str]

__all__ = [
    "change_text",
    "interval_text",
    "label_measure",
    "number_text",
    "print_headlines",
    "print_line",
    "print_measures",
    "print_outcomes",
    "print_rows",
]

SHOWN = 5
"""The number of reasons for missing answers that are listed."""

SAME_IN_PROFILE = ("agent", "suite", "design", "design_hash")
"""Labels that do not tell rows of one headline apart within a profile."""

ENDLESS = 10_000
"""The width of a table that is not printed at a terminal."""

NUMBER = re.compile(r"[-–+]?[\d.,]*( \[.*\])?(e[-+]\d+)?%?")
"""What a number looks like, with its interval."""

COLORS = {
    "rose": "green",
    "above people": "green",
    "fell": "red",
    "below people": "red",
    "too much lost": "yellow",
    "cut off by our cap": "yellow",
    "undefined": "yellow",
    "no change shown": "dim",
    "no difference shown": "dim",
    "too small to matter": "dim",
}
"""The colours of verdicts. Green is more and red is less, which need not be good or bad."""


def print_rows(rows: Sequence[Row], title: str = "", suffix: str = "", err: bool = False) -> None:
    """Print rows of words as a table with a line of names above; nothing if there are none.

    Args:
        rows: Column to cell; columns that are empty everywhere are left out.
        title: What is printed above, in bold.
        suffix: What follows it on the same line.
        err: Whether to print on standard error.
    """
    from rich.console import Console  # noqa: PLC0415  (not for --help)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if not rows:
        return
    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else ENDLESS
    console = Console(file=stream, width=width, markup=False, highlight=False, emoji=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold dim")
    known = dict.fromkeys(name for row in rows for name in row)
    names = [name for name in known if any(row.get(name) for row in rows)]
    for name in names:
        is_number = all(NUMBER.fullmatch(row.get(name, "")) for row in rows)
        fold = {"justify": "right", "no_wrap": True} if is_number else {"overflow": "fold"}
        table.add_column(name, **fold)
    for row in rows:
        cells = [row.get(name, "") for name in names]
        table.add_row(*(Text(cell, style=COLORS.get(cell, "")) for cell in cells))
    with console.capture() as captured:
        if title:
            console.print(Text.assemble((title, "bold"), suffix and f"  {suffix}"))
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip(), err=err)


def print_line(line: str = "", err: bool = False) -> None:
    """Print a sentence, folded between words at a terminal."""
    stream = sys.stderr if err else sys.stdout
    if stream.isatty():
        width = shutil.get_terminal_size().columns
        wrap = textwrap.TextWrapper(width, subsequent_indent="  ", break_on_hyphens=False)
        line = wrap.fill(line)
    click.echo(line, err=err)


def print_measures(measures: Measures) -> None:
    """Print measures as tables, one for each suite: what all rows share stands above it."""
    for number, suite in enumerate(dict.fromkeys(each.labels["suite"] for each in measures)):
        if number:
            click.echo()
        _print_suite(suite, [each for each in measures if each.labels["suite"] == suite])


def _print_suite(suite: str, measures: Sequence[Measure]) -> None:
    labels = list(dict.fromkeys(name for measure in measures for name in measure.labels))
    labels.remove("suite")
    apart = [name for name in labels if name != "design_hash"]
    if _distinct(measures, apart) == _distinct(measures, labels):
        labels = apart  # a hash is printed only where names do not tell runs apart
    common = {
        name: measures[0].labels.get(name, "")
        for name in labels
        if len({measure.labels.get(name, "") for measure in measures}) == 1
    }
    others = [name for name in labels if name not in {"agent", *common}]
    rows = [
        {
            "agent": "" if "agent" in common else measure.labels["agent"],
            "measure": measure.title,
            "where": ", ".join(f"{n}={measure.labels[n]}" for n in others if n in measure.labels),
            **_measure_texts(measure),
        }
        for measure in measures
    ]
    shared = (f"{name} {value}" for name, value in common.items() if value not in {"", "none"})
    print_rows(rows, suite, ", ".join(shared))


def print_headlines(measures: Measures) -> None:
    """Print headlines as tables, one for each suite, with what tells rows apart in words."""
    for suite in dict.fromkeys(measure.labels["suite"] for measure in measures):
        click.echo()
        rows = []
        for measure in measures.filter(suite=suite):
            owner = {name: measure.labels[name] for name in ("agent", "suite")}
            others = [other.labels for other in measures[measure.name].filter(**owner)]
            name = label_measure(measure.name, measure.labels, others, SAME_IN_PROFILE)
            rows.append({"agent": owner["agent"], "measure": name, **_measure_texts(measure)})
        print_rows(sorted(rows, key=lambda row: row["agent"]), suite)


def print_outcomes(answers: Records) -> int:
    """Print what is missing; return the exit status, 1 for a run that is not complete."""
    for reason, count in answers.reasons("no_answer").most_common(SHOWN):
        print_line(f"{count} x no answer: {reason}", err=True)
    for reason in answers.incomplete:
        print_line(f"Not complete: {reason}. The same command asks what is missing.", err=True)
    errors = answers.reasons("error")
    if errors and not answers.incomplete:
        print_line(f"{errors.total()} x error, such as: {next(iter(errors))}", err=True)
    return int(bool(answers.incomplete))


def label_measure(
    name: str,
    labels: Mapping[str, str],
    others: Iterable[Mapping[str, str]],
    but: Sequence[str] = (),
) -> str:
    """Return the name of a measure, with those of its labels that differ among its like.

    Args:
        name: The measure.
        labels: Its labels.
        others: The labels of all rows of the same measure.
        but: Labels that are shown elsewhere.
    """
    every = list(others)
    differing = [
        f"{label}={value}"
        for label, value in labels.items()
        if label not in but and len({other[label] for other in every}) > 1
    ]
    return " ".join([name, *differing])


def number_text(value: float | None) -> str:
    """Return a number to two places, or a dash where there is none."""
    return "–" if value is None else f"{value:.2f}"


def interval_text(
    value: float | None, low: float | None, high: float | None, form: str = ".2f"
) -> str:
    """Return a number with its interval, if it has one: 0.35 [0.20, 0.51]."""
    if value is None:
        return "–"
    ends = "" if low is None or high is None else f" [{low:{form}}, {high:{form}}]"
    return f"{value:{form}}{ends}"


def change_text(change: Change) -> str:
    """Return a change with its interval: +0.35 [+0.20, +0.51]."""
    return interval_text(change.estimate, change.low, change.high, "+.2f")


def _measure_texts(measure: Measure) -> dict[str, str]:
    """Return the numbers of a measure, and what they rest on, as text; nothing for a count of 0."""
    return {
        "estimate": interval_text(measure.estimate, measure.low, measure.high),
        "n": str(measure.n),
        "scored": str(measure.scored),
        "no answer": str(measure.no_answer or ""),
        "error": str(measure.error or ""),
        "flags": " ".join(measure.flags),
    }


def _distinct(measures: Iterable[Measure], labels: Sequence[str]) -> int:
    return len({tuple(measure.labels.get(name, "") for name in labels) for measure in measures})
