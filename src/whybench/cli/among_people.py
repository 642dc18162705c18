"""What `compare --baseline people` prints: agents beside people, in three small tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from whybench.cli.options import print_json, print_notes
from whybench.cli.tables import print_rows
from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.frames import Frame
    from whybench.results.among_people import AgentAndPeople
    from whybench.results.changes import Change
    from whybench.suites.people import Likeness, Place

__all__ = ["print_among_people", "write_table"]

PEOPLE = "people"
DIGITS = {"distance": 1}
"""Digits of a measure that goes from 0 to 100; others have three."""


def print_among_people(
    source: str,
    baseline: str,
    smallest: Mapping[str, float],
    output: str | None,
    json_output: bool,
) -> None:
    """Print every agent of a source beside people."""
    from whybench.results import load  # noqa: PLC0415  (not for --help)

    if baseline != PEOPLE:
        raise UserError(f"`baseline` must be people, got {baseline!r}")
    answers = load(source)
    print_notes(answers)
    found = answers.compare_with_people(smallest)
    if output is not None:
        write_table(found, output)
    if json_output:
        print_json(*(row for one in found for row in one.rows()))
        return
    for number, one in enumerate(found):
        if number:
            click.echo()
        _print_agent(one)


def write_table(table: Frame, output: str) -> None:
    """Write a table to a .csv or .parquet file."""
    from whybench.records import write_records  # noqa: PLC0415

    write_records(table.to_arrow(), output)


def _print_agent(one: AgentAndPeople) -> None:
    """Print what is said of an agent, a condition after the other."""
    conditions = dict.fromkeys(tuple(found.labels.items()) for found in one.likeness)
    for labels in conditions:
        condition = ", ".join(value for _, value in labels if value != "none")
        click.echo(f"{one.agent} and people ({one.suite}: {condition})")
        print_rows([_difference(c) for c in one.changes if tuple(c.labels.items()) == labels])
        click.echo()
        print_rows([_likeness(found) for found in one.likeness if _is_of(found, labels)])
        click.echo()
        print_rows([_place(found) for found in one.places if _is_of(found, labels)])
    for note in one.notes:
        click.echo(note)


def _is_of(found: Likeness | Place, labels: Sequence[tuple[str, str]]) -> bool:
    return tuple(found.labels.items()) == labels


def _difference(change: Change) -> dict[str, str]:
    from whybench.results.among_people import VERDICTS  # noqa: PLC0415

    return {
        "measure": change.measure,
        "agent": _number(change.second),
        "people": _number(change.first),
        "agent - people": _with_ends(change.estimate, change.low, change.high, "+"),
        "p adjusted": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
        "verdict": VERDICTS.get(change.verdict, change.verdict),
        "flags": " ".join(change.flags),
    }


def _likeness(one: Likeness) -> dict[str, str]:
    found, digits = one.estimate, DIGITS.get(one.measure, 3)
    return {
        "likeness": one.measure,
        "agent": _with_ends(found.estimate, found.low, found.high, digits=digits),
        "floor": f"{_number(one.floor, digits)} ({one.floor_agent})",
        "other people": _number(one.people, digits),
        "ceiling": _number(one.ceiling, digits),
        "verdict": one.verdict,
        "flags": " ".join(found.flags),
    }


def _place(one: Place) -> dict[str, str]:
    share, digits = one.share, DIGITS.get(one.measure, 3)
    low, middle, high = (_number(value, digits) for value in one.quartiles)
    return {
        "among people": one.measure,
        "agent": _number(one.value, digits),
        "people below": _with_ends(share.estimate, share.low, share.high),
        "median person": middle,
        "half lie within": f"{low} to {high}",
        "reliability": _number(one.reliability),
    }


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _with_ends(
    value: float | None, low: float | None, high: float | None, sign: str = "", digits: int = 3
) -> str:
    if value is None:
        return "–"
    ends = (
        "" if low is None or high is None else f" [{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"
    )
    return f"{value:{sign}.{digits}f}{ends}"
