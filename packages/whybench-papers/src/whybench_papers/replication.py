"""Published results, recomputed from raw data, with or without your agents among them.

A module or package `whybench_papers.NAME` of each paper in `PAPERS` states its `REPLICATION`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.frames import Frame, rows_to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.results.records import Records

PAPERS = ("dettki2025", "feng2025", "maasch2025", "du2025")
"""The papers whose results can be recomputed."""


@dataclass(frozen=True)
class Replication:
    """The recomputed results of a paper.

    Attributes:
        tables: Number of resamples to tables of flat rows, by name. It also takes records of your
            agents as `beside`.
        figures: The figures; also takes `beside`. None if the paper has none.
        names: The names of the tables. An unknown name is refused before anything is computed.
        suite: The suite whose records `beside` are.
        note: A line about the published results.
    """

    tables: Callable[..., Mapping[str, Sequence[Mapping[str, Any]]]]
    figures: Callable[..., Iterable[Figure]] | None = None
    names: Sequence[str] = ()
    suite: str = ""
    note: str = ""


class ResultTable(Frame):
    """One table of a replication.

    Attributes:
        name: Its name.
        rows: Its rows, each with its own columns.
    """

    def __init__(self, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Store a table."""
        self.name, self.rows = name, tuple(rows)

    def __repr__(self) -> str:
        return f"<ResultTable {self.name!r}: {len(self.rows):,} rows>"

    def to_arrow(self) -> pa.Table:
        """Return the rows as a table."""
        return rows_to_arrow(self.rows)


class PublishedResults(Mapping[str, ResultTable]):
    """The tables of a replication by name, computed when they are used, and its figures."""

    def __init__(
        self, paper: str, replication: Replication, beside: pa.Table | None, resamples: int
    ) -> None:
        """Store the arguments of `replicate`."""
        self.paper, self._replication, self._resamples = paper, replication, resamples
        self._beside = {} if beside is None else {"beside": beside}

    def __repr__(self) -> str:
        return f"<PublishedResults {self.paper!r}: {', '.join(self._replication.names)}>"

    @property
    def note(self) -> str:
        """A line about the published results."""
        return self._replication.note

    @cached_property
    def _tables(self) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        return self._replication.tables(self._resamples, **self._beside)

    def __getitem__(self, name: str) -> ResultTable:
        """Return a table."""
        self.check(name)
        if name not in self._tables:
            raise UserError(
                f"`table` must be one of {', '.join(self._tables)}, got {name!r}, a table of your "
                "agents; add their answers (`beside`)"
            )
        return ResultTable(name, self._tables[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def check(self, name: str) -> None:
        """Refuse an unknown name before anything is computed."""
        names = self._replication.names
        if name not in names:
            raise UserError(
                f"`table` must be one of {', '.join(names)}, got {name!r}{suggest(name, names)}"
            )

    def figures(self) -> Iterable[Figure]:
        """Return the figures of the replication; each is drawn when it is needed."""
        if self._replication.figures is None:
            raise UserError(f"`figures` must be of a paper that has some, got {self.paper}")
        return self._replication.figures(**self._beside)

    def save(self, folder: str | Path) -> Iterator[Path]:
        """Write each table as CSV into a folder, and yield the path of each file."""
        from whybench.records import write_records  # noqa: PLC0415  (imports pyarrow)

        for name, table in self.items():
            if table.rows:
                path = Path(folder) / f"{name}.csv"
                write_records(table.to_arrow(), path)
                yield path


def get_replication(paper: str) -> Replication:
    """Return the replication of a paper by its name in `PAPERS`."""
    if paper not in PAPERS:
        raise UserError(
            f"`paper` must be one of {', '.join(PAPERS)}, got {paper!r}{suggest(paper, PAPERS)}"
        )
    replication: Replication = import_module(f"whybench_papers.{paper}").REPLICATION
    return replication


def replicate(
    paper: str, *, beside: Records | None = None, resamples: int = 2000
) -> PublishedResults:
    """Recompute the published results of a paper from raw data, which is downloaded if necessary.

    Args:
        paper: One of `PAPERS`.
        beside: Answers of your agents to the published prompts. They are added to every table and
            figure.
        resamples: Number of resamples of each bootstrap interval.
    """
    replication = get_replication(paper)
    own = None if beside is None else beside[replication.suite].to_arrow()
    return PublishedResults(paper, replication, own, resamples)
