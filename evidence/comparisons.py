"""Agreement of intervals, p-values and verdicts over random pairs of agents.

Two simulated agents answer the same items, which come in units. Answers are near chance, near a
bound, equal on both sides, or differ by the same in every unit; there may be two units or forty.
Each pair of agents is one family of six measures: shares, means with Student's t interval, a
balanced accuracy, a score without lower bound and a contrast of two tasks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from evidence.figures import Figure, Parts, figures_of
from whybench.page.comparisons import compare_agents
from whybench.page.material import Material
from whybench.records.table import record_table
from whybench.results import Records, compare
from whybench.results.pairing import finish_difference
from whybench.seeds import generator
from whybench.stats import (
    balanced_accuracy,
    clustered_mean,
    clustered_share,
    correct_family,
    scale_skill,
    weighted_means,
)
from whybench.stats.left_out import Ratio, balanced_ratios, share_ratio
from whybench.suites.calibration import simulate_rows
from whybench.suites.groups import Group
from whybench.suites.measures import reached, scored, share
from whybench.suites.pairs import FIRST, SECOND, RatioEstimator, compare_groups
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from whybench.stats import Difference, Estimate

PAIRS, FEW_PAIRS = 20_000, 300
ALPHA = 0.05
BLIND = 0.5
"""The accuracy of the baseline, at which the score without lower bound is 0."""

SHAPES = ("chance", "near 1", "near 0", "equal", "constant", "same agent")
"""How the answers of two agents differ."""

TASKS = {"one": 1.0, "two": -1.0}
"""Tasks and their weights in the contrast."""

ENOUGH_UNITS = 8
"""Units from which on false alarms are counted; fewer are flagged `few_units`."""

EXACT = 1e-9


def _ones(group: Group) -> NDArray[np.float64]:
    return np.ones(group.units.size)


def _contrast(group: Group) -> Estimate:
    return weighted_means(TASKS, group["value"], group["task"], group.units)


ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    "accuracy": RatioEstimator(
        lambda group: clustered_share(group["right"], group.units),
        lambda group: [share_ratio(group["right"], _ones(group))],
    ),
    "score": RatioEstimator(
        lambda group: clustered_mean(group["right"].astype(float), group.units),
        lambda group: [share_ratio(group["right"], _ones(group))],
    ),
    "balanced_accuracy": RatioEstimator(
        lambda group: balanced_accuracy(group["right"], group["truth"], group.units),
        lambda group: balanced_ratios(group["right"], group["truth"], _ones(group)),
    ),
    "skill_score": RatioEstimator(
        lambda group: scale_skill(clustered_share(group["right"], group.units), BLIND),
        lambda group: [share_ratio(2.0 * group["right"] - 1.0, _ones(group))],
    ),
    "explaining_away": RatioEstimator(
        _contrast,
        lambda group: [
            Ratio(sign, group["value"] * (group["task"] == task), (group["task"] == task) * 1.0)
            for task, sign in TASKS.items()
        ],
    ),
    "answered": share("answered", "answered", "The share of answers.", reached, scored).estimator,
}
SHARES = ("accuracy", "score", "balanced_accuracy", "answered")
DECLARED_BY = {"score": "analyze", "balanced_accuracy": "intervene"}
"""The suite that declares a measure, and so its range, where calculate doesn't."""


@dataclass
class Found:
    """Faults and verdicts of random pairs.

    Attributes:
        pairs: Pairs of agents.
        differences: Differences of measures.
        wrong: Claim to the number of differences that break it.
        verdicts: How often each verdict occurs.
        alarms: Differences with p < 0.05 between runs of one agent, by measure.
        same: Pairs of runs of one agent.
    """

    pairs: int = 0
    differences: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    same: int = 0


