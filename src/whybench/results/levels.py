"""Which levels of factors and settings answers have, and sides of a comparison made of two.

What may be compared is a factor that a design may manipulate while the same is asked, and a setting
of the model (`whybench.model_settings`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.model_settings import AMOUNTS, MODEL_SETTINGS, name_without
from whybench.results.pairing import compare_tables, shared_items
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.results.pairing import SharedItems
    from whybench.stats import Difference
    from whybench.suites.registry import AnySuite

DEFAULT = "default"
"""What the level of a setting is called that a run left to the model."""


def list_levels_met(suite: AnySuite, table: pa.Table) -> dict[str, list[str]]:
    """Return what can be compared in records of a suite: factor or setting to its levels."""
    levels = {
        name: _levels(suite, name, table[name].unique().to_pylist())
        for name in (*list_manipulated(suite), *MODEL_SETTINGS)
        if name in table.column_names
    }
    return {name: [*map(level_word, found)] for name, found in levels.items() if len(found) > 1}


def explain_levels(tables: Mapping[str, pa.Table], by: str) -> str:
    """Say why nothing can be compared by a factor, and what could be."""
    here = {name: list_levels_met(get_suite(name), table) for name, table in tables.items()}
    listed = "; ".join(
        f"{name}: " + ", ".join(f"{one} ({', '.join(levels)})" for one, levels in found.items())
        for name, found in here.items()
        if found
    )
    there = f"these answers have {listed}" if listed else "these answers have none"
    manipulated = {one for name in tables for one in list_manipulated(get_suite(name))}
    columns = {one for table in tables.values() for one in table.column_names}
    names = [*{one: None for found in here.values() for one in found}]
    if by in MODEL_SETTINGS:
        option = f"--{by.replace('_', '-')}"
        reason = f"got {by}, which does not vary; run several levels ({option} A,B)"
    elif by in manipulated:
        reason = f"got {by}, which has one level here; run several (-T {by}=A,B)"
    elif by in columns:
        reason = f"got {by}, which is part of what is asked: its levels do not pair"
    else:
        reason = f"got {by!r}{suggest(by, names)}"
    return (
        "`by` must be a factor of which answers have several levels while the same is asked, or "
        f"a setting of the model; {there}, {reason}"
    )


@dataclass
class LevelSides:
    """The answers to a suite as sides of comparisons.

    Attributes:
        suite: The suite.
        table: Its records.
        by: The factor that is compared.
        reference: Its first level.
        notes: What was compared and what was not.
    """

    suite: AnySuite
    table: pa.Table
    by: str
    reference: str
    notes: list[str] = field(default_factory=list)

    def compare(
        self, levels: Sequence[str], smallest: Mapping[str, float] | None
    ) -> Iterator[Difference]:
        """Yield the differences of every agent between every other level and the reference."""
        single = []
        for agent, mine in self._split_by_agent():
            found = {level_word(level) for level in mine[self.by].unique().to_pylist()}
            if self.reference not in found or len(found) < 2:
                single.append(agent)
                continue
            for level in levels:
                if level in found and level != self.reference:
                    yield from self._compare_levels(agent, mine, level, smallest)
        if single:
            who = single[0] if len(single) == 1 else f"{len(single)} agents"
            self.notes.append(
                f"{self.suite.name}: {who} without answers at {self.reference} and another level "
                f"of {self.by}, not compared"
            )

    def _split_by_agent(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield agents, named without the setting that is compared, and their answers."""
        agents = self.table["agent"].to_pylist()
        if self.by in MODEL_SETTINGS:
            agents = [name_without(agent, self.by) for agent in agents]
        for agent in dict.fromkeys(agents):
            yield (
                agent,
                set_column(self.table.filter([one == agent for one in agents]), "agent", agent),
            )

    def _compare_levels(
        self, agent: str, mine: pa.Table, level: str, smallest: Mapping[str, float] | None
    ) -> Iterator[Difference]:
        words = [*map(level_word, mine[self.by].to_pylist())]
        whole = [mine.filter([word == one for word in words]) for one in (self.reference, level)]
        for along, sides in self._pair(*whole):
            try:
                shared = shared_items(self.suite.name, *sides)
                found = compare_tables(self.suite, *sides, smallest)
            except UserError as error:
                self.notes.append(f"{agent}, {self.reference} and {level}: {error}")
                continue
            self.notes += self._count_pairs(agent, level, shared)
            for one in found:
                rest = {name: word for name, word in one.labels.items() if name != self.by}
                yield replace(
                    one,
                    labels={**rest, **along},
                    by=self.by,
                    agent=agent,
                    side_a=level,
                    side_b=self.reference,
                )

    def _pair(
        self, first: pa.Table, second: pa.Table
    ) -> Iterator[tuple[dict[str, str], tuple[pa.Table, pa.Table]]]:
        """Yield sides whose items are called by what pairs them, and what goes along."""
        held: list[str] = []
        along: list[str] = []
        for name in list_manipulated(self.suite):
            if name != self.by and name in first.column_names:
                met = [{*side[name].unique().to_pylist()} for side in (first, second)]
                (held if met[0] & met[1] else along).append(name)
        ends = [_combinations(side, along) for side in (first, second)]
        for one, two in product(*ends):
            sides = (
                self._name_items(first, held, along, one),
                self._name_items(second, held, along, two),
            )
            pairs = zip(along, one, two, strict=True)
            yield {name: f"{level_word(a)} to {level_word(b)}" for name, a, b in pairs}, sides

    def _name_items(
        self, side: pa.Table, held: Sequence[str], along: Sequence[str], chosen: tuple[Any, ...]
    ) -> pa.Table:
        """Return the answers at some levels of what goes along, without what tells sides apart."""
        for name, level in zip(along, chosen, strict=True):
            side = side.filter([other == level for other in side[name].to_pylist()])
        columns = [side[name].to_pylist() for name in ("case", *held)]
        keys = ["/".join(map(level_word, cells)) for cells in zip(*columns, strict=True)]
        side = set_column(side, "item", keys)
        for name in (self.by, *along):
            side = set_column(side, name, None)
        return side

    def _count_pairs(self, agent: str, level: str, shared: SharedItems) -> Iterator[str]:
        counts = {
            f"only under {self.reference}": shared.only_first,
            f"only under {level}": shared.only_second,
            "lost to errors": shared.lost,
        }
        if left := ", ".join(f"{count} {where}" for where, count in counts.items() if count):
            yield f"{self.suite.name}, {agent}: {len(shared.items)} items pair; left out: {left}"


