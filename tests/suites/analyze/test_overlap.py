from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from whybench.scm import Event, Query, probability
from whybench.seeds import generator
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import CategoricalTruth, Instance
from whybench.suites.analyze.challenges.weak_overlap import GROUPING
from whybench.suites.analyze.estimators.groups import (
    count_sides,
    find_weak_rows,
    regressed_difference,
    reweighted_difference,
    same_effect_p,
)
from whybench.suites.analyze.estimators.regression import mean_difference, stratified_difference
from whybench.suites.analyze.grading import grade_values, number_passes

CHALLENGE = CHALLENGES["overlap"]
SEEDS = range(5)

# Half have the first column and a quarter the second; odds of treatment are 1 to 9 with neither and
# 9 to 1 with both.
BY_HAND = {
    "decoy": 0.5,
    "treated": 0.4,
    "start": 0.3,
    "gain_ends": -0.1,
    "gain_between": 0.3,
    "share_first": 0.5,
    "share_second": 0.25,
    "pull_first": math.log(9),
    "pull_second": math.log(9),
    "shift_first": 0.1,
    "shift_second": 0.2,
}


def _draw(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("test", seed)


def test_the_effects_by_hand() -> None:
    # Between are 1/2 * 1/4 + 1/2 * 3/4 = 1/2 of all: 1/2 * 0.3 - 1/2 * 0.1.
    found = CHALLENGE.certify("trap", BY_HAND)
    assert found["estimate"].value == pytest.approx(0.1)
    assert found["overlap_effect"].value == pytest.approx(0.3)
    by_lot = CHALLENGE.certify("randomised", BY_HAND)
    assert by_lot["estimate"].value == by_lot["overlap_effect"].value == pytest.approx(0.1)


def test_chances_by_hand() -> None:
    columns = CHALLENGE.world("trap", BY_HAND).by_role
    treated, outcome = columns["treatment"].tabulate(), columns["outcome"].tabulate()
    assert treated.ravel() == pytest.approx([0.1, 0.5, 0.5, 0.9])
    # First, second, treatment.
    assert outcome[0, 0].tolist() == pytest.approx([0.3, 0.2])
    assert outcome[0, 1].tolist() == pytest.approx([0.5, 0.8])
    assert outcome[1, 1].tolist() == pytest.approx([0.6, 0.5])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    trap = _draw(seed)["trap"]
    rows, effect = trap.rows, trap.number("estimate")
    before = [rows[role] for role in ("decoy", *GROUPING)]
    regression = regressed_difference(rows["outcome"], rows["treatment"], before).value
    crude = mean_difference(rows["outcome"], rows["treatment"]).value
    assert effect.naive["regression"] == pytest.approx(regression)
    assert effect.naive["difference"] == pytest.approx(crude)
    assert set(effect.naive) >= {"interacted", "groups with overlap alone"}
    for value in effect.naive.values():
        assert abs(value - effect.value) >= 5 * effect.se
        assert not number_passes(value, effect)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_naive_in_the_trap_is_right_where_it_is(seed: int) -> None:
    same, by_lot = (_draw(seed)[variant].number("estimate") for variant in CHALLENGE.controls[::-1])
    assert set(same.naive) == {"difference"}
    assert not by_lot.naive
    assert set(same.panel) >= {"regression", "interacted"}
    assert set(by_lot.panel) >= {"regression", "interacted", "difference"}


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_have_the_same_groups_marginals_and_effect(seed: int) -> None:
    twins = _draw(seed)
    means = []
    for variant, twin in twins.items():
        model = CHALLENGE.world(variant, twin.parameters).model((*GROUPING, "treatment", "outcome"))
        seen = [probability(model, Query((Event(role, 1),))) for role in ("treatment", "outcome")]
        means.append([*map(float, seen), twin.number("estimate").value])
    assert means[1] == pytest.approx(means[0])
    assert means[2] == pytest.approx(means[0])
    for role in GROUPING:
        assert np.array_equal(twins["trap"].rows[role], twins["randomised"].rows[role])


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_treated_is_as_uneven_as_it_should_be(seed: int) -> None:
    for variant, twin in _draw(seed).items():
        group = 2 * twin.rows["first"] + twin.rows["second"]
        counts = count_sides(twin.rows["treatment"], group)
        assert counts.min() >= 12
        weak = counts.min(axis=1) < 0.1 * counts.sum(axis=1)
        assert weak.sum() == (0 if variant == "randomised" else 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_sound_analyses_pass(seed: int) -> None:
    for twin in _draw(seed).values():
        rows = twin.rows
        by_all = 4 * rows["decoy"] + 2 * rows["first"] + rows["second"]
        columns = [rows[role] for role in GROUPING]
        for found in (
            stratified_difference(rows["outcome"], rows["treatment"], by_all),
            reweighted_difference(rows["outcome"], rows["treatment"], columns),
        ):
            assert number_passes(found.value, twin.number("estimate"))


def test_sets_that_are_enough() -> None:
    for variant, twin in _draw(0).items():
        truth = twin.truths["adjustment_set"]
        assert isinstance(truth, CategoricalTruth)
        assert truth.accepts(frozenset({"decoy", *GROUPING}))
        assert truth.accepts(frozenset({"first"})) == (variant == "randomised")


def test_effects_are_spread() -> None:
    traps = [_draw(seed)["trap"].number("estimate") for seed in range(30)]
    off = [truth.value / truth.se for truth in traps]
    assert min(off) < -5
    assert max(off) > 5


@pytest.mark.parametrize("seed", SEEDS)
def test_claiming_the_trap_is_a_false_alarm_in_controls(seed: int) -> None:
    for variant, twin in _draw(seed).items():
        said = CHALLENGE.answer("always_trap", twin)
        found = grade_values(CHALLENGE.diagnosis, twin, said)
        assert found.false_alarm == (variant != "trap")
        assert (found.score == 1) == (variant == "trap")


def test_sides_are_counted_and_weak_groups_found() -> None:
    group = np.repeat([0, 1], [20, 10])
    treatment = np.array([1] + [0] * 19 + [1, 0] * 5)
    assert count_sides(treatment, group).tolist() == [[19, 1], [5, 5]]
    assert find_weak_rows(treatment, group, 0.1).tolist() == [True] * 20 + [False] * 10
    assert not find_weak_rows(treatment, group, 0.05).any()


@given(st.permutations(range(4)), st.integers(2, 6), st.booleans())
def test_a_regression_weighs_groups_by_how_evenly_they_are_treated(
    order: list[int], times: int, gain_first: bool
) -> None:
    # Of 12 rows of each group, 1, 4, 6 and 9 are treated, in some order; dummies hold the groups.
    treated = np.array([1, 4, 6, 9])[order]
    group = np.repeat(np.arange(4), 12 * times)
    treatment = np.concatenate(
        [np.repeat([1, 0], [n * times, (12 - n) * times]) for n in treated.tolist()]
    )
    gains = np.array([1.0, 0.0, 0.0, -0.5] if gain_first else [0.0, 0.5, 0.0, 1.0])
    dummies = [(group == level).astype(float) for level in (1, 2, 3)]
    found = regressed_difference(gains[group] * treatment + group, treatment, dummies)
    weights = treated * (12 - treated)
    assert found.value == pytest.approx(float(np.average(gains, weights=weights)))


def test_weights_by_the_inverse_propensity_are_standardisation_where_the_model_is_full() -> None:
    rng = generator("test", "inverse propensity")
    stratum = rng.integers(0, 2, 900)
    treatment = (rng.random(900) < 0.1 + 0.7 * stratum).astype(int)
    outcome = (rng.random(900) < 0.2 + 0.3 * treatment * stratum).astype(int)
    found = reweighted_difference(outcome, treatment, [stratum])
    expected = stratified_difference(outcome, treatment, stratum)
    assert found.value == pytest.approx(expected.value)


def test_one_effect_for_all_by_hand() -> None:
    # In each group 8 of 16 are treated; of the untreated half have the outcome, and of the treated
    # as many as said.
    def p(*treated: int) -> float:
        group, treatment = np.repeat(np.arange(4), 16), np.tile(np.repeat([0, 1], 8), 4)
        outcome = np.concatenate([np.repeat([1, 0, 1, 0], [4, 4, had, 8 - had]) for had in treated])
        return same_effect_p(outcome, treatment, group)

    assert p(4, 4, 4, 4) == pytest.approx(1)
    # Squares of errors are 1/32 + 3/128 where the difference is 1/4, and 1/16 where it is 0: the
    # weights are 128/7 and 16, two of each. Q is twice their product by their sum, times 1/16.
    q = 2 * (128 / 7 * 16 / (128 / 7 + 16)) / 16
    assert p(6, 6, 4, 4) == pytest.approx(float(chi2.sf(q, 3)))
    assert p(6, 6, 4, 4) == pytest.approx(p(4, 6, 4, 6))
