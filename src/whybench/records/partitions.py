"""Records of many agents: a Parquet file for each agent and unit of work, at any address.

    ADDRESS/suite=judge/agent=openai%2Fgpt-4o/full-3f2a90c1d4e5-v1.parquet

An address is a folder, or whatever fsspec can reach. A file appears whole or not at all, and the
same answers written twice are the same file; so whoever writes may be stopped and started again.
Whoever reads takes one agent at a time, and needs room for no more than that. Files hold all
columns of records, agent and suite among them, and are good on their own.

`sum_records` sums them up in one scan. Much of what is measured follows from the number, the mean
and the mean square of answers that agree in some columns, and from how many have each outcome.
duckdb (with `whybench[scale]`) finds these in one pass, in memory that does not grow with the
number of answers; what does not fit goes to disk. Records summed up are a table like records:
`value` is the mean of `answers` answers and `square` their mean square. Measures that accept it
(`Suite.sums`) need not know whether a row is one answer or a million.
"""

from __future__ import annotations

import logging
import tempfile
from functools import reduce
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from whybench.errors import UserError
from whybench.records.table import (
    atomic_write,
    cast_records,
    explain_damage,
    read_parquet,
    record_schema,
    write_parquet,
)
from whybench.records.usable import keep_usable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fsspec import AbstractFileSystem

logger = logging.getLogger(__name__)

WHOLE = ("suite", "agent", "design", "design_hash", "version")
"""The columns in which all records of a file agree."""

IDENTITY = ("version", "design_hash", "item", "epoch")
"""What, within a suite and an agent, tells one answer from another."""


def write_partition(table: pa.Table, address: str | Path, unit: str = "") -> list[str]:
    """Write records below an address, a file for each agent and design; return the files.

    A file that is there already is replaced. Of the answers of an agent to one design there is
    one file, unless they come as several units of work.

    Args:
        table: Records of one suite or several agents.
        address: A folder, or an address that fsspec can write to.
        unit: Names the unit of work, where an agent's answers to a design come in several.
    """
    files, root = open_address(address)
    written = []
    for key in table.select(WHOLE).group_by(list(WHOLE)).aggregate([]).to_pylist():
        chosen = reduce(pc.and_, (pc.equal(table[name], value) for name, value in key.items()))
        words = (str(key["design"]), str(key["design_hash"]), f"v{key['version']}", unit)
        name = quote("-".join(filter(None, words)), safe=" ,=+")
        path = "/".join((root, *_folders(key["suite"], key["agent"]), f"{name}.parquet"))
        content = BytesIO()
        write_parquet(table.filter(chosen), content)
        write_atomically(files, path, content.getvalue())
        written.append(path)
    return sorted(written)


