"""What several commands read: logs, folders of logs, files of records, partitioned records."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.suites.contract import UserError
from whybench.suites.registry import suite, suite_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from inspect_ai.log import EvalSample
    from inspect_ai.scorer import Score

    from whybench.records import ReadLogs

__all__ = [
    "beside_option",
    "is_partitioned",
    "portions_of_sources",
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
    """Return suite and records of logs, folders of logs, files of records and partitioned ones."""
    import pyarrow as pa  # noqa: PLC0415

    tables: list[tuple[str, pa.Table]] = []
    partitioned = [source for source in sources if is_partitioned(source)]
    files = [source for source in sources if Path(source).suffix in {".parquet", ".csv"}]
    logs = [source for source in sources if source not in (*partitioned, *files)]
    if logs:
        found, read = tables_of_logs(logs, reread)
        tables += found.items()
        if not quiet:
            warn(read)
    tables += [_table_of_file(source) for source in files]
    for source in partitioned:
        whole: dict[str, list[pa.Table]] = {}
        for name, table in _agents(source, quiet):
            whole.setdefault(name, []).append(table)
        tables += [(name, pa.concat_tables(parts)) for name, parts in whole.items()]
    if not tables:
        raise UserError(f"SOURCES must hold WhyBench answers, got none in {', '.join(sources)}")
    return with_beside(tables, beside)


def portions_of_sources(
    sources: tuple[str, ...], reread: bool, beside: tuple[str, ...], *, quiet: bool = False
) -> Iterator[tuple[str, pa.Table]]:
    """Yield suite and records, one agent at a time where records are partitioned.

    What is computed for each agent alone needs room for no more than one.
    """
    from whybench.records.partitions import partitioned_suites  # noqa: PLC0415
    from whybench.records.schema import record_table  # noqa: PLC0415

    partitioned = tuple(source for source in sources if is_partitioned(source))
    rest = tuple(source for source in sources if source not in partitioned)
    if rest:
        yield from tables_of_sources(rest, reread, beside, quiet=quiet)
    for source in partitioned:
        names = partitioned_suites(source)
        added = with_beside([(name, record_table([], _columns(name))) for name in names], beside)
        yield from _agents(source, quiet)
        yield from ((name, table) for name, table in added if table.num_rows)


def is_partitioned(source: str) -> bool:
    """Tell whether a source is an address of partitioned records."""
    from whybench.records import partitions  # noqa: PLC0415

    return partitions.is_partitioned(source)


def _agents(address: str, quiet: bool) -> Iterator[tuple[str, pa.Table]]:
    """Yield suite and records of each agent, showing how far it is."""
    from whybench.records.partitions import (  # noqa: PLC0415
        agent_files,
        partitioned_suites,
        read_agent,
    )

    for name in partitioned_suites(address):
        columns, agents = _columns(name), list(agent_files(address, name))
        shown = click.progressbar(
            agents, label=f"{name}, {len(agents)} agents", hidden=quiet, file=sys.stderr
        )
        with shown as every:
            for agent in every:
                try:
                    yield name, read_agent(address, name, agent, columns)
                except ValueError as error:
                    raise UserError(str(error)) from None


def _columns(name: str) -> dict[str, type]:
    one = suite(name)
    return {**one.columns, **one.parts}


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
    try:
        names = sorted(set(read_column(source, "suite")))
        if len(names) != 1 or names[0] not in suite_names():
            raise UserError(
                f"{source} must hold records of one installed suite ({', '.join(suite_names())}), "
                f"got {', '.join(names) or 'none'}"
            )
        return names[0], read_records(source, _columns(names[0]))
    except ValueError as error:
        raise UserError(str(error)) from None


def tables_of_logs(
    logs: tuple[str, ...] | list[str], reread: bool = False
) -> tuple[dict[str, pa.Table], ReadLogs]:
    """Return suite to table of records, and what was read."""
    from whybench.records import read_logs  # noqa: PLC0415
    from whybench.records.schema import record_table  # noqa: PLC0415

    try:
        read = read_logs(logs, _read_anew if reread else None)
        tables = {name: record_table(rows, _columns(name)) for name, rows in read.rows.items()}
    except (FileNotFoundError, ValueError) as error:
        raise UserError(str(error)) from None
    return tables, read


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
