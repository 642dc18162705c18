"""`records` and `measures`: from logs to tables and numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.cli.sources import (
    beside_option,
    is_partitioned,
    portions_of_sources,
    reread_option,
    tables_of_logs,
    warn,
    with_beside,
)
from whybench.cli.tables import measure_texts, print_rows
from whybench.suites.contract import UserError
from whybench.suites.registry import suite

if TYPE_CHECKING:
    from collections.abc import Iterator

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
@click.option(
    "--partition",
    is_flag=True,
    help="Into a folder or an address, a Parquet file for each suite, agent and design.",
)
@reread_option
@beside_option
@json_option
def records_command(
    logs: tuple[str, ...],
    output: str,
    further: str | None,
    partition: bool,
    reread: bool,
    beside: tuple[str, ...],
    json_output: bool,
) -> None:
    """Turn LOGS (files or folders) into one tidy table of answers."""
    from whybench.records import write_partition, write_records  # noqa: PLC0415
    from whybench.records.table import FORMATS  # noqa: PLC0415

    tables, read = tables_of_logs(logs, reread)
    tables = dict(with_beside(list(tables.items()), beside))
    outcomes = {name: Counter(table["outcome"].to_pylist()) for name, table in tables.items()}
    if further is not None:
        tables = {name: _further(name, table, further) for name, table in tables.items()}
    if not tables:
        raise UserError(f"LOGS must hold WhyBench runs, got none in {', '.join(logs)}")
    if partition and (further is not None or Path(output).suffix in FORMATS):
        raise UserError(
            f"--partition must have answers and a folder to put them in, got {further or output}"
        )
    single = Path(output).suffix != "" and not partition
    if single and len(tables) > 1:
        raise UserError(
            f"-o must be a folder for the {len(tables)} suites {', '.join(tables)}, got {output}"
        )
    for name, table in tables.items():
        target = output if single or partition else str(Path(output) / f"{name}.parquet")
        try:
            if partition:
                write_partition(table, target)
            else:
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
@click.option(
    "--summed",
    is_flag=True,
    help="Of partitioned records, only what follows from counts and means, in one scan.",
)
@reread_option
@beside_option
@json_option
def measures_command(
    sources: tuple[str, ...], summed: bool, reread: bool, beside: tuple[str, ...], json_output: bool
) -> None:
    """Compute measures from SOURCES: logs, folders of logs, or records, partitioned or not."""
    if summed and (reread or beside):
        given = "--reread" if reread else f"--beside {beside[0]}"
        raise UserError(f"--summed must stand alone, got {given} beside it; leave one out")
    if summed:
        found = (measure for source in sources for measure in _summed(source))
    else:
        portions = portions_of_sources(sources, reread, beside, quiet=json_output)
        found = (measure for name, table in portions for measure in suite(name).measures(table))
    if json_output:
        for measure in found:
            click.echo(as_json(measure.row()))
    else:
        print_measures(list(found))


def _summed(source: str) -> Iterator[Measure]:
    """Yield the measures that follow from partitioned records summed up."""
    from whybench.records import sum_up  # noqa: PLC0415
    from whybench.records.partitions import partitioned_suites  # noqa: PLC0415

    if not is_partitioned(source):
        raise UserError(
            f"--summed must have partitioned records, got {source}; "
            "`whybench records LOGS --partition -o FOLDER` makes them"
        )
    names = partitioned_suites(source)
    able = [name for name in names if suite(name).summed_measures is not None]
    for name in names if able else ():
        if name not in able:
            click.echo(f"Note: left out {name}: its measures need single answers", err=True)
    if not able:
        raise UserError(
            f"--summed must have records of a suite that needs no single answers, got "
            f"{', '.join(names)}; leave it out"
        )
    for one in map(suite, able):
        assert one.summed_measures is not None
        try:
            table = sum_up(source, one.name, one.summed_by)
        except (ImportError, ValueError) as error:
            raise UserError(str(error)) from None
        yield from one.summed_measures(table)


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
            **measure_texts(measure),
        }
        for measure in measures
    ]
    print_rows(rows)


def _distinct(measures: list[Measure], labels: list[str]) -> int:
    return len({tuple(measure.labels.get(name, "") for name in labels) for measure in measures})