def draw_pair(draw: Generator, shape: str) -> tuple[Group, Group]:
    """Return the answers of two agents to the same items.

    Args:
        draw: The random numbers.
        shape: How the answers differ (`SHAPES`).
    """
    units, each = int(draw.choice([2, 3, 5, 8, 12, 40])), int(draw.integers(1, 9))
    unit = np.repeat(np.arange(units), each)
    truth = draw.integers(0, 2, unit.size)
    task = np.where(draw.integers(0, 2, unit.size), "one", "two")
    level = {"near 1": 0.98, "near 0": 0.02}.get(shape, float(draw.uniform(0.2, 0.8)))
    spread = 20.0 if shape == "same agent" else 4.0
    chance = draw.beta(spread * level, spread * (1 - level), units)[unit]
    sides = []
    for agent in (FIRST, SECOND):
        own = chance
        if shape == "chance":
            own = np.clip(chance + draw.normal(0, 0.3), 0, 1)
        right = draw.random(unit.size) < own
        if shape == "constant":
            right = np.full(unit.size, agent == SECOND)
        noise = 0.0 if shape == "constant" else draw.normal(0, 0.1, unit.size)
        columns = {
            "right": right,
            "truth": truth,
            "task": task,
            "value": np.clip(0.6 * right + noise, 0, 1),
            "outcome": np.where(draw.random(unit.size) < 0.97, "scored", "no_answer"),
        }
        outcomes = {"scored": unit.size}
        sides.append(Group({"agent": agent}, columns, unit, "unit", outcomes, np.ones(unit.size)))
    if shape == "equal":
        sides[1] = Group({"agent": SECOND}, sides[0].columns, *_rest(sides[0]))
    return sides[0], sides[1]


def _rest(
    group: Group,
) -> tuple[NDArray[np.intp], str, Mapping[str, int], NDArray[np.float64]]:
    return group.units, group.unit, group.outcomes, group.weights


def judge_pairs(pairs: int) -> Found:
    """Return the faults and verdicts of random pairs of agents."""
    found = Found()
    for number in range(pairs):
        shape = SHAPES[number % len(SHAPES)]
        first, second = draw_pair(generator("evidence", "comparisons", number), shape)
        family, back = (
            correct_family(
                finish_difference(
                    get_suite(DECLARED_BY.get(one.measure, "calculate")),
                    *(one, (), {"explaining_away": 0.05}),
                )
                for one in compare_groups(sides, ESTIMATORS)
            )
            for sides in (
                (first, second),
                (_name(second, FIRST), _name(first, SECOND)),
            )
        )
        found.pairs += 1
        alike = shape == "same agent" and np.unique(first.units).size >= ENOUGH_UNITS
        found.same += alike
        corrected = _correct([one.p for one in family])
        tests = sum(value is not None for value in corrected)
        for one, other, p in zip(family, back, corrected, strict=True):
            found.differences += 1
            found.verdicts[one.verdict.partition(" (")[0]] += 1
            found.alarms[one.measure] += alike and one.p is not None and one.p < ALPHA
            found.wrong.update(_list_faults(one, other, p, tests))
            if shape == "equal" and one.difference is not None and one.units > 1:
                found.wrong["equal"] += not one.is_identical
    return found


def _name(group: Group, agent: str) -> Group:
    return Group({"agent": agent}, group.columns, *_rest(group))


def _correct(values: list[float | None]) -> list[float | None]:
    """Return p-values corrected by Benjamini and Hochberg, from the definition."""
    known = sorted(p for p in values if p is not None)
    scaled = {p: p * len(known) / rank for rank, p in enumerate(known, start=1)}
    return [
        None if p is None else min(1.0, *(scaled[q] for q in known if q >= p), 1.0) for p in values
    ]


def _list_faults(
    one: Difference, back: Difference, corrected: float | None, tests: int
) -> Iterator[str]:
    """Yield the claims that a difference breaks."""
    low, high, p = one.low, one.high, one.p
    if low is None or high is None:
        # Without an interval the sides are equal, with p = 1, or p is not known.
        if p is not None and not (one.is_identical and p == 1.0 and one.difference == 0):
            yield "agree"
    elif p is None or (p < ALPHA) != (low > 0 or high < 0):
        yield "agree"
    if not _is_decided_by(one, corrected, tests):
        yield "verdict"
    if one.measure in SHARES:
        known = [end for end in (one.difference, low, high) if end is not None]
        if any(abs(end) > 1 for end in known):
            yield "bounds"
    ends = (low, high, p)
    mirrored = (_negate(back.high), _negate(back.low), back.p)
    if any(_are_apart(here, there) for here, there in zip(ends, mirrored, strict=True)):
        yield "mirror"


