"""Two agents, or two runs, on the same items: how far their measures differ.

The records of both sides stand in one table, whose agents are called `first` and `second`, so that
groups of both number their sampled units alike. A measure is estimated on each side as it always
is, and once more without each unit; from that `whybench.stats.paired` makes the interval of the
difference. A `RatioEstimator` says of which sums its value is made, which gives the values without
each unit all at once.

Measures of the answers alone are compared on items that both sides answered: else who declines the
hard ones would seem better. Measures in which no answer counts as wrong are compared on items that
were lost to an error on neither side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import clustered_share
from whybench.stats.left_out import share_ratio, sum_ratios_without
from whybench.stats.paired import Jackknifed, PairedDifference, difference_between
from whybench.suites.groups import GROUP_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.stats.left_out import Ratio
    from whybench.suites.groups import Group

FIRST, SECOND = "first", "second"
"""What the two agents are called in a table of both."""


@dataclass(frozen=True)
class Pair:
    """A measure of both sides under one condition, and the difference.

    Attributes:
        measure: The measure, by the name it has everywhere.
        labels: The condition.
        first: Its value on the first side; None where it has none.
        second: Its value on the second side.
        difference: second - first, with interval and p-value.
        sides: Both values with their own intervals, where they are known.
    """

    measure: str
    labels: Mapping[str, str]
    first: float | None
    second: float | None
    difference: PairedDifference
    sides: tuple[Estimate, Estimate] | None = None

    @classmethod
    def of(
        cls, measure: str, labels: Mapping[str, str], first: Jackknifed, second: Jackknifed
    ) -> Pair:
        """Return the pair of two estimates."""
        condition = {name: value for name, value in labels.items() if name not in GROUP_KEYS}
        sides = first.estimate, second.estimate
        values = first.estimate.estimate, second.estimate.estimate
        return cls(measure, condition, *values, difference_between(first, second), sides)


@dataclass(frozen=True)
class RatioEstimator:
    """An estimator whose value is a weighted sum of ratios of sums over rows.

    Attributes:
        estimate: Estimates it on a group, with its interval.
        ratios: The ratios of a group; none where there is no value. They tell the value without a
            unit as long as none of them loses all its rows.
    """

    estimate: Callable[[Group], Estimate]
    ratios: Callable[[Group], Iterable[Ratio]]

    def __call__(self, group: Group) -> Estimate:
        """Estimate it on a group."""
        return self.estimate(group)


def stack_sides(first: pa.Table, second: pa.Table) -> pa.Table:
    """Return the records of both sides in one table; which design they are of does not matter."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    sides = []
    for name, table in ((FIRST, first), (SECOND, second)):
        side = table
        for column, value in (("agent", name), ("design", ""), ("design_hash", "")):
            position = side.column_names.index(column)
            words = pa.array([value] * side.num_rows, type=pa.string())
            side = side.set_column(position, pa.field(column, pa.string()), words)
        sides.append(side)
    return pa.concat_tables(sides, promote_options="permissive")


def filter_scored_by_both(records: pa.Table) -> pa.Table:
    """Return the scored answers to items that both sides answered."""
    import pyarrow.compute as pc  # noqa: PLC0415

    return _filter_shared(records.filter(pc.equal(records["outcome"], "scored")))


def filter_reached_by_both(records: pa.Table) -> pa.Table:
    """Return what became of items that neither side lost to an error, answered or not."""
    import pyarrow.compute as pc  # noqa: PLC0415

    return _filter_shared(records.filter(pc.not_equal(records["outcome"], "error")))


def _filter_shared(records: pa.Table) -> pa.Table:
    """Return the records of items of which both sides have one."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    first, second = (
        set(records.filter(pc.equal(records["agent"], side))["item"].to_pylist())
        for side in (FIRST, SECOND)
    )
    both = pa.array(sorted(first & second), type=pa.string())
    return records.filter(pc.is_in(records["item"], value_set=both))


def match_groups(groups: Iterable[Group]) -> Iterator[tuple[Group, Group]]:
    """Yield the groups of both sides under each condition that both have."""
    sides: dict[tuple[str, ...], dict[str, Group]] = {}
    for group in groups:
        condition = tuple(value for name, value in group.labels.items() if name not in GROUP_KEYS)
        sides.setdefault(condition, {})[group.labels["agent"]] = group
    for pair in sides.values():
        if FIRST in pair and SECOND in pair:
            yield pair[FIRST], pair[SECOND]


def compare_groups(
    groups: Iterable[Group],
    estimators: Mapping[str, Callable[[Group], Estimate]],
    strata: str = "",
) -> Iterator[Pair]:
    """Yield the difference of every measure under every condition.

    Args:
        groups: Groups of both sides.
        estimators: Measure to how it is estimated on a group, with its interval.
        strata: The column that names strata, where intervals are those within strata.
    """
    for first, second in match_groups(groups):
        for measure, estimate in estimators.items():
            sides = (_jackknife(side, estimate, strata) for side in (first, second))
            yield Pair.of(measure, first.labels, *sides)


def _answered_share(group: Group) -> Estimate:
    replies = group.where(group["outcome"] != "error")
    return clustered_share(replies["outcome"] == "scored", replies.units)


def _answered_ratio(group: Group) -> list[Ratio]:
    return [share_ratio(group["outcome"] == "scored", group["outcome"] != "error")]


answered_share = RatioEstimator(_answered_share, _answered_ratio)
"""Estimates the share of replies that are answers."""


def strata_of_units(units: Iterable[Hashable], strata: Iterable[str]) -> dict[Hashable, Hashable]:
    """Return each unit's stratum, given those of rows; nothing if a unit is in several."""
    found: dict[Hashable, Hashable] = {}
    for unit, stratum in zip(units, strata, strict=True):
        if found.setdefault(unit, stratum) != stratum:
            return {}
    return found


def _jackknife(group: Group, estimate: Callable[[Group], Estimate], strata: str = "") -> Jackknifed:
    units = np.unique(group.units)
    values = np.full(units.size, np.nan)
    ratios = list(estimate.ratios(group)) if isinstance(estimate, RatioEstimator) else []
    if ratios:
        values = sum_ratios_without(ratios, group.units)
    for place in np.flatnonzero(np.isnan(values)):
        value = estimate(group.where(group.units != units[place])).estimate
        values[place] = np.nan if value is None else value
    named = strata_of_units(group.units.tolist(), group[strata].tolist()) if strata else {}
    without = dict(zip(units.tolist(), values.tolist(), strict=True))
    return Jackknifed(estimate(group), without, named)
