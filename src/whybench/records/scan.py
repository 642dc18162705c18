"""Many records to few: answers summed up by agent, condition and task, in one scan.

Much of what is measured follows from the number, the mean and the mean square of answers that
agree in some columns, and from how many have each outcome. duckdb finds these in one pass over
partitioned records, in memory that does not grow with the number of answers; what does not fit
goes to disk. Records summed up are a table like records: `value` is the mean of `answers` answers
and `square` their mean square. Measures that accept it (`Suite.sums`) need not know
whether a row is one answer or a million.

duckdb comes with `whybench[scale]`.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

from whybench.records.partitions import agent_files, open_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa

__all__ = ["sum_up", "summing_query"]


def sum_up(
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
        ValueError: There are no records, or they lack a column.
    """
    try:
        import duckdb  # noqa: PLC0415  (an extra)
    except ImportError as missing:
        raise ImportError(
            "summing up partitioned records needs duckdb: pip install 'whybench[scale]'"
        ) from missing

    paths = [path for files in agent_files(address, suite).values() for path in files]
    if not paths:
        raise ValueError(f"records of {suite} must be at {address}, got none")
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
                return connection.sql(summing_query(by), params=[paths]).to_arrow_table()
            except duckdb.Error as error:
                raise ValueError(
                    f"records at {address} must have the columns {', '.join(by)}, got {error}"
                ) from None


def summing_query(keys: Sequence[str]) -> str:
    """Return the query that sums up Parquet files, its one parameter, by these columns."""
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in (*keys, "outcome"))
    return (
        f"SELECT {columns}, count(*) AS answers, avg(value) AS value, "
        "avg(value * value) AS square "
        f"FROM read_parquet(?, hive_partitioning = false) GROUP BY {columns} ORDER BY {columns}"
    )
