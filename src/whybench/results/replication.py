"""Published results, recomputed from raw data, with or without agents of one's own among them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.frames import Frame, rows_to_arrow
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.results.records import Records


class ResultTable(Frame):
    """One table of a replication.

    Attributes:
        name: What it is called.
        rows: Its rows, each with the columns that it has.
    """

    def __init__(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Hold a table."""
        self.name, self.rows = name, tuple(rows)

    def __repr__(self) -> str:
        return f"<ResultTable {self.name!r}: {len(self.rows):,} rows>"

    def to_arrow(self) -> pa.Table:
        """Return the rows as a table."""
        return rows_to_arrow(self.rows)


class PublishedResults(Mapping[str, ResultTable]):
    """The tables of a replication by name, computed when one is needed, and its figures."""

    def __init__(self, suite: str, beside: pa.Table | None, resamples: int) -> None:
        """Say what is replicated; see `replicate`."""
        replication = get_suite(suite).replication
        if replication is None:
            raise UserError(f"`suite` must have published results to replicate, got {suite}")
        if beside is not None and not replication.takes_records:
            raise UserError(
                f"`beside` must be of a suite among whose published agents others may stand, "
                f"got {suite}"
            )
        self.suite, self._replication, self._resamples = suite, replication, resamples
        self._beside = {} if beside is None else {"beside": beside}

    def __repr__(self) -> str:
        return f"<PublishedResults {self.suite!r}: {', '.join(self._replication.names)}>"

    @property
    def note(self) -> str:
        """What to know of the published results."""
        return self._replication.note

    @cached_property
    def _tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return self._replication.tables(self._resamples, **self._beside)

    def __getitem__(self, name: str) -> ResultTable:
        """Return a table."""
        self.check(name)
        if name not in self._tables:
            raise UserError(
                f"`table` must be one of {', '.join(self._tables)}, got {name!r}: it is made of "
                "agents that stand beside the published ones (`beside`)"
            )
        return ResultTable(name, self._tables[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def check(self, name: str) -> None:
        """Refuse a name that no table has, before anything is computed."""
        names = self._replication.names or [*self._tables]
        if name not in names:
            raise UserError(
                f"`table` must be one of {', '.join(names)}, got {name!r}{suggest(name, names)}"
            )

    def figures(self) -> Iterable[Figure]:
        """Return the figures of the replication; each is drawn when it is needed."""
        if self._replication.figures is None:
            raise UserError(f"`figures` must be of a suite that draws them, got {self.suite}")
        return self._replication.figures(**self._beside)

    def save(self, folder: str | Path) -> Iterator[Path]:
        """Write each table as CSV into a folder, and yield each file when it is there."""
        from whybench.records import write_records  # noqa: PLC0415  (imports pyarrow)

        for name, table in self.items():
            if table.rows:
                path = Path(folder) / f"{name}.csv"
                write_records(table.to_arrow(), path)
                yield path


def replicate(
    suite: str, *, beside: Records | None = None, resamples: int = 2000
) -> PublishedResults:
    """Recompute the published results of a suite from raw data, which are downloaded if need be.

    Args:
        suite: A suite that has some: judge, intervene, compose, analyze.
        beside: Answers of agents of one's own to the published prompts, to stand among the
            published agents in every table and figure.
        resamples: Resamples of every bootstrap interval.
    """
    return PublishedResults(suite, None if beside is None else beside[suite].to_arrow(), resamples)
