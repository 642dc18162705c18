"""Numbers as text, and rows of text as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.stats import Measure

__all__ = [
    "HasInterval",
    "interval_text",
    "measure_texts",
    "number_text",
    "print_rows",
    "told_apart",
]


class HasInterval(Protocol):
    """What has an interval: a measure, an estimate, a change."""

    @property
    def low(self) -> float | None:
        """Its lower end."""

    @property
    def high(self) -> float | None:
        """Its upper end."""


def print_rows(rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows of words as a table with a line of names above."""
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    for line in ({name: name for name in rows[0]}, *rows):
        click.echo("  ".join(line[name].ljust(width) for name, width in widths.items()).rstrip())


def told_apart(
    name: str,
    labels: Mapping[str, str],
    alike: Iterable[Mapping[str, str]],
    but: Sequence[str] = (),
) -> str:
    """Return the name of a measure, with those of its labels that differ among its like.

    Args:
        name: The measure.
        labels: Its labels.
        alike: The labels of all rows that are told apart from it by labels alone.
        but: Labels that are shown elsewhere.
    """
    others = list(alike)
    apart = [
        f"{label}={value}"
        for label, value in labels.items()
        if label not in but and len({other[label] for other in others}) > 1
    ]
    return " ".join([name, *apart])


def measure_texts(measure: Measure) -> dict[str, str]:
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


def number_text(value: float | None) -> str:
    """Return a number to four places, or a dash where there is none."""
    return "–" if value is None else f"{value:.4f}"


def interval_text(found: HasInterval) -> str:
    """Return an interval in words, or a dash where there is none."""
    if found.low is None or found.high is None:
        return "–"
    return f"{found.low:.4f} to {found.high:.4f}"
