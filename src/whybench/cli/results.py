"""`records` and `measures`: from logs to tables and numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.cli.sources import (
    beside_option,
    reread_option,
    tables_of_logs,
    tables_of_sources,
    warn,
    with_beside,
)
from whybench.suites.contract import UserError
from whybench.suites.registry import suite

if TYPE_CHECKING:
    import pyarrow as pa

    from whybench.stats import Measure

__all__ = ["measures_command", "print_measures", "records_command"]


@click.command("records")
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="A .parquet or .csv file; with several suites, a folder for one Parquet file each.",
)
@click.option(
    "--table",
    "further",
    default=None,
    metavar="NAME",
    help="In place of answers another table of the suite, such as `steps` of intervene.",
)
@reread_option
@beside_option
@json_option
def records_command(
    logs: tuple[str, ...],
    output: str,
    further: str | None,
    reread: bool,
    beside: tuple[str, ...],
    json_output: bool,
) -> None:
    """Turn LOGS (files or folders) into one tidy table of answers."""
    from whybench.records import write_records  # noqa: PLC0415

    tables, read = tables_of_logs(logs, reread)
    tables = dict(with_beside(list(tables.items()), beside))
    outcomes = {name: Counter(table["outcome"].to_pylist()) for name, table in tables.items()}
    if further is not None:
        tables = {name: _further(name, table, further) for name, table in tables.items()}
    if not tables:
        raise UserError(f"LOGS must hold WhyBench runs, got none in {', '.join(logs)}")
    single = Path(output).suffix != ""
    if single and len(tables) > 1:
        raise UserError(
            f"-o must be a folder for the {len(tables)} suites {', '.join(tables)}, got {output}"
        )
    for name, table in tables.items():
        target = output if single else str(Path(output) / f"{name}.parquet")
        try:
            write_records(table, target)
        except ValueError as error:
            raise UserError(str(error)) from None
        if json_output:
            row = {
                "suite": name,
                "file": target,
                "rows": table.num_rows,
                "outcomes": outcomes[name],
            }
            click.echo(as_json({**row, "superseded": read.superseded}))
        elif further is not None:
            click.echo(f"{target}: {table.num_rows} {further}")
        else:
            click.echo(f"{target}: {table.num_rows} answers, {_counts(outcomes[name])}")
    if not json_output:
        warn(read)


def _further(name: str, table: pa.Table, further: str) -> pa.Table:
    """Return another table that the suite makes from its records."""
    made = suite(name).tables
    if further not in made:
        has = ", ".join(made) or "none"
        raise UserError(f"--table must be among what {name} has ({has}), got {further!r}")
    return made[further](table)


def _counts(outcomes: Counter[str]) -> str:
    return ", ".join(f"{outcomes[name]} {name}" for name in ("scored", "no_answer", "error"))


@click.command("measures")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@reread_option
@beside_option
@json_option
def measures_command(
    sources: tuple[str, ...], reread: bool, beside: tuple[str, ...], json_output: bool
) -> None:
    """Compute measures from SOURCES: logs, folders of logs, or files of records."""
    tables = tables_of_sources(sources, reread, beside, quiet=json_output)
    measures = [measure for name, table in tables for measure in suite(name).measures(table)]
    if json_output:
        for measure in measures:
            click.echo(as_json(measure.row()))
    else:
        print_measures(measures)


def print_measures(measures: list[Measure]) -> None:
    """Print measures as a table: what differs between rows in columns, what does not above it."""
    labels = list(dict.fromkeys(name for measure in measures for name in measure.labels))
    told_apart = [name for name in labels if name != "design_hash"]
    if _distinct(measures, told_apart) == _distinct(measures, labels):
        labels = told_apart  # a hash is printed only where names do not tell runs apart
    common = {
        name: measures[0].labels.get(name, "")
        for name in labels
        if len({measure.labels.get(name, "") for measure in measures}) == 1
    }
    click.echo("  ".join(f"{name}: {value}" for name, value in common.items()))
    rows = [
        {
            **{n: measure.labels.get(n, "") for n in labels if n not in common},
            "measure": measure.name,
            "estimate": _number(measure.estimate),
            "95% interval": _interval(measure),
            "n": str(measure.n),
            "scored": str(measure.scored),
            "no answer": str(measure.no_answer),
            "error": str(measure.error),
            "flags": " ".join(measure.flags),
        }
        for measure in measures
    ]
    widths = {name: max(len(name), *(len(row[name]) for row in rows)) for name in rows[0]}
    for line in ({name: name for name in rows[0]}, *rows):
        click.echo("  ".join(line[name].ljust(width) for name, width in widths.items()).rstrip())


def _distinct(measures: list[Measure], labels: list[str]) -> int:
    return len({tuple(measure.labels.get(name, "") for name in labels) for measure in measures})


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _interval(measure: Measure) -> str:
    if measure.low is None or measure.high is None:
        return "–"
    return f"{measure.low:.4f} to {measure.high:.4f}"
