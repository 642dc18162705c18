"""Commands for authors: `check` and `calibrate` suites, and create `new` ones."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import chain, groupby
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
from whybench.terminal import print_line, print_pairs, print_rows, show_progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.calibration import Calibration
    from whybench.suites.checks import CheckResult
    from whybench.suites.contract import SelfTest


@click.command("check")
@suite_argument
@design_options
@json_option
def check_command(
    suite_name: str, design: str | None, factors: tuple[str, ...], json_output: bool
) -> None:
    """Check the items of SUITE in every design, or in one, and list problems.

    Exits with status 1 if a check fails.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    designs = [chosen] if design or factors else list(suite.designs.values())
    failed = skipped = 0
    for each in designs:
        try:
            with show_progress(f"checking {each.name}", quiet=json_output):
                results = list(check_design(suite, each))
        except DataError as error:
            skipped += 1
            print_line(f"{each.name} was not checked: {error}", err=True)
            continue
        failed += sum(not result.passed for result in results)
        if json_output:
            rows = ({**asdict(result), "passed": result.passed} for result in results)
            print_json(*({"design": each.name, **row} for row in rows))
        else:
            _print_results(each.name, results)
    if not json_output:
        left = f", {skipped} not checked because data is missing" if skipped else ""
        print_line(f"Designs checked: {len(designs) - skipped}{left}; checks failed: {failed}.")
    sys.exit(1 if failed else 0)


def _print_results(design: str, results: Sequence[CheckResult]) -> None:
    """Print the checks, then examples of problems."""
    most = max(result.looked_at for result in results)
    rows = [
        {
            "check": result.name,
            "verdict": _verdict(result) if result.applies else "–",
            "items": f"{result.looked_at:,}" if 0 < result.looked_at < most else "",
            "note": result.note,
        }
        for result in results
    ]
    print_rows(rows, design, f"{most:,} items")
    for result in results:
        more = result.problems - len(result.examples)
        if result.problems:
            print_line(f"\n{result.name}:")
            print_pairs([("", example) for example in result.examples])
            print_pairs([("", f"and {more:,} more")] if more else [])
    click.echo()


FEW_SEEDS = 10
"""With fewer seeds than this, coverage is no evidence for a measure."""


def _verdict(result: CheckResult | Calibration | SelfTest, seeds: float = FEW_SEEDS) -> str:
    """Return the verdict on a result, or that it has too few runs for one."""
    if not result.passed:
        return "FAIL"
    return "ok" if seeds >= FEW_SEEDS else "few seeds"


@click.command("calibrate")
@suite_argument
@design_options
@click.option(
    "--seeds",
    default=200,
    show_default=True,
    type=click.IntRange(1),
    help="Repeat noisy agents with N seeds.",
)
@json_option
def calibrate_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    seeds: int,
    json_output: bool,
) -> None:
    """Run the reference agents of SUITE and compare measures with their expected values.

    Also runs the self-tests of the suite. Exits with status 1 if a measure does not recover its
    expected value or a self-test fails.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    with show_progress(f"calibrating {suite.name}", quiet=json_output) as advance:
        rows, tests = [], []
        for row in calibrate(suite, chosen, seeds):
            rows.append(row)
            print_json({**asdict(row), "passed": row.passed}) if json_output else advance(1)
        for test in chain(try_lapses(suite, chosen, seeds), suite.self_tests(chosen, seeds)):
            tests.append(test)
            print_json({**asdict(test), "passed": test.passed}) if json_output else advance(1)
    failed = sum(not row.passed for row in rows) + sum(not test.passed for test in tests)
    if not json_output:
        low, high = coverage_bounds(seeds)
        about = f"design {chosen.name}, {seeds} seeds for agents with noise"
        cover = f"95% intervals should cover in {low:.0%} to {high:.0%}"
        print_rows([_calibration_row(row) for row in rows], suite.name, f"{about}; {cover}")
        for _, alike in groupby(tests, key=lambda test: list(test.figures)):
            click.echo()
            _print_self_tests(list(alike))
        every = len(rows) + len(tests)
        print_line(f"\n{every - failed} of {every} results are as expected.")
    sys.exit(1 if failed else 0)


def _calibration_row(row: Calibration) -> dict[str, str]:
    return {
        "agent": row.agent,
        "measure": row.measure,
        "expected": f"{row.expected:.4f}",
        "estimate": f"{row.estimate:.4f}",
        "cover": "exact" if row.coverage is None else f"{row.coverage:.1%}",
        "verdict": _verdict(row, row.seeds if row.coverage is not None else FEW_SEEDS),
    }


def _print_self_tests(tests: Sequence[SelfTest]) -> None:
    """Print self-tests with the same figures, then their failures."""
    rows = [
        {
            "self-test": test.subject,
            **{
                name: str(value) if isinstance(value, int) else f"{value:.3f}"
                for name, value in test.figures.items()
            },
            "verdict": _verdict(test, test.figures.get("runs", FEW_SEEDS)),
        }
        for test in tests
    ]
    print_rows(rows)
    for miss in (miss for test in tests for miss in test.misses):
        print_pairs([("", miss)])


@click.command("new")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "-o",
    "folder",
    type=click.Path(path_type=Path),
    default=".",
    help="Write to this folder. [default: here]",
)
@click.option(
    "--suite",
    "suite_name",
    type=click.Choice(THEMED),
    help=f"Create a theme for this suite. [default: {THEMED[0]}]",
)
def new_command(kind: str, name: str, folder: Path, suite_name: str | None) -> None:
    """Create a working story, theme, challenge or suite called NAME for you to edit.

    A story (judge) or theme (intervene, compose, calculate) is a YAML file. A challenge (analyze)
    or suite is a small package. Each passes `whybench check` unchanged. Existing files are not
    overwritten.
    """
    if suite_name is not None and kind != "theme":
        raise UserError(f"--suite is for a theme, got a {kind}; leave it out")
    scaffold = make_scaffold(kind, name, suite_name or THEMED[0])
    for path in write_scaffold(scaffold, folder):
        click.echo(f"wrote {path}")
    where = "" if folder == Path() else f"in {folder}, "
    click.echo(f"\nIt works as it is. Next, {where}run")
    for step in scaffold.steps:
        click.echo(f"  {step}")
    print_line(f"\nthen edit it step by step; see “{scaffold.guide}” in the documentation.")
