"""The command `whybench papers`, found through the entry point `whybench.commands`."""

from __future__ import annotations

import click

from whybench_papers.cli.audit import audit_command
from whybench_papers.cli.replicate import replicate_command


@click.group("papers", commands=[audit_command, replicate_command])
def papers_command() -> None:
    """Recompute published results and answer keys."""
