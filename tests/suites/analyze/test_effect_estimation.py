from __future__ import annotations

import math

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges import effect_estimation
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.challenges.effect_estimation import CHALLENGE
from whybench.suites.analyze.challenges.moving_confounder import (
    ALL,
    START,
    certify_least,
    parameters,
    world,
)
from whybench.suites.analyze.estimators.regression import (
    find_confounders,
    mean_difference,
    relate_columns,
    stratified_difference,
)
from whybench.suites.analyze.fields import FieldValue
from whybench.suites.analyze.grading import grade

SEEDS = range(4)

# Nothing but the follow-up matters, and the follow-up is a fair coin.
BY_HAND = {
    "baseline": 0.5,
    "decoy": 0.5,
    "earlier": 0.0,
    "followup_baseline": 0.0,
    "followup_earlier": 0.0,
    "pull_baseline": 0.0,
    "pull_earlier": 0.0,
    "pull_followup": 2 * math.log(3),
    "shift_baseline": 0.0,
    "shift_earlier": 0.0,
    "shift_followup": 0.4,
    "gain_0": 0.1,
    "gain_1": 0.2,
}


def test_chances_by_hand() -> None:
    columns = world(TRAP, BY_HAND).by_role
    # Log odds of ln 3; and half, 0.2 for the follow-up, half of the gain of 0.2.
    assert columns["treatment"].tabulate()[0, 0, 1] == pytest.approx(0.75)
    assert columns["outcome"].tabulate()[0, 0, 1, 1] == pytest.approx(0.8)


def test_truths_by_hand() -> None:
    # Half gain 0.1, half gain 0.2.
    assert CHALLENGE.certify(TRAP, BY_HAND)["ate"].value == pytest.approx(0.15)
    # Chances of the outcome are 0.25, 0.35 without the follow-up and 0.6, 0.8 with it. Of the
    # treated 3/4 have it, of the others 1/4: (3 * 0.8 + 0.35) / 4 - (0.6 + 3 * 0.25) / 4.
    after = CHALLENGE.certify("after_treatment", BY_HAND)["ate"].value
    assert after == pytest.approx(0.6875 - 0.3375)
    assert certify_least(BY_HAND, ALL).value == pytest.approx(0.25)
    assert certify_least(BY_HAND, START).value == pytest.approx(0.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    trap = CHALLENGE.generate("trap", "test", seed)
    ate, rows = trap.number("ate"), trap.rows
    assert set(ate.naive.values()) >= {
        mean_difference(rows["outcome"], rows["treatment"]).value,
        stratified_difference(rows["outcome"], rows["treatment"], rows["baseline"]).value,
    }
    for naive in ate.naive.values():
        assert abs(naive - ate.value) >= 5 * ate.se
    cells = [rows[role] for role in ALL]
    for cell in {tuple(map(int, row)) for row in np.column_stack(cells)}:
        here = np.all([values == bit for values, bit in zip(cells, cell, strict=True)], axis=0)
        assert 0.05 <= rows["treatment"][here].mean() <= 0.95


@pytest.mark.parametrize("seed", SEEDS)
def test_what_came_after_has_the_same_rows(seed: int) -> None:
    trap, after = (CHALLENGE.generate(v, "test", seed) for v in ("trap", "after_treatment"))
    for role, values in trap.rows.items():
        assert np.array_equal(values, after.rows[role])
    when = {column.role: column.measured for column in after.columns}
    assert when["treatment"] < when["followup"] < when["outcome"]
    # What is naive for the one is the reference for the other.
    assert set(after.number("ate").references.values()) <= set(trap.number("ate").naive.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_share_the_generator(seed: int) -> None:
    trap, control = (parameters(v, generator("twins", seed)) for v in ("trap", "treatment_only"))
    changed = {key for key in trap if trap[key] != control[key]}
    assert changed == {"shift_followup", "gain_1"}
    assert control["shift_followup"] == 0


@pytest.mark.parametrize(("variant", "needed"), [("trap", ALL), ("treatment_only", START)])
def test_the_rows_show_what_confounds(variant: str, needed: tuple[str, ...]) -> None:
    for seed in SEEDS:
        rows = CHALLENGE.generate(variant, "test", seed).rows
        assert find_confounders(rows, ("decoy", *ALL)) == needed
        assert relate_columns(rows, ALL)["followup"].to_treatment < 0.005


def test_adjusting_for_the_follow_up_is_a_false_alarm_in_controls() -> None:
    said = {"adjustment_set": FieldValue(frozenset({"baseline", "followup"}))}
    graded = {
        variant: grade(CHALLENGE.fields, CHALLENGE.generate(variant, "test", 0), said)
        for variant in CHALLENGE.variants
    }
    assert [graded[variant].false_alarm for variant in CHALLENGE.variants] == [False, True, True]


def test_smoothed_least_by_hand() -> None:
    rows = {"baseline": np.array([0, 0, 0, 1, 1]), "treatment": np.array([0, 0, 1, 1, 1])}
    # One of three, and two of two: 1.5 / 4 and 2.5 / 3.
    assert effect_estimation._smoothed_least(rows, ("baseline",)) == pytest.approx(0.375)
