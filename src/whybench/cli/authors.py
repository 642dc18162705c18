"""For authors of suites: `check` and `calibrate` what there is, and scaffold something `new`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import (
    choose_design,
    design_options,
    json_option,
    print_json,
    suite_argument,
)
from whybench.errors import DataError, UserError
from whybench.scaffolds import KINDS, THEMED, make_scaffold, write_scaffold
from whybench.suites.calibration import calibrate, coverage_bounds
from whybench.suites.checks import check_design
from whybench.suites.laws import try_lapses

if TYPE_CHECKING:
    from whybench.suites.checks import CheckResult
    from whybench.suites.contract import SelfTest

__all__ = [
    "calibrate_command",
    "check_command",
    "new_command",
]


@click.command("check")
@suite_argument
@design_options
@json_option
def check_command(
    suite_name: str, design: str | None, factors: tuple[str, ...], json_output: bool
) -> None:
    """Check every design of SUITE, or one, and say what is wrong.

    Ends with status 1 if a check fails.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    designs = [chosen] if design or factors else list(suite.designs.values())
    failed = skipped = 0
    for each in designs:
        if not json_output:
            click.echo(each.name)
        try:
            for result in check_design(suite, each):
                failed += not result.passed
                if json_output:
                    print_json({"design": each.name, **asdict(result), "passed": result.passed})
                else:
                    _print_result(result)
        except DataError as error:
            skipped += 1
            click.echo(f"  not checked: {error}", err=True)
    if not json_output:
        left = f", {skipped} not checked for want of data" if skipped else ""
        click.echo(f"{len(designs) - skipped} designs checked{left}; {failed} checks failed.")
    sys.exit(1 if failed else 0)


def _print_result(result: CheckResult) -> None:
    mark = ("ok  " if result.passed else "FAIL") if result.applies else "--  "
    note = f"; {result.note}" if result.note else ""
    click.echo(f"  {mark} {result.name} ({result.looked_at} items{note})")
    for example in result.examples:
        click.echo(f"         {example}")
    if result.problems > len(result.examples):
        click.echo(f"         and {result.problems - len(result.examples)} more")


@click.command("calibrate")
@suite_argument
@design_options
@click.option("--seeds", default=200, show_default=True, type=click.IntRange(1))
@json_option
def calibrate_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    seeds: int,
    json_output: bool,
) -> None:
    """Let the reference agents of SUITE answer, and compare measures with their expected values.

    A suite may have more to show of itself, over as many seeds. Ends with status 1 if a measure
    does not recover its expected value, or something else does not hold.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    failed = 0
    if not json_output:
        low, high = coverage_bounds(seeds)
        click.echo(
            f"{suite.name}, design {chosen.name}, {seeds} seeds for agents with noise; "
            f"95% intervals should cover in {low:.0%} to {high:.0%}\n"
        )
        click.echo(f"{'agent':40} {'measure':32} {'expected':>8} {'estimate':>9} {'cover':>7}")
    for row in calibrate(suite, chosen, seeds):
        failed += not row.passed
        if json_output:
            print_json({**asdict(row), "passed": row.passed})
            continue
        cover = "exact" if row.coverage is None else f"{row.coverage:.1%}"
        click.echo(
            f"{row.agent:40} {row.measure:32} {row.expected:8.4f} {row.estimate:9.4f} {cover:>7}"
            f"  {'ok' if row.passed else 'FAIL'}"
        )
    columns: list[str] = []
    for test in chain(try_lapses(suite, chosen, seeds), suite.self_tests(chosen, seeds)):
        failed += not test.passed
        if json_output:
            print_json({**asdict(test), "passed": test.passed})
        else:
            _print_self_test(test, first=columns != list(test.figures))
            columns = list(test.figures)
    sys.exit(1 if failed else 0)


def _print_self_test(test: SelfTest, *, first: bool) -> None:
    """Print one line of a table, the first one below the names of its columns."""
    widths = {name: max(len(name), 6) for name in test.figures}
    if first:
        click.echo(f"\n{'self-test':40} " + " ".join(n.rjust(w) for n, w in widths.items()))
    figures = [
        (str(value) if isinstance(value, int) else f"{value:.3f}").rjust(widths[name])
        for name, value in test.figures.items()
    ]
    click.echo(f"{test.subject:40} {' '.join(figures)}  {'ok' if test.passed else 'FAIL'}")
    for miss in test.misses:
        click.echo(f"       {miss}")


@click.command("new")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "-o", "folder", type=click.Path(path_type=Path), default=".", help="Where to. [default: here]"
)
@click.option(
    "--suite",
    "suite_name",
    type=click.Choice(THEMED),
    help=f"The suite that a theme is for. [default: {THEMED[0]}]",
)
def new_command(kind: str, name: str, folder: Path, suite_name: str | None) -> None:
    """Write a story, theme, challenge or suite called NAME that works, to be changed.

    A story (judge) and a theme (intervene, compose, calculate) are a YAML file; a challenge
    (analyze) and a suite are a small package. Each passes `whybench check` as it is. Nothing is
    overwritten.
    """
    if suite_name is not None and kind != "theme":
        raise UserError(f"--suite is for a theme, got a {kind}; leave it out")
    scaffold = make_scaffold(kind, name, suite_name or THEMED[0])
    for path in write_scaffold(scaffold, folder):
        click.echo(f"wrote {path}")
    click.echo("\nIt works as it is. Go on with" + ("" if folder == Path() else f", in {folder},"))
    for step in scaffold.steps:
        click.echo(f"  {step}")
    click.echo(f"\nand change it bit by bit; see the page “{scaffold.guide}” of the documentation.")
