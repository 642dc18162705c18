"""`data`: what is downloaded, and fetching it."""

from __future__ import annotations

from collections import Counter

import click

from whybench.cli.options import as_json, json_option
from whybench.datasets import SOURCES, DataError, data_path, state

__all__ = ["data_command"]


@click.group("data")
def data_command() -> None:
    """Data that is downloaded and never bundled."""


@data_command.command("list")
@click.argument("source", required=False)
@json_option
def list_data(source: str | None, json_output: bool) -> None:
    """List the sources, or the files of one SOURCE."""
    if source is not None:
        chosen = _source(source)
        rows = [
            {"path": file.path, "bytes": file.size, "state": state(chosen, file.path)}
            for file in SOURCES[chosen].files.values()
        ]
        for row in rows:
            click.echo(
                as_json(row) if json_output else "{bytes:>9}  {state:11}  {path}".format(**row)
            )
        return
    for one in SOURCES.values():
        states = Counter(state(one.name, path) for path in one.files)
        size = sum(file.size for file in one.files.values())
        if json_output:
            row = {"source": one.name, "files": len(one.files), "bytes": size, "states": states}
            click.echo(as_json({**row, "address": one.address, "licence": one.licence}))
            continue
        click.echo(f"{one.name}: {one.title}")
        click.echo(f"  files     {len(one.files)}, {size / 1e6:.1f} MB")
        click.echo("  have      " + ", ".join(f"{count} {name}" for name, count in states.items()))
        click.echo(f"  address   {one.address}")
        click.echo(f"  licence   {one.licence}")
        click.echo(f"  cite      {one.citation}")


@data_command.command("fetch")
@click.argument("source")
@click.option("--only", default="", help="Only files whose path contains this.")
def fetch_data(source: str, only: str) -> None:
    """Download the files of SOURCE into the cache, verifying checksums."""
    chosen = _source(source)
    paths = [path for path in SOURCES[chosen].files if only in path]
    if not paths:
        raise DataError(f"--only must be part of a path of {chosen}, got {only!r}")
    with click.progressbar(paths, label=f"Fetching {len(paths)} files") as bar:
        for path in bar:
            data_path(chosen, path)
    click.echo(f"{len(paths)} files of {chosen} are here and have the right checksums.")


def _source(name: str) -> str:
    if name not in SOURCES:
        raise DataError(f"SOURCE must be one of {', '.join(SOURCES)}, got {name!r}")
    return name
