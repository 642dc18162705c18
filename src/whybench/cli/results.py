"""What came of runs: `records`, `measures`, `figures`, and `report`, a page of everything."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import (
    baseline_option,
    json_option,
    print_json,
    print_notes,
    read_sources,
    reread_option,
    sources_argument,
)
from whybench.cli.tables import print_measures
from whybench.drawing.figure import save_figures
from whybench.errors import Fence, UserError
from whybench.suites.registry import get_suite, suite_names
from whybench.terminal import print_line, print_note, print_rows, show_progress, track

if TYPE_CHECKING:
    from whybench.results import Measures, Records

__all__ = [
    "figures_command",
    "measure_answers",
    "measures_command",
    "records_command",
    "report_command",
    "say_step",
]


OUTCOMES = ("scored", "no_answer", "error")


@click.command("records")
@sources_argument
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="A .parquet or .csv file; with several suites, a folder for one Parquet file each.",
)
@click.option(
    "--table",
    default=None,
    metavar="NAME",
    help="In place of answers another table of the suite, such as `steps` of intervene.",
)
@click.option(
    "--partition",
    is_flag=True,
    help="Into a folder or an address, a Parquet file for each suite, agent and design.",
)
@reread_option
@baseline_option
@json_option
def records_command(
    sources: tuple[str, ...],
    output: str,
    table: str | None,
    partition: bool,
    reread: bool,
    baselines: tuple[str, ...],
    json_output: bool,
) -> None:
    """Turn SOURCES (logs, folders of logs, records) into one tidy table of answers."""
    from whybench.records.table import FORMATS  # noqa: PLC0415  (not for --help)

    answers = read_sources(sources, reread, baselines, quiet=True)
    if partition and (table is not None or Path(output).suffix in FORMATS):
        raise UserError(
            f"`partition` must have answers and a folder to put them in, got {table or output}"
        )
    chosen = answers if table is None else answers.child_table(table)
    if partition:
        chosen.partition(output)
        files = dict.fromkeys(chosen.suites, output)
    else:
        files = dict(zip(chosen.suites, map(str, chosen.save(output)), strict=True))
    rows = []
    for name, file in files.items():
        count, outcomes = chosen.tables[name].num_rows, answers[name].outcomes
        if json_output:
            row = {"suite": name, "file": file, "rows": count, "outcomes": outcomes}
            print_json({**row, "notes": answers.notes})
        told = {key.replace("_", " "): f"{outcomes[key]:,}" for key in OUTCOMES if outcomes[key]}
        rows.append({"file": file, table or "answers": f"{count:,}", **({} if table else told)})
    if not json_output:
        print_rows(rows)
        print_notes(answers)


@click.command("measures")
@sources_argument
@click.option(
    "--summed",
    is_flag=True,
    help="Of partitioned records, only what follows from counts and means, in one scan.",
)
@click.option(
    "--levels",
    is_flag=True,
    help="Also measures at single levels, such as one challenge; --json has them always.",
)
@reread_option
@baseline_option
@json_option
def measures_command(
    sources: tuple[str, ...],
    summed: bool,
    levels: bool,
    reread: bool,
    baselines: tuple[str, ...],
    json_output: bool,
) -> None:
    """Compute measures from SOURCES: logs, folders of logs, or records, partitioned or not."""
    if summed and (reread or baselines):
        given = "--reread" if reread else f"--baseline {baselines[0]}"
        raise UserError(f"--summed must stand alone, got {given} beside it; leave one out")
    if summed:
        from whybench.results.measures import measure_sums  # noqa: PLC0415  (not for --help)

        measures, left_out = measure_sums(*sources)
        for name in left_out:
            print_note(f"left out {name}: its measures need single answers")
    else:
        answers = read_sources(sources, reread, baselines)
        measures = measure_answers(answers, watch=partial(track, quiet=json_output))
    if json_output:
        print_json(*(measure.row() for measure in measures))
    elif measures:
        shown = measures if levels else measures.overall or measures
        print_measures(shown)
        if left := len(measures) - len(shown):
            print_line(f"\n{left:,} more are of single levels: --levels shows them.")
    sys.exit(0 if measures else 1)


def measure_answers(answers: Records, **options: Any) -> Measures:
    """Compute all measures, and print a note on each agent that cannot be measured."""
    fence = Fence()
    measures = answers.measures(fence=fence, **options)
    for note in fence.notes:
        print_note(f"not measured: {note}")
    return measures


@click.command("report")
@sources_argument
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="The page, a file ending in .html."
)
@click.option("--title", default="Causal reasoning", show_default=True, help="The page's heading.")
@click.option("--date", default="", help="A date to show; without it there is none.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Which answers are shown, if not all."
)
@click.option(
    "--against",
    default="",
    metavar="AGENT",
    help="Compare every agent with this one. [default: every two, or with the first if many]",
)
@reread_option
@baseline_option
def report_command(
    sources: tuple[str, ...],
    output: str,
    title: str,
    date: str,
    seed: int,
    against: str,
    reread: bool,
    baselines: tuple[str, ...],
) -> None:
    """Write one page about SOURCES: logs, folders of logs, or files of records.

    The page is one HTML file that needs nothing else: profiles of the agents, comparisons, figures,
    answers with what was said, all measures, and the data.
    """
    from whybench.page import check_target, report  # noqa: PLC0415  (not for --help)

    check_target(output)
    say_step("reading")
    answers = read_sources(sources, reread, baselines)
    page = report(answers, output, title=title, date=date, seed=seed, against=against, say=say_step)
    click.echo(f"{page}: {page.stat().st_size / 1e6:.1f} MB")


def say_step(line: str) -> None:
    """Print on standard error what is being done."""
    click.echo(f"… {line}", err=True)


@click.command("figures")
@sources_argument
@click.option("-o", "--output", required=True, type=click.Path(), help="A folder for the files.")
@reread_option
@baseline_option
def figures_command(
    sources: tuple[str, ...], output: str, reread: bool, baselines: tuple[str, ...]
) -> None:
    """Draw the figures of SOURCES (logs, folders of logs, or files of records) as PDF, SVG, PNG.

    A figure that cannot be drawn is named, and the others are written. Ends with status 1 if there
    is none.
    """
    fence = Fence()
    answers = read_sources(sources, reread, baselines)
    if not any(get_suite(name).draws_figures for name in answers.suites):
        able = ", ".join(name for name in suite_names() if get_suite(name).draws_figures)
        raise UserError(
            f"`sources` must hold answers to a suite whose runs can be drawn ({able}), "
            f"got {', '.join(answers.suites)}"
        )
    with show_progress("drawing figures"):
        written = [str(path) for path in save_figures(answers.figures(), output, fence)]
    for path in written:
        click.echo(path)
    for note in fence.notes:
        print_note(f"not drawn: {note}")
    if not written:
        print_line(
            "No figure was written: these answers hold nothing that one could show", err=True
        )
        sys.exit(1)
