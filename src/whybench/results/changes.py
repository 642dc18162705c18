"""What changed between two runs, or two agents, paired by item.

Both sides hold the records of one agent. Only items that both were asked, without a technical error
on either side, are compared; an item is the same where prompt and truth are. Each suite says how
its main measures differ (`Suite.comparison`), clustered by the unit that was sampled. The p-values
of all measures and conditions of a comparison are one family, corrected by Benjamini and Hochberg.

`FailIf` is a condition by which a build can fail: `consistency<-0.05`. It is met by default only if
the whole 95% interval of the change lies beyond the bound, so that chance seldom breaks a build;
strictly, if the estimate lies beyond. A measure that cannot be compared, though a condition names
it, is an error and not a pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.errors import UserError, suggest
from whybench.stats import benjamini_hochberg
from whybench.suites.groups import MOST_CUT, MOST_LOST, is_cut_by_default
from whybench.suites.pairs import stack_sides

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.pairs import Pair
    from whybench.suites.registry import AnySuite

Verdict = Literal[
    "rose",
    "fell",
    "no change shown",
    "too small to matter",
    "too much lost",
    "cut off by our cap",
    "undefined",
]

ALPHA = 0.05

SMALLEST = 0.01
"""The smallest change of interest where neither the suite nor its user names one."""

WITHOUT_VERDICT: Mapping[str, Verdict] = {
    "many_lost": "too much lost",
    "default_cap": "cut off by our cap",
}
"""Flags of a change about which nothing can be said, to what is said instead."""


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


@dataclass(frozen=True)
class Change:
    """How a measure differs between two sides.

    Attributes:
        suite: The suite.
        measure: The measure.
        first: Its value on the first side, on the items that both share.
        second: Its value on the second side.
        estimate: second - first.
        low: Lower end of the 95% interval.
        high: Upper end of it.
        p: The p-value of no difference.
        adjusted: The same, corrected over the family.
        n: Answers that a side rests on.
        units: Sampled units behind the interval.
        verdict: rose, fell, no change shown, or undefined, by the corrected p-value; too much lost
            where more than 2% of the shared items were lost to errors, which could decide it; cut
            off by our cap where that is more than 1% of a side's replies; too small to matter where
            there is a change, and its estimate is nearer to 0 than the smallest of interest.
        smallest: The smallest change of interest.
        flags: What to know before trusting it.
        labels: The condition.
        method: How the interval was made.
        sides: Both values with intervals of their own, where they are known.
    """

    suite: str
    measure: str
    first: float | None
    second: float | None
    estimate: float | None
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    n: int
    units: int
    verdict: Verdict
    flags: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    smallest: float = 0.0
    sides: tuple[Estimate, Estimate] | None = field(default=None, repr=False)

    def row(self) -> dict[str, object]:
        """Return it as one flat row, the condition behind the suite."""
        plain = {
            name: getattr(self, name)
            for name in self.__dataclass_fields__
            if name not in {"suite", "labels", "flags", "sides"}
        }
        return {"suite": self.suite, **self.labels, **plain, "flags": " ".join(self.flags)}


def compare_tables(
    suite: AnySuite,
    first: pa.Table,
    second: pa.Table,
    smallest: Mapping[str, float] | None = None,
) -> list[Change]:
    """Return how the main measures of a suite differ, second - first, as one family.

    Args:
        suite: The suite.
        first: Records of one agent.
        second: Records of one agent, the same or another.
        smallest: Measure to the smallest change of interest, in place of the suite's own.

    Raises:
        UserError: A table holds several agents, the versions differ, or no item is shared.
    """
    if suite.comparison is None:
        raise UserError(
            f"a suite must have a paired comparison (`Suite.comparison`), got {suite.name} "
            "without one"
        )
    shared = shared_items(suite.name, first, second)
    sides = (_select(table, shared.items) for table in (first, second))
    pairs = suite.comparison.pairs(stack_sides(*sides))
    found = {
        "many_lost": shared.lost > MOST_LOST * (len(shared.items) + shared.lost),
        "default_cap": any(
            is_cut_by_default(side).mean() > MOST_CUT for side in (first, second) if side.num_rows
        ),
    }
    flags = tuple(flag for flag, holds in found.items() if holds)
    least = {**suite.comparison.smallest, **(smallest or {})}
    return correct_family(
        make_change(suite.name, pair, flags, least.get(pair.measure, SMALLEST)) for pair in pairs
    )


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


def correct_family(changes: Iterable[Change]) -> list[Change]:
    """Return changes with p-values corrected over all of them, and the verdicts of that."""
    family = list(changes)
    adjusted = benjamini_hochberg([np.nan if change.p is None else change.p for change in family])
    return [
        replace(change, adjusted=None if np.isnan(p) else float(p), verdict=_verdict(change, p))
        for change, p in zip(family, adjusted, strict=True)
    ]


def choose_measures(changes: Sequence[Change], measures: Sequence[str]) -> list[Change]:
    """Return the changes of these measures alone; what is asked for must be there."""
    known = tuple(dict.fromkeys(change.measure for change in changes))
    for name in measures:
        if name not in known:
            raise UserError(
                f"a measure must be among those that are compared here ({', '.join(known)}), got "
                f"{name!r}{suggest(name, known)}"
            )
    return [change for change in changes if change.measure in measures]


def _verdict(change: Change, adjusted: float) -> Verdict:
    if change.estimate is None or np.isnan(adjusted):
        return "undefined"
    for flag, verdict in WITHOUT_VERDICT.items():
        if flag in change.flags:
            return verdict
    if adjusted > ALPHA:
        return "no change shown"
    if abs(change.estimate) < change.smallest:
        return "too small to matter"
    return "rose" if change.estimate > 0 else "fell"


def make_change(suite: str, pair: Pair, flags: tuple[str, ...], smallest: float) -> Change:
    """Return a pair as a change, whose verdict is that of its family (`correct_family`)."""
    difference = pair.difference.estimate
    return Change(
        suite=suite,
        measure=pair.measure,
        first=pair.first,
        second=pair.second,
        estimate=difference.estimate,
        low=difference.low,
        high=difference.high,
        p=pair.difference.p,
        adjusted=None,
        n=difference.n,
        units=difference.units,
        verdict="undefined",
        flags=(*difference.flags, *flags),
        labels=pair.labels,
        method=difference.method,
        smallest=smallest,
        sides=pair.sides,
    )


def _select(table: pa.Table, items: frozenset[str]) -> pa.Table:
    """Return the records of these items that no error ended."""
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)
    import pyarrow.compute as pc  # noqa: PLC0415

    chosen = pc.is_in(table["item"], value_set=pa.array(sorted(items), type=pa.string()))
    return table.filter(pc.and_(chosen, pc.not_equal(table["outcome"], "error")))


@dataclass(frozen=True)
class FailIf:
    """A condition under which a build fails: a measure changed by less or more than a bound."""

    measure: str
    below: bool
    bound: float

    @classmethod
    def read(cls, text: str) -> FailIf:
        """Read `MEASURE<NUMBER` or `MEASURE>NUMBER`."""
        match = re.fullmatch(r"\s*([\w.]+)\s*([<>])\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*", text)
        if match is None:
            raise UserError(
                "`fail_if` must be MEASURE<NUMBER or MEASURE>NUMBER, such as "
                f'"consistency<-0.05", got {text!r}'
            )
        return cls(match[1], match[2] == "<", float(match[3]))

    def find_changes(self, changes: Sequence[Change], strict: bool = False) -> list[Change]:
        """Return the changes that meet the condition; strictly, by their estimates alone.

        Raises:
            UserError: A change of the measure has no interval, or strictly no estimate.
        """
        met = []
        for change in changes:
            if change.measure != self.measure:
                continue
            end = change.high if self.below else change.low
            value = change.estimate if strict else end
            if value is None:
                needed = "an estimate" if strict else "an interval"
                raise UserError(
                    f"`fail_if` must be about a change with {needed}, got {self} where there is "
                    "none; compare more items"
                )
            if value < self.bound if self.below else value > self.bound:
                met.append(change)
        return met

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return f"{self.measure}{'<' if self.below else '>'}{self.bound:g}"
