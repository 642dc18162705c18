"""Setup of this machine: downloaded `data` and the `sandbox` for programs."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict

import click

from whybench.cli.options import json_option, print_json
from whybench.datasets import SOURCES, data_path, file_state
from whybench.errors import DataError, suggest
from whybench.terminal import print_line, print_pairs, print_rows, show_progress, track


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
            for file in SOURCES[chosen].files.values()
        ]
        if json_output:
            print_json(*rows)
            return
        texts = [{**row, "bytes": f"{row['bytes']:,}"} for row in rows]
        print_rows(texts, chosen, share=("state",))  # type: ignore[arg-type]
        return
    for number, each in enumerate(SOURCES.values()):
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
                ("  licence", each.licence),
                ("  cite", each.citation),
            ]
        )


@data_command.command("fetch")
@click.argument("source")
@click.option("--only", default="", help="Download only files whose path contains this.")
def fetch_data(source: str, only: str) -> None:
    """Download the files of SOURCE to the cache and verify checksums."""
    chosen = _source(source)
    paths = [path for path in SOURCES[chosen].files if only in path]
    if not paths:
        raise DataError(f"--only must be part of a path of {chosen}, got {only!r}")
    for path in track(paths, "fetching files"):
        data_path(chosen, path)
    click.echo(f"{len(paths)} files of {chosen} are downloaded and have the right checksums.")


def _source(name: str) -> str:
    if name not in SOURCES:
        raise DataError(
            f"SOURCE must be one of {', '.join(SOURCES)}, got {name!r}{suggest(name, SOURCES)}"
        )
    return name


@click.group("sandbox")
def sandbox_command() -> None:
    """Check the sandbox for model-written code."""


@sandbox_command.command("image")
def _image() -> None:
    """Print the path of a compose file for `--sandbox docker:…`."""
    from whybench.sandbox.packages import image_file  # noqa: PLC0415

    click.echo(image_file())


@sandbox_command.command("check")
@json_option
def _check(json_output: bool) -> None:
    """Test each restriction that this machine must enforce.

    Exits with status 1 and the reason if untrusted code must not be run here.
    """
    from whybench.sandbox.check import check_all  # noqa: PLC0415

    with show_progress("trying", quiet=json_output):
        findings = list(check_all())
    if json_output:
        print_json(*map(asdict, findings))
    else:
        rows = ((f.name, "ok" if f.holds else "FAIL", f.seen) for f in findings)
        print_rows(
            [{"restriction": name, "holds": mark, "observed": seen} for name, mark, seen in rows]
        )
        click.echo()
    if failed := [finding for finding in findings if not finding.holds]:
        first = failed[0]
        print_line(f"Untrusted code must not be run here: {first.name}: {first.seen}", err=True)
        sys.exit(1)
    if not json_output:
        click.echo("Untrusted code can be confined on this machine.")
