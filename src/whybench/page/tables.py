"""The tables of the suites: a row for each agent, a column for each headline measure.

What must stand beside a headline for it not to mislead has a column of its own. There is a table
for each condition; the reader sees one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.numerals import measure_text
from whybench.page.bars import bar, scale_of
from whybench.page.methods import Badge, badges_of, measure_words
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from whybench.page.conditions import Condition
    from whybench.stats import Measure


@dataclass(frozen=True)
class MeasureColumn:
    """A measure: its name, what it says, and whether it stands for the suite."""

    name: str
    meaning: str
    is_headline: bool


@dataclass(frozen=True)
class HeadlineCell:
    """What an agent's measure is: a value to sort by, picture and words, and what limits it."""

    value: float | None
    bar: Markup | str
    words: str
    badges: tuple[Badge, ...] = ()


@dataclass(frozen=True)
class AgentRow:
    """One agent; `beside` if it comes from downloaded data."""

    agent: str
    beside: bool
    cells: tuple[HeadlineCell, ...]


@dataclass(frozen=True)
class HeadlineTable:
    """The headline measures of a suite under one condition."""

    key: str
    condition: str
    columns: tuple[MeasureColumn, ...]
    rows: tuple[AgentRow, ...]


def make_table(condition: Condition, agents: Sequence[str], beside: Sequence[str]) -> HeadlineTable:
    """Return the table of a condition, with those agents who have measures there.

    Args:
        condition: The condition.
        agents: The agents of the sources, in order.
        beside: Those of downloaded data, who go below.
    """
    headline = get_suite(condition.suite).headline
    names = condition.headline
    columns = tuple(
        MeasureColumn(name, measure_words(condition.suite, name), name in headline)
        for name in names
    )
    present = [agent for agent in (*agents, *beside) if agent in condition.measures]
    found = {(agent, name): condition.get(agent, name) for agent in present for name in names}
    scales = {
        name: scale_of([one for (_, named), one in found.items() if named == name and one])
        for name in names
    }
    rows = []
    for agent in present:
        cells = []
        for column in columns:
            one = found[agent, column.name]
            picture = bar(one, scales[column.name]) if one and column.is_headline else ""
            cells.append(_cell(one, picture))
        rows.append(AgentRow(agent, agent in beside, tuple(cells)))
    return HeadlineTable(condition.key, condition.words, columns, tuple(rows))


def _cell(measure: Measure | None, picture: Markup | str) -> HeadlineCell:
    if measure is None:
        return HeadlineCell(None, "", "–")
    return HeadlineCell(measure.estimate, picture, measure_text(measure), tuple(badges_of(measure)))