def _negate(value: float | None) -> float | None:
    return None if value is None else -value


def _are_apart(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is not other
    return abs(one - other) > EXACT


def _is_decided_by(one: Difference, corrected: float | None, tests: int) -> bool:
    """Return whether the verdict's words are those of the p-value that decides."""
    verdict, size = one.verdict, one.difference
    if one.p is None or corrected is None or size is None:
        return verdict == "cannot be determined"
    if verdict == "no difference":
        return one.low is None and one.p == 1.0
    if verdict == "no significant difference":
        return one.p >= ALPHA
    if verdict == f"not significant after correction ({tests} tests)":
        return one.p < ALPHA <= corrected
    if verdict == "too small to matter":
        return corrected < ALPHA and abs(size) < one.smallest
    sign = {"higher": 1, "lower": -1}.get(verdict, 0)
    return corrected < ALPHA and sign * size > 0


def random_pairs(small: bool) -> Iterator[Figure]:
    """Yield the agreement of intervals, p-values and verdicts over random pairs."""
    found = judge_pairs(FEW_PAIRS if small else PAIRS)
    of = f"{found.differences:,} differences of {found.pairs:,} pairs"
    for name, claim in (
        ("agree", "p < 0.05 exactly where the interval excludes 0; without an interval, p = 1"),
        ("verdict", "the verdict names the p-value that decided, and the size of the family"),
        ("bounds", "differences of shares and their intervals lie within [-1, 1]"),
        ("mirror", "sides that change places have the same p and the mirrored interval"),
        ("equal", "sides with equal answers have no interval"),
    ):
        count = found.wrong[name]
        yield Figure(
            f"{claim}, in all of {found.pairs:,} random pairs", f"{count} of {of}", not count
        )
    yield Figure(
        "all verdicts occur",
        ", ".join(f"{verdict} {count:,}" for verdict, count in found.verdicts.most_common()),
        len(found.verdicts) >= (6 if small else 7),
    )
    most = ALPHA + 4 * (ALPHA * (1 - ALPHA) / found.same) ** 0.5
    rates = {name: found.alarms[name] / found.same for name in ESTIMATORS}
    yield Figure(
        f"runs of one agent with {ENOUGH_UNITS} units or more have p < 0.05, before correction, in "
        f"at most {most:.1%}",
        ", ".join(f"{name} {rate:.1%}" for name, rate in rates.items()),
        max(rates.values()) <= most,
    )


def same_everywhere(_small: bool) -> Iterator[Figure]:
    """Yield whether two agents have the same numbers from every command."""
    suite = get_suite("intervene")
    design = suite.make_design({"design": "core"})
    items = list(suite.items(design))
    tables = [
        record_table(
            list(simulate_rows(suite, design, items, suite.agent("bayes"), settings, name, {})),
            suite.record_columns,
        )
        for name, settings in (("a", {"error": 0.3}), ("b", {"error": 0.1}))
    ]
    one, two = (Records({"intervene": table}) for table in tables)
    both = Material([("intervene", table) for table in tables])
    page = compare_agents(both)
    shown = [*page.primary["intervene"], *page.further["intervene"]]
    numbers = [
        {each.measure: (each.difference, each.low, each.high, each.p) for each in found}
        for found in (compare(one, two), shown)
    ]
    yield Figure(
        "two agents have the same difference, interval and p from `compare` and on the page",
        f"{len(numbers[0])} measures",
        numbers[0] == numbers[1] and len(numbers[0]) > 3,
    )


PARTS: Parts = {"random pairs": random_pairs, "same everywhere": same_everywhere}
figures = partial(figures_of, PARTS)
