"""Declare a measure once: its rows, its computation, and its description.

A `DeclaredMeasure` is one row of a suite's table of measures. Estimates with intervals, values at
the levels of factors, differences between two agents, the report's explanations and the
documentation's list of measures all come from this row.

Most measures are weighted sums of ratios of sums over rows: `share`, `mean`, `ratio` and `balanced`
declare them. Their interval follows from the influence of each row, and their value without a unit,
which `compare_declared` needs, from the same sums. `custom` declares any other function of a group.

Names may form a family, such as one measure for each verdict. Declare each with `family`, so that
lists can show the family in one line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from whybench.stats import Estimate, clustered_estimate, wilson_estimate
from whybench.stats.clustered import ROUNDING
from whybench.stats.left_out import Ratio, balanced_ratios, share_ratio
from whybench.suites.pairs import (
    RatioEstimator,
    compare_groups,
    filter_reached_by_both,
    filter_scored_by_both,
    match_groups,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Difference, Level, Measure
    from whybench.suites.groups import Group

    Rows = Callable[[Group], NDArray[np.bool_]]
    Values = Callable[[Group], NDArray[Any]]
    Split = Callable[[Group], Iterable[Group]]

Direction = Literal["higher", "lower", "neither"]
Compared = Literal["no", "reached", "scored", "all"]
"""On which items two agents are compared in a measure: `reached`, those that neither lost to an
error; `scored`, those that both answered; `all`; or not at all."""

FILTERS: dict[str, Callable[[pa.Table], pa.Table]] = {
    "reached": filter_reached_by_both,
    "scored": filter_scored_by_both,
    "all": lambda records: records,
}

SHARE = (0.0, 1.0)
"""The range of shares."""


def every(group: Group) -> NDArray[np.bool_]:
    """Choose all rows."""
    return np.ones(group.units.size, dtype=bool)


def reached(group: Group) -> NDArray[np.bool_]:
    """Choose the rows that no technical error ended."""
    return np.asarray(group["outcome"] != "error")


def scored(group: Group) -> NDArray[np.bool_]:
    """Choose the rows with an answer."""
    return np.asarray(group["outcome"] == "scored")


def equals(column: str, value: object) -> Rows:
    """Return a function that chooses the rows with this value in a column."""
    return lambda group: np.asarray(group[column] == value)


def both(*chosen: Rows) -> Rows:
    """Return a function that chooses the rows that all of these functions choose."""
    return lambda group: np.asarray(np.logical_and.reduce([rows(group) for rows in chosen]))


@dataclass(frozen=True)
class By:
    """Split a group by the levels of a factor, if there are several.

    Attributes:
        factor: The column.
        kind: The type of its levels in measures, `int` for whole numbers.
    """

    factor: str
    kind: Callable[[Any], Level] = str

    def __call__(self, group: Group) -> Iterator[Group]:
        """Yield the group at each level."""
        levels = np.unique(group[self.factor]).tolist()
        for level in levels if len(levels) > 1 else ():
            yield group.where(group[self.factor] == level, **{self.factor: self.kind(level)})


@dataclass(frozen=True, kw_only=True)
class DeclaredMeasure:
    """A measure: its description, the rows that count, and how it is computed.

    Attributes:
        name: The name in code, tables and commands.
        label: The name for people to read, with the baseline of a skill score.
        meaning: The meaning of the number, in one sentence.
        range: The lowest and the highest possible value, perhaps infinite.
        direction: Whether higher or lower values are better, or neither.
        baseline: The value of an agent that doesn't reason, where it is known.
        exact: The value of an agent that makes no error, where it is known.
        family: The name of the family, as `verdict_…`; empty for a measure outside any family.
        compute: The estimate from the rows that count; None for a measure that the suite computes
            in its own way, of which only the description is declared.
        ratios: The ratios whose sum is the value, from the rows that count; None without.
        rows: The rows that count.
        when: Whether a group has the measure at all.
        overall: Whether the measure is given for the whole group, or at levels only.
        levels: The splits of a group for which the measure is also given, such as `By("rung")`.
        compared: On which items two agents are compared.
        flags: Further flags, from the rows that count.
    """

    name: str
    label: str
    meaning: str
    range: tuple[float, float] = (-inf, inf)
    direction: Direction = "neither"
    baseline: float | None = None
    exact: float | None = None
    family: str = ""
    compute: Callable[[Group], Estimate] | None = None
    ratios: Callable[[Group], Iterable[Ratio]] | None = None
    rows: Rows = every
    when: Callable[[Group], bool] = lambda _: True
    overall: bool = True
    levels: tuple[Split, ...] = ()
    compared: Compared = "no"
    flags: Callable[[Group], tuple[str, ...]] = lambda _: ()

    def estimate(self, group: Group) -> Estimate:
        """Estimate the measure on the rows of a group that count."""
        if self.compute is None:
            raise TypeError(f"{self.name} must have a function that computes it, got none")
        return self.compute(group.once(_choose, self.rows))

    def measure(self, group: Group) -> Measure:
        """Return the measure of a group."""
        counted = group.once(_choose, self.rows)
        measure = counted.measure(self.name, self.estimate(group), *self.flags(counted))
        return replace(measure, range=self.range)

    @property
    def estimator(self) -> Callable[[Group], Estimate]:
        """The estimator for `compare_groups`, with ratios if the measure has them."""
        return RatioEstimator(self.estimate, self._ratios) if self.ratios else self.estimate

    def _ratios(self, group: Group) -> Iterator[Ratio]:
        """Yield the ratios over all rows of a group, with 0 in rows that don't count."""
        counted = self.rows(group)
        for ratio in self.ratios(group.once(_choose, self.rows)) if self.ratios else ():
            above, below = np.zeros((2, counted.size))
            above[counted], below[counted] = ratio.above, ratio.below
            yield Ratio(ratio.weight, above, below)


