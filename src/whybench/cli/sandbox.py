"""`sandbox`: can this machine confine code that a model wrote?"""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from whybench.cli.options import as_json, json_option

__all__ = ["sandbox_command"]


@click.group("sandbox")
def sandbox_command() -> None:
    """Confinement of code that a model wrote."""


@sandbox_command.command("check")
@json_option
def _check(json_output: bool) -> None:
    """Try what this machine can enforce, item by item.

    Ends with status 1, and the reason, where untrusted code must not be run.
    """
    from whybench.sandbox.check import check_confinement  # noqa: PLC0415

    failed = []
    for finding in check_confinement():
        if not finding.holds:
            failed.append(finding)
        if json_output:
            click.echo(as_json(asdict(finding)))
            continue
        click.echo(f"{'ok  ' if finding.holds else 'FAIL'} {finding.name}: {finding.seen}")
    if failed:
        first = failed[0]
        click.echo(f"Untrusted code must not be run here: {first.name}: {first.seen}", err=True)
        sys.exit(1)
    if not json_output:
        click.echo("Untrusted code can be confined on this machine.")
