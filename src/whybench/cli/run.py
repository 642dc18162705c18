"""`run`: a thin layer over Inspect's eval sets, with lean and safe settings.

Everything that `run` does can be done with `inspect eval` as well. What it adds: the number of
calls and tokens before the first one, settings that keep a long run alive and its logs small, a
folder that is resumed rather than repeated, and the measures at the end.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.evaluation import (
    asking_options,
    file_name,
    plan_of,
    ran,
    settings_of,
    tell_outcomes,
)
from whybench.cli.options import (
    chosen_design,
    design_options,
    json_option,
    key_values,
    suite_argument,
)
from whybench.suites.shards import WHOLE
from whybench.sweep.evaluation import made_task, opened_model

if TYPE_CHECKING:
    from whybench.suites.contract import Design

__all__ = ["run_command"]

LEVEL = "@"
"""Marks a measure at one level of a factor (`accuracy@n=4`)."""


@click.command("run")
@suite_argument
@click.option("--model", required=True, help="A model as Inspect names it, or reference/….")
@design_options
@asking_options
@click.option("--limit", type=click.IntRange(1), help="Only the first so many samples.")
@click.option("--epochs", type=click.IntRange(1), default=1, help="Ask everything so often.")
@click.option("--shard", default=WHOLE, help="i/n: the i-th of n equal parts of the design.")
@click.option(
    "--group",
    type=click.IntRange(1),
    help="Items a sample asks. [default: one, or those that belong together]",
)
@click.option(
    "--log-dir",
    help="Where logs go; resumed if it exists. [default: logs/, then suite, design and model]",
)
@click.option("--plan", is_flag=True, help="Say what would be asked, and stop.")
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
    plan: bool,
    json_output: bool,
    **asking: Any,
) -> None:
    """Ask MODEL the items of a design of SUITE.

    Running the same command again resumes what was interrupted, and repeats nothing.
    """
    asked, made = chosen_design(suite_name, design, factors)
    planned = plan_of(asked, made, limit=limit, epochs=epochs, shard=shard, group=group)
    for line in (planned.line(model), *planned.advice()):
        click.echo(line, err=json_output)
    if plan:
        return
    log_dir = log_dir or _own_folder(asked.name, made, (model, *asking["model_args"]), shard, group)
    task_args = {"design": design or next(iter(asked.designs)), **key_values(factors, "-T")}
    # What Inspect says must not get between lines of JSON.
    with redirect_stdout(sys.stderr) if json_output else nullcontext():
        task = made_task(
            asked, {**task_args, "shard": shard, **({"group": group} if group else {})}
        )
        settings = settings_of(asking, json_output)
        opened_model(model, settings["model_args"])
        done = ran(
            task,
            option="--log-dir",
            model=model,
            limit=limit,
            epochs=epochs,
            log_dir=log_dir,
            **settings,
        )
    answered = _report(log_dir, json_output)
    sys.exit(0 if done and answered else 1)


def _own_folder(
    suite_name: str, design: Design, agent: tuple[str, ...], shard: str, group: int | None
) -> str:
    """Name a folder after what is asked and who is asked, so that other runs have others."""
    parts = [suite_name, design.name.strip("*"), design.hash[:6], ",".join(agent)]
    parts += [f"shard-{shard}"] if shard != WHOLE else []
    parts += [f"by-{group}"] if group else []
    return "logs/" + file_name(*parts)


def _report(log_dir: str, json_output: bool) -> bool:
    """Print the measures and what went wrong; say whether anything but errors came back."""
    from whybench.cli.options import as_json  # noqa: PLC0415
    from whybench.cli.results import print_measures  # noqa: PLC0415
    from whybench.cli.sources import tables_of_logs  # noqa: PLC0415
    from whybench.suites.registry import suite  # noqa: PLC0415

    tables, _ = tables_of_logs([log_dir])
    measures = [
        measure for name, table in tables.items() for measure in suite(name).measures(table)
    ]
    if json_output:
        for measure in measures:
            click.echo(as_json(measure.row()))
    elif measures:
        click.echo()
        overall = [measure for measure in measures if LEVEL not in measure.name]
        print_measures(overall)
        if len(overall) < len(measures):
            more = len(measures) - len(overall)
            click.echo(f"\n{more} more, level by level: `whybench measures {log_dir}`")
        click.echo(f"\nLogs are in {log_dir}; `whybench records {log_dir} -o answers.parquet`")
    return tell_outcomes(tables.values())