def _choose(group: Group, rows: Rows) -> Group:
    return group.where(rows(group))


def custom(
    name: str,
    label: str,
    meaning: str,
    compute: Callable[[Group], Estimate],
    rows: Rows = every,
    **declared: Any,
) -> DeclaredMeasure:
    """Declare a measure with any function of the rows that count."""
    return DeclaredMeasure(
        name=name, label=label, meaning=meaning, compute=compute, rows=rows, **declared
    )


def of_ratios(
    name: str,
    label: str,
    meaning: str,
    rows: Rows,
    ratios: Callable[[Group], Sequence[Ratio]],
    method: str,
    *,
    bounded: bool = False,
    **declared: Any,
) -> DeclaredMeasure:
    """Declare a weighted sum of ratios of sums over rows.

    Args:
        name: The name.
        label: The name for people to read.
        meaning: The meaning of the number, in one sentence.
        rows: The rows that count.
        ratios: The ratios, from the rows that count. Where one has nothing below, the measure is
            undefined.
        method: The name of the value, for the column `method`.
        bounded: Whether the value is from 0 to 1, which gives it Wilson's interval, and not t.
        declared: Further attributes of the measure.
    """

    def compute(group: Group) -> Estimate:
        return _estimate_ratios(group, ratios(group), method, bounded=bounded)

    declared = {"range": SHARE if bounded else (-inf, inf), **declared, "ratios": ratios}
    return custom(name, label, meaning, compute, rows, **declared)


def share(
    name: str, label: str, meaning: str, rows: Rows, hits: Values, **declared: Any
) -> DeclaredMeasure:
    """Declare the share of rows that are hits, or the mean of values from 0 to 1."""

    def ratios(group: Group) -> list[Ratio]:
        return [share_ratio(hits(group), every(group))]

    return of_ratios(name, label, meaning, rows, ratios, "share", bounded=True, **declared)


