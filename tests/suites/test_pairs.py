"""Estimators that say of which sums they are made: values without each unit, all at once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.stats.left_out import Ratio, sum_ratios_without
from whybench.suites.analyze import measures as analyze
from whybench.suites.calculate import measures as calculate
from whybench.suites.compose import measures as compose
from whybench.suites.groups import Group
from whybench.suites.intervene import measures as intervene
from whybench.suites.judge.measures import ANSWERED, contrast_ratios, task_contrast
from whybench.suites.measures import balanced, equals, every
from whybench.suites.pairs import FIRST, SECOND, RatioEstimator, compare_groups

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from whybench.stats import Estimate

UNITS = 12


def group_of(seed: int, columns: dict[str, list[object]], rows: int) -> Group:
    """Return random answers; rare levels are in few units, so that leaving out one loses them."""
    draw = generator("tests", "pairs", seed)
    units = np.sort(draw.integers(0, UNITS, rows))
    made: dict[str, NDArray[np.generic]] = {
        name: np.array([levels[int(k)] for k in draw.integers(0, len(levels), rows)])
        for name, levels in columns.items()
    }
    unanswered = made["outcome"] != "scored"
    made["value"] = np.where(unanswered, np.nan, made["value"].astype(float))
    return Group({"agent": FIRST}, made, units, "unit", {"scored": rows}, np.ones(rows))


OUTCOMES: list[object] = ["scored", "scored", "scored", "scored", "no_answer", "error"]
CALCULATE: dict[str, list[object]] = {
    "outcome": OUTCOMES,
    "query": ["do", "do", "do", "ate", "pn"],
    "form": ["number", "number", "which"],
    "gap": ["", "", "", "idle"],
    "truth": [0.0, 1.0, 30.0, calculate.NOT_COMPUTABLE],
    "value": [0.0, 1.0, 30.0, 60.0, calculate.NOT_COMPUTABLE],
}
YES_NO: list[object] = [0.0, 1.0]
COMPOSE: dict[str, list[object]] = {
    "outcome": OUTCOMES,
    "rung": ["factual", "interventional", "factual"],
    "truth": YES_NO,
    "value": YES_NO,
}
ANALYZE: dict[str, list[object]] = {
    "outcome": OUTCOMES,
    "reason": ["", "", "", "unmarked"],
    "twin": ["trap", "control"],
    "fell_for": ["True", "False"],
    "false_alarm": ["True", "False", "False"],
    "diagnosis": [0.0, 1.0, np.nan],
    "value": [0.0, 0.5, 1.0],
}
ESTIMATORS: dict[str, tuple[dict[str, list[object]], Callable[[Group], Estimate]]] = {
    **{
        f"calculate {one.name}": (CALCULATE, one.estimator)
        for one in calculate.MEASURES
        if one.compared != "no"
    },
    **{
        f"compose {one.name}": (COMPOSE, one.estimator)
        for one in compose.ANSWER_MEASURES
        if one.compared != "no"
    },
    **{
        f"analyze {one.name}": (ANALYZE, one.estimator)
        for one in analyze.MEASURES
        if one.compared != "no" and one.ratios
    },
    **{
        f"intervene {one.name}": (
            {
                "outcome": OUTCOMES[:-1],
                "verdict": ["justified", "lucky"],
                "truth": YES_NO,
                "value": YES_NO,
            },
            one.estimator,
        )
        for one in intervene.EPISODE_MEASURES
        if one.compared != "no"
    },
    **{
        f"judge {name} of {graph}": (
            {
                "outcome": ["scored"],
                "task": ["IV", "V", "VI", "VI", "VII", "VIII", "VIII", "IX", "XI"],
                "value": [0.0, 20.0, 55.5, 99.0],
            },
            RatioEstimator(
                lambda group, name=name, graph=graph: task_contrast(  # type: ignore[misc]
                    name, group["value"], group["task"], group.units, graph
                ),
                partial(contrast_ratios, name, graph),
            ),
        )
        for name, graph in (
            ("explaining_away", "collider"),
            ("markov_violation", "collider"),
            ("markov_violation", "fork"),
        )
    },
    "judge answered": ({"outcome": OUTCOMES, "value": [1.0]}, ANSWERED.estimator),
}


@pytest.mark.parametrize("rows", [14, 60])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_values_without_each_unit_are_those_of_the_estimator(name: str, rows: int) -> None:
    columns, estimator = ESTIMATORS[name]
    assert isinstance(estimator, RatioEstimator)
    told = 0
    for seed in range(8):
        group = group_of(seed, columns, rows)
        ratios = list(estimator.ratios(group))
        if not ratios:
            assert estimator(group).estimate is None
            continue
        quick = sum_ratios_without(ratios, group.units)
        for unit, value in zip(np.unique(group.units), quick, strict=True):
            if not np.isnan(value):
                slow = estimator(group.where(group.units != unit)).estimate
                assert slow == pytest.approx(value, abs=1e-12)
                told += 1
    assert told > 0


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_comparison_is_the_same_by_ratios_and_one_by_one(name: str) -> None:
    columns, estimator = ESTIMATORS[name]
    assert isinstance(estimator, RatioEstimator)
    first = group_of(1, columns, 40)
    second = replace(group_of(2, columns, 40), labels={"agent": SECOND})
    quick, slow = (
        next(compare_groups([first, second], {"measure": one}))
        for one in (estimator, estimator.estimate)
    )
    assert quick.difference == slow.difference
    assert quick.method == slow.method
    for end in ("low", "high"):
        ends = (getattr(pair, end) for pair in (quick, slow))
        assert next(ends) == pytest.approx(next(ends), abs=1e-12)


def test_what_is_0_without_a_unit_is_0() -> None:
    above = np.array([0.1, 0.2, 0.7, 0.0, 0.0])
    values = sum_ratios_without([Ratio(2.0, above, np.ones(5))], [0, 0, 0, 1, 2])
    assert values[0] == 0.0
    assert values[1:] == pytest.approx([2 * 1.0 / 4] * 2)


def test_a_ratio_that_loses_all_its_rows_has_no_value() -> None:
    rows = [np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])]
    values = sum_ratios_without([Ratio(1.0, row, row) for row in rows], ["a", "b", "c"])
    assert values[:2].tolist() == [2.0, 2.0]
    assert np.isnan(values[2])


BALANCED: dict[str, Callable[[Group], Estimate]] = {
    "balanced_accuracy": balanced(
        "balanced_accuracy",
        "balanced accuracy",
        "The mean accuracy of true and false items.",
        every,
        lambda group: group["right"],
        equals("truth", 1),
    ).estimator
}


def answers(agent: str, truth: list[int], right: list[int], units: list[int]) -> Group:
    columns = {"right": np.array(right), "truth": np.array(truth)}
    n = len(units)
    return Group({"agent": agent}, columns, np.array(units), "unit", {"scored": n}, np.ones(n))


def test_equal_sides_undefined_without_each_unit_are_identical() -> None:
    """One unit holds all true items and the other all false ones."""
    sides = (answers(agent, [1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1]) for agent in (FIRST, SECOND))
    found = next(compare_groups(sides, BALANCED))
    assert found.a.estimate == 0.75
    assert (found.low, found.high, found.p) == (None, None, 1.0)
    assert found.is_identical


@pytest.mark.parametrize(
    ("truth", "first", "second", "units"),
    [
        ([1, 1, 0, 0], [1, 1, 1, 0], [1, 0, 1, 1], [0, 0, 1, 1]),
        ([1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0], [1, 0, 1, 1, 1, 1], [0, 0, 1, 1, 2, 2]),
    ],
    ids=["undefined without each unit", "undefined without one unit, equal without the others"],
)
def test_equal_estimates_of_different_answers_are_not_identical(
    truth: list[int], first: list[int], second: list[int], units: list[int]
) -> None:
    sides = [answers(FIRST, truth, first, units), answers(SECOND, truth, second, units)]
    found = next(compare_groups(sides, BALANCED))
    assert found.difference == 0
    assert not found.is_identical
