"""The page's comparisons: agents with each other, and conditions of each agent.

With few agents every two are compared; with more, each is compared with one, the first unless
another is chosen. Conditions are compared for every factor that was manipulated and every setting
of the model, as `whybench compare --by` does. If an experiment states its comparisons, those are
shown, and checked against the frozen plan. Each of the two parts is one family of p-values.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from whybench.errors import Fence
from whybench.results.experiments import AnalysisPlan
from whybench.results.pairing import compare_tables
from whybench.stats import correct_family
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.page.material import Material
    from whybench.results.comparison import Comparison
    from whybench.results.experiments import FrozenPoint
    from whybench.stats import Difference

MOST_PAIRED = 4
"""The largest number of agents of which every two are compared."""

MOST_ROWS = 120
"""The largest number of differences in a table."""


@dataclass(frozen=True)
class AgentComparisons:
    """Differences between agents.

    Attributes:
        primary: Suite to the differences of its primary measures.
        further: Suite to those of other measures.
        notes: Reasons for comparisons that are missing or not shown.
    """

    primary: Mapping[str, list[Difference]]
    further: Mapping[str, list[Difference]]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LevelComparisons:
    """Differences between conditions, and whether the run followed the frozen plan.

    Attributes:
        rows: Suite to its differences.
        sentences: The significant ones in words, factor by factor.
        notes: Agents that are left out, and what cannot be compared.
        checks: Point by point whether a frozen experiment was followed.
    """

    rows: Mapping[str, list[Difference]]
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    checks: Sequence[FrozenPoint] = ()

    @property
    def kept(self) -> bool:
        """Whether the run followed the frozen plan in all points."""
        return all(check.holds for check in self.checks)


def pairs_of(agents: Sequence[str], against: str = "") -> list[tuple[str, str]]:
    """Return the pairs of agents that are compared, the reference first.

    Args:
        agents: Agents in their order.
        against: The reference of all pairs; the first agent if this is empty and there are many.

    >>> pairs_of(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> pairs_of(["a", "b", "c"], against="b")
    [('b', 'a'), ('b', 'c')]
    >>> len(pairs_of("abcdefghij"))
    9
    """
    if not against and len(agents) <= MOST_PAIRED:
        return list(combinations(agents, 2))
    one = against or agents[0]
    return [(one, agent) for agent in agents if agent != one] if one in agents else []


def compare_agents(material: Material, against: str = "") -> AgentComparisons:
    """Compare the agents of each suite, and correct over all of them."""
    found: list[Difference] = []
    fence = Fence()
    for name, table in tables_of(material):
        agents = table["agent"].unique().to_pylist()
        for first, second in pairs_of(agents, against):
            sides = (table.filter(pc.equal(table["agent"], agent)) for agent in (first, second))
            with fence.around(f"{name}, {first} and {second}"):
                found += compare_tables(get_suite(name), *sides)
    notes = [*fence.notes, *_explain_looks(material, of_agents=True)]
    found = material.looks.apply(found) if material.looks else found
    primary: dict[str, list[Difference]] = {}
    further: dict[str, list[Difference]] = {}
    for one in correct_family(found):
        kind = primary if one.measure in get_suite(one.suite).headline else further
        kind.setdefault(one.suite, []).append(one)
    for name, every in (*primary.items(), *further.items()):
        if len(every) > MOST_ROWS:
            notes.append(
                f"{name}: {len(every) - MOST_ROWS:,} further differences; `whybench compare` "
                "prints all of two agents."
            )
            del every[MOST_ROWS:]
    return AgentComparisons(primary, further, tuple(notes))


def compare_levels(material: Material) -> LevelComparisons:
    """Compare conditions as the experiment states it, or by all primary measures."""
    stated = material.statement
    tables = dict(tables_of(material))
    compared, notes = (stated.analysis if stated else AnalysisPlan()).compare(
        tables, material.looks
    )
    rows: dict[str, list[Difference]] = {}
    for one in (one for each in compared for one in each):
        rows.setdefault(one.suite, []).append(one)
    return LevelComparisons(
        {name: mine[:MOST_ROWS] for name, mine in rows.items()},
        [*_sentences(compared)] if stated else (),
        [*(notes if stated else ()), *_explain_looks(material, of_agents=False)],
        stated.check(tables, material.runs) if stated else (),
    )


def _explain_looks(material: Material, *, of_agents: bool) -> list[str]:
    """Return lines on the looks of a run until decided, if its sides are agents, or are not."""
    looks = material.looks
    return looks.lines() if looks and bool(looks.plan["sides"]) == of_agents else []


def _sentences(compared: Sequence[Comparison]) -> Iterator[str]:
    for each in compared:
        measures = ", ".join(each.measures)
        nothing = f"{each.by.replace('_', ' ')}: no difference of {measures} is significant"
        yield from list(each.sentences(*each.measures)) or [nothing]


def tables_of(material: Material) -> list[tuple[str, pa.Table]]:
    """Return the records of each suite, from however many sources, in one table."""
    tables: dict[str, list[pa.Table]] = {}
    for name, table in material.own():
        tables.setdefault(name, []).append(table)
    return [(name, pa.concat_tables(parts)) for name, parts in tables.items()]


def format_p(value: float | None) -> str:
    """Return a p-value in words."""
    if value is None:
        return "–"
    return "<0.001" if value < 0.001 else f"{value:.3f}"
