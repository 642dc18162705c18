"""`train export` writes items for training; `train scan` finds test items in training data."""

from __future__ import annotations

import sys
import time
from itertools import islice
from typing import TYPE_CHECKING

import click

from whybench.cli.options import (
    design_options,
    json_option,
    parse_key_values,
    print_json,
    suite_argument,
)
from whybench.errors import UserError
from whybench.terminal import print_line, print_note, print_pairs, print_rows, show_progress

if TYPE_CHECKING:
    from whybench.training.contamination import Contamination
    from whybench.training.fingerprints import Fingerprints


@click.group("train")
def train_command() -> None:
    """Export training items and scan training data."""


@train_command.command("export")
@suite_argument
@click.option(
    "--split",
    type=click.Choice(["train", "test"]),
    default="train",
    show_default=True,
    help="Export training or test items.",
)
@click.option("--count", type=click.IntRange(1), help="Export N items. [default: all, for a test]")
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="Write to this .jsonl or .parquet file."
)
@design_options
@click.option(
    "--not-for-training",
    is_flag=True,
    help="Confirm that test items will not be trained on.",
)
@json_option
def export_items(
    suite_name: str,
    split: str,
    count: int | None,
    output: str,
    design: str | None,
    factors: tuple[str, ...],
    not_for_training: bool,
    json_output: bool,
) -> None:
    """Export items of SUITE for training, one row each.

    A row has prompt, world, ground truth, certificate and factors; `whybench.training.reward`
    grades a reply from the row alone. Training items never share a world with test items.
    """
    from whybench.training.exports import export, peak_memory  # noqa: PLC0415
    from whybench.training.items import choose_items  # noqa: PLC0415

    settings = parse_key_values(factors, "-T")
    if "split" in settings:
        raise UserError(f"the split is chosen by --split, got -T split={settings['split']}")
    items, count = choose_items(
        suite_name, split, count, design, settings, not_for_training=not_for_training
    )
    start = time.perf_counter()
    with show_progress("exporting", count, json_output) as advance:
        written = export(items, count, output, advance)
    seconds, peak = time.perf_counter() - start, peak_memory()
    summary = {
        "suite": suite_name,
        "split": split,
        "items": written.rows,
        "file": str(written.path),
        "bytes": written.size,
        "sha256": written.sha256,
        "stream": items.hash,
        "items_a_second": round(written.rows / seconds, 1),
        "peak_megabytes": peak,
    }
    if json_output:
        print_json(summary)
        return
    what = f"of the test design {items.design.name}" if split == "test" else "for training"
    click.echo(f"{written.rows:,} items of {suite_name} {what}")
    memory = "" if peak is None else f", {peak:,.0f} MB peak memory"
    print_pairs(
        [
            ("file", f"{written.path}, {written.size / 1e6:,.1f} MB"),
            ("sha256", written.sha256),
            ("speed", f"{written.rows / seconds:,.0f} items per second{memory}"),
        ]
    )


SHOWN = 10


@train_command.command("scan")
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option("--column", metavar="NAME", help="Search only this column. [default: all text]")
@click.option(
    "--designs",
    metavar="SUITE[/DESIGN],...",
    help="Search for these designs only: judge,compose/core. [default: all]",
)
@json_option
def scan_datasets(
    datasets: tuple[str, ...], column: str | None, designs: str | None, json_output: bool
) -> None:
    """Find test items in each DATASET: a .jsonl, .json, .parquet or .txt file, or an address.

    Finds the canary string, exact and near copies of test prompts, and prompts worded like ours
    that are in no design. Exits with status 1 if test material was found. Training items are not
    counted.
    """
    from whybench.training.contamination import search_texts  # noqa: PLC0415
    from whybench.training.corpora import read_texts  # noqa: PLC0415
    from whybench.training.fingerprints import list_named_designs, make_fingerprints  # noqa: PLC0415

    chosen = list(list_named_designs(designs.split(",") if designs else ()))
    for address in datasets:
        next(read_texts(address, column), None)  # a wrong address shows at once
    with show_progress(f"making the prompts of {len(chosen)} test designs", quiet=json_output):
        known = make_fingerprints(chosen)
    texts = (text for address in datasets for text in read_texts(address, column, known.longest))
    with show_progress("searching", quiet=json_output):
        result = search_texts(texts, known)
    if json_output:
        print_json(result.summary(known))
    else:
        _print(result, known)
    sys.exit(1 if result.contaminated else 0)


def _print(result: Contamination, known: Fingerprints) -> None:
    click.echo(f"{result.texts:,} texts compared with {len(known.prompts):,} test prompts")
    for design, why in known.left_out.items():
        print_note(f"left out {design}: {why}")
    rows = [{key: str(value) or "–" for key, value in row.items()} for row in result.count_rows()]
    if rows:
        click.echo()
        print_rows(rows)
    for finding in islice(result.findings, SHOWN):
        what = f"{finding.found} {finding.item or finding.suite or 'test canary'}"
        print_line(f"{finding.where}: {what} ({finding.share:.0%})")
    if len(result.findings) > SHOWN:
        click.echo(f"… and {len(result.findings) - SHOWN:,} more; --json lists them all")
    verdict = "CONTAMINATED" if result.contaminated else "clean: no test material found"
    click.echo(f"\n{verdict}")
