"""`list`, `items` and `show`: suites, designs, reference agents and items."""

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
from whybench.suites.catalog import WHOLE, Items
from whybench.suites.contract import MINDS
from whybench.suites.references import show_part
from whybench.suites.registry import AnySuite, get_suite, list_suites
from whybench.terminal import NAMES, print_line, print_pairs, print_prompt, print_rows

PREVIEW = 20
"""Number of items in a table by default."""


@click.command("list")
@click.argument("suite_name", metavar="[SUITE]", required=False)
@json_option
def list_command(suite_name: str | None, json_output: bool) -> None:
    """List all suites, or the designs and reference agents of one SUITE."""
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
        print_rows([{"suite": name, "task": suite.summary} for name, suite in suites.items()])
        click.echo()
        rows = [
            {
                "agent": name,
                "strategy": summary,
                "not in": " ".join(n for n, suite in suites.items() if name not in suite.minds),
            }
            for name, summary in MINDS.items()
        ]
        print_rows(rows, "Reference agents", "built in, for all suites: --model reference/NAME")
        print_line("\n`whybench list SUITE` shows the designs and reference agents of a suite.")
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
    print_line(f"{suite.name}: the agent {suite.summary}\n")
    if suite.costs.temperature:
        print_line(f"Recommended temperature: {suite.costs.temperature}.\n")
    print_rows([_design_row(*each) for each in designs.items()], "Designs", "--design")
    about = f"--model reference/{suite.name}.NAME -M PARAMETER=VALUE"
    click.echo()
    print_rows(
        [
            {"agent": name, "strategy": agent.summary, "parameters": " ".join(agent.parameters)}
            for name, agent in suite.agents.items()
        ],
        "Reference agents",
        about,
    )
    parameters = {
        (name, str(each.default), each.meaning)
        for agent in suite.agents.values()
        for name, each in agent.parameters.items()
    }
    names = ("parameter", "default", "meaning")
    click.echo()
    print_rows([dict(zip(names, each, strict=True)) for each in sorted(parameters)])
    if suite.minds:
        click.echo()
        rows = [{"agent": name, "same as": part} for name, part in _minds(suite).items()]
        print_rows(rows, "Reference agents for all suites", "--model reference/NAME")


def _design_row(name: str, summary: str) -> dict[str, str]:
    """Return a row on a design; many a summary begins with the number of items."""
    count, mark, rest = summary.partition(" items: ")
    if mark and count.isdigit():
        return {"design": name, "items": f"{int(count):,}", "content": rest}
    return {"design": name, "content": summary}


def _minds(suite: AnySuite) -> dict[str, str]:
    """Return the agent behind each reference agent for all suites, with its settings."""
    return {name: show_part(*part) for name, part in suite.minds.items()}


@click.command("items")
@suite_argument
@design_options
@shard_option
@click.option(
    "--count",
    type=click.IntRange(1),
    help="Print the first N items. [default: 20 in a table, else all]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "ids"]),
    default="table",
    show_default=True,
    help="Print a table, full JSON lines, or ids.",
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
    if form == "table":
        _print_items(items, count or PREVIEW, numbered=shard == WHOLE)
        return
    for item in islice(items, count):
        print_json(items.row(item)) if form == "jsonl" else click.echo(item.id)


def _print_items(items: Items, count: int, numbered: bool) -> None:
    """Print the first items of a design: differing factors as rows, shared ones above."""
    shown = items[:count]
    drawn = items.suite.drawn_columns(items.design)
    names = [name for name in shown[0].factors if name not in drawn] if shown else []
    rows = [
        {
            **({"number": str(number)} if numbered else {"item": item.id}),
            **{name: _short(item.factors[name]) for name in names},
            "truth": _short(item.truth),
        }
        for number, item in enumerate(shown, start=1)
    ]
    suite = items.suite.name
    print_rows(rows, suite, f"design {items.design.name}", share=names)
    if len(items[: count + 1]) > count:
        print_line(f"\nFirst {count} items. Use --count for more, --format jsonl for prompts.")
    if numbered:
        print_line(f"`whybench show {suite} NUMBER`, with the same options, shows one item.")


@click.command("show")
@suite_argument
@click.argument("which", default="1", metavar="[ITEM]")
@design_options
@json_option
def show_command(
    suite_name: str, which: str, design: str | None, factors: tuple[str, ...], json_output: bool
) -> None:
    """Show one ITEM of SUITE, by id or number (1 is the first).

    Prints the prompt, the levels of its factors, the causal graph, the ground truth and its
    certificate, the independent derivations that agree on it.
    """
    suite, chosen = choose_design(suite_name, design, factors)
    items = Items(suite, chosen)
    item = items.find(which)
    derivations = [(name, float(value)) for name, value in item.certificate.derivations]
    if json_output:
        certificate = {"query": item.certificate.query, "derivations": derivations}
        print_json({**items.row(item), "certificate": certificate})
        return
    print_prompt(suite.render(item))
    drawn = suite.drawn_columns(chosen)
    levels = ", ".join(
        f"{name} {level:.3g}" if isinstance(level, float) else f"{name} {level}"
        for name, level in item.factors.items()
        if name not in drawn and str(level) not in {"", "none"}
    )
    click.echo("\n" + "─" * 72)
    print_pairs(
        [
            ("item", item.id),
            ("design", f"{chosen.name} of {suite.name}"),
            *(("", line) for line in suite.costs.advice(chosen, 1)),
            ("levels", levels),
            *((line[:NAMES].strip(), line[NAMES:].strip()) for line in suite.draw(item)),
            ("truth", _short(item.truth)),
            ("certificate", item.certificate.query),
            *(("", f"{value:z.15g}  by {name}") for name, value in derivations),
        ]
    )


def _short(truth: object) -> str:
    return f"{truth:z.4g}" if isinstance(truth, float) else str(truth)
