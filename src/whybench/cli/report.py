"""`report`: one page for everything that is known of some runs."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import click

from whybench.cli.sources import (
    beside_option,
    is_partitioned,
    reread_option,
    tables_of_sources,
    with_beside,
)
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["report_command", "write_report"]


@click.command("report")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="The page, a file ending in .html."
)
@click.option("--title", default="Causal reasoning", show_default=True, help="The page's heading.")
@click.option("--date", "dated", default="", help="A date to show; without it there is none.")
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
    dated: str,
    seed: int,
    against: str,
    reread: bool,
    beside: tuple[str, ...],
) -> None:
    """Write one page about SOURCES: logs, folders of logs, or files of records.

    The page is one HTML file that needs nothing else: profiles of the agents, comparisons, figures,
    answers with what was said, all measures, and the data.
    """
    size = write_report(
        sources,
        output,
        title=title,
        dated=dated,
        seed=seed,
        against=against,
        reread=reread,
        beside=beside,
    )
    click.echo(f"{output}: {size / 1e6:.1f} MB")


def write_report(
    sources: tuple[str, ...],
    output: str,
    *,
    title: str = "Causal reasoning",
    dated: str = "",
    seed: int = 0,
    against: str = "",
    reread: bool = False,
    beside: tuple[str, ...] = (),
) -> int:
    """Write the page about sources, telling on standard error how far it is; return its size."""
    from whybench.records.runs import read_runs  # noqa: PLC0415  (not for --help)
    from whybench.records.table import FORMATS  # noqa: PLC0415
    from whybench.report.material import Material  # noqa: PLC0415
    from whybench.report.page import make_page  # noqa: PLC0415

    target = Path(output)
    if target.suffix not in {".html", ".htm"}:
        raise UserError(f"-o must be a file ending in .html, got {output}")
    _check_writable(target)
    _say("reading")
    own = tables_of_sources(sources, reread, ())
    if against and against not in _agents(own):
        known = ", ".join(sorted(_agents(own)))
        raise UserError(f"--against must be one of the agents ({known}), got {against!r}")
    tables = with_beside(own, beside)
    logs = [s for s in sources if Path(s).suffix not in FORMATS and not is_partitioned(s)]
    material = Material(
        tables=tables,
        beside=frozenset(_agents(tables) - _agents(own)),
        runs=read_runs(logs) if logs else (),
        logs=logs,
    )
    page = make_page(material, title=title, dated=dated, seed=seed, against=against, say=_say)
    target.write_text(page, encoding="utf-8")
    return target.stat().st_size


def _check_writable(target: Path) -> None:
    """Make sure, before the work, that its result can be kept."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=target.parent):
            pass
        if target.is_dir():
            raise IsADirectoryError("it is a folder")
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"the page must go where it can be written, got {target}: {reason}; choose another -o"
        ) from None


def _agents(tables: list[tuple[str, pa.Table]]) -> set[str]:
    return {agent for _, table in tables for agent in table["agent"].unique().to_pylist()}


def _say(line: str) -> None:
    click.echo(f"… {line}", err=True)
