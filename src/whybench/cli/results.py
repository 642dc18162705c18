"""Results of runs: `records`, `measures`, `figures` and `report`."""

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
from whybench.drawing.figure import is_people, save_figures
from whybench.errors import Fence, UserError
from whybench.numerals import number_text
from whybench.suites.registry import get_suite, suite_names
from whybench.terminal import print_line, print_note, print_rows, show_progress, track

if TYPE_CHECKING:
    from whybench.results import Measures, Records

OUTCOMES = ("scored", "no_answer", "error")

HIDDEN = ("_low", "_high", "_hash")
"""Ends of columns' names for which a printed table has no room; `--json` and files have all."""


@click.command("records")
@sources_argument
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="Write a .parquet or .csv file; a folder for several suites.",
)
@click.option(
    "--table",
    default=None,
    metavar="NAME",
    help="Write another table, such as intervene's `steps`.",
)
@click.option(
    "--partition",
    is_flag=True,
    help="Write one Parquet file per suite, agent, design.",
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
    """Write the answers in SOURCES (logs, folders of logs, records) to one tidy table."""
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
    "--table",
    "chosen",
    metavar="NAME",
    help="Print another table, such as judge's `fits`.",
)
@click.option(
    "--summed",
    is_flag=True,
    help="Scan partitioned records once, for counts and means.",
)
@click.option(
    "--levels",
    is_flag=True,
    help="Add measures by level; always in --json.",
)
@reread_option
@baseline_option
@json_option
def measures_command(
    sources: tuple[str, ...],
    chosen: str | None,
    summed: bool,
    levels: bool,
    reread: bool,
    baselines: tuple[str, ...],
    json_output: bool,
) -> None:
    """Compute measures from SOURCES: logs, folders of logs, or records.

    Prints estimates with 95% confidence intervals and sample sizes.
    """
    if summed and (reread or baselines or chosen):
        given = "--reread" if reread else "--table" if chosen else f"--baseline {baselines[0]}"
        raise UserError(f"--summed must be used alone, got {given} too; leave one out")
    if summed:
        from whybench.results.measures import measure_sums  # noqa: PLC0415  (not for --help)

        measures, left_out = measure_sums(*sources)
        for name in left_out:
            print_note(f"left out {name}: its measures require individual answers")
    else:
        answers = read_sources(sources, reread, baselines)
        if chosen:
            _print_child_table(answers, chosen, json_output)
            return
        measures = measure_answers(answers, watch=partial(track, quiet=json_output))
    if json_output:
        print_json(*(measure.row() for measure in measures))
    elif measures:
        shown = measures if levels else measures.overall or measures
        print_measures(shown)
        if left := len(measures) - len(shown):
            print_line(f"\n{left:,} more measures by level: add --levels.")
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
    "-o", "--output", required=True, type=click.Path(), help="Write the report to this .html file."
)
@click.option("--title", default="Causal reasoning", show_default=True, help="Set the heading.")
@click.option("--date", default="", help="Show this date. [default: none]")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed the selection of answers shown."
)
@click.option(
    "--against",
    default="",
    metavar="AGENT",
    help="Compare every agent with this one. [default: all pairs, or the first if many]",
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
    """Write an HTML report of SOURCES: logs, folders of logs, or files of records.

    The report is one self-contained file with profiles of the agents, comparisons, figures,
    answers, all measures and the data.
    """
    from whybench.page import check_target, report  # noqa: PLC0415  (not for --help)

    check_target(output)
    say_step("reading")
    answers = read_sources(sources, reread, baselines)
    page = report(answers, output, title=title, date=date, seed=seed, against=against, say=say_step)
    click.echo(f"Report: {page} ({page.stat().st_size / 1e6:.1f} MB)")


def _print_child_table(answers: Records, chosen: str, json_output: bool) -> None:
    """Print another table that suites make from answers."""
    for name, table in answers.child_table(chosen).tables.items():
        rows = table.to_pylist()
        if json_output:
            print_json(*({"suite": name, **row} for row in rows))
            continue
        kept = [key for key in table.column_names if not key.endswith(HIDDEN)]
        words = [key for key in kept if key != "agent" and isinstance(rows[0][key], str)]
        texts = [{key: _cell_text(row[key]) for key in kept} for row in rows]
        print_rows(texts, name, chosen, share=words)


def _cell_text(value: object) -> str:
    """Return a value as a cell of a table: two decimals of a number that has some."""
    if isinstance(value, float):
        return number_text(value)
    return "" if value in (None, "none") else str(value)


def say_step(line: str) -> None:
    """Print the current step on standard error."""
    click.echo(f"… {line}", err=True)


@click.command("figures")
@sources_argument
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="Write files to this folder."
)
@click.option(
    "--agents",
    multiple=True,
    metavar="AGENT",
    help="Draw only this agent; may be repeated.",
)
@reread_option
@baseline_option
def figures_command(
    sources: tuple[str, ...],
    output: str,
    agents: tuple[str, ...],
    reread: bool,
    baselines: tuple[str, ...],
) -> None:
    """Draw the figures of SOURCES (logs, folders of logs, or files of records) as PDF, SVG, PNG.

    In judge, baselines are drawn with your agents where both answered the same questions. Figures
    that cannot be drawn are listed. Exits with status 1 if no figure was written.
    """
    fence = Fence()
    answers = read_sources(sources, reread, baselines)
    if agents:
        answers = answers.filter([*agents, *filter(is_people, answers.baseline_agents)])
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
        print_line("No figure was written: these answers have no data for one", err=True)
        sys.exit(1)
