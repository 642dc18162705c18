"""`compare`: what changed between two runs, agents or conditions, paired by what is asked.

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
from whybench.drawing.figure import save_figures
from whybench.errors import UserError
from whybench.numerals import number_text
from whybench.terminal import print_groups, print_line, print_rows, show_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.frames import Frame
    from whybench.results import Change, Comparison, ConditionComparison, Records

FAILED = 1


@click.command("compare")
@click.argument("sources", nargs=-1, required=True, type=click.Path(), metavar="SOURCE...")
@click.option("--agents", nargs=2, metavar="FIRST SECOND", help="Compare two agents of one source.")
@click.option(
    "--by",
    metavar="FACTOR",
    help="Compare levels of a factor or model setting.",
)
@click.option("--reference", metavar="LEVEL", help="Compare levels with this one. [default: first]")
@click.option(
    "--measure", "measures", multiple=True, help="Show only this measure; may be repeated."
)
@click.option(
    "--fail-if",
    multiple=True,
    metavar="CONDITION",
    help='Exit with 1 if met: "consistency<-0.05"; may be repeated.',
)
@click.option(
    "--smallest",
    multiple=True,
    metavar="MEASURE=NUMBER",
    help="Set the smallest change of interest: ea=0.05; may be repeated.",
)
@click.option("--strict", is_flag=True, help="Apply --fail-if to estimates, not intervals.")
@click.option("--baseline", metavar="people", help="Compare with people who answered the same.")
@click.option("-o", "--output", type=click.Path(), help="Write the table to .csv or .parquet.")
@click.option("--figures", "folder", type=click.Path(), help="Draw conditions to this folder.")
@json_option
def compare_command(
    sources: tuple[str, ...],
    agents: tuple[str, str] | None,
    by: str | None,
    reference: str | None,
    measures: tuple[str, ...],
    fail_if: tuple[str, ...],
    smallest: tuple[str, ...],
    strict: bool,
    baseline: str | None,
    output: str | None,
    folder: str | None,
    json_output: bool,
) -> None:
    """Compare two SOURCEs: logs, folders of logs, profiles or files of records.

    A change is second - first, on the items that both sides answered. With --by it is a level of a
    factor - its first level, for each agent. With --baseline people it is agent - people, cell by
    cell. Exits with status 0, with 1 if a condition of --fail-if is met, with 2 if the request is
    invalid.
    """
    from whybench.results import ConditionComparison  # noqa: PLC0415  (not for --help)
    from whybench.results.changes import FailIf  # noqa: PLC0415

    conditions = [FailIf.read(text) for text in fail_if]
    if baseline is not None:
        if baseline != "people" or len(sources) > 1 or agents or by or measures or fail_if:
            wanted = "`baseline` must be people, with one source and no measures or conditions"
            raise UserError(f"{wanted}, got {baseline!r}")
        _print_people(sources[0], dict(map(_read_smallest, smallest)), output, json_output)
        return
    comparison: Comparison | ConditionComparison
    least = dict(map(_read_smallest, smallest))
    if by is not None and not agents:
        answers = read_sources(sources, False, ())
        with show_progress("comparing", quiet=json_output):
            comparison = answers.compare(by=by, reference=reference, smallest=least)
    elif by is not None or reference is not None or folder is not None:
        raise UserError(
            "`by` compares conditions of every agent, and `reference` and `folder` belong to it, "
            "got " + ("agents too" if by else "no `by`")
        )
    else:
        sides = _read_sides(sources, agents)
        with show_progress("comparing", quiet=json_output):
            comparison = _compare(sides, agents, least)
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
        _print_comparison(comparison, sources, every=bool(measures))
    for note in comparison.notes:
        print_line(note, err=json_output)
    _write(comparison, output)
    if folder is not None and isinstance(comparison, ConditionComparison):
        click.echo("\n".join(map(str, save_figures(comparison.figures(), folder))), err=json_output)
    for condition, change in failed:
        print_line(f"Failed: {condition}: {_format_change(change)}", err=True)
    sys.exit(FAILED if failed else 0)


def _print_comparison(
    comparison: Comparison | ConditionComparison, sources: Sequence[str], *, every: bool
) -> None:
    from whybench.results import ConditionComparison  # noqa: PLC0415

    if isinstance(comparison, ConditionComparison):
        print_conditions(comparison, every=every)
    else:
        named = sources if len(sources) > 1 else ("", "")
        for side, agent, source in zip(("first", "second"), comparison.agents, named, strict=True):
            click.echo(f"{side:8}{agent}" + (f"  ({source})" if source else ""))
        click.echo()
        print_groups(comparison, lambda change: change.suite, _print_changes)
    if comparison.notes:
        click.echo()


def print_conditions(comparison: ConditionComparison, *, every: bool = False) -> None:
    """Print differences between conditions: tables, then sentences."""
    from whybench.results.condition_words import tell_conditions  # noqa: PLC0415

    for part in tell_conditions(comparison, label_measure, every=every):
        if isinstance(part, str):
            print_line(part)
            continue
        print_rows(part[1], part[0], share=("flags",))
        click.echo()


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


def _read_sides(sources: Sequence[str], agents: tuple[str, str] | None) -> Sequence[Records]:
    """Return the answers of two sources, or of the one that has two agents."""
    if len(sources) != (2 if agents is None else 1):
        got = "neither a second source nor --agents" if len(sources) == 1 else "both"
        got = f"{len(sources)} sources" if len(sources) > 2 else got
        raise UserError(
            f"compare takes two sources, or one source and two --agents, got {got}; with --by "
            "FACTOR it takes any number, and compares conditions of each agent"
        )
    return [read_sources([source], False, ()) for source in sources]


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
