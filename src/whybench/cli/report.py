"""`report`: one page for everything that is known of some runs."""

from __future__ import annotations

import click

from whybench.cli.options import beside_option, read_sources, reread_option, sources_argument

__all__ = ["report_command", "say_step"]


@click.command("report")
@sources_argument
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="The page, a file ending in .html."
)
@click.option("--title", default="Causal reasoning", show_default=True, help="The page's heading.")
@click.option("--date", default="", help="A date to show; without it there is none.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Which answers are shown, if not all."
)
@click.option(
    "--against",
    default="",
    metavar="AGENT",
    help="Compare every agent with this one. [default: every two, or with the first if many]",
)
@reread_option
@beside_option
def report_command(
    sources: tuple[str, ...],
    output: str,
    title: str,
    date: str,
    seed: int,
    against: str,
    reread: bool,
    baselines: tuple[str, ...],
) -> None:
    """Write one page about SOURCES: logs, folders of logs, or files of records.

    The page is one HTML file that needs nothing else: profiles of the agents, comparisons, figures,
    answers with what was said, all measures, and the data.
    """
    from whybench.page import check_target, report  # noqa: PLC0415  (not for --help)

    check_target(output)
    say_step("reading")
    answers = read_sources(sources, reread, baselines)
    page = report(answers, output, title=title, date=date, seed=seed, against=against, say=say_step)
    click.echo(f"{page}: {page.stat().st_size / 1e6:.1f} MB")


def say_step(line: str) -> None:
    """Say on standard error what is being done."""
    click.echo(f"… {line}", err=True)
