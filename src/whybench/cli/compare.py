"""`compare`: what changed between two runs or two agents, paired by item.

Made for people, as a table, and for machines: `--json`, and conditions by which the command fails,
such as `--fail-if "consistency<-0.05"` (`whybench.results.conditions`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.cli.tables import interval_text, number_text, print_rows, told_apart
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.results import Change, Comparison

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
@click.option("--strict", is_flag=True, help="Conditions look at estimates, not at intervals.")
@json_option
def compare_command(
    first: str,
    second: str | None,
    agents: tuple[str, str] | None,
    measures: tuple[str, ...],
    fail_if: tuple[str, ...],
    strict: bool,
    json_output: bool,
) -> None:
    """Say what changed from FIRST to SECOND: logs, folders of logs or profiles, files of records.

    Changes are SECOND - FIRST, on the items that both were asked. Ends with status 0, with 1 if a
    condition of --fail-if is met, with 2 if something is wrong with the request.
    """
    from whybench.results.conditions import FailIf  # noqa: PLC0415  (not for --help)

    conditions = [FailIf.read(text) for text in fail_if]
    found = _compare(first, second, agents)
    chosen = found.choose(*measures, *(condition.measure for condition in conditions))
    found = chosen if measures else found
    failed = [(one, change) for one in conditions for change in one.among(found.changes, strict)]
    if json_output:
        for change in found:
            click.echo(as_json(change.row()))
    else:
        _print(found)
    for note in found.notes:
        click.echo(note, err=json_output)
    for condition, change in failed:
        click.echo(f"Failed: {condition}: {_in_words(change)}", err=True)
    sys.exit(FAILED if failed else 0)


def _compare(first: str, second: str | None, agents: tuple[str, str] | None) -> Comparison:
    """Return the comparison of two sources, or of two agents of one."""
    from whybench.results import compare, load  # noqa: PLC0415

    if (second is None) == (agents is None):
        raise UserError(
            "compare takes two sources, or one source and two --agents, got "
            + ("neither a second source nor --agents" if second is None else "both")
        )
    if second is not None:
        return compare(first, second)
    assert agents is not None
    return load(first).compare(*agents)


def _print(changes: Sequence[Change]) -> None:
    rows = []
    for change in changes:
        alike = [c for c in changes if (c.suite, c.measure) == (change.suite, change.measure)]
        rows.append(
            {
                "suite": change.suite,
                "measure": told_apart(change.measure, change.labels, (c.labels for c in alike)),
                "first": number_text(change.first),
                "second": number_text(change.second),
                "change": "–" if change.estimate is None else f"{change.estimate:+.4f}",
                "95% interval": interval_text(change),
                "p adjusted": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
                "n": str(change.n),
                "units": str(change.units),
                "verdict": change.verdict,
                "flags": " ".join(change.flags),
            }
        )
    print_rows(rows)


def _in_words(change: Change) -> str:
    ends = interval_text(change)
    where = ", ".join(f"{name}={value}" for name, value in change.labels.items())
    return f"{change.suite} {change.measure} changed by {change.estimate:+.4f} ({ends}; {where})"
