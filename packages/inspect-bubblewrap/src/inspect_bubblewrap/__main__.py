"""The command `inspect-bubblewrap`: test what this machine can enforce."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from inspect_bubblewrap.check import check_all


@click.command("inspect-bubblewrap")
@click.option("--json", "json_output", is_flag=True, help="Print one JSON object per restriction.")
def main(json_output: bool) -> None:
    """Test each restriction that this machine must enforce.

    Exits with status 1 and the reason if untrusted code must not be run here.
    """
    findings = []
    for finding in check_all():
        findings.append(finding)
        if json_output:
            click.echo(json.dumps(asdict(finding)))
        else:
            click.echo(f"{finding.name:20} {'ok' if finding.holds else 'FAIL':4}  {finding.seen}")
    if failed := [finding for finding in findings if not finding.holds]:
        first = failed[0]
        click.echo(f"Untrusted code must not be run here: {first.name}: {first.seen}", err=True)
        sys.exit(1)
    if not json_output:
        click.echo("Untrusted code can be confined on this machine.")


if __name__ == "__main__":
    main()
