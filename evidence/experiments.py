"""Conditions of one mind compared: is the true change found, and is chance not called a change?

A reference agent answers all items at two levels of a factor over many seeds. Its settings at the
second level are others, as of a mind that errs less under `cot` or with more effort; how much its
headline measures change by that is known, or else is the mean over the seeds. The interval of the
change should hold it about 95 times in a hundred. With the same settings at both levels, any
measure should be called different about five times in a hundred at most.

Answers go straight into records: no model is asked.

The part `coverage` says which of the experiments and results of the four sources are here
(`evidence.coverage`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from evidence.coverage import coverage
from evidence.differences import change_covers, known_changes, mean_estimate
from evidence.experiment_model import PARTS as MODEL_PARTS
from evidence.figures import Figure, Parts, figures_of
from whybench.records.table import record_table
from whybench.results.conditions import compare_conditions
from whybench.suites.calibration import coverage_bounds, simulate_rows
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.stats import Difference

SEEDS, FEW_SEEDS = 1000, 20
COVERED, ALARMS = 0.935, 0.065
"""The least share of covering intervals, and the largest of false alarms, at full size."""
ALPHA = 0.05

Asked = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    """A mind of known strategies at two levels of a factor.

    Attributes:
        suite: The suite.
        by: The factor, or the setting of the model.
        levels: The two levels.
        first: The agent, with its settings, that stands for the mind at the first level.
        second: The one that does at the second.
        design: The settings of the design, without the factor.
    """

    suite: str
    by: str
    levels: tuple[Any, Any]
    first: Asked
    second: Asked
    design: Mapping[str, object] = field(default_factory=lambda: {"design": "core"})

    @property
    def is_setting(self) -> bool:
        """Whether it is the model that is set, and the items are the same."""
        return self.by == "reasoning_effort"

    @property
    def name(self) -> str:
        """The suite and the factor."""
        return f"{self.suite}-{self.by}"


EFFORT: tuple[str, tuple[str, str]] = ("reasoning_effort", ("low", "high"))
TWO_CYCLES = {"design": "core", "kinds": "cycle3+cycle3", "worlds": 4, "units": 8}
THREE_TRAPS = {"design": "core", "challenge": ["simpson", "selection", "outcome"], "seeds": 8}

CASES = (
    Case(
        "judge",
        "style",
        ("direct", "cot"),
        ("associative", {"noise": 0.3, "rho": 0.2}),
        ("noisy-or", {"noise": 0.15}),
    ),
    Case(
        "judge",
        "overload",
        ("none", "de"),
        ("noisy-or", {"noise": 0.2}),
        ("anchored-at-50", {"noise": 0.2}),
        {"design": "abstract"},
    ),
    Case(
        "intervene",
        "style",
        ("direct", "cot"),
        ("bayes", {"error": 0.3}),
        ("bayes", {"error": 0.1}),
    ),
    Case(
        "compose",
        "style",
        ("direct", "cot"),
        ("flip", {"error": 0.1}),
        ("flip", {"error": 0.03}),
        TWO_CYCLES,
    ),
    Case(
        "analyze",
        "protocol",
        ("direct", "code"),
        ("competent", {"lapse": 0.3}),
        ("competent", {"lapse": 0.1}),
        THREE_TRAPS,
    ),
    Case(
        "analyze",
        "hint",
        (1, 5),
        ("gold", {"silence": 0.1}),
        ("gold", {"silence": 0.3}),
        THREE_TRAPS,
    ),
    Case(
        "calculate",
        "style",
        ("cot", "direct"),
        ("slips", {"error": 0.05}),
        ("slips", {"error": 0.2}),
    ),
    Case("judge", *EFFORT, ("noisy-or", {"noise": 0.3}), ("noisy-or", {"noise": 0.15})),
    Case("intervene", *EFFORT, ("bayes", {"error": 0.3}), ("bayes", {"error": 0.1})),
    Case("compose", *EFFORT, ("flip", {"error": 0.1}), ("flip", {"error": 0.03}), TWO_CYCLES),
    Case(
        "analyze",
        *EFFORT,
        ("competent", {"lapse": 0.3}),
        ("competent", {"lapse": 0.1}),
        THREE_TRAPS,
    ),
    Case("calculate", *EFFORT, ("slips", {"error": 0.2}), ("slips", {"error": 0.1})),
)


@dataclass
class Found:
    """What came out of a case over seeds.

    Attributes:
        changes: Headline measure to its changes where there is an effect.
        alarms: How often something was called different where there is none.
        seeds: How many seeds.
    """

    changes: dict[str, list[Difference]] = field(default_factory=dict)
    alarms: int = 0
    seeds: int = 0


def try_seeds(case: Case, seeds: Sequence[int], found: Found) -> None:
    """Compare a mind at both levels with each seed, with its effect and without one."""
    answers = _Answers(case)
    for seed in seeds:
        first = answers.at(0, case.first, seed)
        for change in _compare(case, first, answers.at(1, case.second, seed)):
            if change.measure in answers.suite.headline:
                found.changes.setdefault(change.measure, []).append(change)
        same = _compare(case, first, answers.at(1, case.first, seed))
        found.alarms += any(change.is_significant for change in same)
        found.seeds += 1


def experiment(case: Case, small: bool) -> Iterator[Figure]:
    """Yield how often the change of a mind is covered, and how often chance is called a change."""
    found = Found()
    try_seeds(case, range(FEW_SEEDS if small else SEEDS), found)
    yield from tell(case, found, small)


def tell(case: Case, found: Found, small: bool) -> Iterator[Figure]:
    """Yield the figures of what came out."""
    suite, seeds = get_suite(case.suite), found.seeds
    known = known_changes(suite, _Answers(case).designs[0], case.first, case.second)
    true = {
        name: known.get(name, mean_estimate(changes)) for name, changes in found.changes.items()
    }
    covered = {
        name: fmean(change_covers(change, true[name]) for change in changes)
        for name, changes in found.changes.items()
    }
    least = coverage_bounds(seeds)[0] if small else COVERED
    yield Figure(
        f"{case.suite}, {case.by} {case.levels[0]} to {case.levels[1]}: over {seeds:,} seeds the "
        f"change of headline measures is covered in at least {least:.1%}",
        "; ".join(
            f"{name} {true[name]:+.3f} ({'known' if name in known else 'mean'}) {share:.1%}"
            for name, share in covered.items()
        ),
        bool(covered) and all(share >= least for share in covered.values()),
    )
    most = ALPHA + 4 * (ALPHA * (1 - ALPHA) / seeds) ** 0.5 if small else ALARMS
    yield Figure(
        f"{case.suite}, {case.by}: without an effect something is called different in at most "
        f"{most:.1%}",
        f"{found.alarms} of {seeds:,}",
        found.alarms <= most * seeds,
    )


class _Answers:
    """Answers of agents to the items at either level of a case, replies parsed once."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.suite = get_suite(case.suite)
        changes = [{} if case.is_setting else {case.by: level} for level in case.levels]
        self.designs = [self.suite.make_design({**case.design, **one}) for one in changes]
        self.items = [list(self.suite.items(design)) for design in self.designs]
        self._parsed: dict[Any, Any] = {}

    def at(self, position: int, agent: Asked, seed: int) -> pa.Table:
        """Return the records of an agent at one of the levels; other levels, other chance."""
        name, settings = agent
        own = {**settings, "seed": 2 * seed + position}
        mind = f"mind[{self.case.by}={self.case.levels[position]}]"
        rows = simulate_rows(
            self.suite,
            self.designs[position],
            self.items[position],
            self.suite.agent(name),
            own,
            mind if self.case.is_setting else "mind",
            self._parsed,
        )
        return record_table(list(rows), self.suite.record_columns)


def _compare(case: Case, first: pa.Table, second: pa.Table) -> tuple[Difference, ...]:
    tables = {case.suite: pa.concat_tables([first, second])}
    return compare_conditions(tables, case.by).differences


PARTS: Parts = {
    **{case.name: partial(experiment, case) for case in CASES},
    **MODEL_PARTS,
    "coverage": coverage,
}
figures = partial(figures_of, PARTS)
