"""`contamination`: which prompts of a data set are those of tests?"""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.cli.tables import print_rows

if TYPE_CHECKING:
    from whybench.training.contamination import Contamination
    from whybench.training.fingerprints import Fingerprints

__all__ = ["contamination_command"]

SHOWN = 10


@click.command("contamination")
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option("--column", metavar="NAME", help="Only this column. [default: all text of a row]")
@click.option(
    "--designs",
    metavar="SUITE[/DESIGN],...",
    help="Only tests of these, such as judge,compose/core. [default: every named design]",
)
@json_option
def contamination_command(
    datasets: tuple[str, ...], column: str | None, designs: str | None, json_output: bool
) -> None:
    """Look for prompts of tests in DATASETs: .jsonl, .json, .parquet or .txt, or addresses.

    Finds our canary, exact copies of prompts, near copies, and prompts in our words that no design
    asks. Ends with status 1 if anything of a test was found. Items to train on are told apart.
    """
    from whybench.training.contamination import examine  # noqa: PLC0415
    from whybench.training.corpora import texts_of  # noqa: PLC0415
    from whybench.training.fingerprints import fingerprints, named_designs  # noqa: PLC0415

    chosen = list(named_designs(designs.split(",") if designs else ()))
    for address in datasets:
        next(texts_of(address, column), None)  # a wrong address shows at once
    if not json_output:
        click.echo(f"Making the prompts of {len(chosen)} test designs …", err=True)
    known = fingerprints(chosen)
    texts = (text for address in datasets for text in texts_of(address, column, known.longest))
    result = examine(texts, known)
    if json_output:
        click.echo(as_json(result.summary(known)))
    else:
        _print(result, known)
    sys.exit(1 if result.contaminated else 0)


def _print(result: Contamination, known: Fingerprints) -> None:
    click.echo(f"{result.texts:,} texts held against {len(known.prompts):,} prompts of tests")
    for design, why in known.left_out.items():
        click.echo(f"Note: left out {design}: {why}", err=True)
    rows = [{key: str(value) or "–" for key, value in row.items()} for row in result.count_rows()]
    if rows:
        click.echo()
        print_rows(rows)
    for finding in islice(result.findings, SHOWN):
        what = f"{finding.found} {finding.item or finding.suite or 'canary of tests'}"
        click.echo(f"{finding.where}: {what} ({finding.share:.0%})")
    if len(result.findings) > SHOWN:
        click.echo(f"… and {len(result.findings) - SHOWN:,} more; --json lists them all")
    verdict = "CONTAMINATED" if result.contaminated else "clean: nothing of a test was found"
    click.echo(f"\n{verdict}")
