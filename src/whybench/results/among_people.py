"""Agents beside people: what differs, how like people they are, where they lie among single ones.

Three tables in one frame, told apart by the column `table`. In `differences` a row is a measure of
the agent and of people, with the difference, agent - people; p-values of all agents are one family.
In `likeness` it is how near the agent is to people, with the floor and the ceiling; in `places`
the share of single people whose value is lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from whybench.errors import UserError
from whybench.frames import Frame, rows_to_arrow
from whybench.results.changes import SMALLEST, Change, correct_family, make_change
from whybench.suites.groups import MOST_CUT, MOST_LOST, is_cut_by_default
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from whybench.suites.people import Likeness, Place

VERDICTS = {
    "rose": "above people",
    "fell": "below people",
    "no change shown": "no difference shown",
}
"""What the verdict of a change is called where the first side is people; others stay."""


THEMSELVES = "human/"
"""How the names of the people begin with whom agents are compared."""


@dataclass(frozen=True)
class AgentAndPeople:
    """One agent beside people, in one suite.

    Attributes:
        agent: The agent.
        suite: The suite.
        changes: Measures of people, first, and of the agent, second.
        likeness: How like people it is.
        places: Where it lies among single people.
        notes: What was compared and what was not, in words.
    """

    agent: str
    suite: str
    changes: Sequence[Change]
    likeness: Sequence[Likeness]
    places: Sequence[Place]
    notes: Sequence[str]

    def rows(self) -> list[dict[str, Any]]:
        """Return all that is said of the agent as flat rows."""
        owner = {"agent": self.agent, "suite": self.suite}
        return [
            *({"table": "differences", **owner, **_change_row(change)} for change in self.changes),
            *({"table": "likeness", **owner, **one.row()} for one in self.likeness),
            *({"table": "places", **owner, **one.row()} for one in self.places),
        ]


@dataclass(frozen=True, eq=False)
class AmongPeople(Sequence[AgentAndPeople], Frame):
    """Agents beside people."""

    agents: tuple[AgentAndPeople, ...]

    def __len__(self) -> int:
        return len(self.agents)

    @overload
    def __getitem__(self, which: int) -> AgentAndPeople: ...
    @overload
    def __getitem__(self, which: slice) -> AmongPeople: ...
    def __getitem__(self, which: int | slice) -> AgentAndPeople | AmongPeople:
        """Return one agent by its position, or some of them."""
        return self.agents[which] if isinstance(which, int) else AmongPeople(self.agents[which])

    def __repr__(self) -> str:
        who = ", ".join(one.agent for one in self.agents[:3])
        return f"<AmongPeople: {who}{', …' if len(self) > 3 else ''}>"

    @property
    def changes(self) -> tuple[Change, ...]:
        """All differences from people."""
        return tuple(change for one in self.agents for change in one.changes)

    def to_arrow(self) -> pa.Table:
        """Return the three tables below each other; what a row does not have is null."""
        return rows_to_arrow([row for one in self.agents for row in one.rows()])


def compare_with_people(
    tables: Mapping[str, pa.Table], smallest: Mapping[str, float] | None = None
) -> AmongPeople:
    """Hold every agent against people who judged the same, cell by cell, means with means.

    Args:
        tables: Suite to records.
        smallest: Measure to the smallest difference of interest; by default what the suites say.

    Raises:
        UserError: No suite has people to compare with, they have not been fetched, or people judged
            nothing of what was asked.
    """
    able = {name: table for name, table in tables.items() if get_suite(name).people_comparison}
    if not able:
        raise UserError(
            "a suite must have people to compare with, as judge has, got "
            f"{', '.join(tables) or 'none'}"
        )
    found, refused = [], []
    for name, table in able.items():
        for agent in dict.fromkeys(table["agent"].to_pylist()):
            if agent.startswith(THEMSELVES):
                continue
            own = table.filter([who == agent for who in table["agent"].to_pylist()])
            try:
                found.append(_compare(name, agent, own, smallest or {}))
            except UserError as error:
                refused.append(error)
    if not found:
        raise next(iter(refused), UserError("agents must be others than people, got people alone"))
    corrected = iter(correct_family(change for one in found for change in one.changes))
    return AmongPeople(
        tuple(replace(one, changes=[next(corrected) for _ in one.changes]) for one in found)
    )


def _compare(
    name: str, agent: str, table: pa.Table, smallest: Mapping[str, float]
) -> AgentAndPeople:
    suite = get_suite(name)
    people = suite.people_comparison
    if people is None or not people.is_fetched():
        fetch = "" if people is None else people.fetch
        raise UserError(f"people's answers to {name} must be there, got none; fetch them: {fetch}")
    found = people.compare(table)
    holds = {
        "many_lost": found.lost > MOST_LOST,
        "default_cap": is_cut_by_default(table).mean() > MOST_CUT,
    }
    flags = tuple(flag for flag, is_so in holds.items() if is_so)
    least = {**(suite.comparison.smallest if suite.comparison else {}), **smallest}
    changes = [
        make_change(name, pair, flags, least.get(pair.measure, SMALLEST)) for pair in found.pairs
    ]
    return AgentAndPeople(agent, name, changes, found.likeness, found.places, found.notes)


def _change_row(change: Change) -> dict[str, Any]:
    return {
        **change.labels,
        "measure": change.measure,
        "agent_value": change.second,
        "people": change.first,
        "difference": change.estimate,
        "difference_low": change.low,
        "difference_high": change.high,
        "p": change.p,
        "adjusted": change.adjusted,
        "verdict": VERDICTS.get(change.verdict, change.verdict),
        "n": change.n,
        "units": change.units,
        "method": change.method,
        "flags": " ".join(change.flags),
    }
