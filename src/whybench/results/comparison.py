"""Two sides held against each other: all changes, and what could not be compared."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

from whybench.errors import UserError
from whybench.frames import Frame, rows_to_arrow
from whybench.results.changes import (
    Change,
    choose_measures,
    compare_tables,
    correct_family,
    shared_items,
)
from whybench.results.records import Records
from whybench.results.sources import load
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Self

    import pyarrow as pa

    from whybench.results.changes import SharedItems

__all__ = ["Change", "Changes", "Comparison", "compare"]


class Changes(Sequence[Change], Frame):
    """Changes that are corrected as one family; a dataclass that has them is one.

    Attributes:
        changes: The changes.
    """

    changes: tuple[Change, ...]

    def __len__(self) -> int:
        return len(self.changes)

    @overload
    def __getitem__(self, which: int) -> Change: ...
    @overload
    def __getitem__(self, which: str | slice) -> Self: ...
    def __getitem__(self, which: int | str | slice) -> Change | Self:
        """Return one change by its position, or those of a measure as a comparison of their own.

        What is looked at alone is corrected alone.
        """
        if isinstance(which, int):
            return self.changes[which]
        if isinstance(which, slice):
            whole: Any = self
            part: Self = replace(whole, changes=self.changes[which])
            return part
        return self.choose(which)

    @abstractmethod
    def choose(self, *measures: str) -> Self:
        """Return the comparison of these measures alone; what is asked for must be there."""

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that are compared."""
        return tuple(dict.fromkeys(change.measure for change in self.changes))

    def to_arrow(self) -> pa.Table:
        """Return one row for each change."""
        return rows_to_arrow([change.row() for change in self.changes])


@dataclass(frozen=True, eq=False)
class Comparison(Changes):
    """How the main measures differ between two sides, second - first.

    Attributes:
        changes: A change for each measure under each condition, corrected as one family.
        shared: Suite to the items that both sides were asked.
        left_out: Suites that are not compared, and why.
        agents: Who is first, and who second.
    """

    changes: tuple[Change, ...]
    shared: Mapping[str, SharedItems]
    left_out: Mapping[str, str] = field(default_factory=dict)
    agents: tuple[str, str] = ("first", "second")

    def __repr__(self) -> str:
        changed = sum(change.verdict in {"rose", "fell"} for change in self.changes)
        return f"<Comparison: {len(self)} measures, of which {changed} changed>"

    def choose(self, *measures: str) -> Comparison:
        """Return the comparison of these measures alone; what is asked for must be there."""
        kept = choose_measures(self.changes, measures)
        return replace(self, changes=tuple(correct_family(kept)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What was compared and what was not, in words."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        for name, shared in self.shared.items():
            left_out = {
                "only in the first": shared.only_first,
                "only in the second": shared.only_second,
                "lost to errors": shared.lost,
            }
            counts = ", ".join(f"{count} {where}" for where, count in left_out.items() if count)
            yield f"{name}: {len(shared.items)} items compared{counts and f'; {counts}'}"
        for name, reason in self.left_out.items():
            yield f"{name}: {reason}, and not compared"


def compare(
    first: Records | str | Path,
    second: Records | str | Path,
    smallest: Mapping[str, float] | None = None,
) -> Comparison:
    """Say what changed from one side to the other, on the items that both were asked.

    Args:
        first: Records of one agent, or where they are.
        second: Records of one agent, the same or another.
        smallest: Measure to the smallest change of interest, below which a change that shows is
            called too small to matter; by default what the suites say.

    Returns:
        The changes of every suite that both sides answered, paired by item; p-values are corrected
        over all of them (Benjamini and Hochberg).

    Raises:
        UserError: A side holds several agents, versions differ, or nothing is shared.
    """
    one, two = (
        (side if isinstance(side, Records) else load(side)).tables for side in (first, second)
    )
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
    shared = {name: shared_items(name, one[name], two[name]) for name in able}
    changes = correct_family(
        change
        for name in able
        for change in compare_tables(get_suite(name), one[name], two[name], smallest)
    )
    apart = dict.fromkeys(sorted({*one} ^ {*two}), "answered on one side only")
    unable = {name: "the suite has no comparison" for name in both if name not in able}
    agents = one[able[0]]["agent"][0].as_py(), two[able[0]]["agent"][0].as_py()
    return Comparison(tuple(changes), shared, {**apart, **unable}, agents)
