from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.scm import Event, Query, probability
from whybench.seeds import generator
from whybench.suites.analyze.challenges.contract import TRAP, CategoricalTruth
from whybench.suites.analyze.challenges.effect_estimation import CHALLENGE
from whybench.suites.analyze.challenges.moving_confounder import (
    ALL,
    START,
    parameters,
    world,
)
from whybench.suites.analyze.estimators.regression import (
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.grading import grade_values

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

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
    "start": 0.5,
}


def _draw(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("test", seed)


def test_chances_by_hand() -> None:
    columns = world(TRAP, BY_HAND).by_role
    # Log odds of ln 3; and half, 0.2 for the follow-up, half of the gain of 0.2.
    assert columns["treatment"].tabulate()[0, 0, 1] == pytest.approx(0.75)
    assert columns["outcome"].tabulate()[0, 0, 1, 1] == pytest.approx(0.8)


def test_truths_by_hand() -> None:
    # Half gain 0.1, half gain 0.2.
    assert CHALLENGE.certify(TRAP, BY_HAND)["estimate"].value == pytest.approx(0.15)
    # Chances of the outcome are 0.25, 0.35 without the follow-up and 0.6, 0.8 with it. Of the
    # treated 3/4 have it, of the others 1/4: (3 * 0.8 + 0.35) / 4 - (0.6 + 3 * 0.25) / 4.
    after = CHALLENGE.certify("after_treatment", BY_HAND)["estimate"].value
    assert after == pytest.approx(0.6875 - 0.3375)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    trap = _draw(seed)[TRAP]
    ate, rows = trap.number("estimate"), trap.rows
    crude = mean_difference(rows["outcome"], rows["treatment"]).value
    partial = stratified_difference(rows["outcome"], rows["treatment"], rows["baseline"]).value
    assert ate.naive["crude difference"] == pytest.approx(crude)
    assert ate.naive["adjusted for the baseline"] == pytest.approx(partial)
    for naive in ate.naive.values():
        assert abs(naive - ate.value) >= 5 * ate.se


@pytest.mark.parametrize("seed", SEEDS)
def test_what_came_after_has_the_same_rows(seed: int) -> None:
    trap, after = (_draw(seed)[variant] for variant in ("trap", "after_treatment"))
    for role, values in trap.rows.items():
        assert np.array_equal(values, after.rows[role])
    when = {column.role: column.measured for column in after.columns}
    assert when["treatment"] < when["followup"] < when["outcome"]
    # What is naive for the one is a reference for the other.
    found = {reference.value for reference in after.number("estimate").panel.values()}
    assert found & set(trap.number("estimate").naive.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_have_the_same_effect_and_marginals(seed: int) -> None:
    trap, control = (parameters(v, generator("twins", seed)) for v in ("trap", "treatment_only"))
    changed = {key for key in trap if trap[key] != control[key]}
    assert changed <= {"shift_followup", "gain_0", "gain_1", "start"}
    assert control["shift_followup"] == 0
    effects = [CHALLENGE.closed_form("trap", at)["estimate"] for at in (trap, control)]
    assert effects[0] == pytest.approx(effects[1])
    for at in (trap, control):
        model = world(TRAP, at).model((*ALL, "treatment", "outcome"))
        had = probability(model, Query((Event("outcome", 1),)))
        assert float(had) == pytest.approx(0.5)
        columns = world(TRAP, at).by_role
        assert columns["treatment"].tabulate().min() > 0.1
        assert columns["treatment"].tabulate().max() < 0.9
        assert 0 < columns["outcome"].tabulate().min() < columns["outcome"].tabulate().max() < 1


def test_effects_are_spread() -> None:
    truths = [_draw(seed)[TRAP].number("estimate") for seed in range(40)]
    off = [truth.value / truth.se for truth in truths]
    assert min(off) < -8
    assert max(off) > 8
    assert min(map(abs, off)) < 2


@pytest.mark.parametrize(
    ("variant", "enough"),
    [
        ("trap", {START: False, ALL: True, ("decoy", *ALL): True}),
        ("treatment_only", {("baseline",): False, START: True, ALL: True, ("decoy", *ALL): True}),
        ("after_treatment", {START: True, ("decoy", *START): True, ALL: False}),
    ],
)
def test_sets_that_are_enough(variant: str, enough: dict[tuple[str, ...], bool]) -> None:
    truth = _draw(0)[variant].truths["adjustment_set"]
    assert isinstance(truth, CategoricalTruth)
    assert {chosen: truth.accepts(frozenset(chosen)) for chosen in enough} == enough


@pytest.mark.parametrize("seed", SEEDS)
def test_who_adjusts_for_all_that_was_known_is_right(seed: int) -> None:
    """By the disjunctive criterion, whether or not the follow-up bears on the outcome."""
    for variant in ("trap", "treatment_only"):
        drawn = _draw(seed)[variant]
        rows = drawn.rows
        cell = np.ravel_multi_index([rows[role] for role in ALL], (2, 2, 2))
        found = stratified_difference(rows["outcome"], rows["treatment"], cell)
        said = CHALLENGE.complete(
            {
                "estimate": found,
                "adjustment_set": frozenset(ALL),
                "start_misleads": variant == TRAP,
            },
        )
        assert grade_values(CHALLENGE.fields, drawn, said).score == 1


def test_to_say_that_the_start_misleads_is_a_false_alarm_in_controls() -> None:
    graded = {
        variant: grade_values(CHALLENGE.fields, drawn, {"start_misleads": True})
        for variant, drawn in _draw(0).items()
    }
    assert [graded[variant].false_alarm for variant in CHALLENGE.variants] == [False, True, True]
