"""Reading answers from whatever holds them: logs, files of records, partitioned records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.results.records import Records, join_tables
from whybench.suites.registry import get_suite, suite_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from whybench.records import ReadLogs

__all__ = ["load"]

LOGS = (".eval", ".json")
"""How Inspect's log files end."""


def load(*sources: str | Path, reread: bool = False, incomplete: Sequence[str] = ()) -> Records:
    """Read answers.

    Args:
        *sources: Log files, folders of logs or of a profile, .parquet and .csv files of records,
            and addresses of partitioned records.
        reread: Read every answer anew from its reply, where sources are logs; no calls are made.

        incomplete: Why the run behind the sources did not come to its end, if that is known.

    Returns:
        The answers. Its `notes` say which logs are unfinished, not ours, or superseded.

    Raises:
        UserError: A source cannot be read, or there are no answers in them.
    """
    from whybench.records import read_logs  # noqa: PLC0415  (imports pyarrow)
    from whybench.records.partitions import is_partitioned  # noqa: PLC0415
    from whybench.records.table import FORMATS, record_table  # noqa: PLC0415

    if not sources:
        raise UserError("`sources` must be one or more logs, folders or files, got none")
    given = [str(source) for source in sources]
    partitions = [source for source in given if is_partitioned(source)]
    files = [source for source in given if Path(source).suffix in FORMATS]
    logs = [source for source in given if source not in (*partitions, *files)]
    for source in logs:
        if Path(source).is_file() and Path(source).suffix not in LOGS:
            raise UserError(
                f"`sources` must be logs ({', '.join(LOGS)}), folders of logs, or records "
                f"({', '.join(FORMATS)}), got {source}"
            )
    parts: list[tuple[str, pa.Table]] = []
    notes: list[str] = []
    if logs:
        read = read_logs(logs, _scorer() if reread else None, salvage=True)
        parts += [
            (name, record_table(rows, get_suite(name).record_columns))
            for name, rows in read.rows.items()
        ]
        notes += _notes(read)
    parts += [_read_file(source) for source in files]
    if not parts and not partitions:
        raise UserError(f"`sources` must hold WhyBench answers, got none in {', '.join(given)}")
    joined, repeated = join_tables(parts)
    if repeated:
        notes.append(f"{repeated} answers were there twice; those of the later source count")
    return Records(joined, partitions=partitions, logs=logs, notes=notes, incomplete=incomplete)


def _scorer() -> Callable[[Any], Any]:
    """Return the function that scores a sample anew from its replies."""
    from whybench.suites.task import score_sample  # noqa: PLC0415  (importing Inspect takes seconds)

    return score_sample


def _notes(read: ReadLogs) -> Iterator[str]:
    """Say which logs are damaged, unfinished, not ours, or superseded."""
    yield from read.damaged
    for log in read.unfinished:
        yield f"unfinished log {log}: its answers so far are included"
    for log in read.foreign:
        yield f"left out {log}: not a WhyBench run"
    if read.superseded:
        yield f"{read.superseded} repeated answers gave way to later ones"


def _read_file(source: str) -> tuple[str, pa.Table]:
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
    return names[0], read_records(source, get_suite(names[0]).record_columns)
