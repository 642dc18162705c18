"""`run`: ask a model, and print what came of it."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import (
    as_json,
    asking_options,
    design_options,
    json_option,
    key_values,
    print_notes,
    shard_option,
    suite_argument,
)
from whybench.cli.tables import print_measures, print_outcomes

if TYPE_CHECKING:
    from whybench.results import Records

__all__ = ["run_command"]


@click.command("run")
@suite_argument
@click.option("--model", required=True, help="A model as Inspect names it, or reference/….")
@design_options
@asking_options
@click.option("--limit", type=click.IntRange(1), help="Only the first so many samples.")
@click.option("--epochs", type=click.IntRange(1), default=1, help="Ask everything so often.")
@shard_option
@click.option(
    "--group",
    type=click.IntRange(1),
    help="Items a sample asks. [default: one, or those that belong together]",
)
@click.option(
    "--log-dir",
    help="Where logs go; resumed if it exists. [default: logs/, then suite, design and model]",
)
@click.option("--plan", "only_plan", is_flag=True, help="Say what would be asked, and stop.")
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
    log_dir: str | None,
    only_plan: bool,
    json_output: bool,
    **asking: Any,
) -> None:
    """Ask MODEL the items of a design of SUITE.

    Running the same command again resumes what was interrupted, and repeats nothing.
    """
    from whybench.evaluation.runs import run  # noqa: PLC0415  (not for --help)
    from whybench.planning.plans import plan  # noqa: PLC0415

    chosen: dict[str, Any] = {
        **key_values(factors, "-T"),
        "limit": limit,
        "epochs": epochs,
        "shard": shard,
        "group": group,
    }
    planned = plan(suite_name, design, **chosen)
    for line in (planned.line(model), *planned.advice()):
        click.echo(line, err=json_output)
    if only_plan:
        return
    # What Inspect says must not get between lines of JSON.
    with redirect_stdout(sys.stderr) if json_output else nullcontext():
        display = "none" if json_output else None
        answers = run(
            suite_name, model, design, log_dir=log_dir, display=display, **chosen, **asking
        )
    _print(answers, json_output)
    answered = print_outcomes(answers)
    sys.exit(0 if answered and not answers.incomplete else 1)


def _print(answers: Records, json_output: bool) -> None:
    """Print the overall measures, or all of them as JSON."""
    measures = answers.measures()
    (log_dir,) = answers.logs
    if json_output:
        for measure in measures:
            click.echo(as_json(measure.row()))
    elif measures:
        print_notes(answers)
        click.echo()
        print_measures(measures.overall)
        if more := len(measures) - len(measures.overall):
            click.echo(f"\n{more} more, level by level: `whybench measures {log_dir}`")
        click.echo(f"\nLogs are in {log_dir}; `whybench records {log_dir} -o answers.parquet`")
