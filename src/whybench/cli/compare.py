"""`compare`: what changed between two runs or two agents, paired by item.

Made for people, as a table, and for machines: `--json`, and conditions by which the command fails,
such as `--fail-if "consistency<-0.05"`. A condition is met by default only if the whole 95%
interval of the change lies beyond the bound, so that chance seldom breaks a build; with `--strict`
it is met if the estimate lies beyond. A measure that cannot be compared, though a condition names
it, is an error and not a pass.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.cli.sources import tables_of_sources
from whybench.cli.tables import interval_text, number_text, print_rows, told_apart
from whybench.suites.contract import UserError
from whybench.suites.registry import suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from whybench.report.comparison import Change, Shared

__all__ = ["FailIf", "compare_command"]

FAILED = 1


@dataclass(frozen=True)
class FailIf:
    """A condition under which the command fails: a measure changed by less or more than a bound."""

    measure: str
    below: bool
    bound: float

    @classmethod
    def read(cls, text: str) -> FailIf:
        """Read `MEASURE<NUMBER` or `MEASURE>NUMBER`."""
        found = re.fullmatch(r"\s*([\w.]+)\s*([<>])\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*", text)
        if found is None:
            raise UserError(
                "--fail-if must be MEASURE<NUMBER or MEASURE>NUMBER, such as "
                f'"consistency<-0.05", got {text!r}'
            )
        return cls(found[1], found[2] == "<", float(found[3]))

    def met(self, change: Change, strict: bool) -> bool:
        """Return whether a change meets the condition; strictly, by its estimate alone."""
        if self.below:
            value = change.estimate if strict else change.high
            return value is not None and value < self.bound
        value = change.estimate if strict else change.low
        return value is not None and value > self.bound

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return f"{self.measure}{'<' if self.below else '>'}{self.bound:g}"


@click.command("compare")
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path(), required=False)
@click.option("--agents", nargs=2, metavar="FIRST SECOND", help="Two agents of one source.")
@click.option("--measure", "measures", multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--fail-if",
    "conditions",
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
    conditions: tuple[str, ...],
    strict: bool,
    json_output: bool,
) -> None:
    """Say what changed from FIRST to SECOND: logs, folders of logs or profiles, files of records.

    Changes are SECOND - FIRST, on the items that both were asked. Ends with status 0, with 1 if a
    condition of --fail-if is met, with 2 if something is wrong with the request.
    """
    from whybench.report.comparison import (  # noqa: PLC0415  (not for --help)
        as_one_family,
        compare_tables,
        shared_items,
    )

    asked = [FailIf.read(text) for text in conditions]
    one, two = _sides(first, second, agents)
    both = [name for name in one if name in two]
    if not both:
        raise UserError(
            f"both sides must hold answers of one suite, got {', '.join(one)} and {', '.join(two)}"
        )
    shared = {name: shared_items(name, one[name], two[name]) for name in both}
    every = [
        change
        for name in both
        if suite(name).paired is not None
        for change in compare_tables(suite(name), one[name], two[name])
    ]
    chosen = as_one_family(_chosen(every, measures, asked, strict))
    failed = [
        (condition, change)
        for condition in asked
        for change in chosen
        if change.measure == condition.measure and condition.met(change, strict)
    ]
    if json_output:
        for change in chosen:
            click.echo(as_json(change.row()))
    else:
        _print(chosen)
    for line in _notes(shared, [*one], [*two]):
        click.echo(line, err=json_output)
    for condition, change in failed:
        click.echo(f"Failed: {condition}: {_in_words(change)}", err=True)
    sys.exit(FAILED if failed else 0)


def _sides(
    first: str, second: str | None, agents: tuple[str, str] | None
) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
    """Return the records of both sides by suite."""
    import pyarrow.compute as pc  # noqa: PLC0415

    from whybench.report.comparison import agents_in_words  # noqa: PLC0415

    if (second is None) == (agents is None):
        raise UserError(
            "compare takes two sources, or one source and two --agents, got "
            + ("neither a second source nor --agents" if second is None else "both")
        )
    if second is not None:
        return _tables(first), _tables(second)
    assert agents is not None
    tables = _tables(first)
    known = sorted({agent for table in tables.values() for agent in table["agent"].to_pylist()})
    for agent in agents:
        if agent not in known:
            raise UserError(f"--agents must be among {agents_in_words(known)}, got {agent!r}")
    one, two = (
        {
            name: table.filter(pc.equal(table["agent"], agent))
            for name, table in tables.items()
            if agent in table["agent"].to_pylist()
        }
        for agent in agents
    )
    return one, two


def _tables(source: str) -> dict[str, pa.Table]:
    # A profile's folder holds its logs beside other things.
    logs = Path(source) / "logs"
    return dict(tables_of_sources((str(logs) if logs.is_dir() else source,), False, (), quiet=True))


def _chosen(
    changes: Sequence[Change],
    measures: Sequence[str],
    conditions: Sequence[FailIf],
    strict: bool,
) -> list[Change]:
    """Return the changes that were asked for; what is asked for must be there."""
    known = list(dict.fromkeys(change.measure for change in changes))
    wanted = {*measures, *(condition.measure for condition in conditions)}
    for name in wanted:
        if name not in known:
            raise UserError(
                f"--measure and --fail-if must name measures that are compared here "
                f"({', '.join(known)}), got {name!r}"
            )
    for condition in conditions:
        named = [change for change in changes if change.measure == condition.measure]
        if any((change.estimate if strict else change.low) is None for change in named):
            needed = "an estimate" if strict else "an interval"
            raise UserError(
                f"--fail-if must be about a change with {needed}, got {condition} where there is "
                "none; compare more items"
            )
    return [change for change in changes if not measures or change.measure in wanted]


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


def _notes(shared: dict[str, Shared], one: list[str], two: list[str]) -> list[str]:
    """Return what was not compared, in words."""
    notes = []
    for name, found in shared.items():
        left = {
            "only in the first": found.only_first,
            "only in the second": found.only_second,
            "lost to errors": found.lost,
        }
        told = ", ".join(f"{count} {where}" for where, count in left.items() if count)
        notes.append(f"{name}: {len(found.items)} items compared{f'; {told}' if told else ''}")
    for name in {*one} ^ {*two}:
        notes.append(f"{name}: answered on one side only, and not compared")
    return notes


def _in_words(change: Change) -> str:
    ends = interval_text(change)
    where = ", ".join(f"{name}={value}" for name, value in change.labels.items())
    return f"{change.suite} {change.measure} changed by {change.estimate:+.4f} ({ends}; {where})"
