"""Answers: one row for one answer by one agent to one item in one epoch.

`Records` holds the answers of one or more suites, wherever they came from, and is the way from them
to everything else: measures, comparisons, figures, files, a page. The suites have columns of their
own beside those that all share, so there is a table for each; as a frame they stand below each
other.
"""

from __future__ import annotations

import logging
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from whybench.errors import UserError, suggest
from whybench.frames import Frame
from whybench.results.pairing import format_agents
from whybench.suites.registry import get_suite, list_baselines, sort_suites

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.errors import Fence
    from whybench.results.comparison import Comparison
    from whybench.results.looks import Looks
    from whybench.results.measures import Measures

    Watch = Callable[[Sequence[str], str], Iterable[str]]

logger = logging.getLogger(__name__)

IDENTITY = ("agent", "version", "design_hash", "item", "epoch")
"""The columns that name an answer within a suite."""


class Records(Frame):
    """Answers of any number of agents to any number of suites.

    Made by `whybench.load`, `whybench.run` and `whybench.profile`.

    Attributes:
        logs: The log files and folders among the sources.
        notes: What a reader should know of the sources, such as a log that is unfinished.
        incomplete: Why a run did not come to its end, if these are the answers of one that did not.
        looks: The looks of a run until decided, if these are its answers.
    """

    def __init__(
        self,
        tables: Mapping[str, pa.Table],
        *,
        partitions: Sequence[str] = (),
        baselines: Mapping[str, pa.Table] | None = None,
        logs: Sequence[str] = (),
        notes: Sequence[str] = (),
        incomplete: Sequence[str] = (),
        looks: Looks | None = None,
    ) -> None:
        """Hold answers.

        Args:
            tables: Suite to its records.
            partitions: Addresses of partitioned records, read one agent at a time.
            baselines: Suite to records of people and published models, set below the others.
            logs: The log files and folders among the sources.
            notes: What a reader should know of the sources.
            incomplete: Why a run did not come to its end.
            looks: The looks of a run until decided.
        """
        self._own = {name: tables[name] for name in sort_suites(tables)}
        self._partitions = tuple(partitions)
        self._baselines = dict(baselines or {})
        self.logs, self.notes = tuple(logs), tuple(notes)
        self.incomplete, self.looks = tuple(incomplete), looks
        self._whole: dict[str, pa.Table] | None = None

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites that were answered, in teaching order."""
        from whybench.records.partitions import list_partitioned_suites  # noqa: PLC0415

        parts = (name for address in self._partitions for name in list_partitioned_suites(address))
        return sort_suites((*self._own, *parts))

    @property
    def agents(self) -> tuple[str, ...]:
        """Who answered, in order of appearance, without the baselines."""
        return _agents_in(self._own_tables().values())

    @property
    def baseline_agents(self) -> tuple[str, ...]:
        """Who was added by `with_baselines`."""
        own = set(self.agents)
        return tuple(name for name in _agents_in(self._baselines.values()) if name not in own)

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Suite to Arrow table, baselines below the others; partitioned records are read whole."""
        own = self._own_tables()
        return {name: _stack([table, self._baselines.get(name)]) for name, table in own.items()}

    @property
    def outcomes(self) -> Counter[str]:
        """How many answers are scored, without an answer, or lost to an error."""
        counts: Counter[str] = Counter()
        for _, table in self.iter_tables():
            counts.update(table["outcome"].to_pylist())
        return counts

    def reasons(self, outcome: str = "no_answer") -> Counter[str]:
        """Return why answers are missing, and how often: of `no_answer` or `error`."""
        counts: Counter[str] = Counter()
        for _, table in self.iter_tables():
            rows = table.select(["outcome", "reason"]).to_pylist()
            counts.update(row["reason"] for row in rows if row["outcome"] == outcome)
        return counts

    def iter_tables(
        self, *, watch: Watch = lambda agents, _: agents
    ) -> Iterator[tuple[str, pa.Table]]:
        """Yield suite and records, one agent at a time where records are partitioned.

        What is computed for each agent alone needs room for no more than one.

        Args:
            watch: Iterates over the agents of a partition, given them and a label for them; a
                command shows its progress here.
        """
        for name, table in self._own.items():
            yield name, _stack([table, self._baselines.get(name)])
        for address in self._partitions:
            yield from self._read_agents(address, watch)
        for name, table in self._baselines.items():
            if name not in self._own:
                yield name, table

    def __len__(self) -> int:
        return sum(table.num_rows for table in self.tables.values())

    def __repr__(self) -> str:
        if self._partitions and self._whole is None:  # to count them would be to read them all
            return f"<Records: partitioned at {', '.join(self._partitions)}>"
        agents = self.agents
        who = agents[0] if len(agents) == 1 else f"{len(agents)} agents"
        what = ", ".join(self.suites) or "no suite"
        lost = f", {errors} of them lost to errors" if (errors := self.outcomes["error"]) else ""
        noun = "answer" if len(self) == 1 else "answers"
        return f"<Records: {len(self):,} {noun} of {who} to {what}{lost}>"

    def __getitem__(self, suite_name: str) -> Records:
        """Return the answers to one suite."""
        if suite_name not in self.suites:
            raise UserError(
                f"records must be of a suite that was answered ({', '.join(self.suites) or 'none'})"
                f", got {suite_name!r}"
            )
        own = {suite_name: self._own_tables()[suite_name]}
        baselines = {name: table for name, table in self._baselines.items() if name == suite_name}
        return self._copy(own, baselines)

    def filter(self, agent: str | Sequence[str] | None = None, **levels: Any) -> Records:
        """Return the answers of some agents, or at some levels of factors.

        Args:
            agent: One agent, or several.
            **levels: Column to a level, or to several: `style="cot"`, `entities=[4, 5]`. Suites
                without such a column are left out.
        """
        chosen = levels if agent is None else {"agent": agent, **levels}
        columns = {name for table in self.tables.values() for name in table.column_names}
        if unknown := [name for name in chosen if name not in columns]:
            raise UserError(
                f"filter must name columns of the records ({', '.join(sorted(columns))}), got "
                f"{unknown[0]!r}{suggest(unknown[0], columns)}"
            )
        own, baselines = _choose(self._own_tables(), chosen), _choose(self._baselines, chosen)
        if not own and not baselines:
            words = ", ".join(f"{name}={level!r}" for name, level in chosen.items())
            raise UserError(
                f"filter must leave answers, got none with {words}; "
                f"there are {format_agents(self.agents)}"
            )
        return self._copy(own, baselines)

    def with_baselines(self, *names: str) -> Records:
        """Return the answers with those of people or published models below them.

        Args:
            *names: What a suite has, from downloaded data: judge has `people`.
        """
        available = {suite: list_baselines(get_suite(suite)) for suite in self.suites}
        for name in names:
            if not any(name in makers for makers in available.values()):
                listed = "; ".join(f"{s}: {', '.join(m) or 'none'}" for s, m in available.items())
                raise UserError(
                    f"`baselines` must be among what the suites have ({listed}), got {name!r}"
                    f"{suggest(name, {each for makers in available.values() for each in makers})}"
                )
        baselines = dict(self._baselines)
        for suite, makers in available.items():
            if added := [makers[name]() for name in names if name in makers]:
                baselines[suite] = _stack([baselines.get(suite), *added])
        return self._copy(self._own, baselines, self._partitions)

    def measures(
        self, *, watch: Watch = lambda agents, _: agents, fence: Fence | None = None
    ) -> Measures:
        """Compute every measure of every agent, with intervals.

        Args:
            watch: Iterates over the agents of a partition; see `iter_tables`.
            fence: Takes a note of each agent that cannot be measured, and the others are.
        """
        from whybench.results.measures import Measures, measure_table  # noqa: PLC0415

        return Measures.of(
            (name, measure)
            for name, table in self.iter_tables(watch=watch)
            for measure in measure_table(name, table, fence)
        )

    @overload
    def compare(
        self, first: str, second: str, smallest: Mapping[str, float] | None = None
    ) -> Comparison: ...
    @overload
    def compare(
        self, *, by: str, reference: object = None, smallest: Mapping[str, float] | None = None
    ) -> Comparison: ...
    def compare(
        self,
        first: str = "",
        second: str = "",
        smallest: Mapping[str, float] | None = None,
        *,
        by: str = "",
        reference: object = None,
    ) -> Comparison:
        """Compare two agents, or conditions of every agent.

        Between agents the difference is second - first, paired by item; between conditions, every
        level of a factor - the first one, paired by what is asked.

        Args:
            first: The reference agent (side B).
            second: The agent compared with it (side A).
            smallest: Measure to the smallest difference of interest, as in `whybench.compare`.
            by: In place of two agents, a factor that was manipulated, such as `style` or
                `protocol`, or a setting of the model, such as `temperature`.
            reference: The level with which others are compared, in place of the first.
        """
        from whybench.results.comparison import compare_suites  # noqa: PLC0415
        from whybench.results.conditions import compare_conditions  # noqa: PLC0415

        if by and not first and not second:
            found = compare_conditions(self.tables, by, reference, smallest)
            return found.with_looks(self.looks)
        if by or not first or not second:
            raise UserError(
                "compare takes two agents, or `by` and a factor, got "
                + (f"{first!r}, {second!r}" + (f" and by={by!r}" if by else ""))
            )
        found = compare_suites(self._side(first).tables, self._side(second).tables, smallest)
        return found.with_looks(self.looks)

    def compare_with_people(self, smallest: Mapping[str, float] | None = None) -> Comparison:
        """Compare every agent with people who judged the same: agent - people, cell by cell.

        People's answers are downloaded data: `whybench data fetch causAIign`. Published models
        among the baselines are agents too.

        Args:
            smallest: Measure to the smallest difference of interest, as in `whybench.compare`.
        """
        from whybench.results.people import compare_with_people  # noqa: PLC0415

        return compare_with_people(self.tables, smallest)

    def figures(self) -> list[Figure]:
        """Return the figures that the suites have of such answers; each is drawn when needed.

        Where the figures of a suite cannot be made, one is there that says why when it is drawn.
        """
        from whybench.drawing.figure import fence_figures  # noqa: PLC0415

        return [
            figure
            for name, table in self.tables.items()
            if get_suite(name).draws_figures
            for figure in fence_figures(partial(get_suite(name).figures, table), f"figures-{name}")
        ]

    def child_table(self, name: str) -> Records:
        """Return another table that the suites make from answers, such as intervene's `steps`."""
        children = {}
        for suite, table in self.tables.items():
            tables = get_suite(suite).tables
            if name not in tables:
                raise UserError(
                    f"`table` must be among what {suite} has ({', '.join(tables) or 'none'}), "
                    f"got {name!r}{suggest(name, tables)}"
                )
            children[suite] = tables[name](table)
        return Records(children)

    def save(self, path: str | Path) -> tuple[Path, ...]:
        """Write the answers, and return the files.

        Args:
            path: A .parquet or .csv file; with several suites, a folder for one Parquet file each.
        """
        from whybench.records import write_records  # noqa: PLC0415

        target, tables = Path(path), self.tables
        single = target.suffix != ""
        if single and len(tables) > 1:
            raise UserError(
                f"`output` must be a folder for the {len(tables)} suites {', '.join(tables)}, "
                f"got {path}"
            )
        files = {name: target if single else target / f"{name}.parquet" for name in tables}
        for name, table in tables.items():
            write_records(table, files[name])
        return tuple(files.values())

    def partition(self, address: str | Path) -> None:
        """Write a Parquet file for each suite, agent and design into a folder or an address."""
        from whybench.records import write_partition  # noqa: PLC0415

        for table in self.tables.values():
            write_partition(table, str(address))

    def to_arrow(self) -> pa.Table:
        """Return all answers in one table; a column that a suite does not have is null there."""
        return _stack([*self.tables.values()])

    def _side(self, agent: str) -> Records:
        agents = sorted({*self.agents, *self.baseline_agents})
        if agent not in agents:
            raise UserError(
                f"`agents` must be among {format_agents(agents)}, got {agent!r}"
                f"{suggest(agent, agents)}"
            )
        return self.filter(agent)

    def _own_tables(self) -> dict[str, pa.Table]:
        """Return the tables without baselines; partitioned records are read once, and kept."""
        if self._whole is None:
            parts = [*self._own.items()]
            for address in self._partitions:
                parts += self._read_agents(address, lambda agents, _: agents)
            whole, _ = join_tables(parts)
            self._whole = {name: whole[name] for name in sort_suites(whole)}
        return self._whole

    def _read_agents(self, address: str, watch: Watch) -> Iterator[tuple[str, pa.Table]]:
        """Yield suite and records of each agent of partitioned records; note what is damaged."""
        from whybench.records.partitions import (  # noqa: PLC0415
            list_agent_files,
            list_partitioned_suites,
            read_agent,
        )

        read = 0
        damaged: list[str] = []
        for name in sort_suites(list_partitioned_suites(address)):
            columns = get_suite(name).record_columns
            agents = list(list_agent_files(address, name))
            for agent in watch(agents, f"{name}, {len(agents)} agents"):
                table = read_agent(address, name, agent, columns, damaged)
                read += table.num_rows
                if table.num_rows:
                    yield name, table
        if damaged and not read and not self._own and len(self._partitions) == 1:
            raise UserError(damaged[0].removeprefix("left out: "))
        for note in damaged:
            if note not in self.notes:
                self.notes = (*self.notes, note)
                logger.warning("Note: %s", note)

    def _copy(
        self,
        own: Mapping[str, pa.Table],
        baselines: Mapping[str, pa.Table],
        partitions: Sequence[str] = (),
    ) -> Records:
        """Return other answers of the same sources."""
        return Records(
            own,
            partitions=partitions,
            baselines=baselines,
            logs=self.logs,
            notes=self.notes,
            incomplete=self.incomplete,
            looks=self.looks,
        )


