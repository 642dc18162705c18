"""`run` tests a model on one suite, `profile` tests models on several."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.compare import print_decisions
from whybench.cli.options import (
    design_options,
    json_option,
    model_options,
    parse_factors,
    print_json,
    print_notes,
    redirect_progress,
    shard_option,
    suite_argument,
    until_options,
)
from whybench.cli.results import measure_answers, say_step
from whybench.cli.tables import print_headlines, print_measures, print_outcomes, print_plans
from whybench.suites.contract import BUDGETS
from whybench.suites.designs import DESIGN
from whybench.suites.registry import get_suite
from whybench.terminal import print_line, print_note

if TYPE_CHECKING:
    from whybench.results import Records


PEOPLE = "`human_correlation` requires human judgments; run `whybench data fetch causAIign`"


@click.command("run")
@suite_argument
@click.option("--model", required=True, help="Test this model: openai/gpt-4o, reference/careful, …")
@design_options
@model_options
@click.option("--limit", type=click.IntRange(1), help="Ask only the first N samples.")
@click.option(
    "--epochs", type=click.IntRange(1), default=1, show_default=True, help="Ask every item N times."
)
@shard_option
@click.option(
    "--group",
    type=click.IntRange(1),
    help="Ask N items per sample. [default: one, or related items]",
)
@until_options
@click.option(
    "--log-dir",
    help="Write logs here; resume if present. [default: logs/SUITE-DESIGN-HASH-MODEL]",
)
@click.option("--plan", "only_plan", is_flag=True, help="Show calls, tokens and cost, then stop.")
@json_option
def run_command(
    suite_name: str,
    model: str,
    design: str | None,
    factors: tuple[str, ...],
    limit: int | None,
    epochs: int,
    shard: str,
    group: int | None,
    until: str | None,
    smallest: dict[str, float],
    log_dir: str | None,
    only_plan: bool,
    json_output: bool,
    **model_settings: Any,
) -> None:
    """Test a model on one SUITE.

    Asks the items of a design and prints measures with 95% confidence intervals. Run the same
    command again to resume an interrupted run; finished samples are not asked again.
    """
    from whybench.evaluation.crossings import cross_settings, tell_crossings  # noqa: PLC0415
    from whybench.evaluation.runs import plan_deciding, run  # noqa: PLC0415  (not for --help)
    from whybench.planning.asks import Ask, list_suites_for, without_rounds  # noqa: PLC0415
    from whybench.planning.plans import plan  # noqa: PLC0415
    from whybench.planning.prices import Prices  # noqa: PLC0415

    design, levels = parse_factors(design, factors)
    if until:
        levels = without_rounds(suite_name, get_suite(suite_name).settings(design, **levels))
        design = levels.pop(DESIGN)
    chosen: dict[str, Any] = {
        **levels,
        "limit": limit,
        "epochs": epochs,
        "shard": shard,
        "group": group,
    }
    list_suites_for(model, [suite_name])
    planned = plan(suite_name, design, **chosen)
    given = {name: value for name, value in model_settings.items() if value is not None}
    of_model = {**model_settings["settings"], **given}
    crossed = list(cross_settings(of_model).values())
    config, plans = crossed[-1], [planned] * len(crossed)
    cost = Prices.read(model_settings["prices"]).explain(model, plans, config)
    warmth = planned.recommend_temperature(model, config)
    ask = Ask(suite_name, planned.suite.settings(design, **levels), epochs, group, limit, shard)
    args = model_settings["model_args"]
    deciding = plan_deciding(ask, model, args, len(crossed), until, smallest)
    lines = (
        *(planned.line(model, config), tell_crossings(of_model), cost, *planned.advice(), warmth),
        *(deciding.lines() if deciding else ()),
    )
    for line in filter(None, lines):
        print_line(line, err=json_output)
    if only_plan:
        return
    model_settings |= {"log_dir": log_dir, **({"display": "none"} if json_output else {})}
    with redirect_progress(json_output):
        asked = {**chosen, "until": until, "smallest": smallest, "say": say_step}
        answers = run(suite_name, model, design, **asked, **model_settings)
    _print(answers, json_output)
    sys.exit(print_outcomes(answers))


def _print(answers: Records, json_output: bool) -> None:
    """Print the overall measures, or all of them as JSON."""
    measures = measure_answers(answers)
    (log_dir,) = answers.logs
    if json_output:
        print_json(*(measure.row() for measure in measures))
    elif measures:
        print_notes(answers)
        click.echo()
        print_measures(measures.overall)
        print_decisions(answers)
        if more := len(measures) - len(measures.overall):
            print_line(f"\n{more} more measures by level: `whybench results {log_dir} --levels`")
        print_line(f"\nLogs: {log_dir}")
        print_line(f"Save all answers: `whybench results {log_dir} -o answers.parquet`")


@click.command("profile")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option(
    "--budget",
    default=BUDGETS[0],
    show_default=True,
    help=f"Choose how much to ask: {', '.join(BUDGETS)}.",
)
@click.option(
    "--suite",
    "suites",
    multiple=True,
    metavar="SUITE",
    help="Test only this suite; may be repeated. [default: five]",
)
@click.option(
    "-o",
    "--output",
    help="Write to this folder; resume if present. [default: profiles/MODELS-BUDGET]",
)
@until_options
@model_options
@click.option("--plan", "only_plan", is_flag=True, help="Show calls, tokens and cost, then stop.")
@json_option
def profile_command(
    models: tuple[str, ...],
    budget: str,
    suites: tuple[str, ...],
    output: str | None,
    until: str | None,
    smallest: dict[str, float],
    prices: str | None,
    model_args: dict[str, Any],
    settings: dict[str, Any],
    only_plan: bool,
    json_output: bool,
    max_tokens: int | None,
    temperature: Any,
    reasoning_effort: Any,
    timeout: int | None,
    **options: Any,
) -> None:
    """Test each MODEL on five suites and write a report.

    The output folder has logs, records and the report, page.html. Run the same command again to
    resume an interrupted profile; finished samples are not asked again.
    """
    from whybench.evaluation.experiments import experiment  # noqa: PLC0415  (not for --help)
    from whybench.evaluation.profiles import plan_profile, profile_folder  # noqa: PLC0415
    from whybench.planning.prices import Prices  # noqa: PLC0415

    named = {
        "max_tokens": max_tokens,
        "temperature": temperature,
        "reasoning_effort": reasoning_effort,
        "timeout": timeout,
    }
    settings |= {name: value for name, value in named.items() if value is not None}
    planned = plan_profile(models, budget, suites, model_args, settings)
    stated, table = planned.with_until(until, smallest), Prices.read(prices)
    print_plans(stated.tables(table), f"budget {budget}", err=json_output)
    for line in stated.lines(table):
        print_line(line, err=json_output)
    stated.check_max_cost(table, options["max_cost"])
    if only_plan:
        return
    folder = Path(output) if output else profile_folder(models, budget)
    with redirect_progress(json_output):
        options |= {"display": "none"} if json_output else {}
        answers = experiment(stated, folder, prices=prices, say=say_step, **options)
    print_notes(answers)
    headlines = measure_answers(answers).headlines
    if json_output:
        print_json(*(measure.row() for measure in headlines))
    else:
        click.echo()
        print_headlines(headlines)
        print_decisions(answers)
        print_line(f"\nReport: {folder / 'page.html'}\nLogs and records: {folder}")
    if "judge" in answers.suites and "human_correlation" not in headlines.names:
        print_note(PEOPLE)
    sys.exit(print_outcomes(answers))