def balanced(
    name: str, label: str, meaning: str, rows: Rows, hits: Values, truth: Rows, **declared: Any
) -> DeclaredMeasure:
    """Declare the mean of two shares of hits: in rows where `truth` holds, and in the others."""

    def ratios(group: Group) -> list[Ratio]:
        return list(balanced_ratios(hits(group), truth(group), every(group)))

    named = "mean of two rates"
    return of_ratios(name, label, meaning, rows, ratios, named, bounded=True, **declared)


def mean(
    name: str, label: str, meaning: str, rows: Rows, values: Values, **declared: Any
) -> DeclaredMeasure:
    """Declare the mean of values, without the rows where the value is NaN."""

    def known(group: Group) -> NDArray[np.bool_]:
        return np.asarray(rows(group) & ~np.isnan(values(group)))

    def ratios(group: Group) -> list[Ratio]:
        return [Ratio(1.0, values(group), np.ones(group.units.size))]

    return of_ratios(name, label, meaning, known, ratios, "mean", **declared)


def ratio(
    name: str, label: str, meaning: str, rows: Rows, above: Values, below: Values, **declared: Any
) -> DeclaredMeasure:
    """Declare the ratio of two sums over rows; `bounded=True` if a part is divided by a whole."""

    def ratios(group: Group) -> list[Ratio]:
        return [Ratio(1.0, above(group), below(group))]

    declared = {"method": "ratio of sums", **declared}
    return of_ratios(name, label, meaning, rows, ratios, **declared)


def _estimate_ratios(
    group: Group, ratios: Sequence[Ratio], method: str, *, bounded: bool
) -> Estimate:
    named = f"{method}; {'Wilson' if bounded else 't'}, clustered"
    totals = [float(ratio.below.sum()) for ratio in ratios]
    if not all(totals):
        units = np.unique(group.units).size
        return Estimate(None, None, None, group.units.size, units, named, ("undefined",))
    value, influence = 0.0, np.zeros(group.units.size)
    for (weight, above, below), total in zip(ratios, totals, strict=True):
        found = float(above.sum()) / total
        value += weight * found
        influence += weight * (above - found * below) / total
    if not bounded:
        return clustered_estimate(value, influence, group.units, named)
    # Shares that sum to 1 may do so with a rounding error, which Wilson's interval doesn't take.
    value = min(value, 1.0) if value < 1 + ROUNDING else value
    return wilson_estimate(value, influence, group.units, named)


def only_when(
    when: Callable[[Group], bool], *measures: DeclaredMeasure
) -> tuple[DeclaredMeasure, ...]:
    """Return measures that only some groups have."""

    def limit(one: DeclaredMeasure) -> DeclaredMeasure:
        return replace(one, when=lambda group: when(group) and one.when(group))

    return tuple(map(limit, measures))


def measure_groups(
    groups: Iterable[Group], declared: Sequence[DeclaredMeasure]
) -> Iterator[Measure]:
    """Yield the measures of each group in the order of the table, then those at levels."""
    for group in groups:
        computed = [one for one in declared if one.compute and one.when(group)]
        yield from (one.measure(group) for one in computed if one.overall)
        for split in dict.fromkeys(split for one in computed for split in one.levels):
            having = [one for one in computed if split in one.levels]
            for part in split(group):
                yield from (one.measure(part) for one in having)


def compare_declared(
    records: pa.Table, group: Callable[[pa.Table], list[Group]], declared: Sequence[DeclaredMeasure]
) -> Iterator[Difference]:
    """Yield the differences between two sides in all measures that are compared.

    Args:
        records: The records of both sides (`whybench.suites.pairs.stack_sides`).
        group: Returns the groups of records.
        declared: The table of measures.
    """
    for items in dict.fromkeys(one.compared for one in declared if one.compared != "no"):
        chosen = [one for one in declared if one.compared == items]
        for sides in match_groups(group(FILTERS[items](records))):
            having = [one for one in chosen if all(map(one.when, sides))]
            yield from compare_groups(sides, {one.name: one.estimator for one in having})


def find_declared(declared: Iterable[DeclaredMeasure], name: str) -> DeclaredMeasure | None:
    """Return the first row of a table with this name; None without."""
    return next((one for one in declared if one.name == name), None)
