"""What a page is made of: records, the runs they come from, and where the logs are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from whybench.results.measures import measure_table
from whybench.suites.abilities import BUDGETS
from whybench.suites.registry import profiled_suites, sort_suites

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from whybench.errors import Fence
    from whybench.records.runs import Run
    from whybench.results.experiments import Statement
    from whybench.results.looks import Looks
    from whybench.stats import Measure


@dataclass(frozen=True)
class Measured:
    """A measure and the suite whose it is."""

    suite: str
    measure: Measure

    def row(self) -> dict[str, object]:
        """Return it as one flat row, as `whybench results --json` prints it, after the suite."""
        return {"suite": self.suite, **self.measure.row()}


@dataclass(frozen=True)
class Material:
    """What a page is made of.

    Attributes:
        tables: Suite and records, those of downloaded data below those of the sources; they are
            put into the order of a profile.
        beside: The agents that come from downloaded data: people and published models.
        runs: The runs behind the records, where there are logs.
        logs: The log files and folders, where conversations are read.
        statement: What was stated of the experiment, if it is one.
        looks: The looks of a run until decided, if it is one.
    """

    tables: Sequence[tuple[str, pa.Table]]
    beside: frozenset[str] = frozenset()
    runs: Sequence[Run] = ()
    logs: Sequence[str] = ()
    statement: Statement | None = None
    looks: Looks | None = None

    def __post_init__(self) -> None:
        order = sort_suites({name for name, _ in self.tables})
        ranked = sorted(self.tables, key=lambda entry: order.index(entry[0]))
        object.__setattr__(self, "tables", ranked)

    def measured(self, fence: Fence | None = None) -> list[Measured]:
        """Compute every measure, table by table, as `whybench results` does.

        Args:
            fence: Takes a note of each agent that cannot be measured, and the others are.
        """
        return [
            Measured(name, measure)
            for name, table in self.tables
            for measure in measure_table(name, table, fence)
        ]

    def folders(self) -> list[str]:
        """Return the folders of the logs, for Inspect's viewer."""
        folders = (log if Path(log).is_dir() else str(Path(log).parent) for log in self.logs)
        return list(dict.fromkeys(folders))

    def suites(self) -> set[str]:
        """Return the suites that a reader looks for: of an experiment its own, else all."""
        answered = {name for name, _ in self.tables}
        return answered if self.statement else {*profiled_suites(BUDGETS[0]), *answered}

    def agents(self) -> list[str]:
        """Return the agents of the sources, in order of appearance."""
        return [agent for agent in self._all_agents() if agent not in self.beside]

    def agents_beside(self) -> list[str]:
        """Return the agents of downloaded data, in order of appearance."""
        return [agent for agent in self._all_agents() if agent in self.beside]

    def own(self) -> list[tuple[str, pa.Table]]:
        """Return suite and records without those of downloaded data."""
        return self._own

    def outcomes(self) -> dict[tuple[str, str], Counter[str]]:
        """Return how many answers of each agent in each suite have each outcome."""
        return self._outcomes

    @cached_property
    def _own(self) -> list[tuple[str, pa.Table]]:
        if not self.beside:
            return list(self.tables)
        return [
            (name, table.filter([agent not in self.beside for agent in table["agent"].to_pylist()]))
            for name, table in self.tables
        ]

    @cached_property
    def _outcomes(self) -> dict[tuple[str, str], Counter[str]]:
        found: dict[tuple[str, str], Counter[str]] = {}
        for name, table in self.tables:
            counted = table.group_by(["agent", "outcome"], use_threads=False).aggregate(
                [([], "count_all")]
            )
            for row in counted.to_pylist():
                counts = found.setdefault((row["agent"], name), Counter())
                counts[row["outcome"]] += row["count_all"]
        return found

    def _all_agents(self) -> list[str]:
        return list(
            dict.fromkeys(
                agent for _, table in self.tables for agent in table["agent"].unique().to_pylist()
            )
        )
