"""Results of runs: `results` and `report`."""

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


@click.command("results")
@sources_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write answers to a .parquet or .csv file, or a folder.",
)
@click.option(
    "--figures", "figure_folder", metavar="DIR", type=click.Path(), help="Draw figures to DIR."
)
@click.option("--levels", is_flag=True, help="Add measures by level; always in --json.")
@click.option("--table", metavar="NAME", help="Choose another table, such as judge's `fits`.")
@click.option("--partition", is_flag=True, help="Write one Parquet file per suite, agent, design.")
@click.option("--summed", is_flag=True, help="Scan partitioned records once, for counts and means.")
@click.option(
    "--agents",
    multiple=True,
    metavar="AGENT",
    help="Use answers of this agent only; may be repeated.",
)
@reread_option
@baseline_option
@json_option
def results_command(
    sources: tuple[str, ...],
    output: str | None,
    figure_folder: str | None,
    levels: bool,
    table: str | None,
    partition: bool,
    summed: bool,
    agents: tuple[str, ...],
    reread: bool,
    baselines: tuple[str, ...],
    json_output: bool,
) -> None:
    """Print measures of SOURCES, or write answers and figures.

    SOURCES are logs, folders of logs, or records. Prints measures with 95% confidence intervals and
    sample sizes. -o writes the answers instead, and --figures the figures, as PDF, SVG and PNG.
    Exits with status 1 if there is no measure or no figure.
    """
    from whybench.records.table import FORMATS  # noqa: PLC0415  (not for --help)

    if summed:
        given = {
            "--reread": reread,
            "--table": table,
            "--baseline": baselines,
            "--agents": agents,
            "--output": output,
            "--figures": figure_folder,
        }
        if others := [name for name, value in given.items() if value]:
            raise UserError(f"--summed must be used alone, got {others[0]} too; leave one out")
        _print_measures(_sum_measures(sources), levels, json_output)
        return
    if partition and (table is not None or output is None or Path(output).suffix in FORMATS):
        got = table or output or "no --output"
        raise UserError(f"--partition requires answers and a folder as --output, got {got}")
    answers = read_sources(sources, reread, baselines, quiet=bool(output))
    if agents:
        answers = answers.filter([*agents, *filter(is_people, answers.baseline_agents)])
    if output:
        _write_answers(answers, output, table, partition, json_output)
    if figure_folder:
        _draw_figures(answers, figure_folder)
    if output or figure_folder:
        return
    if table:
        _print_child_table(answers, table, json_output)
        return
    measures = measure_answers(answers, watch=partial(track, quiet=json_output))
    _print_measures(measures, levels, json_output)


def _sum_measures(sources: tuple[str, ...]) -> Measures:
    """Compute measures from counts and means, with a note on suites that have no such measures."""
    from whybench.results.measures import measure_sums  # noqa: PLC0415  (not for --help)

    measures, left_out = measure_sums(*sources)
    for name in left_out:
        print_note(f"left out {name}: its measures require individual answers")
    return measures


def _print_measures(measures: Measures, levels: bool, json_output: bool) -> None:
    """Print measures; end with status 1 if there is none."""
    if json_output:
        print_json(*(measure.row() for measure in measures))
    elif measures:
        shown = measures if levels else measures.overall or measures
        print_measures(shown)
        if left := len(measures) - len(shown):
            print_line(f"\n{left:,} more measures by level: add --levels.")
    sys.exit(0 if measures else 1)


def _write_answers(
    answers: Records, output: str, table: str | None, partition: bool, json_output: bool
) -> None:
    """Write the answers, or another table of them, and print the files."""
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
        counts = {key.replace("_", " "): f"{outcomes[key]:,}" for key in OUTCOMES if outcomes[key]}
        rows.append({"file": file, table or "answers": f"{count:,}", **({} if table else counts)})
    if not json_output:
        print_rows(rows)
        print_notes(answers)


def _draw_figures(answers: Records, folder: str) -> None:
    """Draw the figures and print the files; end with status 1 if no figure was written.

    In judge, baselines are drawn with your agents where both answered the same questions.
    """
    fence = Fence()
    if not any(get_suite(name).draws_figures for name in answers.suites):
        able = ", ".join(name for name in suite_names() if get_suite(name).draws_figures)
        raise UserError(
            f"`sources` must hold answers to a suite whose runs can be drawn ({able}), "
            f"got {', '.join(answers.suites)}"
        )
    with show_progress("drawing figures"):
        written = [str(path) for path in save_figures(answers.figures(), folder, fence)]
    for path in written:
        click.echo(path)
    for note in fence.notes:
        print_note(f"not drawn: {note}")
    if not written:
        print_line("No figure was written: these answers have no data for one", err=True)
        sys.exit(1)


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
