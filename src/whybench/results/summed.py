"""Measures of very many answers, from their counts and means alone, in one scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.results.measures import Measures
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.stats import Measure

__all__ = ["sum_measures"]


def sum_measures(*sources: str) -> tuple[Measures, tuple[str, ...]]:
    """Return the measures that follow from partitioned records summed up, and who was left out.

    Args:
        *sources: Addresses of partitioned records.

    Returns:
        The measures, and the suites that are left out since their measures need single answers.
    """
    found, left_out = [], []
    for source in sources:
        able, unable = _suites(source)
        left_out += unable
        found += [(name, measure) for name in able for measure in _sum(source, name)]
    return Measures.of(found), tuple(dict.fromkeys(left_out))


def _suites(source: str) -> tuple[list[str], list[str]]:
    """Return the suites of a source that can be summed up, and those that cannot."""
    from whybench.records.partitions import is_partitioned, partitioned_suites  # noqa: PLC0415

    if not is_partitioned(source):
        raise UserError(
            f"`summed` must have partitioned records, got {source}; `Records.partition` or "
            "`whybench records LOGS --partition -o FOLDER` makes them"
        )
    names = partitioned_suites(source)
    able = [name for name in names if get_suite(name).sums is not None]
    if not able:
        raise UserError(
            f"`summed` must have records of a suite that needs no single answers, got "
            f"{', '.join(names)}; leave it out"
        )
    return able, [name for name in names if name not in able]


def _sum(source: str, name: str) -> Iterator[Measure]:
    from whybench.records import sum_up  # noqa: PLC0415

    sums = get_suite(name).sums
    assert sums is not None
    try:
        table = sum_up(source, name, sums.by)
    except (ImportError, ValueError) as error:
        raise UserError(str(error)) from None
    yield from sums.measures(table)
