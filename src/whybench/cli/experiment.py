"""`experiment` runs the designs, settings and models stated in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.compare import print_comparison, print_decisions
from whybench.cli.options import (
    keep_errors_option,
    max_cost_option,
    print_notes,
    sandbox_option,
    until_options,
)
from whybench.cli.results import say_step
from whybench.cli.tables import print_outcomes, print_plans
from whybench.errors import UserError
from whybench.terminal import print_line, print_note

if TYPE_CHECKING:
    from whybench.evaluation.statements import Experiment
    from whybench.results import Records


@click.command("experiment")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--plan", "only_plan", is_flag=True, help="Show calls, tokens and cost, then stop.")
@click.option("--freeze", is_flag=True, help="Preregister: freeze the plan, then stop.")
@click.option("--workers", type=click.IntRange(1), help="Run units in N processes. [default: none]")
@click.option("--ray", is_flag=True, help="Run units on Ray, at RAY_ADDRESS or here.")
@click.option("--unit", type=int, metavar="N", help="Run only unit N, then stop.")
@click.option("--status", is_flag=True, help="Show the progress of all units, then stop.")
@click.option("--collect", is_flag=True, help="Write the report from present logs, without calls.")
@click.option(
    "-o",
    "--output",
    help="Write to this folder or address; resume if present. [default: experiments/FILE]",
)
@until_options
@click.option("--work", type=click.Path(file_okay=False), help="Keep logs here until uploaded.")
@click.option("--prices", type=click.Path(), help="Read model prices from a YAML file.")
@click.option("--max-connections", type=click.IntRange(1), help="Limit concurrent calls.")
@click.option("--display", help="Choose Inspect's display: full, rich, plain. [default: one line]")
@max_cost_option
@keep_errors_option
@sandbox_option
def experiment_command(
    file: Path,
    only_plan: bool,
    freeze: bool,
    workers: int | None,
    ray: bool,
    unit: int | None,
    status: bool,
    collect: bool,
    output: str | None,
    until: str | None,
    smallest: dict[str, float],
    prices: str | None,
    **options: Any,
) -> None:
    """Run the experiment stated in FILE and compare its conditions.

    FILE is YAML with models, suites, settings and the planned comparisons: see the docs on
    experiments. Run the same command again to resume an interrupted experiment.
    """
    from whybench.evaluation import experiments  # noqa: PLC0415  (not for --help)
    from whybench.evaluation.experiment_files import read_experiment  # noqa: PLC0415
    from whybench.evaluation.statements import FROZEN  # noqa: PLC0415
    from whybench.evaluation.states import read_state, show_states  # noqa: PLC0415
    from whybench.planning.prices import Prices  # noqa: PLC0415

    chosen = {"--workers": workers, "--ray": ray, "--unit": unit is not None}
    chosen |= {"--status": status, "--collect": collect}
    if until and unit is not None:
        raise UserError(f"`unit` must be left out with `until`, got {unit}; looks follow in order")
    if len(both := [name for name, given in chosen.items() if given]) > 1:
        raise UserError(f"only one of {', '.join(chosen)} must be given, got {' and '.join(both)}")
    stated = read_experiment(file).with_until(until, smallest)
    target = output or str(experiments.default_folder(file))
    if not (status or collect or unit):
        _print_plan(stated, Prices.read(prices))
    if freeze:
        frozen = experiments.freeze(stated, target)
        print_line(f"Frozen on {frozen.date} in {target}/{FROZEN}, with the hash")
        click.echo(frozen.hash)
    if only_plan or freeze:
        return
    job = experiments.Job.prepare(stated, target, prices=prices, ray=ray, **options)
    if status:
        with show_states(job.units, job.store):
            pass
        for state in (read_state(unit, job.store) for unit in job.units):
            if state.reason:
                print_line(f"Unit {state.unit.number}, {state.unit.label}: {state.reason}")
        return
    if (statement := stated.state(Path(target))) and (others := statement.differences()):
        print_note(f"changed since it was frozen: {'; '.join(others)}; the report states this")
    if unit is not None:
        job.run_unit(unit)
        print_line(f"Unit {unit} of {len(job.units)} is complete: {job.units[unit - 1].label}")
        return
    reasons = None if collect else job.run(workers, ray, say_step)
    answers = job.collect(reasons, say_step)
    if stated.until:
        print_notes(answers)
        print_decisions(answers)
    else:
        _print_comparisons(stated, answers)
    print_line(f"\nReport: {target}/page.html\nLogs and records: {target}")
    sys.exit(print_outcomes(answers))


def _print_plan(stated: Experiment, prices: Any) -> None:
    """Print calls, tokens, cost, and the number of units if there are many."""
    print_plans(stated.tables(prices))
    for line in stated.lines(prices):
        print_line(line)
    units = stated.list_units()
    largest = max((unit.samples for unit in units), default=0)
    print_line(f"{len(units)} units of at most {largest:,} samples")


def _print_comparisons(stated: Experiment, answers: Records) -> None:
    """Print what changes between the conditions."""
    print_notes(answers)
    if stated.analysis is None:
        return
    compared, notes = stated.analysis.compare(answers.tables)
    click.echo()
    for comparison in compared:
        print_comparison(comparison, every=True)
    for note in notes:
        print_note(note)
