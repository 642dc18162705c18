"""`records` and `measures`: from logs to tables and numbers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.suites.contract import UserError
from whybench.suites.registry import suite, suite_names

if TYPE_CHECKING:
    import pyarrow as pa
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

    from whybench.records import ReadLogs
    from whybench.stats import Measure

__all__ = ["measures_command", "print_measures", "records_command", "tables_of_logs"]

reread_option = click.option(
    "--reread", is_flag=True, help="Read every answer anew from its reply; no calls are made."
)


beside_option = click.option(
    "--beside",
    multiple=True,
    metavar="NAME",
    help="Add records from downloaded data, such as `people`, in the suites that have them.",
)


@click.command("records")
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(),
    help="A .parquet or .csv file; with several suites, a folder for one Parquet file each.",
)
@reread_option
@beside_option
@json_option
def records_command(
    logs: tuple[str, ...], output: str, reread: bool, beside: tuple[str, ...], json_output: bool
) -> None:
    """Turn LOGS (files or folders) into one tidy table of answers."""
    from whybench.records import write_records  # noqa: PLC0415

    tables, read = tables_of_logs(logs, reread)
    tables = {name: _with_beside(name, table, beside) for name, table in tables.items()}
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
        outcomes = Counter(table["outcome"].to_pylist())
        if json_output:
            row = {"suite": name, "file": target, "rows": table.num_rows, "outcomes": outcomes}
            click.echo(as_json({**row, "superseded": read.superseded}))
        else:
            click.echo(f"{target}: {table.num_rows} answers, {_counts(outcomes)}")
    if not json_output:
        _warn(read)


def _counts(outcomes: Counter[str]) -> str:
    return ", ".join(f"{outcomes[name]} {name}" for name in ("scored", "no_answer", "error"))


def _warn(read: ReadLogs) -> None:
    for log in read.unfinished:
        click.echo(f"Note: unfinished log {log}: its answers so far are included", err=True)
    for log in read.foreign:
        click.echo(f"Note: left out {log}: not a WhyBench run", err=True)
    if read.superseded:
        click.echo(f"Note: {read.superseded} repeated answers gave way to later ones", err=True)


@click.command("measures")
@click.argument("sources", nargs=-1, required=True, type=click.Path())
@reread_option
@beside_option
@json_option
def measures_command(
    sources: tuple[str, ...], reread: bool, beside: tuple[str, ...], json_output: bool
) -> None:
    """Compute measures from SOURCES: logs, folders of logs, or files of records."""
    tables: list[tuple[str, pa.Table]] = []
    logs = [source for source in sources if Path(source).suffix not in {".parquet", ".csv"}]
    if logs:
        found, read = tables_of_logs(logs, reread)
        tables += found.items()
        if not json_output:
            _warn(read)
    tables += [_table_of_file(source) for source in sources if source not in logs]
    if not tables:
        raise UserError(f"SOURCES must hold WhyBench answers, got none in {', '.join(sources)}")
    tables = [(name, _with_beside(name, table, beside)) for name, table in tables]
    measures = [measure for name, table in tables for measure in suite(name).measures(table)]
    if json_output:
        for measure in measures:
            click.echo(as_json(measure.row()))
    else:
        print_measures(measures)


def _with_beside(name: str, table: pa.Table, beside: tuple[str, ...]) -> pa.Table:
    """Return records with those of people or published models below them."""
    import pyarrow as pa  # noqa: PLC0415

    one = suite(name)
    for entry in beside:
        if entry not in one.beside:
            has = ", ".join(one.beside) or "nothing"
            raise UserError(f"--beside must be among what {name} has ({has}), got {entry!r}")
        table = pa.concat_tables([table, one.beside[entry]()], promote_options="default")
    return table


def _table_of_file(source: str) -> tuple[str, pa.Table]:
    """Read a file of records with the schema of the suite that its first row names."""
    from whybench.records import read_records  # noqa: PLC0415
    from whybench.records.table import read_column  # noqa: PLC0415

    if not Path(source).is_file():
        raise UserError(f"a file of records was expected, got {source}: no such file")
    names = sorted(set(read_column(source, "suite")))
    if len(names) != 1 or names[0] not in suite_names():
        raise UserError(
            f"{source} must hold records of one installed suite ({', '.join(suite_names())}), "
            f"got {', '.join(names) or 'none'}"
        )
    one = suite(names[0])
    return one.name, read_records(source, {**one.columns, **one.parts})


def tables_of_logs(
    logs: tuple[str, ...] | list[str], reread: bool = False
) -> tuple[dict[str, pa.Table], ReadLogs]:
    """Return suite to table of records, and what was read."""
    from whybench.records import read_logs  # noqa: PLC0415
    from whybench.records.schema import record_table  # noqa: PLC0415

    try:
        read = read_logs(logs, _read_anew if reread else None)
    except (FileNotFoundError, ValueError) as error:
        raise UserError(str(error)) from None
    return {
        name: record_table(rows, {**suite(name).columns, **suite(name).parts})
        for name, rows in read.rows.items()
    }, read


def _read_anew(sample: EvalSample) -> Score:
    from whybench.suites.task import score_replies  # noqa: PLC0415

    return score_replies(
        sample.metadata, str(sample.id), sample.messages, sample.output.stop_reason
    )


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
