"""`replicate`: published results, recomputed from raw data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import as_json, json_option, suite_argument
from whybench.drawing.figure import save_figures
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["replicate_command"]

LABELS = (
    *("agent", "style", "story", "name", "measure", "criterion", "manipulation"),
    *("challenge", "data_set"),
)
"""Columns that say whose a row is, for a table that a person reads."""

NUMBERS = (
    *("estimate", "low", "high", "statistic", "p", "adjusted", "parameters", "consistency"),
    *("printed", "b", "m", "lad", "number", "change", "n"),
)
"""Columns of numbers for such a table."""

PREVIEW = 6


@click.command("replicate")
@suite_argument
@click.option("--table", "chosen", help="Print only this table.")
@click.option(
    "--resamples", default=2000, show_default=True, type=click.IntRange(1), help="For intervals."
)
@click.option("--figures", "folder", type=click.Path(), help="Draw figures into this folder only.")
@json_option
def replicate_command(
    suite_name: str, chosen: str | None, resamples: int, folder: str | None, json_output: bool
) -> None:
    """Recompute the published results of SUITE from the data that people and models left.

    The data are downloaded if need be (`whybench data fetch`). With --json every row is printed
    whole, one a line, with the name of its table.
    """
    one = get_suite(suite_name)
    if one.replication is None:
        raise UserError(f"SUITE must have published results to replicate, got {suite_name}")
    if folder is not None:
        if one.replication.figures is None:
            raise UserError(f"--figures must be of a suite that draws them, got {suite_name}")
        for path in save_figures(one.replication.figures(), folder):
            click.echo(path)
        return
    tables = one.replication.tables(resamples)
    if chosen is not None and chosen not in tables:
        raise UserError(f"--table must be one of {', '.join(tables)}, got {chosen!r}")
    for name, rows in tables.items():
        if chosen not in (None, name):
            continue
        if json_output:
            for row in rows:
                click.echo(as_json({"table": name, **row}))
            continue
        click.echo(f"{name}: {len(rows)} rows")
        for row in rows if chosen else rows[:PREVIEW]:
            click.echo("  " + _line(row))
        if not chosen and len(rows) > PREVIEW:
            click.echo(f"  ... --table {name} prints all, --json every column")


def _line(row: Mapping[str, Any]) -> str:
    labels = [str(row[name]) for name in LABELS if row.get(name)]
    numbers = [
        f"{name} {row[name]:.4g}" for name in NUMBERS if isinstance(row.get(name), int | float)
    ]
    return "  ".join([*labels, *numbers, str(row.get("flags", ""))]).rstrip()
