"""`figures`: what a run looks like."""

from __future__ import annotations

from pathlib import Path

import click

from whybench.cli.sources import beside_option, reread_option, tables_of_sources
from whybench.suites.contract import UserError
from whybench.suites.registry import suite, suite_names

__all__ = ["figures_command"]


@click.command("figures")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=click.Path(), help="A folder for the files.")
@reread_option
@beside_option
def figures_command(
    sources: tuple[str, ...], output: str, reread: bool, beside: tuple[str, ...]
) -> None:
    """Draw the figures of SOURCES (logs, folders of logs, or files of records) as PDF, SVG, PNG."""
    tables = tables_of_sources(sources, reread, beside)
    drawn = [name for name, _ in tables if suite(name).figures]
    if not drawn:
        able = ", ".join(name for name in suite_names() if suite(name).figures)
        raise UserError(
            f"SOURCES must hold answers to a suite whose runs can be drawn ({able}), "
            f"got {', '.join(name for name, _ in tables)}"
        )
    for name, table in tables:
        draw = suite(name).figures
        for path in draw(Path(output), table) if draw else ():
            click.echo(path)
