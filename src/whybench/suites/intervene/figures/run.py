"""All figures of a run, from its records."""

from __future__ import annotations

from functools import cache, partial
from statistics import fmean
from typing import TYPE_CHECKING

from whybench.drawing.figure import Figure, figures_by_design
from whybench.drawing.names import short_names
from whybench.suites.intervene.entailment import entailed
from whybench.suites.intervene.figures.by_size import accuracy_by_size, is_sized
from whybench.suites.intervene.figures.course import course_of
from whybench.suites.intervene.figures.episode import MOST, episode_steps
from whybench.suites.intervene.figures.verdicts import verdict_bars
from whybench.suites.intervene.measures import intervene_measures
from whybench.suites.intervene.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    import pyarrow as pa

__all__ = ["intervene_figures", "settled_at_first"]

STEPS = range(2, 11)
"""How many steps an episode has that is picked as an example, if there is such a one."""


def intervene_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run.

    For each design there are the verdicts and, if its worlds differ in size, both accuracies by
    size; and for each verdict that was met one episode, as an example.

    Args:
        records: Records of intervene.
    """
    yield from figures_by_design(records, _figures)
    for verdict, row in _examples(records).items():
        title = f"{short_names([row['agent']])[row['agent']]}, {row['item']}"
        name = f"episode-{verdict.replace('_', '-')}"
        yield Figure(name, partial(episode_steps, course_of(row), title))


def settled_at_first(records: pa.Table) -> dict[int, float]:
    """Return, by number of entities, the share of items that the first state alone settles."""
    found: dict[int, list[bool]] = {}
    case = ["item", "n", "moving", "asked"]
    for row in records.group_by(case).aggregate([]).sort_by("item").to_pylist():
        settled = _settled(row["n"], row["moving"], row["asked"])
        found.setdefault(row["n"], []).append(settled)
    return {n: fmean(settled) for n, settled in sorted(found.items())}


@cache
def _settled(n: int, moving: str, asked: str) -> bool:
    x, y = map(int, asked.split(">"))
    return entailed(n, (), x, y, frozenset(map(int, moving.split()))) != "open"


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    yield Figure(f"verdicts-{design}", partial(verdict_bars, records))
    measures = [measure for measure in intervene_measures(records) if is_sized(measure)]
    if measures:
        settled = settled_at_first(records)
        yield Figure(f"by-size-{design}", partial(accuracy_by_size, measures, settled))


def _examples(records: pa.Table) -> dict[str, dict[str, Any]]:
    """Return an episode for each verdict: the first of a length that shows something."""
    found: dict[str, dict[str, Any]] = {}
    for row in records.to_pylist():
        if row["verdict"] and row["n"] <= MOST:
            first = found.setdefault(row["verdict"], row)
            if first["steps"] not in STEPS and row["steps"] in STEPS:
                found[row["verdict"]] = row
    return {verdict: found[verdict] for verdict in VERDICTS if verdict in found}
