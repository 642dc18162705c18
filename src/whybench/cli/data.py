"""`data` lists and downloads external data."""

from __future__ import annotations

from collections import Counter

import click

from whybench.cli.options import json_option, print_json
from whybench.datasets import data_path, file_state, list_sources
from whybench.errors import DataError, suggest
from whybench.terminal import print_line, print_pairs, print_rows, track


@click.group("data")
def data_command() -> None:
    """List and download external data, which WhyBench never bundles."""


@data_command.command("list")
@click.argument("source", required=False)
@json_option
def list_data(source: str | None, json_output: bool) -> None:
    """List all sources of data, or the files of one SOURCE."""
    if source is not None:
        chosen = _source(source)
        rows = [
            {"path": file.path, "bytes": file.size, "state": file_state(chosen, file.path)}
            for file in list_sources()[chosen].files.values()
        ]
        if json_output:
            print_json(*rows)
            return
        texts = [{**row, "bytes": f"{row['bytes']:,}"} for row in rows]
        print_rows(texts, chosen, share=("state",))  # type: ignore[arg-type]
        return
    for number, each in enumerate(list_sources().values()):
        states = Counter(file_state(each.name, path) for path in each.files)
        size = sum(file.size for file in each.files.values())
        if json_output:
            row = {"source": each.name, "files": len(each.files), "bytes": size, "states": states}
            print_json({**row, "address": each.address, "licence": each.licence})
            continue
        have = ", ".join(f"{count} {name}" for name, count in states.items())
        print_line(("\n" if number else "") + f"{each.name}: {each.title}")
        print_pairs(
            [
                ("  files", f"{len(each.files)}, {size / 1e6:.1f} MB: {have}"),
                ("  address", each.address),
                ("  license", each.licence),
                ("  cite", each.citation),
            ]
        )


@data_command.command("fetch")
@click.argument("source")
@click.option("--only", default="", help="Download only files whose path contains this.")
def fetch_data(source: str, only: str) -> None:
    """Download the files of SOURCE to the cache and verify checksums."""
    chosen = _source(source)
    paths = [path for path in list_sources()[chosen].files if only in path]
    if not paths:
        raise DataError(f"--only must be part of a path of {chosen}, got {only!r}")
    for path in track(paths, "fetching files"):
        data_path(chosen, path)
    click.echo(f"{len(paths)} files of {chosen} are downloaded and have the right checksums.")


def _source(name: str) -> str:
    known = list_sources()
    if name not in known:
        raise DataError(
            f"SOURCE must be one of {', '.join(known)}, got {name!r}{suggest(name, known)}"
        )
    return name
