"""`new` writes templates of stories, themes, challenges and suites."""

from __future__ import annotations

from pathlib import Path

import click

from whybench.errors import UserError
from whybench.scaffolds import KINDS, THEMED, make_scaffold, write_scaffold
from whybench.terminal import print_line


@click.command("new")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "-o",
    "folder",
    type=click.Path(path_type=Path),
    default=".",
    help="Write to this folder. [default: here]",
)
@click.option(
    "--suite",
    "suite_name",
    type=click.Choice(THEMED),
    help=f"Create a theme for this suite. [default: {THEMED[0]}]",
)
def new_command(kind: str, name: str, folder: Path, suite_name: str | None) -> None:
    """Create a working story, theme, challenge or suite called NAME for you to edit.

    A story (judge) or theme (intervene, compose, calculate) is a YAML file. A challenge (analyze)
    or suite is a small package. Each passes `whybench validate` unchanged. Existing files are not
    overwritten.
    """
    if suite_name is not None and kind != "theme":
        raise UserError(f"--suite is for a theme, got a {kind}; leave it out")
    scaffold = make_scaffold(kind, name, suite_name or THEMED[0])
    for path in write_scaffold(scaffold, folder):
        click.echo(f"wrote {path}")
    where = "" if folder == Path() else f"in {folder}, "
    click.echo(f"\nIt works as it is. Next, {where}run")
    for step in scaffold.steps:
        click.echo(f"  {step}")
    print_line(f"\nthen edit it step by step; see “{scaffold.guide}” in the documentation.")
