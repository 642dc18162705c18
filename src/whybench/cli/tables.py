"""Numbers as text, and rows of text as tables that fit the terminal.

At a terminal a table is folded to its width, between words and never inside a number, and verdicts
have colours unless NO_COLOR is set. Anywhere else lines are as long as they need to be.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.results import Change, Measures, Records
    from whybench.stats import Measure

    Row = Mapping[str, str]

__all__ = [
    "change_text",
    "label_measure",
    "measure_text",
    "number_text",
    "print_headlines",
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
    "above": "green",
    "fell": "red",
    "below": "red",
    "too much lost": "yellow",
    "cut off by our cap": "yellow",
    "undefined": "yellow",
    "no change shown": "dim",
    "too small to matter": "dim",
}
"""The colours of verdicts. Green is more and red is less, which need not be good or bad."""


def print_rows(rows: Sequence[Row], title: str = "", suffix: str = "") -> None:
    """Print rows of words as a table with a line of names above; nothing if there are none.

    Args:
        rows: Column to cell; columns are those of the first row, and empty ones are left out.
        title: What is printed above, in bold.
        suffix: What follows it on the same line.
    """
    from rich.console import Console  # noqa: PLC0415  (not for --help)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if not rows:
        return
    width = None if sys.stdout.isatty() else ENDLESS
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold dim")
    names = [name for name in rows[0] if any(row[name] for row in rows)]
    for name in names:
        is_number = all(NUMBER.fullmatch(row[name]) for row in rows)
        fold = {"justify": "right", "no_wrap": True} if is_number else {"overflow": "fold"}
        table.add_column(name, **fold)
    for row in rows:
        table.add_row(*(Text(row[name], style=COLORS.get(row[name], "")) for name in names))
    with console.capture() as captured:
        if title:
            console.print(Text.assemble((title, "bold"), suffix and f"  {suffix}"))
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


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
        click.echo(f"{count} x no answer: {reason}", err=True)
    for reason in answers.incomplete:
        click.echo(f"Not complete: {reason}. The same command asks what is missing.", err=True)
    errors = answers.reasons("error")
    if errors and not answers.incomplete:
        click.echo(f"{errors.total()} x error, such as: {next(iter(errors))}", err=True)
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


def measure_text(measure: Measure) -> str:
    """Return an estimate with its interval: 0.35 [0.20, 0.51]."""
    return f"{number_text(measure.estimate)}{_ends(measure, '.2f')}"


def change_text(change: Change) -> str:
    """Return a change with its interval: +0.35 [+0.20, +0.51]."""
    value = "–" if change.estimate is None else f"{change.estimate:+.2f}"
    return f"{value}{_ends(change, '+.2f')}"


def _ends(found: Measure | Change, form: str) -> str:
    if found.low is None or found.high is None:
        return ""
    return f" [{found.low:{form}}, {found.high:{form}}]"


def _measure_texts(measure: Measure) -> dict[str, str]:
    """Return the numbers of a measure, and what they rest on, as text; nothing for a count of 0."""
    return {
        "estimate": measure_text(measure),
        "n": str(measure.n),
        "scored": str(measure.scored),
        "no answer": str(measure.no_answer or ""),
        "error": str(measure.error or ""),
        "flags": " ".join(measure.flags),
    }


def _distinct(measures: Iterable[Measure], labels: Sequence[str]) -> int:
    return len({tuple(measure.labels.get(name, "") for name in labels) for measure in measures})
