"""`list`, `items` and `show`: what there is to ask."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import (
    as_json,
    chosen_design,
    design_options,
    json_option,
    suite_argument,
)
from whybench.suites.contract import UserError
from whybench.suites.registry import suite, suite_names
from whybench.suites.shards import WHOLE, take_shard

if TYPE_CHECKING:
    from whybench.suites.contract import Item
    from whybench.suites.registry import AnySuite

__all__ = ["items_command", "list_command", "show_command"]


@click.command("list")
@click.argument("suite_name", metavar="[SUITE]", required=False)
@json_option
def list_command(suite_name: str | None, json_output: bool) -> None:
    """List suites, or the designs and reference agents of one SUITE."""
    if suite_name is None:
        found = {name: suite(name) for name in suite_names()}
        if json_output:
            click.echo(as_json([{"suite": n, "summary": s.summary} for n, s in found.items()]))
            return
        for name, one in found.items():
            click.echo(f"{name:12} the agent {one.summary}")
        click.echo("\n`whybench list SUITE` shows a suite's designs and reference agents.")
        return
    one = suite(suite_name)
    designs = {name: design.summary for name, design in one.designs.items()}
    if json_output:
        agents = {
            name: {
                "summary": agent.summary,
                "parameters": {key: p.default for key, p in agent.parameters.items()},
            }
            for name, agent in one.agents.items()
        }
        click.echo(as_json({"suite": one.name, "designs": designs, "agents": agents}))
        return
    click.echo(f"{one.name}: the agent {one.summary}\n\nDesigns (--design)")
    for name, line in designs.items():
        click.echo(f"  {name}\n      {line}")
    click.echo(f"\nReference agents (--model reference/{one.name}.NAME -M PARAMETER=VALUE)")
    for name, agent in one.agents.items():
        click.echo(f"  {name:18} {agent.summary}")
        for key, parameter in agent.parameters.items():
            click.echo(f"  {'':18}   {key}={parameter.default}: {parameter.meaning}")


@click.command("items")
@suite_argument
@design_options
@click.option("--shard", default=WHOLE, help="i/n: the i-th of n equal parts of the design.")
@click.option("--limit", type=click.IntRange(1), help="Only the first so many items.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "ids"]),
    default="table",
    show_default=True,
    help="A line an item to read, JSON lines with prompts and truths, or ids alone.",
)
def items_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    shard: str,
    limit: int | None,
    form: str,
) -> None:
    """Print the items of a design of SUITE."""
    asked, made = chosen_design(suite_name, design, factors)
    items: Any = asked.items(made)
    if shard != WHOLE:
        items = take_shard(list(items), shard, asked.together)
    for item in islice(items, limit):
        if form == "jsonl":
            click.echo(as_json(_item_row(asked, item)))
        elif form == "ids":
            click.echo(item.id)
        else:
            levels = "  ".join(str(level) for level in item.factors.values())
            click.echo(f"{item.id}  {_short(item.truth):>6}  {levels}")


def _item_row(asked: AnySuite, item: Item) -> dict[str, Any]:
    return {
        "item": item.id,
        "suite": asked.name,
        "version": asked.version,
        **item.factors,
        "truth": item.truth,
        "prompt": asked.word(item),
    }


@click.command("show")
@suite_argument
@click.argument("which", default="1", metavar="[ITEM]")
@design_options
@json_option
def show_command(
    suite_name: str, which: str, design: str | None, factors: tuple[str, ...], json_output: bool
) -> None:
    """Show one ITEM of SUITE, by id or by its number in the design (1 is the first)."""
    asked, made = chosen_design(suite_name, design, factors)
    item = _find(asked, made, which)
    derivations = [(name, float(value)) for name, value in item.certificate.derivations]
    if json_output:
        row = _item_row(asked, item)
        certificate = {"query": item.certificate.query, "derivations": derivations}
        click.echo(as_json({**row, "certificate": certificate}))
        return
    click.echo(asked.word(item))
    click.echo("\n" + "─" * 72)
    click.echo(f"{'item':16} {item.id}")
    click.echo(f"{'design':16} {made.name} of {asked.name}")
    for line in asked.advice(made, 1):
        click.echo(f"{'':16} {line}")
    for name, level in item.factors.items():
        click.echo(f"{name:16} {level}")
    for line in asked.draw(item) if asked.draw else ():
        click.echo(line)
    click.echo(f"truth            {_short(item.truth)}")
    click.echo(f"certificate      {item.certificate.query}")
    for name, value in derivations:
        click.echo(f"                 {value:.15g}  by {name}")


def _find(asked: AnySuite, made: Any, which: str) -> Item:
    number = int(which) - 1 if which.isdigit() else None
    count = 0
    for count, item in enumerate(asked.items(made), start=1):
        if item.id == which or count - 1 == number:
            found: Item = item
            return found
    raise UserError(
        f"ITEM must be an id or a number from 1 to {count} in the design {made.name}, "
        f"got {which!r}; `whybench items {asked.name}` lists them"
    )


def _short(truth: object) -> str:
    return f"{truth:.4g}" if isinstance(truth, float) else str(truth)
