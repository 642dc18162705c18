"""`new`: a working start for what users add."""

from __future__ import annotations

from pathlib import Path

import click

from whybench.starts import KINDS, THEMED, start, write_start
from whybench.suites.contract import UserError

__all__ = ["new_command"]


@click.command("new")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "-o", "folder", type=click.Path(path_type=Path), default=".", help="Where to. [default: here]"
)
@click.option(
    "--suite",
    "suite_name",
    type=click.Choice(THEMED),
    help=f"The suite that a theme is for. [default: {THEMED[0]}]",
)
def new_command(kind: str, name: str, folder: Path, suite_name: str | None) -> None:
    """Write a story, theme, challenge or suite called NAME that works, to be changed.

    A story (judge) and a theme (intervene, compose) are a YAML file; a challenge (analyze) and a
    suite are a small package. Each passes `whybench check` as it is. Nothing is overwritten.
    """
    if suite_name is not None and kind != "theme":
        raise UserError(f"--suite is for a theme, got a {kind}; leave it out")
    begun = start(kind, name, suite_name or THEMED[0])
    for path in write_start(begun, folder):
        click.echo(f"wrote {path}")
    click.echo("\nIt works as it is. Go on with" + ("" if folder == Path() else f", in {folder},"))
    for step in begun.steps:
        click.echo(f"  {step}")
    click.echo(
        f"\nand change it bit by bit; the page “{begun.guide}” of the documentation tells how."
    )