def set_column(table: pa.Table, name: str, values: object) -> pa.Table:
    """Return a table with other values in a column: one for each row, or one for all."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    kind = table.schema.field(name).type
    every = values if isinstance(values, list) else [values] * table.num_rows
    return table.set_column(table.column_names.index(name), name, pa.array(every, kind))


def _combinations(side: pa.Table, names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the combinations of levels that there are; one of nothing for no names."""
    if not names:
        return [()]
    columns = (side[name].to_pylist() for name in names)
    return list(dict.fromkeys(zip(*columns, strict=True)))


def list_manipulated(suite: AnySuite) -> dict[str, tuple[object, ...]]:
    """Return the factors that a suite's designs may manipulate, and their levels where fixed."""
    found: dict[str, tuple[object, ...]] = {}
    for design in suite.designs.values():
        stated = {
            entry.name: entry.metadata.get("levels", ())
            for entry in (fields(design) if is_dataclass(design) else ())
        }
        for name, (_, unsaid) in getattr(design, "manipulated", {}).items():
            found.setdefault(name, stated.get(name) or (() if unsaid is None else (unsaid,)))
    return found


def _levels(suite: AnySuite, by: str, met: Iterable[object]) -> list[object]:
    """Return levels in order: a setting left to the model, stated ones, numbers, then the rest."""
    order: Sequence[object] = AMOUNTS if by in MODEL_SETTINGS else list_manipulated(suite)[by]

    def place(level: object) -> tuple[int, float]:
        if level is None or level == "":
            return 0, 0.0
        if level in order:
            return 1, order.index(level)
        return (2, float(level)) if isinstance(level, int | float) else (3, 0.0)

    return sorted(dict.fromkeys(met), key=place)


def level_word(level: object) -> str:
    """Return a level as a word."""
    if level is None or level == "":
        return DEFAULT
    return f"{level:g}" if isinstance(level, float) else str(level)
