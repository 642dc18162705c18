"""`validate` checks the items and the measures of a suite."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from whybench.cli.options import (
    choose_design,
    design_options,
    json_option,
    print_json,
    suite_argument,
)
from whybench.suites.calibration import Calibration, coverage_bounds
from whybench.suites.validation import (
    FULL_SEEDS,
    MAX_ANSWERS,
    SEEDS,
    DesignSample,
    calibrate_design,
    check_samples,
    count_answers,
    describe_samples,
    group_checks,
    sample_designs,
)
from whybench.terminal import print_line, print_note, print_pairs, print_rows, show_progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.suites.abilities import SelfTest
    from whybench.suites.checks import CheckResult

    Checked = tuple[DesignSample, CheckResult]

FEW_SEEDS = 10
"""With fewer seeds than this, coverage is not evidence for a measure."""


@click.command("validate")
@suite_argument
@design_options
@click.option("--full", is_flag=True, help="Check all items and use 200 seeds.")
@click.option(
    "--seeds",
    type=click.IntRange(1),
    help=f"Repeat noisy agents with N seeds. [default: {SEEDS}, or {FULL_SEEDS} with --full]",
)
@json_option
def validate_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    full: bool,
    seeds: int | None,
    json_output: bool,
) -> None:
    """Check the items and measures of SUITE.

    Checks a fixed sample of the items of every design, or of one. Then compares the measures of
    reference agents with their expected values. --full checks all items and takes minutes to hours.
    Exits with status 1 if a check fails.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    named = bool(design or factors)
    seeds = seeds or (FULL_SEEDS if full else SEEDS)
    calibrated = chosen if named or full else suite.make_design(suite.budget("small").settings)
    with show_progress(f"validating {suite.name}", quiet=json_output) as advance:
        samples = sample_designs(suite, [chosen] if named else [*suite.designs.values()], full=full)
        checks = []
        for sample, result in check_samples(suite, samples, full=full):
            checks.append((sample, result))
            advance(1)
        tests: list[Calibration | SelfTest] = []
        fits = full or count_answers(suite, calibrated, seeds) <= MAX_ANSWERS
        for test in calibrate_design(suite, calibrated, seeds) if fits else ():
            tests.append(test)
            advance(1)
    failed = sum(not result.passed for _, result in checks) + sum(not t.passed for t in tests)
    if json_output:
        for sample, result in checks:
            row = {**asdict(result), "passed": result.passed}
            print_json({"design": sample.design.name, "total": sample.total, **row})
        for test in tests:
            print_json({"design": calibrated.name, **asdict(test), "passed": test.passed})
    else:
        rows = [*_check_rows(checks), *_measure_rows(tests), *_test_rows(tests)]
        print_rows(rows, suite.name, describe_samples(samples))
        _print_failures(checks, tests)
        _print_summary(samples, checks, tests, calibrated.name, seeds)
        if not fits:
            print_note(f"{calibrated.name} is too large for calibration by default; add --full")
        if not full:
            print_line(f"`whybench validate {suite.name} --full` checks everything.")
    sys.exit(1 if failed else 0)


def _check_rows(checks: Sequence[Checked]) -> Iterator[dict[str, str]]:
    """Return a row for each check, over all designs."""
    for name, results in group_checks(checks).items():
        applied = [(sample, result) for sample, result in results if result.applies]
        reasons = dict.fromkeys(result.note for _, result in results if result.note)
        looked_at = sum(result.looked_at for _, result in applied)
        problems = sum(result.problems for _, result in applied)
        yield {
            "check": name,
            "verdict": _verdict(all(r.passed for _, r in applied)) if applied else "–",
            "designs": str(len(applied)) if len(results) > 1 and applied else "",
            "checked": f"{looked_at:,} items" if applied else "",
            "problems": f"{problems:,}" if problems else "",
            "note": "" if applied else next(iter(reasons), ""),
        }


def _measure_rows(tests: Sequence[Calibration | SelfTest]) -> Iterator[dict[str, str]]:
    """Return a row for each agent whose measures have expected values."""
    agents: dict[str, list[Calibration]] = {}
    for test in tests:
        if isinstance(test, Calibration):
            agents.setdefault(test.agent, []).append(test)
    for agent, measures in agents.items():
        wrong = sum(not measure.passed for measure in measures)
        seeds = min((m.seeds for m in measures if m.coverage is not None), default=FEW_SEEDS)
        yield {
            "check": f"measures of {agent}",
            "verdict": _verdict(not wrong, seeds),
            "checked": f"{len(measures)} measures",
            "problems": str(wrong or ""),
        }


def _test_rows(tests: Sequence[Calibration | SelfTest]) -> Iterator[dict[str, str]]:
    """Return a row for each self-test."""
    for test in tests:
        if not isinstance(test, Calibration):
            runs = test.figures.get("runs", FEW_SEEDS)
            yield {
                "check": f"self-test: {test.subject}",
                "verdict": _verdict(test.passed, runs),
                "problems": str(len(test.misses) or ""),
            }


def _verdict(passed: bool, seeds: float = FEW_SEEDS) -> str:
    """Return the verdict on a result, or that it has too few seeds for one."""
    if not passed:
        return "FAIL"
    return "ok" if seeds >= FEW_SEEDS else "few seeds"


def _print_failures(checks: Sequence[Checked], tests: Sequence[Calibration | SelfTest]) -> None:
    """Print examples of the problems of each check that failed."""
    for sample, result in checks:
        if result.passed:
            continue
        print_line(f"\n{result.name}, design {sample.design.name}:")
        print_pairs([("", example) for example in result.examples or ("nothing was checked",)])
        if more := result.problems - len(result.examples):
            print_pairs([("", f"and {more:,} more")])
    for test in (test for test in tests if not test.passed):
        if isinstance(test, Calibration):
            cover = "" if test.coverage is None else f", its interval covers in {test.coverage:.1%}"
            about = f"expected {test.expected:.4f}, estimate {test.estimate:.4f}{cover}"
            print_line(f"\n{test.measure} of {test.agent}: {about}")
        else:
            print_line(f"\n{test.subject}:")
            print_pairs([("", miss) for miss in test.misses])


def _print_summary(
    samples: Sequence[DesignSample],
    checks: Sequence[Checked],
    tests: Sequence[Calibration | SelfTest],
    design: str,
    seeds: int,
) -> None:
    """Print how much was checked, and how much failed."""
    click.echo()
    known = [sample for sample in samples if not sample.missing]
    whole = sum(sample.whole for sample in known)
    failed = sum(not result.passed for _, result in checks)
    print_line(
        f"Checks failed: {failed} of {len(checks)}. "
        f"Designs checked completely: {whole} of {len(known)}."
    )
    for sample in samples:
        if sample.missing:
            print_note(f"{sample.design.name} was not checked: {sample.missing}")
    if tests:
        low, high = coverage_bounds(seeds)
        wrong = sum(not test.passed for test in tests)
        print_line(
            f"Measures: design {design}, {seeds} seeds for agents with noise, whose 95% intervals "
            f"should cover in {low:.0%} to {high:.0%}. Results failed: {wrong} of {len(tests)}."
        )
