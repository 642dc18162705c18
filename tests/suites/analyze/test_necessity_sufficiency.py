from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from whybench.scm import Event, Query, probability
from whybench.seeds import generator
from whybench.suites.analyze.challenges.joint_causes import (
    CLASSES,
    joint,
    parameters,
    produced,
    world,
)
from whybench.suites.analyze.challenges.necessity_sufficiency import CHALLENGE
from whybench.suites.analyze.estimators.contingency import (
    class_p_values,
    count_cells,
    log_spared_ratios,
    plug_in_estimate,
)
from whybench.suites.analyze.estimators.regression import mean_difference
from whybench.suites.analyze.grading import grade_values

SEEDS = range(4)
ROLES = ("other", "context", "cause", "background", "acts", "outcome")

# The cause works in half of the cases, the background in half of those in the context, and three
# quarters of those in the context have the cause, of the others one quarter.
BY_HAND = {
    "class": float(CLASSES.index("noisy_or")),
    "context": 0.5,
    "other": 0.0,
    "cause_0": 0.25,
    "cause_1": 0.75,
    "background_0": 0.0,
    "background_1": 0.5,
    "produced_00": 0.0,
    "produced_01": 0.0,
    "produced_10": 0.5,
    "produced_11": 0.5,
}


def test_truths_by_hand() -> None:
    # With the cause: 3/4 * 3/4 + 1/4 * 1/2 = 11/16 have the outcome, and without it 3/4 * 1/2 =
    # 6/16 of them would. Without the cause: 1/4 * 1/2 = 2/16 have it, and with it 9/16 would.
    trap, control = (CHALLENGE.certify(variant, BY_HAND) for variant in CHALLENGE.variants)
    assert trap["estimate"].value == pytest.approx(5 / 11)
    assert trap["ps"].value == pytest.approx(7 / 14)
    # Set by lot, those with the cause would without it have been as the others are.
    assert control["estimate"].value == pytest.approx(9 / 11)
    assert control["ps"].value == pytest.approx(9 / 14)


def test_classes_by_hand() -> None:
    found = {kind: produced(kind, 0.4, 0.5) for kind in CLASSES}
    assert found["min"] == (0, 0, 0, 0.4)
    assert found["max"] == (0, 0.5, 0.5, 0.5)
    assert found["sum"] == (0, 0.5, 0.4, 0.9)
    assert found["noisy_or"] == pytest.approx((0, 0.5, 0.4, 0.7))


@pytest.mark.parametrize(("kind", "variant"), list(product(CLASSES, CHALLENGE.variants)))
def test_no_case_is_spared_by_the_cause(kind: str, variant: str) -> None:
    at = parameters(variant, generator("test", kind), kind)
    prevented = Query((Event("outcome", 0, (("cause", 1),)), Event("outcome", 1, (("cause", 0),))))
    assert probability(world(variant, at).model(ROLES), prevented) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("kind", "variant"), list(product(CLASSES, CHALLENGE.variants)))
