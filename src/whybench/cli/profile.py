"""`profile`: an agent's abilities side by side, each by its own headline; no overall number.

A profile asks each suite as much as its budget says (`Suite.budgets`), through the same eval sets
as `run`. Before the first call it says how many calls, tokens and dollars that is. Its folder holds
everything: `logs/`, by model and suite, `records/`, a file for each suite, and `page.html`. The
same command resumes what was interrupted; with another model it adds that model to the folder.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.evaluation import (
    Plan,
    asking_options,
    file_name,
    plan_of,
    ran,
    settings_of,
    tell_outcomes,
)
from whybench.cli.options import as_json, json_option
from whybench.cli.prices import cost_lines, price_table, refuse_above
from whybench.cli.tables import measure_texts, print_rows, told_apart
from whybench.suites.contract import BUDGETS, UserError
from whybench.suites.registry import suite, suite_names
from whybench.suites.shards import in_samples
from whybench.sweep.evaluation import made_task, opened_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.cli.prices import Price
    from whybench.stats import Measure
    from whybench.suites.registry import AnySuite

__all__ = ["budget_plan", "headlines", "profile_command", "suites_of"]

REFERENCE = "reference/"

LEVEL = "@"
"""Marks a measure at one level of a factor; the headlines of a profile are overall ones."""

WHOSE = ("agent", "suite", "design", "design_hash")
"""Labels that do not tell rows of one headline apart within a profile."""

PEOPLE = "judgments of people, for `alignment`, are fetched by `whybench data fetch causAIign`"


@click.command("profile")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--budget", default=BUDGETS[0], show_default=True, help=f"{', '.join(BUDGETS)}.")
@click.option(
    "--suite",
    "chosen",
    multiple=True,
    metavar="SUITE",
    help="Only this suite; may be repeated. [default: all installed]",
)
@click.option(
    "-o",
    "--output",
    help="The folder; resumed if it exists. [default: profiles/, then models and budget]",
)
@asking_options
@click.option("--prices", type=click.Path(), help="A YAML file of prices of your own.")
@click.option("--max-cost", type=click.FloatRange(0), help="Refuse to cost more, in US dollars.")
@click.option("--plan", is_flag=True, help="Say what would be asked and cost, and stop.")
@json_option
def profile_command(
    models: tuple[str, ...],
    budget: str,
    chosen: tuple[str, ...],
    output: str | None,
    prices: str | None,
    max_cost: float | None,
    plan: bool,
    json_output: bool,
    **asking: Any,
) -> None:
    """Measure every ability of each MODEL, as much as the budget says.

    Running the same command again resumes what was interrupted, and repeats nothing.
    """
    asked = {model: suites_of(model, chosen) for model in models}
    every = list(dict.fromkeys(name for names in asked.values() for name in names))
    # A plan makes all items of a design, so it is made once for all models.
    planned = {name: budget_plan(suite(name), budget) for name in every}
    plans = {model: [planned[name] for name in names] for model, names in asked.items()}
    table = price_table(prices)
    for line in _told(plans, budget, table):
        click.echo(line, err=json_output)
    refuse_above(max_cost, models, plans, table)
    if plan:
        return
    folder = Path(output or Path("profiles", file_name(",".join(models), budget)))
    settings = settings_of(asking, json_output)
    with redirect_stdout(sys.stderr) if json_output else nullcontext():
        done = _run(folder, plans, budget, settings)
    sys.exit(0 if _report(folder, json_output) and done else 1)


def suites_of(model: str, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the suites that a model is asked: a reference agent answers its own alone."""
    for name in chosen:
        suite(name)
    names = tuple(chosen) or suite_names()
    if not model.startswith(REFERENCE):
        return names
    own = model.removeprefix(REFERENCE).partition(".")[0]
    if own not in names:
        raise UserError(
            f"{model} must be of a suite that is asked, got none but {', '.join(names)}"
        )
    return (own,)


def budget_plan(asked: AnySuite, budget: str) -> Plan:
    """Return the plan of a suite's budget: whole blocks of its design."""
    chosen = asked.budget(budget)
    design = asked.design(chosen.settings)
    limit = None
    if chosen.blocks is not None:
        first = islice(asked.items(design), chosen.blocks * design.block)
        limit = len(in_samples(list(first), together=asked.together))
    return plan_of(asked, design, limit=limit, epochs=chosen.epochs)


