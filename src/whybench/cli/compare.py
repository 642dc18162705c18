"""`compare`: what changed between two runs or two agents, paired by item.

Made for people, as a table, and for machines: `--json`, and conditions by which the command fails,
such as `--fail-if "consistency<-0.05"` (`whybench.results.changes`).
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from whybench.cli.options import json_option, print_json, read_sources
from whybench.cli.tables import change_text, label_measure
from whybench.errors import UserError
from whybench.numerals import number_text
from whybench.terminal import print_groups, print_line, print_rows, show_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.frames import Frame
    from whybench.results import Change, Comparison, Records

__all__ = ["compare_command"]


FAILED = 1


@click.command("compare")
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path(), required=False)
@click.option("--agents", nargs=2, metavar="FIRST SECOND", help="Two agents of one source.")
@click.option("--measure", "measures", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--fail-if",
    multiple=True,
    metavar="CONDITION",
    help='End with status 1 if a change shows, such as "consistency<-0.05"; may be repeated.',
)
@click.option(
    "--smallest",
    multiple=True,
    metavar="MEASURE=NUMBER",
    help="The smallest change of interest, such as ea=0.05; may be repeated.",
)
@click.option("--strict", is_flag=True, help="Conditions look at estimates, not at intervals.")
@click.option("--baseline", metavar="people", help="Compare with people who judged the same.")
@click.option("-o", "--output", type=click.Path(), help="Write the table: a .csv or .parquet file.")
@json_option
def compare_command(
    first: str,
    second: str | None,
    agents: tuple[str, str] | None,
    measures: tuple[str, ...],
    fail_if: tuple[str, ...],
    smallest: tuple[str, ...],
    strict: bool,
    baseline: str | None,
    output: str | None,
    json_output: bool,
) -> None:
    """Print what changed from FIRST to SECOND: logs, folders of logs or profiles, files of records.

    Changes are SECOND - FIRST, on the items that both were asked; with --baseline people, agent -
    people, cell by cell. Ends with status 0, with 1 if a condition of --fail-if is met, with 2 if
    something is wrong with the request.
    """
    from whybench.results.changes import FailIf  # noqa: PLC0415  (not for --help)

    conditions = [FailIf.read(text) for text in fail_if]
    if baseline is not None:
        if baseline != "people" or second or agents or measures or fail_if:
            wanted = "`baseline` must be people, with one source and no measures or conditions"
            raise UserError(f"{wanted}, got {baseline!r}")
        _print_people(first, dict(map(_read_smallest, smallest)), output, json_output)
        return
    sides = _read_sides(first, second, agents)
    with show_progress("comparing", quiet=json_output):
        comparison = _compare(sides, agents, dict(map(_read_smallest, smallest)))
    chosen = comparison.choose(*measures, *(condition.measure for condition in conditions))
    comparison = chosen if measures else comparison
    failed = [
        (condition, change)
        for condition in conditions
        for change in condition.find_changes(comparison.changes, strict)
    ]
    if json_output:
        print_json(*(change.row() for change in comparison))
    else:
        for side, agent, source in zip(
            ("first", "second"), comparison.agents, (first, second), strict=True
        ):
            click.echo(f"{side:8}{agent}" + (f"  ({source})" if second else ""))
        click.echo()
        print_groups(comparison, lambda change: change.suite, _print_changes)
        if comparison.notes:
            click.echo()
    for note in comparison.notes:
        print_line(note, err=json_output)
    _write(comparison, output)
    for condition, change in failed:
        print_line(f"Failed: {condition}: {_format_change(change)}", err=True)
    sys.exit(FAILED if failed else 0)


def _write(table: Frame, output: str | None) -> None:
    from whybench.records import write_records  # noqa: PLC0415

    if output is not None:
        write_records(table.to_arrow(), output)


def _print_people(
    source: str, smallest: Mapping[str, float], output: str | None, json_output: bool
) -> None:
    from whybench.results.people_words import tell_people  # noqa: PLC0415

    answers = read_sources([source], False, ())
    with show_progress("comparing with people", quiet=json_output):
        found = answers.compare_with_people(smallest)
    _write(found, output)
    if json_output:
        print_json(*(row for one in found for row in one.rows()))
        return
    for part in tell_people(found):
        print_line(part) if isinstance(part, str) else print_rows(part, share=("flags",))


def _read_smallest(text: str) -> tuple[str, float]:
    """Read `MEASURE=NUMBER`."""
    name, _, number = text.partition("=")
    with suppress(ValueError):
        if name and float(number) >= 0:
            return name, float(number)
    raise UserError(f"`--smallest` must be MEASURE=NUMBER, such as ea=0.05, got {text!r}")


def _read_sides(
    first: str, second: str | None, agents: tuple[str, str] | None
) -> Sequence[Records]:
    """Return the answers of two sources, or of the one that has two agents."""
    if (second is None) == (agents is None):
        raise UserError(
            "compare takes two sources, or one source and two --agents, got "
            + ("neither a second source nor --agents" if second is None else "both")
        )
    return [read_sources([source], False, ()) for source in (first, second) if source is not None]


def _compare(
    sides: Sequence[Records], agents: tuple[str, str] | None, smallest: Mapping[str, float]
) -> Comparison:
    from whybench.results import compare  # noqa: PLC0415

    if agents is not None:
        return sides[0].compare(*agents, smallest)
    before, after = sides
    return compare(before, after, smallest)


def _print_changes(suite: str, changes: Sequence[Change]) -> None:
    rows = []
    for change in changes:
        alike = [other.labels for other in changes if other.measure == change.measure]
        rows.append(
            {
                "measure": label_measure(change.measure, change.labels, alike),
                "first": number_text(change.first),
                "second": number_text(change.second),
                "change": change_text(change),
                "p": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
                "n": str(change.n),
                "verdict": change.verdict,
                "flags": " ".join(change.flags),
            }
        )
    print_rows(rows, suite, share=("flags",))


def _format_change(change: Change) -> str:
    where = ", ".join(f"{name}={value}" for name, value in change.labels.items())
    return f"{change.suite} {change.measure} changed by {change_text(change)} ({where})"
