"""`check` and `calibrate`: is the instrument sound?"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, chosen_design, design_options, json_option, suite_argument
from whybench.datasets import DataError
from whybench.suites.calibration import calibrate, coverage_bounds
from whybench.suites.checks import check_design
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from whybench.suites.contract import SelfTest

__all__ = ["calibrate_command", "check_command"]


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
    if design is None and not factors:
        asked = get_suite(suite_name)
        designs = list(asked.designs.values())
    else:
        asked, one = chosen_design(suite_name, design, factors)
        designs = [one]
    failed = skipped = 0
    for made in designs:
        if not json_output:
            click.echo(f"{made.name}")
        try:
            for result in check_design(asked, made):
                failed += not result.passed
                if json_output:
                    row = {"design": made.name, **asdict(result), "passed": result.passed}
                    click.echo(as_json(row))
                    continue
                mark = ("ok  " if result.passed else "FAIL") if result.asked else "--  "
                note = f"; {result.note}" if result.note else ""
                click.echo(f"  {mark} {result.name} ({result.looked_at} items{note})")
                for example in result.examples:
                    click.echo(f"         {example}")
                if result.problems > len(result.examples):
                    click.echo(f"         and {result.problems - len(result.examples)} more")
        except DataError as error:
            skipped += 1
            click.echo(f"  not checked: {error}", err=True)
    if not json_output:
        left = f", {skipped} not checked for want of data" if skipped else ""
        click.echo(f"{len(designs) - skipped} designs checked{left}; {failed} checks failed.")
    sys.exit(1 if failed else 0)


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
    """Let the reference agents of SUITE answer, and compare measures with what is known.

    A suite may have more to show of itself, over as many seeds. Ends with status 1 if a measure
    does not recover what is known, or something else does not hold.
    """
    asked, made = chosen_design(suite_name, design, factors)
    failed = 0
    if not json_output:
        low, high = coverage_bounds(seeds)
        click.echo(
            f"{asked.name}, design {made.name}, {seeds} seeds for agents with noise; "
            f"95% intervals should cover in {low:.0%} to {high:.0%}\n"
        )
        click.echo(f"{'agent':40} {'measure':32} {'known':>8} {'estimate':>9} {'cover':>7}")
    for row in calibrate(asked, made, seeds):
        failed += not row.passed
        if json_output:
            click.echo(as_json({**asdict(row), "passed": row.passed}))
            continue
        cover = "exact" if row.coverage is None else f"{row.coverage:.1%}"
        click.echo(
            f"{row.agent:40} {row.measure:32} {row.known:8.4f} {row.estimate:9.4f} {cover:>7}"
            f"  {'ok' if row.passed else 'FAIL'}"
        )
    for place, trial in enumerate(asked.self_tests(made, seeds)):
        failed += not trial.passed
        if json_output:
            click.echo(as_json({**asdict(trial), "passed": trial.passed}))
        else:
            _print_self_test(trial, first=place == 0)
    sys.exit(1 if failed else 0)


def _print_self_test(trial: SelfTest, *, first: bool) -> None:
    """Print one line of a suite's own table, the first one below the names of its columns."""
    widths = {name: max(len(name), 6) for name in trial.figures}
    if first:
        click.echo(f"\n{'trial':40} " + " ".join(n.rjust(w) for n, w in widths.items()))
    figures = [_figure(x).rjust(widths[name]) for name, x in trial.figures.items()]
    click.echo(f"{trial.subject:40} {' '.join(figures)}  {'ok' if trial.passed else 'FAIL'}")
    for miss in trial.misses:
        click.echo(f"       {miss}")


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.3f}"