def headlines(tables: Mapping[str, pa.Table]) -> list[Measure]:
    """Return the headline measures of records by suite, labelled with the suite.

    A suite that names no headline is presented by all its overall measures.
    """
    return [
        replace(measure, labels={"suite": name, **measure.labels})
        for name, table in tables.items()
        for measure in suite(name).measures(table)
        if measure.name in (suite(name).headline or {measure.name.partition(LEVEL)[0]})
    ]


def _told(
    plans: Mapping[str, Sequence[Plan]], budget: str, prices: Mapping[str, Price]
) -> Iterator[str]:
    """Yield what will be asked of whom, why so much, and what it costs."""
    for model, planned in plans.items():
        for plan in planned:
            yield plan.line(model)
        if model.startswith(REFERENCE):
            yield f"{model} is a reference agent of {planned[0].suite.name}, and asked that alone"
        yield from cost_lines(model, planned, prices)
    for plan in {plan.suite.name: plan for planned in plans.values() for plan in planned}.values():
        yield f"{plan.suite.name}, {budget}: {plan.suite.budget(budget).reason}"
        yield from (f"{plan.suite.name}: {line}" for line in plan.advice())


def _run(
    folder: Path, plans: Mapping[str, Sequence[Plan]], budget: str, settings: Mapping[str, Any]
) -> bool:
    """Ask everything; say whether all of it was done."""
    # What would fail is to fail before the first call: a missing key, extra or data set.
    for model in plans:
        opened_model(model, settings["model_args"])
    every = {plan.suite.name: plan.suite for planned in plans.values() for plan in planned}
    tasks = {name: _task(asked, budget) for name, asked in every.items()}
    done = [
        ran(
            tasks[plan.suite.name],
            option="-o",
            model=model,
            limit=plan.limit,
            epochs=plan.epochs,
            log_dir=str(folder / "logs" / file_name(model) / plan.suite.name),
            **settings,
        )
        for model, planned in plans.items()
        for plan in planned
    ]
    return all(done)


def _task(asked: AnySuite, budget: str) -> Any:
    """Return the Inspect task of a suite's budget."""
    settings = dict(asked.budget(budget).settings)
    try:
        return made_task(asked, {"design": settings.pop("base"), **settings})
    except UserError as error:
        raise UserError(
            f"{error}. That is for {asked.name}; other suites can be asked alone by --suite NAME"
        ) from None


def _report(folder: Path, json_output: bool) -> bool:
    """Write records and page and print the headlines; say whether anything was answered."""
    from whybench.cli.report import write_report  # noqa: PLC0415
    from whybench.cli.sources import tables_of_logs, warn  # noqa: PLC0415
    from whybench.records import write_records  # noqa: PLC0415

    tables, read = tables_of_logs([str(folder / "logs")])
    warn(read)
    for name, table in tables.items():
        write_records(table, folder / "records" / f"{name}.parquet")
    write_report((str(folder / "logs"),), str(folder / "page.html"), title="Causal profile")
    measures = headlines(tables)
    if json_output:
        for measure in measures:
            click.echo(as_json(measure.row()))
    else:
        _print(measures)
        click.echo(f"\nEverything is in {folder}; the page is {folder / 'page.html'}")
    if "judge" in tables and not any(measure.name == "alignment" for measure in measures):
        click.echo(f"Note: {PEOPLE}", err=True)
    return tell_outcomes(tables.values())


def _print(measures: Sequence[Measure]) -> None:
    """Print headlines as a table, with what tells rows of one measure apart in words."""
    click.echo()
    rows = []
    for measure in measures:
        alike = [other.labels for other in measures if _whose(other) == _whose(measure)]
        rows.append(
            {
                "agent": measure.labels["agent"],
                "suite": measure.labels["suite"],
                "measure": told_apart(measure.name, measure.labels, alike, WHOSE),
                **measure_texts(measure),
            }
        )
    print_rows(sorted(rows, key=lambda row: row["agent"]))


def _whose(measure: Measure) -> tuple[str, ...]:
    return (measure.name, *(measure.labels[name] for name in ("agent", "suite")))
