"""Comparisons as tables: agents, conditions of an agent, or agents and people.

Every row is a `Difference`: an estimate of side A and of side B, and A - B with its interval and
p-values. Side B is the reference: the first agent, the first level of a factor, or people. All
p-values of a comparison are one family, corrected by Benjamini and Hochberg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from whybench.errors import UserError, suggest
from whybench.frames import Frame, rows_to_arrow
from whybench.numerals import interval_text
from whybench.results.cases import match_cases
from whybench.results.looks import apply_looks
from whybench.results.pairing import compare_tables, shared_items
from whybench.stats import Difference, MeanDifference, correct_family
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.results.looks import Looks
    from whybench.suites.people import Likeness, Place

PEOPLE = "people"
"""The name of side B, and of the kind of comparison, if agents are compared with people."""


@dataclass(frozen=True, eq=False)
class Comparison(Sequence[Difference], Frame):
    """Differences that are corrected as one family.

    Attributes:
        differences: A difference for each measure under each condition.
        means: The mean differences over agents, a family of their own.
        likeness: How close agents are to people, cell by cell.
        places: Where agents lie among single people.
        notes: Which items and suites were compared, and which were not.
    """

    differences: tuple[Difference, ...]
    means: tuple[MeanDifference, ...] = ()
    likeness: tuple[Likeness, ...] = ()
    places: tuple[Place, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.differences)

    @overload
    def __getitem__(self, which: int) -> Difference: ...
    @overload
    def __getitem__(self, which: str | slice) -> Comparison: ...
    def __getitem__(self, which: int | str | slice) -> Difference | Comparison:
        """Return a difference by its position, or those of a measure as a family of their own."""
        if isinstance(which, int):
            return self.differences[which]
        if isinstance(which, slice):
            return replace(self, differences=self.differences[which])
        return self.choose(which)

    def __repr__(self) -> str:
        count = sum(one.is_significant for one in self.differences)
        return f"<Comparison by {self.by}: {len(self)} differences, {count} significant>"

    @property
    def by(self) -> str:
        """The kind of the sides: `agent`, a factor or model setting, or `people`."""
        return self.differences[0].by if self.differences else "agent"

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents that are compared, the reference first."""
        pairs = ((one.agent,) if one.agent else (one.side_b, one.side_a) for one in self)
        return tuple(dict.fromkeys(agent for pair in pairs for agent in pair))

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that are compared."""
        return tuple(dict.fromkeys(one.measure for one in self.differences))

    def choose(self, *measures: str) -> Comparison:
        """Return the comparison of these measures alone, corrected alone.

        Raises:
            UserError: A measure is not compared here.
        """
        for name in measures:
            if name not in self.measures:
                raise UserError(
                    "a measure must be among those that are compared here "
                    f"({', '.join(self.measures)}), got {name!r}{suggest(name, self.measures)}"
                )
        differences = correct_family(one for one in self.differences if one.measure in measures)
        means = correct_family(one for one in self.means if one.measure in measures)
        return replace(self, differences=tuple(differences), means=tuple(means))

    def with_looks(self, looks: Looks | None) -> Comparison:
        """Return the comparison with the differences of a sequential design, if there is one."""
        if looks is None:
            return self
        differences = apply_looks(looks, self.differences)
        return replace(self, differences=tuple(differences), notes=(*self.notes, *looks.lines()))

    def rows(self) -> list[dict[str, Any]]:
        """Return flat rows; a column `table` is first where likeness and places follow."""
        if not (self.likeness or self.places):
            return [one.row() for one in self.differences]
        return [
            *({"table": "differences", **one.row()} for one in self.differences),
            *({"table": "likeness", **one.row()} for one in self.likeness),
            *({"table": "places", **one.row()} for one in self.places),
        ]

    def to_arrow(self) -> pa.Table:
        """Return the rows as a table."""
        return rows_to_arrow(self.rows())

    def sentences(self, *measures: str) -> Iterator[str]:
        """Yield the significant differences in words: the means if there are several agents.

        Args:
            *measures: The measures; the primary measures if none is named.
        """
        for one in self.means or self.differences:
            chosen = measures or get_suite(one.suite).headline
            if one.measure in chosen and one.is_significant:
                yield _state(one)

    def figures(self) -> list[Figure]:
        """Return a figure for each suite: primary measures at each level, a line for each agent."""
        from whybench.results.slopes import plot_slopes  # noqa: PLC0415  (imports drawing)

        suites = dict.fromkeys(one.suite for one in self.differences)
        return [
            plot_slopes(name, self.by, [one for one in self.differences if one.suite == name])
            for name in suites
        ]


def _state(one: Difference) -> str:
    """Return a difference between levels in words, with the interval of its size."""
    whose = f"{one.measure} of {one.agent}"
    if isinstance(one, MeanDifference):
        whose = f"the mean of {one.measure} over {len(one.by_agent)} agents"
    size, low, high = one.difference, one.low, one.high
    if size is not None and size < 0:
        size, low, high = (None if x is None else -x for x in (size, high, low))
    amount, _, interval = interval_text(size, low, high).partition(" ")
    words = f"{amount} {one.verdict} under {one.side_a} than under {one.side_b}"
    return f"{one.suite}: {whose} is {words} {interval}"


def compare_suites(
    first: Mapping[str, pa.Table],
    second: Mapping[str, pa.Table],
    smallest: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare two sides, each a suite to its records; arguments and errors as in `compare`."""
    one, two = match_cases(first, second)
    both = [name for name in one if name in two]
    if not both:
        raise UserError(
            f"both sides must hold answers of one suite, got {', '.join(one)} and {', '.join(two)}"
        )
    able = [name for name in both if get_suite(name).comparison is not None]
    if not able:
        raise UserError(
            f"a suite must have a paired comparison (`Suite.comparison`), got {', '.join(both)} "
            "without one; give it one, or look at the measures of both"
        )
    found: list[Difference] = []
    notes = []
    for name in able:
        found += compare_tables(get_suite(name), one[name], two[name], smallest)
        notes.append(_count_items(name, one[name], two[name]))
    notes += [f"{n}: answered on one side only, and not compared" for n in sorted({*one} ^ {*two})]
    notes += [f"{n}: the suite has no comparison, and not compared" for n in both if n not in able]
    return Comparison(tuple(correct_family(found)), notes=tuple(notes))


def _count_items(name: str, first: pa.Table, second: pa.Table) -> str:
    shared = shared_items(name, first, second)
    counts = {
        "only in the first": shared.only_first,
        "only in the second": shared.only_second,
        "lost to errors": shared.lost,
    }
    words = ", ".join(f"{count} {where}" for where, count in counts.items() if count)
    different = shared.only_first or shared.only_second
    others = "; horizons use all answers" if different and get_suite(name).adaptive else ""
    return f"{name}: {len(shared.items)} items compared{words and f'; {words}'}{others}"
