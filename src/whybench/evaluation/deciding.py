"""Asking until planned comparisons are decided: a look at a time, of all sides alike.

After each look the sides are compared by the answers so far (`whybench.results.sequential`). A
suite is asked no further once all its planned differences are decided. The looks follow from the
answers alone, so an interrupted run goes on at the same look.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.looks import Schedule, list_decisive, schedule_looks
from whybench.evaluation.units import name_agent
from whybench.results.comparison import compare_suites
from whybench.results.looks import FILE, Looks, explain_result, history_row
from whybench.results.sequential import (
    OPEN,
    InterimLook,
    SequentialResult,
    decide,
    expected_shares,
    explain_smallest,
)
from whybench.results.sources import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from whybench.evaluation.units import Unit
    from whybench.planning.asks import Ask
    from whybench.results import Difference
    from whybench.results.experiments import AnalysisPlan

    Models = Sequence[tuple[str, Mapping[str, Any]]]

DECIDED = "decided"
"""The value of `until` with which a run ends once its comparisons are decided."""


def read_until(
    until: str | None, analysis: AnalysisPlan, smallest: Mapping[str, float] | None
) -> AnalysisPlan | None:
    """Return the planned comparisons that end a run; None if everything is asked.

    Args:
        until: `decided`, or None.
        analysis: The planned comparisons.
        smallest: Measure to the smallest difference of interest, in place of the planned ones.
    """
    if until is None and not smallest:
        return None
    if until != DECIDED:
        raise UserError(f"`until` must be {DECIDED}, which `smallest` requires, got {until!r}")
    return replace(analysis, smallest={**analysis.smallest, **(smallest or {})})


def check_whole(folder: Path) -> None:
    """Refuse a folder with looks for a run that asks the whole design."""
    if Looks.read(folder) is not None:
        raise UserError(
            f"`until` must be {DECIDED} in a folder with looks, got none and {folder / FILE}; add "
            f"`until`, or choose another folder"
        )


@dataclass(frozen=True)
class Deciding:
    """The comparisons that end a run.

    Attributes:
        analysis: The planned measures, factors and smallest differences.
        sides: The models that are compared, the reference first; none if conditions are.
        schedules: Suite to the looks at its design, of the suites that can be decided.
        whole: The suites that are asked in full.
    """

    analysis: AnalysisPlan
    sides: tuple[str, ...]
    schedules: Mapping[str, Schedule]
    whole: tuple[str, ...] = ()

    @classmethod
    def plan(
        cls, analysis: AnalysisPlan, asks: Sequence[Ask], models: Models, crossings: int
    ) -> Deciding:
        """Return the comparisons of some suites.

        Args:
            analysis: The planned measures, factors and smallest differences.
            asks: The suites and designs.
            models: The models and their arguments.
            crossings: The number of crossings of the settings of models.

        Raises:
            UserError: There are no two sides, or no suite has a measure that can be decided.
        """
        if twice := [n for n, times in Counter(ask.suite for ask in asks).items() if times > 1]:
            raise UserError(
                f"`until` must have one design of each suite, got several of {twice[0]}; put them "
                "into experiments of their own"
            )
        able = [ask for ask in asks if list_decisive(ask.suite, analysis)]
        if not able:
            raise UserError(
                "`until` must have a measure of which one side can be better, got only "
                f"{', '.join(ask.suite for ask in asks) or 'no suite of both'}; run this without "
                "`until`"
            )
        schedules = {ask.suite: schedule_looks(ask) for ask in able}
        by_level = {n: one for n, one in schedules.items() if one.several or crossings > 1}
        if by_level:
            whole = tuple(ask.suite for ask in asks if ask.suite not in by_level)
            return cls(analysis, (), by_level, whole)
        if len(models) != 2:
            raise UserError(
                "`until` must have two sides to compare, got "
                f"{len(models)} model{'s' if len(models) > 1 else ''} under one condition; name "
                "two models, or two levels of a setting or factor, such as temperature 0 and 0.8"
            )
        whole = tuple(ask.suite for ask in asks if ask.suite not in schedules)
        return cls(analysis, tuple(name_agent(*model) for model in models), schedules, whole)

    def split(self, units: Sequence[Unit]) -> Iterator[Unit]:
        """Yield units with those of a scheduled suite as one unit for each look."""
        for unit in units:
            schedule = self.schedules.get(unit.ask.suite)
            yield from [unit] if schedule is None else schedule.split(unit)

    def content(self) -> dict[str, Any]:
        """Return the plan, as it is written before the first answer."""
        return {
            "sides": list(self.sides),
            "suites": {
                name: {
                    "design_hash": one.design_hash,
                    "samples": list(one.ends),
                    "smallest": {
                        measure: explain_smallest(name, measure, self.analysis.smallest)
                        for measure in list_decisive(name, self.analysis)
                    },
                }
                for name, one in self.schedules.items()
            },
        }

    def lines(self) -> Iterator[str]:
        """Yield lines on looks, smallest differences and expected calls, for a plan."""
        for name, one in self.content()["suites"].items():
            ends, smallest = one["samples"], one["smallest"]
            measures = ", ".join(f"{measure} ({size})" for measure, size in smallest.items())
            near, clear = expected_shares(self.schedules[name].shares)
            yield (
                f"{name}: until decided by {measures}, with the smallest difference of interest; "
                f"{len(ends)} looks, at {', '.join(f'{end:,}' for end in ends)} samples"
            )
            yield (
                f"{name}: at most all calls of the plan; with many sampled units about {near:.0%} "
                "of them for a gap that the whole design finds with a power of 80%, and "
                f"{clear:.0%} for twice this gap"
            )
        for name in self.whole:
            yield f"{name}: asked in full, since it has no comparison that can be decided"

    def check_folder(self, folder: Path) -> None:
        """Refuse a folder with other answers, or with looks of another plan."""
        found = Looks.read(folder)
        if found is None and any(folder.rglob("*.eval")):
            raise UserError(
                f"`until` must start in a folder without answers, got {folder} with answers that "
                "were asked without looks; choose another folder"
            )
        if found is not None and found.plan != self.content():
            raise UserError(
                f"`until` must have the plan that {folder / FILE} has from before the first "
                "answer, got another; undo the change, or choose another folder"
            )

    def run(
        self,
        units: Sequence[Unit],
        folder: Path,
        ask: Callable[[Sequence[Unit]], list[str]],
        show: Callable[[str], None],
    ) -> list[str]:
        """Ask units look by look until all is decided, and return why units are incomplete.

        Args:
            units: All units.
            folder: The folder of the output, where the looks are written.
            ask: Asks units, and returns why some are incomplete.
            show: Called with a line for each difference at each look.
        """
        self.check_folder(folder)
        looks = Looks(self.content())
        if Looks.read(folder) is None:
            looks.write(folder)
        seen: dict[tuple[Any, ...], list[InterimLook]] = {}
        agents: tuple[str, ...] = ()
        last = max((unit.look for unit in units), default=0)
        first = [unit for unit in units if not unit.look]
        for number in range(1, last + 1):
            stage = [u for u in units if u.look == number and u.ask.suite not in looks.ended]
            if reasons := ask([*first, *stage]):
                return reasons
            first = []
            tables = load(folder).tables
            agents = agents or self._find_agents(stage, folder)
            for name in dict.fromkeys(unit.ask.suite for unit in stage):
                found = self._look(name, number, tables[name], agents, seen)
                ended = number == len(self.schedules[name].ends) or (
                    bool(found) and all(one.state != OPEN for one in found)
                )
                new = [one for one in found if one.look.number == number]
                for one in new:
                    show(explain_result(one, len(self.schedules[name].ends)))
                if ended and not found:
                    show(f"{name}: no planned difference can be computed from these answers")
                results = [one for one in looks.results if one.suite != name]
                looks = replace(
                    looks,
                    history=(*looks.history, *map(history_row, new)),
                    results=(*results, *(one.difference for one in found)),
                    ended={**looks.ended, **({name: number} if ended else {})},
                )
            looks.write(folder)
        return []

    def _find_agents(self, units: Sequence[Unit], folder: Path) -> tuple[str, ...]:
        """Return the names that the sides have in the records, by the logs of a look."""
        from whybench.records.logs import agent_name, read_headers  # noqa: PLC0415

        places = {name_agent(unit.model, unit.args): folder / unit.place for unit in units}
        headers = (read_headers([places[side]])[-1][1] for side in self.sides)
        agents = tuple(map(agent_name, headers))
        if len({*agents}) < len(agents):
            raise UserError(
                f"`until` must have two sides with different names, got {agents[0]} twice; give "
                "the models different arguments"
            )
        return agents

    def _look(
        self,
        name: str,
        number: int,
        table: pa.Table,
        agents: Sequence[str],
        seen: dict[tuple[Any, ...], list[InterimLook]],
    ) -> list[SequentialResult]:
        """Return the decision on each planned difference, by the answers up to a look."""
        schedule = self.schedules[name]
        asked = set(schedule.items[: schedule.counts[number - 1]])
        rows = zip(table["item"].to_pylist(), table["design_hash"].to_pylist(), strict=True)
        table = table.filter([i in asked and d == schedule.design_hash for i, d in rows])
        found = []
        for one in self._compare(name, table, agents):
            key = one.agent, one.side_a, one.side_b, one.measure, *one.labels.items()
            looks = seen.setdefault(key, [])
            looks.append(InterimLook(number, schedule.shares[number - 1], one))
            found.append(decide(looks, self.analysis.smallest.get(one.measure)))
        return found

    def _compare(self, name: str, table: pa.Table, agents: Sequence[str]) -> list[Difference]:
        """Return the planned differences of a suite."""
        measures = list_decisive(name, self.analysis)
        if not self.sides:
            plan = replace(self.analysis, measures=measures)
            return [one for each in plan.compare({name: table})[0] for one in each]
        rows = table["agent"].to_pylist()
        first, second = (table.filter([who == agent for who in rows]) for agent in agents)
        try:
            compared = compare_suites({name: first}, {name: second}, self.analysis.smallest)
        except UserError:  # no item was answered by both so far
            return []
        return [one for one in compared if one.measure in measures]