def test_both_orders_have_the_table(kind: str, variant: str) -> None:
    at = parameters(variant, generator("test", kind), kind)
    assert joint(at).sum() == pytest.approx(1)
    model = world(variant, at).model(ROLES)
    for cause, context, outcome in np.ndindex(2, 2, 2):
        seen = (Event("cause", cause), Event("context", context), Event("outcome", outcome))
        assert probability(model, Query(seen)) == pytest.approx(joint(at)[cause, context, outcome])


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_have_the_same_rows_and_differ_in_the_order(seed: int) -> None:
    trap, control = (CHALLENGE.generate(variant, "test", seed) for variant in CHALLENGE.variants)
    for role, values in trap.rows.items():
        assert np.array_equal(values, control.rows[role])
    assert trap.parameters == control.parameters
    for name in ("estimate", "ps"):
        # What is naive in the one is right in the other.
        ratio = control.number(name).panel["ratio of conditionals"]
        assert trap.number(name).naive["ratio of conditionals"] == pytest.approx(ratio.value)
    assert [
        column.measured
        for instance in (trap, control)
        for column in instance.columns
        if column.role == "context"
    ] == [0, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    trap = CHALLENGE.generate("trap", "test", seed)
    cause, outcome = trap.rows["cause"] == 1, trap.rows["outcome"]
    high, low = outcome[cause].mean(), outcome[~cause].mean()
    ratios = {"estimate": (high - low) / high, "ps": (high - low) / (1 - low)}
    for name, ratio in ratios.items():
        truth = trap.number(name)
        assert truth.naive["ratio of conditionals"] == pytest.approx(ratio)
        assert abs(ratio - truth.value) >= 5 * truth.se
    p = class_p_values(trap.rows)
    assert [kind for kind in CLASSES if p[kind] > 0.001] == [trap.truths["class"].value]


@pytest.mark.parametrize("seed", SEEDS)
def test_who_adjusts_for_the_other_cause_too_is_right(seed: int) -> None:
    for variant, before in (("trap", ["context", "other"]), ("after_cause", ["other"])):
        drawn = CHALLENGE.generate_twins("test", seed)[variant]
        had, outcome = drawn.rows["cause"] == 1, drawn.rows["outcome"]
        cell = np.ravel_multi_index([drawn.rows[role] for role in before], (2,) * len(before))
        without = np.bincount(cell[~had], outcome[~had]) / np.bincount(cell[~had])
        would = without[cell[had]].mean()
        pn = (outcome[had].mean() - would) / outcome[had].mean()
        found = grade_values(CHALLENGE.fields, drawn, {"estimate": float(pn)})
        assert found.passed("estimate")


def test_necessity_and_sufficiency_are_spread() -> None:
    for name in ("estimate", "ps"):
        truths = [CHALLENGE.generate("trap", "test", seed).number(name) for seed in range(16)]
        assert np.ptp([truth.value / truth.se for truth in truths]) > 6
        assert np.ptp([truth.value for truth in truths]) > 0.2


@pytest.mark.slow
def test_classes_are_equally_frequent() -> None:
    classes = Counter(
        CHALLENGE.generate("trap", "frequency", seed).truths["class"].value for seed in range(100)
    )
    # A quarter each: the chi-square of three degrees of freedom is below 11.3 in 99%.
    assert sum((classes[kind] - 25) ** 2 / 25 for kind in CLASSES) < 11.3


def test_a_share_and_its_error() -> None:
    estimate = plug_in_estimate(lambda table: table[1] / table.sum(), np.array([75, 25]))
    assert estimate.value == pytest.approx(0.25)
    assert estimate.se == pytest.approx(math.sqrt(0.25 * 0.75 / 100))


def test_a_difference_and_its_error() -> None:
    rng = generator("test", "plug in")
    treatment, outcome = rng.integers(0, 2, (2, 500))
    found = plug_in_estimate(
        lambda table: table[1, 1] / table[1].sum() - table[0, 1] / table[0].sum(),
        count_cells(treatment, outcome),
    )
    expected = mean_difference(outcome, treatment)
    assert found.value == pytest.approx(expected.value)
    assert found.se == pytest.approx(expected.se, rel=1e-6)


def test_counts() -> None:
    assert count_cells(np.array([0, 1, 1]), np.array([1, 0, 0])).tolist() == [[0, 1], [2, 0]]


def test_what_is_spared_by_hand() -> None:
    # In both contexts half are spared with neither cause, a quarter with one, an eighth with both.
    shares = {(0, 0): 2, (0, 1): 4, (1, 0): 4, (1, 1): 8}
    cells = [
        (cause, other, context, int(place >= 80 // shares[cause, other]))
        for cause, other, context in np.ndindex(2, 2, 2)
        for place in range(80)
    ]
    rows = dict(zip(("cause", "other", "context", "outcome"), np.array(cells).T, strict=True))
    log, covariance = log_spared_ratios(rows)
    assert np.exp(log) == pytest.approx([1 / 2, 1 / 2, 1 / 4])
    # Variances of log shares, (1 - s) / (s n), of one cell and of the cell with neither; the two
    # contexts tell the same, which halves them.
    assert covariance[0, 0] == pytest.approx((3 / 80 + 1 / 80) / 2)
    assert covariance[0, 1] == pytest.approx(1 / 80 / 2)
    p = class_p_values(rows)
    assert p["noisy_or"] == pytest.approx(1)
    # One alone spares twice as many as both: ln 2 off, twice, with variance 10/160, covariance
    # 7/160. The square is 2 ln² 2 / (17/160), with two degrees of freedom.
    assert p["max"] == pytest.approx(math.exp(-(math.log(2) ** 2) * 160 / 17))
    assert p["min"] < 1e-6


def test_a_group_that_nobody_leaves_unharmed_cannot_be_tested() -> None:
    ones = np.ones(4, dtype=int)
    with pytest.raises(ValueError, match="every group must have rows"):
        log_spared_ratios({"cause": ones, "other": ones, "context": ones, "outcome": ones})
