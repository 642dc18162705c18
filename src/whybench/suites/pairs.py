"""Two agents, or two runs, on the same items: how far their measures differ.

The records of both sides stand in one table, whose agents are called `first` and `second`, so that
groups of both number their sampled units alike. A measure is estimated on each side as it always
is, and once more without each unit; from that `whybench.stats.shift` makes the interval of the
difference.

Measures of the answers alone are compared on items that both sides answered: else who declines the
hard ones would seem better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from whybench.stats import clustered_share
from whybench.stats.shift import Replicated, Shift, shift_between
from whybench.suites.groups import GROUP_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

__all__ = [
    "FIRST",
    "SECOND",
    "Pair",
    "answered_share",
    "couples",
    "group_pairs",
    "scored_by_both",
    "side_by_side",
]

FIRST, SECOND = "first", "second"
"""What the two agents are called in a table of both."""


class _Labelled(Protocol):
    @property
    def labels(self) -> Mapping[str, str]: ...


GroupT = TypeVar("GroupT", bound=_Labelled)


@dataclass(frozen=True)
class Pair:
    """A measure of both sides under one condition, and the difference.

    Attributes:
        measure: The measure, by the name it has everywhere.
        labels: The condition.
        first: Its value on the first side; None where it has none.
        second: Its value on the second side.
        shift: second - first, with interval and p-value.
    """

    measure: str
    labels: Mapping[str, str]
    first: float | None
    second: float | None
    shift: Shift

    @classmethod
    def of(
        cls, measure: str, labels: Mapping[str, str], first: Replicated, second: Replicated
    ) -> Pair:
        """Return the pair of two estimates."""
        condition = {name: value for name, value in labels.items() if name not in GROUP_KEYS}
        values = first.estimate.estimate, second.estimate.estimate
        return cls(measure, condition, *values, shift_between(first, second))


def side_by_side(first: pa.Table, second: pa.Table) -> pa.Table:
    """Return the records of both sides in one table; which design they are of does not matter."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    sides = []
    for name, table in ((FIRST, first), (SECOND, second)):
        side = table
        for column, value in (("agent", name), ("design", ""), ("design_hash", "")):
            place = side.column_names.index(column)
            words = pa.array([value] * side.num_rows, type=pa.string())
            side = side.set_column(place, pa.field(column, pa.string()), words)
        sides.append(side)
    return pa.concat_tables(sides, promote_options="permissive")


def scored_by_both(records: pa.Table) -> pa.Table:
    """Return the scored answers to items that both sides answered."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    scored = records.filter(pc.equal(records["outcome"], "scored"))
    by_side = [
        set(scored.filter(pc.equal(scored["agent"], side))["item"].to_pylist())
        for side in (FIRST, SECOND)
    ]
    both = pa.array(sorted(by_side[0] & by_side[1]), type=pa.string())
    return scored.filter(pc.is_in(scored["item"], value_set=both))


def couples(groups: Iterable[GroupT]) -> Iterator[tuple[GroupT, GroupT]]:
    """Yield the groups of both sides under each condition that both have."""
    sides: dict[tuple[str, ...], dict[str, GroupT]] = {}
    for group in groups:
        condition = tuple(value for name, value in group.labels.items() if name not in GROUP_KEYS)
        sides.setdefault(condition, {})[group.labels["agent"]] = group
    for found in sides.values():
        if FIRST in found and SECOND in found:
            yield found[FIRST], found[SECOND]


def group_pairs(
    groups: Iterable[Group], estimators: Mapping[str, Callable[[Group], Estimate]]
) -> Iterator[Pair]:
    """Yield the difference of every measure under every condition.

    Args:
        groups: Groups of both sides.
        estimators: Measure to how it is estimated on a group, with its interval.
    """
    for one, two in couples(groups):
        for measure, estimate in estimators.items():
            yield Pair.of(
                measure, one.labels, _replicated(one, estimate), _replicated(two, estimate)
            )


def answered_share(group: Group) -> Estimate:
    """Estimate the share of replies that are answers."""
    replies = group.where(group["outcome"] != "error")
    return clustered_share(replies["outcome"] == "scored", replies.units)


def _replicated(group: Group, estimate: Callable[[Group], Estimate]) -> Replicated:
    without = {}
    for unit in np.unique(group.units).tolist():
        value = estimate(group.where(group.units != unit)).estimate
        without[unit] = np.nan if value is None else value
    return Replicated(estimate(group), without)
