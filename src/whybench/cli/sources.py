"""What several commands read: logs, folders of logs, files of records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.suites.contract import UserError
from whybench.suites.registry import suite, suite_names

if TYPE_CHECKING:
    import pyarrow as pa
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

    from whybench.records import ReadLogs

__all__ = [
    "beside_option",
    "reread_option",
    "tables_of_logs",
    "tables_of_sources",
    "warn",
    "with_beside",
]

reread_option = click.option(
    "--reread", is_flag=True, help="Read every answer anew from its reply; no calls are made."
)

beside_option = click.option(
    "--beside",
    multiple=True,
    metavar="NAME",
    help="Add records from downloaded data, such as `people`, in the suites that have them.",
)


def tables_of_sources(
    sources: tuple[str, ...], reread: bool, beside: tuple[str, ...], *, quiet: bool = False
) -> list[tuple[str, pa.Table]]:
    """Return suite and records of logs, folders of logs and files of records."""
    tables: list[tuple[str, pa.Table]] = []
    logs = [source for source in sources if Path(source).suffix not in {".parquet", ".csv"}]
    if logs:
        found, read = tables_of_logs(logs, reread)
        tables += found.items()
        if not quiet:
            warn(read)
    tables += [_table_of_file(source) for source in sources if source not in logs]
    if not tables:
        raise UserError(f"SOURCES must hold WhyBench answers, got none in {', '.join(sources)}")
    return with_beside(tables, beside)


def with_beside(
    tables: list[tuple[str, pa.Table]], beside: tuple[str, ...]
) -> list[tuple[str, pa.Table]]:
    """Return records with those of people or published models below them, where a suite has any."""
    import pyarrow as pa  # noqa: PLC0415

    has = {name: suite(name).beside for name, _ in tables}
    for entry in beside:
        if not any(entry in found for found in has.values()):
            told = "; ".join(f"{name}: {', '.join(found) or 'none'}" for name, found in has.items())
            raise UserError(f"--beside must be among what the suites have ({told}), got {entry!r}")
    return [
        (
            name,
            pa.concat_tables(
                [table, *(has[name][entry]() for entry in beside if entry in has[name])],
                promote_options="default",
            ),
        )
        for name, table in tables
    ]


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
    from whybench.suites.task import score_sample  # noqa: PLC0415

    return score_sample(sample)


def warn(read: ReadLogs) -> None:
    """Say which logs are unfinished, not ours, or superseded."""
    for log in read.unfinished:
        click.echo(f"Note: unfinished log {log}: its answers so far are included", err=True)
    for log in read.foreign:
        click.echo(f"Note: left out {log}: not a WhyBench run", err=True)
    if read.superseded:
        click.echo(f"Note: {read.superseded} repeated answers gave way to later ones", err=True)
