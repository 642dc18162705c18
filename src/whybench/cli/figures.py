"""`figures`: what a run looks like."""

from __future__ import annotations

import click

from whybench.cli.options import beside_option, read_sources, reread_option, sources_argument
from whybench.drawing.figure import save_figures
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite, suite_names

__all__ = ["figures_command"]


@click.command("figures")
@sources_argument
@click.option("-o", "--output", required=True, type=click.Path(), help="A folder for the files.")
@reread_option
@beside_option
def figures_command(
    sources: tuple[str, ...], output: str, reread: bool, baselines: tuple[str, ...]
) -> None:
    """Draw the figures of SOURCES (logs, folders of logs, or files of records) as PDF, SVG, PNG."""
    answers = read_sources(sources, reread, baselines)
    if not any(get_suite(name).draws_figures for name in answers.suites):
        able = ", ".join(name for name in suite_names() if get_suite(name).draws_figures)
        raise UserError(
            f"`sources` must hold answers to a suite whose runs can be drawn ({able}), "
            f"got {', '.join(answers.suites)}"
        )
    for path in save_figures(answers.figures(), output):
        click.echo(path)
