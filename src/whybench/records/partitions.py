"""Records of many agents: a Parquet file for each agent and unit of work, at any address.

    ADDRESS/suite=judge/agent=openai%2Fgpt-4o/full-3f2a90c1d4e5-v1.parquet

An address is a folder, or whatever fsspec can reach. A file appears whole or not at all, and the
same answers written twice are the same file; so whoever writes may be stopped and started again.
Whoever reads takes one agent at a time, and needs room for no more than that. Files hold all
columns of records, agent and suite among them, and are good on their own.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from whybench.records.table import as_records, readable, whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsspec import AbstractFileSystem

__all__ = [
    "agent_files",
    "is_partitioned",
    "open_address",
    "partitioned_suites",
    "read_agent",
    "write_partition",
    "write_whole",
]

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
        mine = [pc.equal(table[name], value) for name, value in key.items()]
        chosen = mine[0]
        for further in mine[1:]:
            chosen = pc.and_(chosen, further)
        words = (str(key["design"]), str(key["design_hash"]), f"v{key['version']}", unit)
        name = quote("-".join(filter(None, words)), safe=" ,=+")
        path = "/".join((root, *_folders(key["suite"], key["agent"]), f"{name}.parquet"))
        content = BytesIO()
        pa.parquet.write_table(table.filter(chosen), content, compression="zstd")
        write_whole(files, path, content.getvalue())
        written.append(path)
    return sorted(written)


def write_whole(files: AbstractFileSystem, path: str, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, making its folder if need be.

    On a disk it is written beside its place and renamed; an object store replaces an object in
    one step of its own.
    """
    if "file" in files.protocol:
        with whole_file(Path(path)) as beside:
            files.pipe_file(str(beside), content)
    else:
        files.makedirs(path.rpartition("/")[0], exist_ok=True)
        files.pipe_file(path, content)


def is_partitioned(address: str | Path) -> bool:
    """Tell whether there are partitioned records at an address."""
    if "://" not in str(address):
        return any(Path(address).glob("suite=*"))
    return bool(partitioned_suites(address))


def partitioned_suites(address: str | Path) -> list[str]:
    """Return the suites of which there are records at an address, in order."""
    files, root = open_address(address)
    if not files.exists(root):
        return []
    names = (str(path).rstrip("/").rpartition("/")[2] for path in files.ls(root, detail=False))
    return sorted(unquote(n.removeprefix("suite=")) for n in names if n.startswith("suite="))


def agent_files(address: str | Path, suite: str) -> dict[str, list[str]]:
    """Return the files of each agent in a suite, agents and files in order."""
    files, root = open_address(address)
    found: dict[str, list[str]] = {}
    for path in sorted(map(str, files.find(f"{root}/{_folders(suite, '')[0]}"))):
        folder = path.split("/")[-2]
        if path.endswith(".parquet") and folder.startswith("agent="):
            found.setdefault(unquote(folder.removeprefix("agent=")), []).append(path)
    return dict(sorted(found.items()))


def read_agent(
    address: str | Path, suite: str, agent: str, columns: Mapping[str, type]
) -> pa.Table:
    """Read the records of one agent in a suite.

    Args:
        address: Where partitioned records are.
        suite: The suite.
        agent: The agent.
        columns: The suite's own columns.

    Raises:
        ValueError: A file lacks columns, or an answer is in two files.
    """
    files, _ = open_address(address)
    paths = agent_files(address, suite).get(agent, [])
    if not paths:
        raise ValueError(f"agent must be one with records of {suite} at {address}, got {agent!r}")
    parts = [_read(files, path, columns) for path in paths]
    table = pa.concat_tables(parts)
    again = sum(map(_distinct, parts)) - _distinct(table)
    if again:
        raise ValueError(
            f"each answer must be in one file, got {again} of {agent} in several of "
            f"{', '.join(paths)}; remove the file that is not wanted"
        )
    return table


def _distinct(table: pa.Table) -> int:
    return int(table.group_by(list(IDENTITY)).aggregate([]).num_rows)


def _read(files: AbstractFileSystem, path: str, columns: Mapping[str, type]) -> pa.Table:
    with files.open(path, "rb") as content, readable(path):
        return as_records(pa.parquet.read_table(content), columns, path)


def open_address(address: str | Path) -> tuple[AbstractFileSystem, str]:
    """Return the file system of an address, and the address within it."""
    from fsspec.core import url_to_fs  # noqa: PLC0415  (only partitioned records need it)

    files, root = url_to_fs(str(address))
    return files, str(root).rstrip("/")


def _folders(suite: str, agent: str) -> tuple[str, str]:
    return f"suite={quote(suite, safe='')}", f"agent={quote(agent, safe='')}"
