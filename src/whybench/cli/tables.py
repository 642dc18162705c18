"""Numbers as text, and rows of text as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.results import Change, Measures, Records
    from whybench.stats import Measure

__all__ = [
    "interval_text",
    "label_measure",
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


def print_rows(rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows of words as a table with a line of names above; nothing if there are none."""
    if not rows:
        return
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    for line in ({name: name for name in rows[0]}, *rows):
        click.echo("  ".join(line[name].ljust(width) for name, width in widths.items()).rstrip())


def print_measures(measures: Measures) -> None:
    """Print measures as a table: what differs between rows in columns, what does not above it."""
    labels = list(dict.fromkeys(name for measure in measures for name in measure.labels))
    apart = [name for name in labels if name != "design_hash"]
    if _distinct(measures, apart) == _distinct(measures, labels):
        labels = apart  # a hash is printed only where names do not tell runs apart
    common = {
        name: measures[0].labels.get(name, "")
        for name in labels
        if len({measure.labels.get(name, "") for measure in measures}) == 1
    }
    click.echo("  ".join(f"{name}: {value}" for name, value in common.items()))
    print_rows(
        [
            {
                **{n: measure.labels.get(n, "") for n in labels if n not in common},
                "measure": measure.title,
                **_measure_texts(measure),
            }
            for measure in measures
        ]
    )


def print_headlines(measures: Measures) -> None:
    """Print headlines as a table, with what tells rows of one measure apart in words."""
    click.echo()
    rows = []
    for measure in measures:
        owner = {name: measure.labels[name] for name in ("agent", "suite")}
        others = [other.labels for other in measures[measure.name].filter(**owner)]
        name = label_measure(measure.name, measure.labels, others, SAME_IN_PROFILE)
        rows.append({**owner, "measure": name, **_measure_texts(measure)})
    print_rows(sorted(rows, key=lambda row: row["agent"]))


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
    """Return a number to four places, or a dash where there is none."""
    return "–" if value is None else f"{value:.4f}"


def interval_text(estimate: Measure | Change) -> str:
    """Return an interval in words, or a dash where there is none."""
    if estimate.low is None or estimate.high is None:
        return "–"
    return f"{estimate.low:.4f} to {estimate.high:.4f}"


def _measure_texts(measure: Measure) -> dict[str, str]:
    """Return the numbers of a measure, and what they rest on, as text."""
    return {
        "estimate": number_text(measure.estimate),
        "95% interval": interval_text(measure),
        "n": str(measure.n),
        "scored": str(measure.scored),
        "no answer": str(measure.no_answer),
        "error": str(measure.error),
        "flags": " ".join(measure.flags),
    }


def _distinct(measures: Iterable[Measure], labels: Sequence[str]) -> int:
    return len({tuple(measure.labels.get(name, "") for name in labels) for measure in measures})
