"""Two suites that ask the same cases in different words, prepared for a comparison by case.

A suite of a paper names the suite whose cases it asks (`Suite.cases_of`). Its records have the same
columns, so both sides become records of that suite whose items are named by case and by the levels
of the manipulated factors that both sides have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.results.levels import level_word, list_manipulated, set_column
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

Tables = dict[str, "pa.Table"]


def match_cases(
    first: Mapping[str, pa.Table], second: Mapping[str, pa.Table]
) -> tuple[Tables, Tables]:
    """Return the tables of two sides, those of suites with the same cases under one name.

    Args:
        first: Suite to the records of the first side.
        second: The same of the second side.

    Returns:
        Both sides. A suite that both sides answered is compared as it is.
    """
    one, two = dict(first), dict(second)
    for mine, others in ((one, two), (two, one)):
        for name in [name for name in mine if name not in others]:
            family = get_suite(name).cases_of
            if family in others and family not in mine:
                mine[family], others[family] = _name_by_case(family, mine.pop(name), others[family])
    return one, two


def _name_by_case(suite: str, first: pa.Table, second: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return records of two sides as records of a suite, with items named by case.

    A manipulated factor with levels that both sides have is part of the name. Of other factors the
    levels are removed, because they cannot pair.
    """
    sides = [first, second]
    held = []
    for name in list_manipulated(get_suite(suite)):
        if name in first.column_names:
            levels = [{*side[name].unique().to_pylist()} for side in sides]
            if levels[0] & levels[1]:
                held.append(name)
            else:
                sides = [set_column(side, name, None) for side in sides]
    named = []
    for side in sides:
        columns = [side[name].to_pylist() for name in ("case", *held)]
        items = ["/".join(map(level_word, cells)) for cells in zip(*columns, strict=True)]
        named.append(set_column(set_column(side, "item", items), "suite", suite))
    return named[0], named[1]
