"""`list` and `show`: suites, designs, reference agents and items."""

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
from whybench.errors import UserError
from whybench.suites.catalog import WHOLE, Items
from whybench.suites.contract import MINDS, Item
from whybench.suites.references import show_part
from whybench.suites.registry import AnySuite, get_suite, list_suites
from whybench.terminal import NAMES, print_line, print_pairs, print_prompt, print_rows


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
                "not in": " ".join(
                    n for n, s in suites.items() if name not in s.minds and not s.cases_of
                ),
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


@click.command("show")
@suite_argument
@click.argument("which", default="", metavar="[ITEM]")
@design_options
@click.option("--all", "every", is_flag=True, help="List all items instead of one.")
@click.option("--count", type=click.IntRange(1), help="List the first N items.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "jsonl", "ids"]),
    help="List a table, JSON lines or ids. [default: table]",
)
@shard_option
@json_option
def show_command(
    suite_name: str,
    which: str,
    design: str | None,
    factors: tuple[str, ...],
    every: bool,
    count: int | None,
    form: str | None,
    shard: str,
    json_output: bool,
) -> None:
    """Show one ITEM of SUITE, by id or number, or list items.

    Prints the prompt of the item (by default the first), the levels of its factors, the causal
    graph, the ground truth and its certificate, the independent derivations that agree on it.
    --all, --count and --format list items instead.
    """
    items = Items(*choose_design(suite_name, design, factors), shard)
    if every or count or form:
        if which:
            raise UserError(f"--all, --count and --format list items, got ITEM {which} too")
        if every and count:
            raise UserError(f"--all must be used without --count, got --count {count}")
        form = "jsonl" if json_output else form or "table"
        _list_items(items, count, form, numbered=shard == WHOLE)
    else:
        _show_item(items, items.find(which or "1"), json_output)


def _list_items(items: Items, count: int | None, form: str, numbered: bool) -> None:
    """Print items as a table, JSON lines or ids."""
    if form == "table":
        _print_items(items, count, numbered)
        return
    for item in islice(items, count):
        print_json(items.row(item)) if form == "jsonl" else click.echo(item.id)


def _print_items(items: Items, count: int | None, numbered: bool) -> None:
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
    if count and len(items[: count + 1]) > count:
        print_line(f"\nFirst {count} items; --all lists all, --format jsonl adds prompts.")
    if numbered:
        print_line(f"`whybench show {suite} NUMBER`, with the same options, shows one item.")


def _show_item(items: Items, item: Item, json_output: bool) -> None:
    """Print an item with its answer key."""
    suite, chosen = items.suite, items.design
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
