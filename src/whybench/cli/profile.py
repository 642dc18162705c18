"""`profile`: an agent's abilities side by side, and what they cost."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

import click

from whybench.cli.options import as_json, asking_options, json_option, print_notes
from whybench.cli.report import say_step
from whybench.cli.tables import print_headlines, print_outcomes
from whybench.suites.contract import BUDGETS

__all__ = ["profile_command"]

PEOPLE = "judgments of people, for `alignment`, are fetched by `whybench data fetch causAIign`"


@click.command("profile")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--budget", default=BUDGETS[0], show_default=True, help=f"{', '.join(BUDGETS)}.")
@click.option(
    "--suite",
    "suites",
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
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be asked, and stop.")
@json_option
def profile_command(
    models: tuple[str, ...],
    budget: str,
    suites: tuple[str, ...],
    output: str | None,
    prices: str | None,
    max_cost: float | None,
    only_plan: bool,
    json_output: bool,
    **asking: Any,
) -> None:
    """Measure every ability of each MODEL, as much as the budget says.

    Running the same command again resumes what was interrupted, and repeats nothing.
    """
    from whybench.evaluation.profiles import ProfilePlan, run_profile  # noqa: PLC0415

    planned = ProfilePlan.make(models, budget, suites, prices)
    for line in planned.lines():
        click.echo(line, err=json_output)
    planned.refuse_above(max_cost)
    if only_plan:
        return
    folder = Path(output) if output else planned.folder
    # What Inspect says must not get between lines of JSON.
    with redirect_stdout(sys.stderr) if json_output else nullcontext():
        display = "none" if json_output else None
        answers = run_profile(planned, folder, say_step, display=display, **asking)
    print_notes(answers)
    headlines = answers.measures().headlines
    if json_output:
        for measure in headlines:
            click.echo(as_json(measure.row()))
    else:
        print_headlines(headlines)
        click.echo(f"\nEverything is in {folder}; the page is {folder / 'page.html'}")
    if "judge" in answers.suites and "alignment" not in headlines.names:
        click.echo(f"Note: {PEOPLE}", err=True)
    answered = print_outcomes(answers)
    sys.exit(0 if answered and not answers.incomplete else 1)
