"""Agents compared with people: differences, likeness, and places among single people.

The differences are the agent minus people, and the p-values of all agents are one family.
`likeness` is how close the agent is to people, with the baseline and the noise ceiling; `places`
the share of single people whose value is lower.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from whybench.errors import UserError
from whybench.results.comparison import PEOPLE, Comparison
from whybench.results.pairing import finish_difference, flag_losses
from whybench.stats import correct_family
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

THEMSELVES = "human/"
"""The beginning of the names of people, who are not compared with themselves."""


def compare_with_people(
    tables: Mapping[str, pa.Table], smallest: Mapping[str, float] | None = None
) -> Comparison:
    """Compare every agent with people who judged the same, mean answer by mean answer.

    Args:
        tables: Suite to records.
        smallest: Measure to the smallest difference of interest; the suites state defaults.

    Raises:
        UserError: No suite has people to compare with, they have not been fetched, or people judged
            none of the items.
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
            own = table.filter([other == agent for other in table["agent"].to_pylist()])
            try:
                found.append(_compare(name, agent, own, smallest))
            except UserError as error:
                refused.append(error)
    if not found:
        raise next(iter(refused), UserError("agents must be others than people, got people alone"))
    return Comparison(
        tuple(correct_family(one for part in found for one in part.differences)),
        likeness=tuple(one for part in found for one in part.likeness),
        places=tuple(one for part in found for one in part.places),
        notes=tuple(dict.fromkeys(note for part in found for note in part.notes)),
    )


def _compare(
    name: str, agent: str, table: pa.Table, smallest: Mapping[str, float] | None
) -> Comparison:
    suite = get_suite(name)
    people = suite.people_comparison
    if people is None or not people.is_fetched():
        fetch = "" if people is None else people.fetch
        raise UserError(f"people's answers to {name} must be there, got none; fetch them: {fetch}")
    found = people.compare(table)
    flags = flag_losses(found.lost, table)
    return Comparison(
        tuple(
            replace(
                finish_difference(suite, one, flags, smallest),
                by=PEOPLE,
                agent=agent,
                side_a=agent,
                side_b=PEOPLE,
            )
            for one in found.differences
        ),
        likeness=tuple(replace(one, agent=agent, suite=name) for one in found.likeness),
        places=tuple(replace(one, agent=agent, suite=name) for one in found.places),
        notes=tuple(found.notes),
    )
