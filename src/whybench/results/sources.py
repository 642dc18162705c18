"""Reading answers from whatever holds them: logs, files of records, partitioned records."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.results.comparison import compare_suites
from whybench.results.looks import Looks
from whybench.results.records import Records, join_tables
from whybench.suites.registry import get_suite, suite_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.records import ReadLogs
    from whybench.results.comparison import Comparison

LOGS = (".eval", ".json")
"""How Inspect's log files end."""


def load(*sources: str | Path, reread: bool = False, incomplete: Sequence[str] = ()) -> Records:
    """Read answers.

    What is damaged is left out, and named in `notes` with how much could be read.

    Args:
        *sources: Log files, .parquet and .csv files of records, folders of either or of a profile,
            and addresses of partitioned records.
        reread: Read every answer anew from its reply, where sources are logs; no calls are made.
        incomplete: Why the run behind the sources did not come to its end, if that is known.

    Returns:
        The answers. Its `notes` say what is damaged, and which logs are unfinished, not ours, or
        superseded.

    Raises:
        UserError: A source is none of these, or there are no answers in them.
    """
    from whybench.records import read_logs  # noqa: PLC0415  (imports pyarrow)

    if not sources:
        raise UserError("`sources` must be one or more logs, folders or files, got none")
    partitions, files, logs = _sort_sources([str(source) for source in sources])
    notes: list[str] = []
    parts: list[tuple[str, pa.Table]] = []
    refused: list[UserError] = []
    if logs:
        try:
            read = read_logs(logs, _scorer() if reread else None, salvage=True)
            parts += _tables_of(read, notes)
            notes += _notes(read)
        except UserError as error:
            refused.append(error)
    for source in files:
        try:
            name, table, told = _read_file(source)
            parts.append((name, table))
            notes += told
        except UserError as error:
            refused.append(error)
    if not parts and not partitions:
        if len(refused) == 1:
            raise refused[0]
        why = "; ".join(map(str, refused))
        given = ", ".join(map(str, sources))
        raise UserError(
            f"`sources` must hold WhyBench answers, got none in {given}{why and f': {why}'}"
        )
    notes += [f"left out: {error}" for error in refused]
    joined, repeated = join_tables(parts)
    if repeated:
        notes.append(f"{repeated} answers were there twice; those of the later source count")
    return Records(
        joined,
        partitions=partitions,
        logs=logs,
        notes=notes,
        incomplete=incomplete,
        looks=Looks.find(map(str, sources)),
    )


def compare(
    first: Records | str | Path,
    second: Records | str | Path,
    smallest: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare two sides on the items that both were asked: second - first.

    Args:
        first: Records of one agent, or where they are. This is the reference (side B).
        second: Records of one agent, the same or another (side A).
        smallest: Measure to the smallest difference of interest. A smaller difference is called
            too small to matter. The suites state defaults.

    Returns:
        The differences of every suite that both sides answered, paired by item, and of suites that
        ask the same cases, paired by case. The p-values are corrected over all of them (Benjamini
        and Hochberg).

    Raises:
        UserError: A side holds several agents, versions differ, or nothing is shared.
    """
    one, two = (side if isinstance(side, Records) else load(side) for side in (first, second))
    found = compare_suites(one.tables, two.tables, smallest)
    return found.with_looks(one.looks if one.looks == two.looks else None)


def _sort_sources(sources: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Return partitioned records, files of records, and logs and folders of logs.

    A folder of logs may have records made from them beside them, as that of a profile has; the
    logs are read.
    """
    from whybench.records.partitions import is_partitioned  # noqa: PLC0415
    from whybench.records.table import FORMATS  # noqa: PLC0415

    partitions, files, logs = [], [], []
    for source in sources:
        path = Path(source)
        if is_partitioned(source):
            partitions.append(source)
        elif path.is_dir():
            if _has_logs(path):
                logs.append(source)
            elif is_partitioned(path / RECORDS):
                partitions.append(str(path / RECORDS))
            else:
                files += _list_record_files(path) or _list_record_files(path / RECORDS)
        elif path.suffix in FORMATS:
            if not path.is_file():
                raise UserError(f"a file of records was expected, got {source}: no such file")
            files.append(source)
        elif path.is_file() and path.suffix not in LOGS:
            raise UserError(
                f"`sources` must be logs ({', '.join(LOGS)}), folders of logs, or records "
                f"({', '.join(FORMATS)}), got {source}"
            )
        else:
            if not path.exists():
                raise UserError(f"a log file or a folder of logs was expected, got {source}")
            logs.append(source)
    return partitions, files, logs


RECORDS = "records"
"""The folder of a profile or an experiment that has its records."""


def _has_logs(folder: Path) -> bool:
    from whybench.records.logs import list_log_files  # noqa: PLC0415

    likely = any(next(folder.rglob(f"*{ending}"), None) for ending in LOGS)
    return likely and bool(list_log_files([folder]))


def _list_record_files(folder: Path) -> list[str]:
    from whybench.records.table import FORMATS  # noqa: PLC0415

    found = sorted(folder.iterdir()) if folder.is_dir() else []
    return [str(path) for path in found if path.suffix in FORMATS and path.is_file()]


def _tables_of(read: ReadLogs, notes: list[str]) -> list[tuple[str, pa.Table]]:
    """Return suite and records of what was read from logs; note what does not fit its columns."""
    tables, refused = [], []
    for name, rows in read.rows.items():
        try:
            columns = get_suite(name).record_columns
            tables.append((name, _fit_rows(rows, columns, notes)))
        except UserError as error:
            notes.append(f"left out {len(rows)} answers to {name}: {error}")
            refused.append(error)
    if refused and not tables:
        raise refused[0]
    return tables


def _fit_rows(
    rows: Sequence[Mapping[str, Any]], columns: Mapping[str, type], notes: list[str]
) -> pa.Table:
    """Return rows as records, without those that have something else than their columns hold."""
    from whybench.records.table import record_table  # noqa: PLC0415

    try:
        return record_table(rows, columns)
    except UserError:
        fitting, last = [], UserError()
        for row in rows:
            try:
                record_table([row], columns)
                fitting.append(row)
            except UserError as error:
                last = error
        if not fitting:
            raise
        left = len(rows) - len(fitting)
        notes.append(f"left out {left} of {len(rows)} answers to {rows[0]['suite']}: {last}")
        return record_table(fitting, columns)


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


def _read_file(source: str) -> tuple[str, pa.Table, list[str]]:
    """Read a file of records with the schema of the suite that its rows name, and notes on it."""
    from whybench.records.table import read_column  # noqa: PLC0415
    from whybench.records.usable import read_usable  # noqa: PLC0415

    found = read_column(source, "suite")
    if found is None:
        raise UserError(f"{source} must be records with the column suite, got no such column")
    names = sorted(set(found))
    known = [name for name in names if name in suite_names()]
    if len(known) != 1:
        raise UserError(
            f"{source} must hold records of one installed suite ({', '.join(suite_names())}), "
            f"got {', '.join(names) or 'none'}"
        )
    table, notes = read_usable(source, known[0], get_suite(known[0]).record_columns)
    return known[0], table, notes
