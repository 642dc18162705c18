"""Looks at a design: parts that are asked one after the other, each of whole blocks.

The samples of a design come in an order in which whole blocks are balanced, and conditions of one
item follow each other (`suites.catalog.list_samples`). A look ends where some number of whole
blocks ends, with all conditions of their items. Where a design has one block, it ends between two
cases. The parts of all looks together are the design as it is asked without looks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from whybench.results.sequential import MOST
from whybench.suites.catalog import list_samples, take_shard
from whybench.suites.measures import find_declared
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.evaluation.units import Unit
    from whybench.planning.asks import Ask
    from whybench.results.experiments import AnalysisPlan
    from whybench.suites.contract import Item


@dataclass(frozen=True)
class Schedule:
    """The looks at a design.

    Attributes:
        suite: The suite.
        design_hash: The hash of the design.
        ends: The number of samples that one side was asked by each look.
        items: The ids of all items, in the order in which they are asked.
        counts: The number of items by each look.
        several: The factors at several levels of which the same is asked.
    """

    suite: str
    design_hash: str
    ends: tuple[int, ...]
    items: tuple[str, ...]
    counts: tuple[int, ...]
    several: tuple[str, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of the design by each look."""
        return tuple(end / self.ends[-1] for end in self.ends)

    def split(self, unit: Unit) -> Iterator[Unit]:
        """Yield a unit of the whole design as one unit for each look."""
        for number, (start, end) in enumerate(pairwise((0, *self.ends)), start=1):
            folder = f"look-{number}-of-{len(self.ends)}"
            place = "/".join(filter(None, (unit.place, folder)))
            yield replace(unit, part=(start, end), samples=end - start, look=number, place=place)


def schedule_looks(ask: Ask) -> Schedule:
    """Return the looks at a design: at most `MOST`, of about the same size."""
    suite, design = get_suite(ask.suite), ask.choose_design()
    items = take_shard(list(suite.items(design)), ask.shard, suite.grouping)
    samples = list_samples(suite, items, group=ask.group, limit=ask.limit)
    whole = len(samples)
    possible = _end_blocks(items, samples, design.block)
    if len(possible) < 2:
        possible = _end_cases(samples)
    wanted = (whole * number / MOST for number in range(1, MOST))
    ends = sorted({min(possible, key=lambda end: abs(end - want)) for want in wanted} | {whole})
    asked = [item for members in samples for item in members]
    levels: dict[tuple[str, str], set[object]] = {}
    for item in asked:
        for name in design.manipulated:
            levels.setdefault((name, item.case), set()).add(item.factors.get(name))
    return Schedule(
        suite=ask.suite,
        design_hash=design.hash,
        ends=tuple(ends),
        items=tuple(item.id for item in asked),
        counts=tuple(sum(map(len, samples[:end])) for end in ends),
        several=tuple(dict.fromkeys(name for (name, _), met in levels.items() if len(met) > 1)),
    )


def _end_blocks(items: Sequence[Item], samples: Sequence[Sequence[Item]], block: int) -> list[int]:
    """Return the numbers of samples that ask all items of some whole blocks, and no others.

    An item belongs to the block in which its case is asked first.
    """
    first: dict[str, int] = {}
    for number, item in enumerate(items):
        first.setdefault(item.case, number // block)
    sizes = Counter(first[item.case] for item in items)
    ends, asked, latest = [], 0, 0
    for number, members in enumerate(samples, start=1):
        asked += len(members)
        latest = max(latest, *(first[item.case] for item in members))
        if asked == sum(sizes[block] for block in range(latest + 1)):
            ends.append(number)
    return ends


def _end_cases(samples: Sequence[Sequence[Item]]) -> list[int]:
    """Return the numbers of samples after which no case goes on."""
    return [
        number
        for number, (before, after) in enumerate(pairwise(samples), start=1)
        if before[-1].case != after[0].case
    ] + [len(samples)]


def list_decisive(suite: str, analysis: AnalysisPlan) -> tuple[str, ...]:
    """Return the planned measures of a suite that have a better end.

    By default they are the primary measures. A suite whose first primary measure has no better
    end, such as judge, describes a style, and has none.
    """
    table = get_suite(suite).measure_table
    primary = get_suite(suite).headline

    def has_better_end(name: str) -> bool:
        declared = find_declared(table, name)
        return declared is not None and declared.direction != "neither"

    if get_suite(suite).comparison is None or not has_better_end(primary[0]):
        return ()
    return tuple(name for name in analysis.measures or primary if has_better_end(name))
