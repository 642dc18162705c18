"""`compare` compares runs, agents, conditions, or agents with people, paired by question.

It prints tables, or `--json` for machines, and fails on conditions such as
`--fail-if "heldout_r2<-0.05"` (`whybench.results.fail_if`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from whybench.cli.options import json_option, print_json, read_sources, smallest_option
from whybench.cli.tables import label_measure
from whybench.drawing.figure import save_figures
from whybench.errors import UserError
from whybench.stats import correct_family
from whybench.terminal import print_line, print_rows, show_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.results import Comparison, Difference, Records

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
    help='Exit with 1 if met: "heldout_r2<-0.05"; may be repeated.',
)
@smallest_option
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
    smallest: dict[str, float],
    strict: bool,
    baseline: str | None,
    output: str | None,
    folder: str | None,
    json_output: bool,
) -> None:
    """Compare two SOURCEs: logs, folders of logs, profiles or files of records.

    Differences are A - B on the items that both sides answered: A is the second SOURCE and B the
    first. With --by, A is a level of a factor and B its first level, for each agent. With
    --baseline people, A is the agent and B is people. Exits with status 0, with 1 if a condition of
    --fail-if is met, with 2 if the request is invalid.
    """
    from whybench.results.fail_if import FailIf  # noqa: PLC0415  (not for --help)

    conditions = [FailIf.read(text) for text in fail_if]
    if baseline is not None:
        if baseline != "people" or len(sources) > 1 or agents or by or measures or fail_if:
            wanted = "`baseline` must be people, with one source and no measures or conditions"
            raise UserError(f"{wanted}, got {baseline!r}")
        answers = read_sources(sources, False, ())
        with show_progress("comparing with people", quiet=json_output):
            comparison = answers.compare_with_people(smallest)
    elif by is not None and not agents:
        answers = read_sources(sources, False, ())
        with show_progress("comparing", quiet=json_output):
            comparison = answers.compare(by=by, reference=reference, smallest=smallest)
    elif by is not None or reference is not None or folder is not None:
        raise UserError(
            "`by` compares conditions of every agent, and `reference` and `folder` belong to it, "
            "got " + ("agents too" if by else "no `by`")
        )
    else:
        sides = _read_sides(sources, agents)
        with show_progress("comparing", quiet=json_output):
            comparison = _compare(sides, agents, smallest)
    chosen = comparison.choose(*measures, *(condition.measure for condition in conditions))
    comparison = chosen if measures else comparison
    failed = [(one, found) for one in conditions for found in one.find(comparison, strict)]
    _write(comparison, output)
    if json_output:
        print_json(*comparison.rows())
    else:
        if by is None and baseline is None:
            _print_sides(comparison, sources)
        print_comparison(comparison, every=bool(measures))
    for note in comparison.notes:
        print_line(note, err=json_output)
    if folder is not None and by is not None:
        click.echo("\n".join(map(str, save_figures(comparison.figures(), folder))), err=json_output)
    for condition, one in failed:
        print_line(f"Failed: {condition}: {_format_difference(one)}", err=True)
    sys.exit(FAILED if failed else 0)


def _print_sides(comparison: Comparison, sources: Sequence[str]) -> None:
    named = tuple(sources) if len(sources) > 1 else ("", "")
    first, second = comparison[0].side_b, comparison[0].side_a
    for side, agent, source in zip("AB", (second, first), reversed(named), strict=True):
        click.echo(f"{side}  {agent}" + (f"  ({source})" if source else ""))
    click.echo()


def print_comparison(comparison: Comparison, *, every: bool = False) -> None:
    """Print a comparison: tables, then sentences."""
    from whybench.results.comparison_words import describe  # noqa: PLC0415

    for part in describe(comparison, label_measure, every=every):
        if isinstance(part, str):
            print_line(part)
            continue
        print_rows(part[1], part[0], share=("flags",))
        click.echo()


def print_decisions(answers: Records) -> None:
    """Print the differences of a run until decided, and where it ended."""
    from whybench.results.comparison import Comparison  # noqa: PLC0415  (not for --help)

    if answers.looks is None:
        return
    click.echo()
    if answers.looks.results:
        comparison = Comparison(tuple(correct_family(answers.looks.results)))
        print_comparison(comparison, every=True)
    for line in answers.looks.lines():
        print_line(line)


def _write(comparison: Comparison, output: str | None) -> None:
    from whybench.records import write_records  # noqa: PLC0415

    if output is not None:
        write_records(comparison.to_arrow(), output)


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


def _format_difference(one: Difference) -> str:
    from whybench.results.comparison_words import difference_text  # noqa: PLC0415

    where = ", ".join(f"{name}={value}" for name, value in one.labels.items())
    return f"{one.suite} {one.measure} differs by {difference_text(one)} ({where})"
