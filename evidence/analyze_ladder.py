"""Whether analyze tells agents of known ability apart, at its standard and its small budget."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure
from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.estimators.regression import NORMAL_95
from whybench.suites.analyze.items import item_at
from whybench.suites.calibration import simulate_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from evidence.figures import Parts
    from whybench.suites.analyze.design import AnalyzeDesign
    from whybench.suites.analyze.items import AnalyzeItem

HEADLINE = SUITE.headline[0]

LADDER: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("competent", {}),
    ("competent", {"lapse": 0.1}),
    ("competent", {"lapse": 0.25}),
    ("competent", {"lapse": 0.5}),
    ("naive", {}),
)
"""From the best to the worst; a lapse is a random answer. A guesser has 0, as the naive one has."""

APART = 2.0
RUNS, FEW_RUNS, MOST_MISSES = 200, 5, 4
LEVEL, TINY = 0.05, 1e-9


def _answers(
    design: AnalyzeDesign, items: Sequence[AnalyzeItem], name: str, settings: Mapping[str, Any]
) -> pa.Table:
    agent = SUITE.agent(name)
    rows = simulate_rows(SUITE, design, items, agent, agent.settings(settings), name, {})
    return record_table(list(rows), SUITE.record_columns)


def _compare(one: pa.Table, other: pa.Table) -> tuple[float, float]:
    """Return by how many standard errors the headline differs, and the p value."""
    change = next(c for c in compare_tables(SUITE, one, other) if c.measure == HEADLINE)
    if change.difference is None or change.low is None or change.high is None or change.p is None:
        raise ValueError(f"{HEADLINE} of two agents must have a difference, got {change}")
    error = (change.high - change.low) / (2 * NORMAL_95)
    return abs(change.difference) / max(error, TINY), change.p


def _find_headline(table: pa.Table) -> float:
    measure = next(m for m in SUITE.measures(table) if m.name == HEADLINE)
    return float(measure.estimate or 0.0)


def ladder(small: bool) -> Iterator[Figure]:
    """Yield the headline of each rung, and how far it is from the next."""
    design = SUITE.make_design({"design": "core", **({"seeds": 2} if small else {})})
    items = list(SUITE.items(design))
    tables = [_answers(design, items, name, settings) for name, settings in LADDER]
    values = [_find_headline(table) for table in tables]
    gaps = [_compare(one, other)[0] for one, other in pairwise(tables)]
    rungs = [
        f"{name}{dict(settings) or ''} {x:.2f}"
        for (name, settings), x in zip(LADDER, values, strict=True)
    ]
    in_order = all(one > other for one, other in pairwise(values))
    yield Figure(
        f"agents of known ability are in order by {HEADLINE}, neighbours at least {APART:.0f} "
        f"standard errors apart, on {len(items)} items",
        f"{', '.join(rungs)}; apart by {', '.join(f'{gap:.1f}' for gap in gaps)}",
        in_order and (small or min(gaps) >= APART),
    )


def small_budget(small: bool) -> Iterator[Figure]:
    """Yield how often the small budget tells the exact agent from the naive one."""
    runs = FEW_RUNS if small else RUNS
    design = SUITE.make_design(SUITE.costs.budgets["small"].settings)
    many = replace(design, seeds=design.seeds * runs)
    told = 0
    for run in range(runs):
        start = run * design.size
        items = [item_at(many, start + index) for index in range(design.size)]
        exact, naive = (_answers(design, items, name, {}) for name in ("gold", "naive"))
        told += _compare(exact, naive)[1] < LEVEL
    yield Figure(
        f"the small budget ({design.size} items) tells exact from naive with p < {LEVEL} in all "
        f"but {MOST_MISSES} of {RUNS} runs with draws of their own",
        f"{told} of {runs}",
        told >= runs - (1 if small else MOST_MISSES),
    )


PARTS: Parts = {"ladder": ladder, "small": small_budget}
