"""`papers replicate` recomputes published results from raw data, with your agents added."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import json_option, print_json, read_sources
from whybench.drawing.figure import save_figures
from whybench.errors import Fence
from whybench.numerals import interval_text
from whybench.terminal import print_line, print_note, print_rows, show_progress
from whybench_papers.replication import PAPERS, replicate

if TYPE_CHECKING:
    from collections.abc import Mapping

LABELS = (
    *("agent", "other", "graph", "content", "overload", "style", "story", "name", "measure"),
    *("criterion", "manipulation", "by", "side_a", "side_b", "own_among_them"),
    *(
        "protocol",
        "family",
        "challenge",
        "hint",
        "data_set",
        "source",
        "stimuli",
        "structure",
        "entities",
        "worlds",
    ),
    *("cause", "effect", "path", "class", "verdict", "provider", "released", "context_window"),
    *("most", "least"),
)
"""Columns that identify a row in a printed table."""

NUMBERS = (
    *("statistic", "p", "adjusted", "corrected_p", "effect", "parameters", "heldout_r2"),
    *("rmse", "mae", "r2", "printed", "leak", "strength_1", "strength_2", "strength"),
    *("leak_adjusted_determinacy", "number", "estimate_a", "estimate_b", "rank"),
    *("accuracy_no", "accuracy_yes", "steps", "errors", "true", "ratio", "external", "internal"),
    *("within", "over_families", "perfect", "words", "shortest", "longest", "aic", "bic", "n"),
)
"""Columns of numbers in a printed table, after the estimate."""

PREVIEW = 6


@click.command("replicate", epilog="Example: whybench papers replicate dettki2025 --table people")
@click.argument("paper", type=click.Choice(PAPERS), metavar="PAPER")
@click.option(
    "--with",
    "beside",
    multiple=True,
    type=click.Path(),
    help="Add your agents from logs or records; may be repeated.",
)
@click.option("--table", help="Print only this table.")
@click.option(
    "--resamples",
    default=2000,
    show_default=True,
    type=click.IntRange(1),
    help="Set bootstrap resamples for intervals.",
)
@click.option(
    "--figures",
    type=click.Path(),
    help="Write figures and tables to this folder.",
)
@json_option
def replicate_command(
    paper: str,
    beside: tuple[str, ...],
    table: str | None,
    resamples: int,
    figures: str | None,
    json_output: bool,
) -> None:
    """Recompute the published results of PAPER from raw data.

    PAPER is dettki2025, feng2025, maasch2025 or du2025. Missing data is downloaded (see `whybench
    data fetch`). To add agents that answered the published prompts (`run dettki2025 --design
    thesis`), use --with; they are marked by a star. --json prints each row in full, one per line,
    with the name of its table.
    """
    own = read_sources(beside, reread=False, baselines=()) if beside else None
    replicated = replicate(paper, beside=own, resamples=resamples)
    if figures is not None:
        fence = Fence()
        with show_progress("drawing figures"):
            written = [*save_figures(replicated.figures(), figures, fence)]
        for path in (*written, *replicated.save(Path(figures) / "tables")):
            click.echo(path)
        for note in fence.notes:
            print_note(f"not drawn: {note}")
        return
    if table is not None:
        replicated.check(table)
    with show_progress("recomputing", quiet=json_output):
        tables = {name: replicated[name].rows for name in ([table] if table else replicated)}
    for name, rows in tables.items():
        if json_output:
            print_json(*({"table": name, **row} for row in rows))
            continue
        shown = rows if table else rows[:PREVIEW]
        print_rows([_row(row) for row in shown], name, f"{len(rows)} rows")
        if not table and len(rows) > PREVIEW:
            print_line(f"  … use --table {name} for all rows, --json for all columns")
    if replicated.note and not json_output:
        print_line(replicated.note)


def _estimate(row: Mapping[str, Any]) -> str:
    found = row.get("estimate", row.get("difference", ""))
    if isinstance(found, str):
        return found
    return interval_text(found, row.get("low"), row.get("high"))


def _row(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the printed cells of a row."""
    numbers = {name: row[name] for name in NUMBERS if isinstance(row.get(name), int | float | str)}
    labels = {name: str(row.get(name) or "") for name in LABELS}
    if row.get("own"):
        labels["agent"] = f"* {labels['agent']}"
    return {
        **labels,
        "estimate": _estimate(row),
        **{name: x if isinstance(x, str) else f"{x:.4g}" for name, x in numbers.items()},
        "flags": str(row.get("flags", "")),
    }
