"""Two sides paired by item, and the differences of a suite's main measures.

Each side holds the records of one agent. Only items that both were asked, without a technical error
on either side, are compared; an item is the same where prompt and ground truth are. Each suite
states how its measures differ (`Suite.comparison`), clustered by the unit that was sampled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.stats import Difference, correct_family
from whybench.suites.groups import MOST_CUT, MOST_LOST, is_cut_by_default
from whybench.suites.measures import find_declared
from whybench.suites.pairs import stack_sides

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from whybench.suites.registry import AnySuite

SMALLEST = 0.01
"""The smallest difference of interest, if neither the suite nor its user names one."""


@dataclass(frozen=True)
class SharedItems:
    """Which items two sides have in common.

    Attributes:
        items: The ids of items that both sides were asked, and that no error ended.
        only_first: How many items only the first side was asked.
        only_second: How many items only the second side was asked.
        lost: How many items of both were lost to an error on either side.
    """

    items: frozenset[str]
    only_first: int
    only_second: int
    lost: int


def compare_tables(
    suite: AnySuite,
    first: pa.Table,
    second: pa.Table,
    smallest: Mapping[str, float] | None = None,
) -> list[Difference]:
    """Return how the main measures of a suite differ, second - first, as one family.

    Args:
        suite: The suite.
        first: Records of one agent, the reference (side B).
        second: Records of one agent, the same or another (side A).
        smallest: Measure to the smallest difference of interest, in place of the suite's own.

    Raises:
        UserError: A table holds several agents, the versions differ, or no item is shared.
    """
    if suite.comparison is None:
        raise UserError(
            f"a suite must have a paired comparison (`Suite.comparison`), got {suite.name} "
            "without one"
        )
    shared = shared_items(suite.name, first, second)
    sides = [_select(table, shared.items) for table in (first, second)]
    lost = shared.lost / (len(shared.items) + shared.lost)
    flags = flag_losses(lost, first, second)
    side_b, side_a = (table["agent"][0].as_py() for table in (first, second))
    found = []
    # Questions that are placed by the answers differ between the sides.
    compared = (first, second) if suite.adaptive else sides
    for one in suite.comparison.pairs(stack_sides(*compared)):
        named = replace(one, side_a=side_a, side_b=side_b)
        if one.is_identical:
            first_answers, second_answers = (_list_answers(side, one) for side in sides)
            if first_answers == second_answers:
                named = replace(named, method=f"0 of {len(first_answers):,} items differ")
        found.append(finish_difference(suite, named, flags, smallest))
    return correct_family(found)


def finish_difference(
    suite: AnySuite, found: Difference, flags: Sequence[str], smallest: Mapping[str, float] | None
) -> Difference:
    """Return a difference with its suite, flags of lost answers, and smallest size of interest."""
    least = {**(suite.comparison.smallest if suite.comparison else {}), **(smallest or {})}
    own = least.get(found.measure, SMALLEST)
    found = replace(found, suite=suite.name, flags=(*found.flags, *flags), smallest=own)
    declared = find_declared(suite.measure_table, found.measure)
    return found.clip(*declared.range) if declared else found


def flag_losses(lost: float, *tables: pa.Table) -> tuple[str, ...]:
    """Return the flags of sides that lost too many answers for a verdict.

    Args:
        lost: The share of shared answers that were lost to errors.
        *tables: The records of both sides.
    """
    holds = {
        "many_lost": lost > MOST_LOST,
        "default_cap": any(
            is_cut_by_default(side).mean() > MOST_CUT for side in tables if side.num_rows
        ),
    }
    return tuple(flag for flag, is_so in holds.items() if is_so)


def format_agents(agents: Sequence[str], most: int = 8) -> str:
    """Return the names of agents; of many, such as all people of a study, the number and a few."""
    if len(agents) <= most:
        return ", ".join(agents) or "none"
    return f"{len(agents)} agents ({', '.join(agents[:most])}, …)"


def shared_items(suite: str, first: pa.Table, second: pa.Table) -> SharedItems:
    """Return which items two sides have in common."""
    for side, table in (("first", first), ("second", second)):
        agents = sorted(set(table["agent"].to_pylist()))
        if len(agents) != 1:
            raise UserError(
                f"the {side} side must hold one agent, got {format_agents(agents)}; "
                "choose two by `agents`"
            )
    versions = [sorted(set(table["version"].to_pylist())) for table in (first, second)]
    if versions[0] != versions[1]:
        raise UserError(
            f"both sides must be of one version of {suite}, got {versions[0]} and {versions[1]}; "
            "scores of different versions do not compare"
        )
    one, two = (set(table["item"].to_pylist()) for table in (first, second))
    completed = (
        {
            row["item"]
            for row in table.select(["item", "outcome"]).to_pylist()
            if row["outcome"] != "error"
        }
        for table in (first, second)
    )
    both = frozenset.intersection(*map(frozenset, completed))
    if not both:
        raise UserError(
            f"both sides must share items of {suite}, got {len(one)} and {len(two)} "
            "items and none in common; run both with the same design or budget"
        )
    return SharedItems(both, len(one - two), len(two - one), len((one & two) - both))


def _select(table: pa.Table, items: frozenset[str]) -> pa.Table:
    """Return the records of these items that no error ended."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)
    import pyarrow.compute as pc  # noqa: PLC0415

    chosen = pc.is_in(table["item"], value_set=pa.array(sorted(items), type=pa.string()))
    return table.filter(pc.and_(chosen, pc.not_equal(table["outcome"], "error")))


def _list_answers(side: pa.Table, one: Difference) -> dict[str, list[Any]]:
    """Return the parts of the answers that a measure counts, by item, epochs in any order."""
    parts = ["outcome"] if one.measure == "answered" else ["outcome", "value"]
    labels = {name: level for name, level in one.labels.items() if name in side.column_names}
    found: dict[str, list[Any]] = {}
    for row in side.select(["item", *parts, *labels]).to_pylist():
        if all(str("" if row[name] is None else row[name]) == labels[name] for name in labels):
            found.setdefault(row["item"], []).append([str(row[part]) for part in parts])
    return {item: sorted(answers) for item, answers in found.items()}