def write_atomically(files: AbstractFileSystem, path: str, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, making its folder if need be.

    On a disk it is written beside its place and renamed; an object store replaces an object in
    one step of its own.
    """
    if "file" in files.protocol:
        with atomic_write(Path(path)) as part:
            files.pipe_file(str(part), content)
    else:
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        files.pipe_file(path, content)


def is_partitioned(address: str | Path) -> bool:
    """Tell whether there are partitioned records at an address."""
    if "://" not in str(address):
        return any(Path(address).glob("suite=*"))
    return bool(list_partitioned_suites(address))


def list_partitioned_suites(address: str | Path) -> list[str]:
    """Return the suites of which there are records at an address, in order."""
    files, root = open_address(address)
    if not files.exists(root):
        return []
    names = (str(path).rstrip("/").rpartition("/")[2] for path in files.ls(root, detail=False))
    return sorted(unquote(n.removeprefix("suite=")) for n in names if n.startswith("suite="))


def list_agent_files(address: str | Path, suite: str) -> dict[str, list[str]]:
    """Return the files of each agent in a suite, agents and files in order."""
    files, root = open_address(address)
    by_agent: dict[str, list[str]] = {}
    for path in sorted(map(str, files.find(f"{root}/{_folders(suite, '')[0]}"))):
        folder = path.split("/")[-2]
        if path.endswith(".parquet") and folder.startswith("agent="):
            by_agent.setdefault(unquote(folder.removeprefix("agent=")), []).append(path)
    return dict(sorted(by_agent.items()))


def read_agent(
    address: str | Path,
    suite: str,
    agent: str,
    columns: Mapping[str, type],
    notes: list[str] | None = None,
) -> pa.Table:
    """Read the records of one agent in a suite.

    Args:
        address: Where partitioned records are.
        suite: The suite.
        agent: The agent.
        columns: The suite's own columns.
        notes: If given, what cannot be used is left out and named here.

    Raises:
        UserError: A file is damaged or lacks columns, or an answer is in two files.
    """
    files, _ = open_address(address)
    paths = list_agent_files(address, suite).get(agent, [])
    if not paths:
        raise UserError(f"agent must be one with records of {suite} at {address}, got {agent!r}")
    parts = [_read(files, path, suite, columns, notes) for path in paths]
    table = pa.concat_tables(parts)
    repeated = sum(map(_count_answers, parts)) - _count_answers(table)
    if repeated:
        raise UserError(
            f"each answer must be in one file, got {repeated} of {agent} in several of "
            f"{', '.join(paths)}; remove the file that is not wanted"
        )
    return table


def _count_answers(table: pa.Table) -> int:
    return int(table.group_by(list(IDENTITY)).aggregate([]).num_rows)


def _read(
    files: AbstractFileSystem,
    path: str,
    suite: str,
    columns: Mapping[str, type],
    notes: list[str] | None,
) -> pa.Table:
    try:
        with files.open(path, "rb") as content, explain_damage(path):
            table = read_parquet(content)
            if notes is None:
                return cast_records(table, columns, path)
        table, told = keep_usable(table, suite, columns, path)
        notes += told
    except UserError as error:
        if notes is None:
            raise
        notes.append(f"left out: {error}")
        return record_schema(columns).empty_table()
    return table


def open_address(address: str | Path) -> tuple[AbstractFileSystem, str]:
    """Return the file system of an address, and the address within it."""
    from fsspec.core import url_to_fs  # noqa: PLC0415  (only partitioned records need it)

    files, root = url_to_fs(str(address))
    return files, str(root).rstrip("/")


def _folders(suite: str, agent: str) -> tuple[str, str]:
    return f"suite={quote(suite, safe='')}", f"agent={quote(agent, safe='')}"


def sum_records(
    address: str | Path,
    suite: str,
    by: Sequence[str],
    memory: str = "1GB",
    threads: int | None = None,
) -> pa.Table:
    """Sum up the records of a suite by some columns and by outcome.

    Args:
        address: Where partitioned records are.
        suite: The suite.
        by: The columns, `agent` among them unless agents are to be taken together; answers that
            differ in others are summed up.
        memory: How much memory duckdb may take, such as `500MB`.
        threads: How many threads it may use; one for each core if not stated.

    Returns:
        The columns asked for, `outcome`, how many `answers`, and the mean `value` and the mean
        `square` of the scored ones; rows in the order of the columns.

    Raises:
        UserError: There are no records, or they lack a column.
    """
    try:
        import duckdb  # noqa: PLC0415  (an extra)
    except ImportError as missing:
        raise UserError(
            "summing up partitioned records needs duckdb: pip install 'whybench[scale]'"
        ) from missing

    paths = [path for files in list_agent_files(address, suite).values() for path in files]
    if not paths:
        raise UserError(f"records of {suite} must be at {address}, got none")
    files, _ = open_address(address)
    with tempfile.TemporaryDirectory() as overflow:
        settings: dict[str, Any] = {
            "memory_limit": memory,
            "temp_directory": overflow,
            "preserve_insertion_order": False,
        }
        if threads is not None:
            settings["threads"] = threads
        with duckdb.connect(config=settings) as connection:
            # Its progress would stand among what a command prints.
            connection.execute("SET enable_progress_bar = false")
            if "file" not in files.protocol:
                connection.register_filesystem(files)
                paths = [files.unstrip_protocol(path) for path in paths]
            try:
                query = sum_query(by)
                try:
                    return connection.sql(query, params=[paths]).to_arrow_table()
                except duckdb.Error:
                    good = _leave_out_damaged(files, paths)
                    if not good:
                        raise
                    return connection.sql(query, params=[good]).to_arrow_table()
            except duckdb.Error as error:
                words = " ".join(str(error).split())
                raise UserError(
                    f"records at {address} must have the columns {', '.join(by)}, got {words}"
                ) from None


def _leave_out_damaged(files: AbstractFileSystem, paths: Sequence[str]) -> list[str]:
    """Return the files that can be read, and say which cannot."""
    good = []
    for path in paths:
        try:
            with files.open(path, "rb") as content, explain_damage(path):
                read_parquet(content)
            good.append(path)
        except UserError as error:
            logger.warning("Note: left out: %s", error)
    return good


def sum_query(keys: Sequence[str]) -> str:
    """Return the query that sums up Parquet files, its one parameter, by these columns."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in (*keys, "outcome"))
    return (
        f"SELECT {columns}, count(*) AS answers, avg(value) AS value, "
        "avg(value * value) AS square "
        f"FROM read_parquet(?, hive_partitioning = false) "
        f"GROUP BY {columns} ORDER BY {columns}"
    )
