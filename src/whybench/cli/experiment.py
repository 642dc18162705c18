"""`experiment` runs the designs, settings and models stated in one file."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from whybench.cli.compare import print_conditions
from whybench.cli.options import (
    keep_errors_option,
    max_cost_option,
    print_notes,
    sandbox_option,
)
from whybench.cli.results import say_step
from whybench.cli.tables import print_outcomes, print_plans
from whybench.terminal import print_line, print_note


@click.command("experiment")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--plan", "only_plan", is_flag=True, help="Show calls, tokens and cost, then stop.")
@click.option("--freeze", is_flag=True, help="Preregister: freeze the plan, then stop.")
@click.option(
    "-o", "--output", help="Write to this folder; resume if present. [default: experiments/FILE]"
)
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
    output: str | None,
    prices: str | None,
    max_cost: float | None,
    max_connections: int | None,
    display: str | None,
    keep_errors: bool,
    sandbox: str | None,
) -> None:
    """Run the experiment stated in FILE and compare its conditions.

    FILE is YAML with models, suites, settings and the planned comparisons: see the docs on
    experiments. Run the same command again to resume an interrupted experiment.
    """
    from whybench.evaluation import experiments  # noqa: PLC0415  (not for --help)
    from whybench.planning.plans import plan_rows  # noqa: PLC0415
    from whybench.planning.prices import Prices  # noqa: PLC0415

    stated = experiments.read_experiment(file)
    folder = Path(output) if output else experiments.default_folder(file)
    table, config = Prices.read(prices), list(stated.crossings.values())[-1]
    models = dict.fromkeys(model for model, _ in stated.models)
    print_plans(
        (model, plan_rows(model, stated.plans_of(model), table, config)) for model in models
    )
    for line in stated.lines(table):
        print_line(line)
    if freeze:
        frozen = experiments.freeze(stated, folder)
        print_line(f"Frozen on {frozen.date} in {folder / experiments.FROZEN}, with the hash")
        click.echo(frozen.hash)
    if only_plan or freeze:
        return
    if others := stated.state(folder).differences():
        print_note(f"changed since it was frozen: {'; '.join(others)}; the report states this")
    answers = experiments.experiment(
        stated,
        folder,
        prices=prices,
        max_cost=max_cost,
        max_connections=max_connections,
        sandbox=sandbox,
        keep_errors=keep_errors,
        display=display,
        say=say_step,
    )
    print_notes(answers)
    compared, notes = stated.analysis.compare(answers.tables)
    click.echo()
    for comparison in compared:
        print_conditions(comparison, every=True)
    for note in notes:
        print_note(note)
    print_line(f"\nReport: {folder / 'page.html'}\nLogs and records: {folder}")
    sys.exit(print_outcomes(answers))
