"""Coverage of differences between agents, and how often chance is called a difference.

Two reference agents of known strategy answer the same items over many seeds; the interval of each
measure's difference should hold the true difference about 95 times in a hundred. The true one is
known from the agents' settings, or else is the mean over the seeds. Two runs of one agent that
differ in their seeds alone should be called different, in any measure, at most five times in a
hundred.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, Parts
from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.suites.calibration import EXACT, coverage_bounds, simulate_rows
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Difference
    from whybench.suites.registry import AnySuite

SEEDS, FEW_SEEDS = 200, 10
ALPHA = 0.05
CLAIMED = 0.92
"""The least share of covering intervals that we claim at full size."""

Asked = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """Two noisy reference agents on a design.

    Attributes:
        suite: The suite.
        design: The settings of its design.
        first: One agent with its settings.
        second: The other one.
    """

    suite: str
    design: Mapping[str, object]
    first: Asked
    second: Asked


CASES = (
    Case(
        "judge",
        {"design": "core"},
        ("noisy-or", {"noise": 0.3}),
        ("associative", {"noise": 0.3, "rho": 0.2}),
    ),
    Case("intervene", {"design": "core"}, ("bayes", {"error": 0.1}), ("bayes", {"error": 0.3})),
    Case(
        "compose",
        {"design": "core", "kinds": "cycle3+cycle3", "worlds": 4, "units": 8},
        ("flip", {"error": 0.05}),
        ("flip", {"error": 0.2}),
    ),
    Case(
        "analyze",
        {"design": "core", "challenge": ["simpson", "selection", "outcome"], "seeds": 6},
        ("gold", {"silence": 0.1}),
        ("gold", {"silence": 0.4}),
    ),
)


def compare(case: Case, small: bool) -> Iterator[Figure]:
    """Yield the coverage of differences in a suite, and how often chance is called a difference."""
    seeds = FEW_SEEDS if small else SEEDS
    asked = get_suite(case.suite)
    design = asked.make_design(case.design)
    items = list(asked.items(design))
    read: dict[Any, Any] = {}

    def answers(agent: Asked, seed: int) -> pa.Table:
        name, settings = agent
        rows = simulate_rows(
            asked, design, items, asked.agent(name), {**settings, "seed": seed}, name, read
        )
        return record_table(list(rows), asked.record_columns)

    other: dict[str, list[Difference]] = defaultdict(list)
    alarms = 0
    for seed in range(seeds):
        one = answers(case.first, seed)
        for change in compare_tables(asked, one, answers(case.second, seed + seeds)):
            other[change.measure].append(change)
        again = compare_tables(asked, one, answers(case.first, seed + 2 * seeds))
        alarms += any(change.is_significant for change in again)
    known = known_changes(asked, design, case.first, case.second)
    covered = {
        name: fmean(
            change_covers(found, known.get(name, mean_estimate(changes))) for found in changes
        )
        for name, changes in other.items()
    }
    least = coverage_bounds(seeds)[0] if small else CLAIMED
    between = " and ".join(f"{name} {settings}" for name, settings in (case.first, case.second))
    yield Figure(
        f"{case.suite}: over {seeds} seeds the difference of {between} is covered in at least "
        f"{least:.0%}",
        "; ".join(
            f"{name} {known.get(name, mean_estimate(other[name])):+.3f} "
            f"({'known' if name in known else 'mean'}) {share:.1%}"
            for name, share in covered.items()
        ),
        all(share >= least for share in covered.values()),
    )
    most = ALPHA + (4 * (ALPHA * (1 - ALPHA) / seeds) ** 0.5 if small else 0.0)
    yield Figure(
        f"{case.suite}: two runs of {case.first[0]} are called different in at most {most:.0%}",
        f"{alarms} of {seeds}",
        alarms <= most * seeds,
    )


def known_changes(asked: AnySuite, design: Any, first: Asked, second: Asked) -> dict[str, float]:
    """Return by how much measures of two agents differ, where it follows from their settings."""
    sides = []
    for name, settings in (first, second):
        agent = asked.agent(name)
        sides.append(agent.expected(agent.settings(settings), design) if agent.expected else {})
    return {name: sides[1][name] - sides[0][name] for name in sides[0] if name in sides[1]}


def mean_estimate(changes: list[Difference]) -> float:
    """Return the mean of the estimates that there are."""
    return fmean(change.difference for change in changes if change.difference is not None)


def change_covers(change: Difference, true: float) -> bool:
    """Return whether the interval of a difference holds its true value; an equal pair claims 0."""
    low, high = (0.0, 0.0) if change.is_identical else (change.low, change.high)
    return low is not None and high is not None and low - EXACT <= true <= high + EXACT


PARTS: Parts = {f"compare-{case.suite}": partial(compare, case) for case in CASES}
