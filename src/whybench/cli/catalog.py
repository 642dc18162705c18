"""`list`, `items` and `show`: what there is to ask."""

from __future__ import annotations

from itertools import islice

import click

from whybench.cli.options import (
    choose_design,
    design_options,
    json_option,
    print_json,
    shard_option,
    suite_argument,
)
from whybench.suites.catalog import Items
from whybench.suites.contract import MINDS
from whybench.suites.references import show_part
from whybench.suites.registry import AnySuite, get_suite, list_suites

__all__ = ["items_command", "list_command", "show_command"]


@click.command("list")
@click.argument("suite_name", metavar="[SUITE]", required=False)
@json_option
def list_command(suite_name: str | None, json_output: bool) -> None:
    """List suites and minds, or the designs and reference agents of one SUITE."""
    if suite_name is None:
        suites = list_suites()
        if json_output:
            print_json(
                [
                    {"suite": name, "summary": s.summary, "minds": _minds(s)}
                    for name, s in suites.items()
                ]
            )
            return
        for name, suite in suites.items():
            click.echo(f"{name:12} the agent {suite.summary}")
        click.echo("\nMinds: reference agents that answer every suite (--model reference/NAME)")
        for name, summary in MINDS.items():
            click.echo(f"  {name:18} {summary}")
            if missing := [other for other, suite in suites.items() if name not in suite.minds]:
                click.echo(f"  {'':18}   not in {', '.join(missing)}")
        click.echo("\n`whybench list SUITE` shows a suite's designs and reference agents.")
        return
    suite = get_suite(suite_name)
    designs = {name: design.summary for name, design in suite.designs.items()}
    if json_output:
        agents = {
            name: {
                "summary": agent.summary,
                "parameters": {key: p.default for key, p in agent.parameters.items()},
            }
            for name, agent in suite.agents.items()
        }
        print_json(
            {"suite": suite.name, "designs": designs, "agents": agents, "minds": _minds(suite)}
        )
        return
    click.echo(f"{suite.name}: the agent {suite.summary}\n\nDesigns (--design)")
    for name, line in designs.items():
        click.echo(f"  {name}\n      {line}")
    click.echo(f"\nReference agents (--model reference/{suite.name}.NAME -M PARAMETER=VALUE)")
    for name, agent in suite.agents.items():
        click.echo(f"  {name:18} {agent.summary}")
        for key, parameter in agent.parameters.items():
            click.echo(f"  {'':18}   {key}={parameter.default}: {parameter.meaning}")
    if suite.minds:
        click.echo("\nMinds (--model reference/NAME) and the agents that stand for them here")
    for name, part in suite.minds.items():
        click.echo(f"  {name:18} {show_part(*part)}")


def _minds(suite: AnySuite) -> dict[str, str]:
    """Return the agent that stands for each mind, with its settings, in words."""
    return {name: show_part(*part) for name, part in suite.minds.items()}


@click.command("items")
@suite_argument
@design_options
@shard_option
@click.option(
    "--count", type=click.IntRange(1), help="The number of items, from the start of the design."
)
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
    count: int | None,
    form: str,
) -> None:
    """Print the items of a design of SUITE."""
    items = Items(*choose_design(suite_name, design, factors), shard)
    for item in islice(items, count):
        if form == "jsonl":
            print_json(items.row(item))
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
    suite, chosen = choose_design(suite_name, design, factors)
    items = Items(suite, chosen)
    item = items.find(which)
    derivations = [(name, float(value)) for name, value in item.certificate.derivations]
    if json_output:
        certificate = {"query": item.certificate.query, "derivations": derivations}
        print_json({**items.row(item), "certificate": certificate})
        return
    click.echo(suite.render(item))
    click.echo("\n" + "─" * 72)
    click.echo(f"{'item':16} {item.id}")
    click.echo(f"{'design':16} {chosen.name} of {suite.name}")
    for line in suite.costs.advice(chosen, 1):
        click.echo(f"{'':16} {line}")
    for name, level in item.factors.items():
        click.echo(f"{name:16} {level}")
    for line in suite.draw(item):
        click.echo(line)
    click.echo(f"truth            {_short(item.truth)}")
    click.echo(f"certificate      {item.certificate.query}")
    for name, value in derivations:
        click.echo(f"                 {value:.15g}  by {name}")


def _short(truth: object) -> str:
    return f"{truth:.4g}" if isinstance(truth, float) else str(truth)
