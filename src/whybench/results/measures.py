"""Measures as a table: a row for one number about one agent under one condition.

The columns are tidy: `suite`, whose measure it is (`agent`, `design`, the condition), which one
(`measure`), the levels that it is restricted to (`entities`, `challenge`, …; empty where it is
over all), the number with its 95% interval (`estimate`, `low`, `high`), and what it rests on.

`measure_sums` computes measures of very many answers, from their counts and means alone;
`measure_table` those of one suite, agent by agent if that fails for all together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from whybench.errors import UserError, suggest
from whybench.frames import Frame, rows_to_arrow
from whybench.suites.registry import get_suite, sort_suites

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.errors import Fence
    from whybench.stats import Measure

SHOWN = 6
"""The number of names of measures in a representation."""


class Measures(Sequence["Measure"], Frame):
    """Any number of measures, in order.

    `measures["explaining_away"]` are those of one name, `measures[0]` is a single one, and `filter`
    chooses by agent, suite, condition or level.
    """

    def __init__(self, measures: Iterable[Measure]) -> None:
        self._measures = tuple(measures)

    @classmethod
    def of(cls, measures: Iterable[tuple[str, Measure]]) -> Measures:
        """Return measures, each given with its suite and labelled with it."""
        return cls(
            replace(measure, labels={"suite": name, **measure.labels}) for name, measure in measures
        )

    def __len__(self) -> int:
        return len(self._measures)

    @overload
    def __getitem__(self, which: int) -> Measure: ...
    @overload
    def __getitem__(self, which: str | slice) -> Measures: ...
    def __getitem__(self, which: int | str | slice) -> Measure | Measures:
        """Return one measure by its position, or all of a name or a slice."""
        if isinstance(which, int):
            return self._measures[which]
        if isinstance(which, slice):
            return Measures(self._measures[which])
        if which not in self.names:
            raise UserError(
                f"a measure must be one of {', '.join(self.names)}, got {which!r}"
                f"{suggest(which, self.names)}"
            )
        return Measures(measure for measure in self._measures if measure.name == which)

    def __repr__(self) -> str:
        agents = {measure.labels.get("agent", "") for measure in self._measures}
        who = next(iter(agents)) if len(agents) == 1 else f"{len(agents)} agents"
        more = ", …" if len(self.names) > SHOWN else ""
        return f"<Measures: {len(self):,} of {who}: {', '.join(self.names[:SHOWN])}{more}>"

    def __contains__(self, which: object) -> bool:
        """Whether there is a measure of this name, or this very measure."""
        return which in (self.names if isinstance(which, str) else self._measures)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measures, in order of appearance."""
        return tuple(dict.fromkeys(measure.name for measure in self._measures))

    @property
    def overall(self) -> Measures:
        """Those that are not restricted to a level of a factor."""
        return Measures(measure for measure in self._measures if not measure.at)

    @property
    def headlines(self) -> Measures:
        """The main measures of each suite, in the order in which the suite lists them.

        For a suite that lists none, these are all its overall measures.
        """
        chosen = {name: get_suite(name).headline for name in {m.labels["suite"] for m in self}}

        def rank(measure: Measure) -> int:
            names = chosen[measure.labels["suite"]]
            return names.index(measure.name) if names else 0

        return Measures(
            sorted(
                (
                    measure
                    for measure in self.overall
                    if measure.name in (chosen[measure.labels["suite"]] or {measure.name})
                ),
                key=rank,
            )
        )

    def filter(self, **chosen: Any) -> Measures:
        """Return those whose labels or levels are as given.

        Args:
            **chosen: Column to a value, or to several: `agent="human/rw17"`, `entities=[4, 5]`. A
                measure that has no such column is left out.
        """
        columns = {name for measure in self._measures for name in _columns(measure)}
        if unknown := [name for name in chosen if name not in columns]:
            raise UserError(
                f"filter must name labels or levels of these measures "
                f"({', '.join(sorted(columns))}), got {unknown[0]!r}"
            )
        allowed = {
            name: set(map(str, value if isinstance(value, list | tuple | set) else [value]))
            for name, value in chosen.items()
        }
        return Measures(
            measure
            for measure in self._measures
            if all(str(_columns(measure).get(name)) in values for name, values in allowed.items())
        )

    def plot(self) -> Figure:
        """Draw estimates with their intervals; a line where they go along a level."""
        from whybench.drawing.estimates import plot_estimates  # noqa: PLC0415

        if not self._measures:
            raise UserError("plot must have one or more measures, got none; filter less")
        return plot_estimates(self._measures)

    def to_arrow(self) -> pa.Table:
        """Return one row for each measure; a label or level that a measure lacks is null."""
        rows = [measure.row() for measure in self._measures]
        labels, levels = (
            dict.fromkeys(name for measure in self._measures for name in getattr(measure, kind))
            for kind in ("labels", "at")
        )
        others = dict.fromkeys(name for row in rows for name in row)
        own = [name for name in others if name not in {*labels, *levels, "measure"}]
        return rows_to_arrow(rows, [*labels, "measure", *levels, *own])


def _columns(measure: Measure) -> dict[str, Any]:
    return {**measure.labels, "measure": measure.name, **measure.at}


def measure_sums(*sources: str) -> tuple[Measures, tuple[str, ...]]:
    """Return the measures that follow from partitioned records summed up.

    Args:
        *sources: Addresses of partitioned records.

    Returns:
        The measures, and the suites that are left out since their measures need single answers.
    """
    from whybench.records.partitions import (  # noqa: PLC0415  (imports pyarrow)
        is_partitioned,
        list_partitioned_suites,
        sum_records,
    )

    measures: list[tuple[str, Measure]] = []
    left_out: dict[str, None] = {}
    for source in sources:
        if not is_partitioned(source):
            raise UserError(
                f"`summed` must have partitioned records, got {source}; `Records.partition` or "
                "`whybench results LOGS --partition -o FOLDER` makes them"
            )
        names = sort_suites(list_partitioned_suites(source))
        if not any(get_suite(name).sums for name in names):
            raise UserError(
                f"`summed` must have records of a suite that needs no single answers, got "
                f"{', '.join(names)}; leave it out"
            )
        for name in names:
            if (sums := get_suite(name).sums) is None:
                left_out[name] = None
            else:
                table = sum_records(source, name, sums.by)
                measures += [(name, measure) for measure in sums.measures(table)]
    return Measures.of(measures), tuple(left_out)


def measure_table(name: str, table: pa.Table, fence: Fence | None = None) -> list[Measure]:
    """Return the measures of a suite's records.

    Args:
        name: The suite.
        table: Its records.
        fence: Takes a note of each agent that cannot be measured, and the others are; without it,
            the first failure is raised.
    """
    try:
        return list(get_suite(name).measures(table))
    except Exception:
        if fence is None:
            raise
    found: list[Measure] = []
    agents = table["agent"].to_pylist()
    for agent in dict.fromkeys(agents):  # whose answers are to blame?
        with fence.around(f"{name}, measures of {agent}"):
            found += get_suite(name).measures(table.filter([other == agent for other in agents]))
    return found
