"""`list`, `items` and `show`: what there is to ask."""

from __future__ import annotations

from itertools import islice

import click

from whybench.cli.options import (
    as_json,
    chosen_design,
    design_options,
    json_option,
    shard_option,
    suite_argument,
)
from whybench.suites.catalog import Items
from whybench.suites.registry import get_suite, list_suites

__all__ = ["items_command", "list_command", "show_command"]


@click.command("list")
@click.argument("suite_name", metavar="[SUITE]", required=False)
@json_option
def list_command(suite_name: str | None, json_output: bool) -> None:
    """List suites, or the designs and reference agents of one SUITE."""
    if suite_name is None:
        found = list_suites()
        if json_output:
            click.echo(as_json([{"suite": n, "summary": s.summary} for n, s in found.items()]))
            return
        for name, one in found.items():
            click.echo(f"{name:12} the agent {one.summary}")
        click.echo("\n`whybench list SUITE` shows a suite's designs and reference agents.")
        return
    one = get_suite(suite_name)
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
@shard_option
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
    items = Items(*chosen_design(suite_name, design, factors), shard)
    for item in islice(items, limit):
        if form == "jsonl":
            click.echo(as_json(items.row(item)))
        elif form == "ids":
            click.echo(item.id)
        else:
            levels = "  ".join(str(level) for level in item.factors.values())
            click.echo(f"{item.id}  {_short(item.truth):>6}  {levels}")


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
    items = Items(asked, made)
    item = items.find(which)
    derivations = [(name, float(value)) for name, value in item.certificate.derivations]
    if json_output:
        row = items.row(item)
        certificate = {"query": item.certificate.query, "derivations": derivations}
        click.echo(as_json({**row, "certificate": certificate}))
        return
    click.echo(asked.render(item))
    click.echo("\n" + "─" * 72)
    click.echo(f"{'item':16} {item.id}")
    click.echo(f"{'design':16} {made.name} of {asked.name}")
    for line in asked.costs.advice(made, 1):
        click.echo(f"{'':16} {line}")
    for name, level in item.factors.items():
        click.echo(f"{name:16} {level}")
    for line in asked.draw(item):
        click.echo(line)
    click.echo(f"truth            {_short(item.truth)}")
    click.echo(f"certificate      {item.certificate.query}")
    for name, value in derivations:
        click.echo(f"                 {value:.15g}  by {name}")


def _short(truth: object) -> str:
    return f"{truth:.4g}" if isinstance(truth, float) else str(truth)