def join_tables(parts: Iterable[tuple[str, pa.Table]]) -> tuple[dict[str, pa.Table], int]:
    """Return one table for each suite, and how many answers were there twice.

    Where two sources hold the same answer, that of the later source counts.
    """
    by_suite: dict[str, list[pa.Table]] = {}
    for name, table in parts:
        by_suite.setdefault(name, []).append(table)
    joined, repeated = {}, 0
    for name, tables in by_suite.items():
        whole = _stack(tables)
        joined[name] = whole if len(tables) == 1 else _latest(whole)
        repeated += whole.num_rows - joined[name].num_rows
    return joined, repeated


def _latest(table: pa.Table) -> pa.Table:
    """Return a table with the last of the rows that are the same answer, in its place."""
    import numpy as np  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    numbered = table.select(IDENTITY).append_column("row", pa.array(np.arange(table.num_rows)))
    last = numbered.group_by(list(IDENTITY)).aggregate([("row", "max")])["row_max"]
    return table if len(last) == table.num_rows else table.take(np.sort(last.to_numpy()))


def _stack(tables: Sequence[pa.Table | None]) -> pa.Table:
    """Return tables below each other; what a table does not have is null there."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    present = [table for table in tables if table is not None]
    if len(present) == 1:
        return present[0]
    return pa.concat_tables(present, promote_options="default")


def _choose(tables: Mapping[str, pa.Table], levels: Mapping[str, Any]) -> dict[str, pa.Table]:
    """Return the rows of each table at these levels; a table without any is left out."""
    kept = {}
    for name, table in tables.items():
        if not set(levels) <= set(table.column_names):
            continue
        for column, level in levels.items():
            allowed = set(level) if isinstance(level, list | tuple | set) else {level}
            table = table.filter([value in allowed for value in table[column].to_pylist()])  # noqa: PLW2901
        if table.num_rows:
            kept[name] = table
    return kept


def _agents_in(tables: Iterable[pa.Table]) -> tuple[str, ...]:
    agents = (agent for table in tables for agent in table["agent"].unique().to_pylist())
    return tuple(dict.fromkeys(agents))
