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

from whybench.stats import Difference
from whybench.stats.left_out import sum_ratios_by_unit, sum_ratios_without
from whybench.stats.paired import Jackknifed
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


def difference_of(
    measure: str, labels: Mapping[str, str], first: Jackknifed, second: Jackknifed
) -> Difference:
    """Return the difference second - first under a condition; the first side is the reference."""
    condition = {name: value for name, value in labels.items() if name not in GROUP_KEYS}
    return Difference.between(measure, condition, first, second)


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
) -> Iterator[Difference]:
    """Yield the difference of every measure under every condition.

    Args:
        groups: Groups of both sides.
        estimators: Measure to how it is estimated on a group, with its interval.
        strata: The column that names strata, where intervals are those within strata.
    """
    for first, second in match_groups(groups):
        for measure, estimate in estimators.items():
            sides = (_jackknife(side, estimate, strata) for side in (first, second))
            yield difference_of(measure, first.labels, *sides)


def strata_of_units(units: Iterable[Hashable], strata: Iterable[str]) -> dict[Hashable, Hashable]:
    """Return each unit's stratum, given those of rows; nothing if a unit is in several."""
    found: dict[Hashable, Hashable] = {}
    for unit, stratum in zip(units, strata, strict=True):
        if found.setdefault(unit, stratum) != stratum:
            return {}
    return found


def _jackknife(group: Group, estimate: Callable[[Group], Estimate], strata: str = "") -> Jackknifed:
    whole = estimate(group)
    units = np.unique(group.units)
    values, parts = np.full((2, units.size), np.nan)
    ratios = list(estimate.ratios(group)) if isinstance(estimate, RatioEstimator) else []
    if ratios:
        values = sum_ratios_without(ratios, group.units)
    for place in np.flatnonzero(np.isnan(values)):
        value = estimate(group.where(group.units != units[place])).estimate
        values[place] = np.nan if value is None else value
    if ratios and whole.estimate is not None and np.isnan(values).any():
        parts = sum_ratios_by_unit(ratios, group.units)
    named = strata_of_units(group.units.tolist(), group[strata].tolist()) if strata else {}
    without, added = (
        dict(zip(units.tolist(), of_units.tolist(), strict=True)) for of_units in (values, parts)
    )
    return Jackknifed(whole, without, named, added)
