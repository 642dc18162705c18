"""`study simulate`: a study answered by reference agents, to try everything behind it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from whybench.cli.options import key_values
from whybench.study.simulation import MOST, SimulatedPerson, participation_rows
from whybench.suites.contract import UserError

__all__ = ["simulate_command"]


@click.command("simulate")
@click.argument("folder", type=click.Path())
@click.option(
    "--model", required=True, help="Who answers: a reference agent, as in reference/judge.noisy-or."
)
@click.option("-M", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the agent.")
@click.option(
    "--people", default=24, show_default=True, type=click.IntRange(1, MOST), help="How many."
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of their noise."
)
@click.option("-o", "--output", type=click.Path(), help="[default: FOLDER/simulated.jsonl]")
def simulate_command(
    folder: str,
    model: str,
    settings: tuple[str, ...],
    people: int,
    seed: int,
    output: str | None,
) -> None:
    """Let simulated people take part in the study in FOLDER, without a browser.

    What they save is like what people save: import it with the rules of exclusion that you plan,
    and see whether so many people make intervals narrow enough.
    """
    from whybench.records.table import whole_file  # noqa: PLC0415  (not for --help)
    from whybench.study.reopening import reopened  # noqa: PLC0415

    plan = reopened(Path(folder))
    found = re.fullmatch(rf"reference/{plan.asked.name}\.(.+)", model)
    if found is None:
        raise UserError(
            f"--model must be a reference agent of the study's suite, reference/{plan.asked.name}."
            f"NAME (`whybench list {plan.asked.name}`), got {model!r}"
        )
    given = key_values(settings, "-M")
    target = Path(output) if output else Path(folder) / "simulated.jsonl"
    try:
        with whole_file(target) as beside, beside.open("w", encoding="utf-8") as lines:
            for number in range(people):
                person = SimulatedPerson(number, found[1], given, seed)
                for row in participation_rows(plan, person):
                    lines.write(f"{json.dumps(row)}\n")
    except ValueError as error:
        raise UserError(str(error)) from None
    click.echo(f"{target}: {people} people, answering as {model}")
    click.echo(f"whybench study import {target} --study {folder} -o simulated.parquet")
