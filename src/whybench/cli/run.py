"""`run`: a thin layer over Inspect's eval sets, with lean and safe settings.

Everything that `run` does can be done with `inspect eval` as well. What it adds: the number of
calls and tokens before the first one, settings that keep a long run alive and its logs small, a
folder that is resumed rather than repeated, and the measures at the end.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from contextlib import nullcontext, redirect_stdout
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import (
    chosen_design,
    design_options,
    json_option,
    key_values,
    suite_argument,
)
from whybench.suites.contract import UserError
from whybench.suites.shards import WHOLE, in_samples, take_shard

if TYPE_CHECKING:
    from whybench.suites.contract import Design

__all__ = ["run_command"]

LEAN: dict[str, Any] = {
    "log_realtime": False,
    "score_display": False,
    "log_buffer": 100,
    "ctl_server": False,
    "log_level": "warning",
    "fail_on_error": False,
    "retry_on_error": 1,
    "max_retries": 8,
    "timeout": 600,
    "attempt_timeout": 180,
}
"""Settings of every run: small logs, bounded retries, and a failed sample is data, not a crash."""

LEVEL = "@"
"""Marks a measure at one level of a factor (`accuracy@n=4`)."""

SHOWN = 5
"""How many kinds of missing answers are listed."""

TOKEN = 4
"""Characters a token, roughly, for the plan."""


@click.command("run")
@suite_argument
@click.option("--model", required=True, help="A model as Inspect names it, or reference/….")
@design_options
@click.option("-M", "model_args", multiple=True, metavar="NAME=VALUE", help="Model arguments.")
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
@click.option("--max-connections", type=click.IntRange(1), help="Calls at once.")
@click.option(
    "--log-buffer",
    type=click.IntRange(1),
    default=LEAN["log_buffer"],
    show_default=True,
    help="Samples between writes to the log; a crash loses no more.",
)
@click.option("--max-tokens", type=click.IntRange(1), help="Longest reply, in tokens.")
@click.option("--plan", is_flag=True, help="Say what would be asked, and stop.")
@json_option
def run_command(
    suite_name: str,
    model: str,
    design: str | None,
    factors: tuple[str, ...],
    model_args: tuple[str, ...],
    limit: int | None,
    epochs: int,
    shard: str,
    group: int | None,
    log_dir: str | None,
    max_connections: int | None,
    log_buffer: int,
    max_tokens: int | None,
    plan: bool,
    json_output: bool,
) -> None:
    """Ask MODEL the items of a design of SUITE.

    Running the same command again resumes what was interrupted, and repeats nothing.
    """
    asked, made = chosen_design(suite_name, design, factors)
    chosen = take_shard(list(asked.items(made)), shard, asked.together)
    samples = in_samples(chosen, group, asked.together)[:limit]
    items = [item for members in samples for item in members]
    turns = [asked.turns(item.factors) * epochs for item in items]
    sent = sum(len(asked.word(item)) * n for item, n in zip(items, turns, strict=True)) // TOKEN
    received = sum(
        asked.reply_tokens(item.factors) * n for item, n in zip(items, turns, strict=True)
    )
    about = "" if asked.episode is None else "about "
    click.echo(
        f"{asked.name}, design {made.name}: {len(items)} items x {epochs} = "
        f"{about}{sum(turns)} calls to {model}, roughly {sent:,} tokens sent and "
        f"{received:,} received",
        err=json_output,
    )
    for line in asked.advice(made, epochs):
        click.echo(line, err=json_output)
    if plan:
        return
    log_dir = log_dir or _own_folder(asked.name, made, (model, *model_args), shard, group)
    task_args = {"design": design or next(iter(asked.designs)), **key_values(factors, "-T")}
    settings = {
        "max_connections": max_connections,
        "max_samples": max_connections,
        "max_tokens": max_tokens,
        "log_buffer": log_buffer,
    }
    # What Inspect says must not get between lines of JSON.
    with redirect_stdout(sys.stderr) if json_output else nullcontext():
        done = _evaluate(
            asked.task,
            {**task_args, "shard": shard, **({"group": group} if group else {})},
            model=model,
            model_args=key_values(model_args, "-M"),
            limit=limit,
            epochs=epochs,
            log_dir=log_dir,
            display="none" if json_output else None,
            **{name: value for name, value in settings.items() if value is not None},
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
    return "logs/" + "-".join(re.sub(r"[^\w.=,-]+", "-", part) for part in parts)


def _evaluate(task: str, task_args: dict[str, Any], **settings: Any) -> bool:
    """Run the eval set; say whether every sample was done."""
    from inspect_ai import eval_set  # noqa: PLC0415  (importing Inspect takes seconds)
    from inspect_ai._util.error import PrerequisiteError  # noqa: PLC0415
    from inspect_ai.model import get_model  # noqa: PLC0415

    module, _, function = task.partition(":")
    try:
        made = getattr(import_module(module), function)(**task_args)
        get_model(settings["model"], **settings["model_args"])
        done, logs = eval_set(made, **{**LEAN, **settings})
    except (PrerequisiteError, ValueError) as error:
        message = re.sub(r"\[/?bold\]", "", str(error)).removeprefix("ERROR: ")
        if "is not associated with a task" in message:
            message = (
                f"--log-dir must hold runs of this very command, got {settings['log_dir']} with "
                "runs of other items, settings or readings of answers; these are not mixed. Use "
                "another --log-dir. Old logs can be read with today's reading by "
                "`whybench records --reread`"
            )
        raise UserError(message) from None
    for log in logs:
        if log.status != "success":
            reason = log.error.message if log.error else "no reason given"
            click.echo(
                f"The run ended as {log.status}: {reason}. The same command resumes it.", err=True
            )
    return bool(done)


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
    outcomes = [
        (row["outcome"], row["reason"])
        for table in tables.values()
        for row in table.select(["outcome", "reason"]).to_pylist()
    ]
    unanswered = Counter(reason for outcome, reason in outcomes if outcome == "no_answer")
    for reason, count in unanswered.most_common(SHOWN):
        click.echo(f"{count} x no answer: {reason}", err=True)
    errors = [reason for outcome, reason in outcomes if outcome == "error"]
    if errors:
        click.echo(f"{len(errors)} x error, such as: {errors[0]}", err=True)
    return not outcomes or any(outcome != "error" for outcome, _ in outcomes)
