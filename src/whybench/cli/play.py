"""`play`: a person takes part in a suite's episodes, and is recorded like any agent."""

from __future__ import annotations

import re

import click

from whybench.cli.options import chosen_design, design_options, key_values, suite_argument
from whybench.suites.contract import UserError
from whybench.suites.registry import list_suites

__all__ = ["play_command"]


@click.command("play")
@suite_argument
@design_options
@click.option(
    "--as",
    "name",
    default="me",
    show_default=True,
    help="Your name: you are the agent person/NAME.",
)
@click.option("--count", default=1, show_default=True, type=click.IntRange(1), help="Episodes.")
@click.option("--log-dir", help="Folder of your logs. [default: logs/play-SUITE-NAME]")
def play_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    name: str,
    count: int,
    log_dir: str | None,
) -> None:
    """Play episodes of SUITE at the terminal, and see what your answers were worth.

    Each call goes on with the episodes of the design that you have not played yet. They are
    recorded: `whybench measures` takes the folder of your logs like a model's.
    """
    from whybench.evaluation.playing import hold_episode, played_items  # noqa: PLC0415

    asked, made = chosen_design(suite_name, design, factors)
    if asked.play is None:
        able = ", ".join(n for n, one in list_suites().items() if one.play) or "none"
        raise UserError(f"SUITE must be one that can be played ({able}), got {suite_name}")
    if not re.fullmatch(r"[\w.-]+", name):
        raise UserError(f"--as must be letters, digits, '.', '-' or '_', got {name!r}")
    folder = log_dir or f"logs/play-{asked.name}-{name}"
    agent = f"person/{name}"
    done = played_items(folder, agent)
    waiting = [item.id for item in asked.items(made) if item.id not in done]
    if not waiting:
        raise UserError(f"you have played all of the design {made.name}; choose another --design")
    ids = waiting[:count]
    click.echo(f"{len(done)} played before, {len(waiting)} waiting. Ctrl-C leaves.")
    settings = asked.settings(design, **key_values(factors, "-T"))
    for item in ids:
        if not hold_episode(asked, settings, agent, item, folder):
            click.echo("\nLeft. What you had not finished is not recorded; it waits for you.")
            return
        click.echo(f"\nRecorded in {folder}: `whybench measures {folder}`")
