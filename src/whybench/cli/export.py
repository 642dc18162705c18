"""`export`: items to train on, with all that grading needs; or a test design, if it is meant."""

from __future__ import annotations

import sys
import time

import click

from whybench.cli.options import as_json, design_options, json_option, key_values, suite_argument
from whybench.suites.contract import UserError

__all__ = ["export_command"]


@click.command("export")
@suite_argument
@click.option(
    "--split",
    type=click.Choice(["train", "test"]),
    default="train",
    show_default=True,
    help="The side of the train/test divide.",
)
@click.option("--count", type=click.IntRange(1), help="How many items; of a test design, all.")
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="A file ending in .jsonl or .parquet."
)
@design_options
@click.option(
    "--not-for-training",
    is_flag=True,
    help="Says that a test design is exported to evaluate, and nobody will train on it.",
)
@json_option
def export_command(
    suite_name: str,
    split: str,
    count: int | None,
    output: str,
    design: str | None,
    factors: tuple[str, ...],
    not_for_training: bool,
    json_output: bool,
) -> None:
    """Write items of SUITE to train on, one row each.

    A row has prompt, world, truth, certificate and factors; `whybench.training.reward` grades a
    reply from the row alone. No item to train on is of a world that a test design asks about.
    """
    from whybench.training.exports import export, peak_memory  # noqa: PLC0415
    from whybench.training.series import choose_series  # noqa: PLC0415

    settings = key_values(factors, "-T")
    if "split" in settings:
        raise UserError(f"the side is chosen by --split, got -T split={settings['split']}")
    series, count = choose_series(
        suite_name, split, count, design, settings, not_for_training=not_for_training
    )
    start = time.perf_counter()
    unseen = json_output or not sys.stderr.isatty()
    bar = click.progressbar(length=count, label="Exporting", hidden=unseen, file=sys.stderr)
    with bar:
        written = export(series, count, output, bar.update)
    seconds, peak = time.perf_counter() - start, peak_memory()
    said = {
        "suite": suite_name,
        "split": split,
        "items": written.rows,
        "file": str(written.path),
        "bytes": written.size,
        "sha256": written.sha256,
        "stream": series.hash,
        "items_a_second": round(written.rows / seconds, 1),
        "peak_megabytes": peak,
    }
    if json_output:
        click.echo(as_json(said))
        return
    what = f"of the test design {series.design.name}" if split == "test" else "to train on"
    click.echo(f"{written.rows:,} items of {suite_name} {what}")
    click.echo(f"file     {written.path}, {written.size / 1e6:,.1f} MB")
    click.echo(f"sha256   {written.sha256}")
    click.echo(f"stream   {series.hash}")
    memory = "" if peak is None else f", {peak:,.0f} MB of memory at most"
    click.echo(f"speed    {written.rows / seconds:,.0f} items a second{memory}")
