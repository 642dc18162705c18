"""`records` and `measures`: from logs to tables and numbers."""

from __future__ import annotations

from pathlib import Path

import click

from whybench.cli.options import (
    as_json,
    beside_option,
    json_option,
    print_notes,
    read_sources,
    reread_option,
    show_agents,
    sources_argument,
)
from whybench.cli.tables import print_measures
from whybench.suites.contract import UserError

__all__ = ["measures_command", "records_command"]


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
@beside_option
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
    made = answers if table is None else answers.child_table(table)
    if partition:
        made.partition(output)
        files = dict.fromkeys(made.suites, output)
    else:
        files = dict(zip(made.suites, map(str, made.save(output)), strict=True))
    for name, file in files.items():
        rows, outcomes = made.tables[name].num_rows, answers[name].outcomes
        counts = ", ".join(f"{outcomes[one]} {one}" for one in ("scored", "no_answer", "error"))
        if json_output:
            row = {"suite": name, "file": file, "rows": rows, "outcomes": outcomes}
            click.echo(as_json({**row, "notes": answers.notes}))
        else:
            click.echo(f"{file}: {rows} {table or f'answers, {counts}'}")
    if not json_output:
        print_notes(answers)


@click.command("measures")
@sources_argument
@click.option(
    "--summed",
    is_flag=True,
    help="Of partitioned records, only what follows from counts and means, in one scan.",
)
@reread_option
@beside_option
@json_option
def measures_command(
    sources: tuple[str, ...],
    summed: bool,
    reread: bool,
    baselines: tuple[str, ...],
    json_output: bool,
) -> None:
    """Compute measures from SOURCES: logs, folders of logs, or records, partitioned or not."""
    if summed and (reread or baselines):
        given = "--reread" if reread else f"--beside {baselines[0]}"
        raise UserError(f"--summed must stand alone, got {given} beside it; leave one out")
    if summed:
        from whybench.results.summed import sum_measures  # noqa: PLC0415  (not for --help)

        measures, left_out = sum_measures(*sources)
        for name in left_out:
            click.echo(f"Note: left out {name}: its measures need single answers", err=True)
    else:
        answers = read_sources(sources, reread, baselines, quiet=json_output)
        measures = answers.measures(watch=show_agents(json_output))
    if json_output:
        for measure in measures:
            click.echo(as_json(measure.row()))
    else:
        print_measures(measures)
