from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.scm import Event, Query, probability
from whybench.seeds import generator
from whybench.suites.analyze.challenges.contract import CategoricalTruth
from whybench.suites.analyze.challenges.observational import BEFORE, CHALLENGE, CONFOUNDERS
from whybench.suites.analyze.estimators.regression import mean_difference, stratified_difference
from whybench.suites.analyze.estimators.weighting import doubly_robust, propensities
from whybench.suites.analyze.grading import grade_values

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

SEEDS = range(5)

# A quarter have the first column, which makes the gain 0.2 instead of 0.1.
BY_HAND = {
    "treated": 0.5,
    "start": 0.5,
    "gain_0": 0.1,
    "gain_1": 0.2,
    **{f"share_{role}": 0.25 if role == "first" else 0.5 for role in BEFORE},
    **{f"pull_{role}": 2 * np.log(3) if role == "first" else 0.0 for role in BEFORE},
    **{f"shift_{role}": 0.4 if role == "first" else 0.0 for role in BEFORE},
}


def _draw(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("test", seed)


def test_the_effect_by_hand() -> None:
    # 3/4 gain 0.1 and 1/4 gain 0.2.
    assert CHALLENGE.certify("trap", BY_HAND)["estimate"].value == pytest.approx(0.125, abs=1e-12)


def test_chances_by_hand() -> None:
    # Causes in the order of BEFORE, then the treatment; `first` is the second of them.
    columns = CHALLENGE.world("trap", BY_HAND).by_role
    treated, outcome = columns["treatment"].tabulate(), columns["outcome"].tabulate()
    # Log odds of -ln 3 and ln 3.
    assert treated[0, 0, 0, 0] == pytest.approx(0.25)
    assert treated[0, 1, 0, 0] == pytest.approx(0.75)
    assert outcome[0, 0, 0, 0, 1] == pytest.approx(0.35)
    assert outcome[0, 1, 0, 0, 0] == pytest.approx(0.6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    trap = _draw(seed)["trap"]
    effect = trap.number("estimate")
    crude = mean_difference(trap.rows["outcome"], trap.rows["treatment"]).value
    assert effect.naive == {"crude difference": crude}
    assert abs(crude - effect.value) >= 5 * effect.se
    control = _draw(seed)["randomised"]
    assert not control.number("estimate").naive
    for role in BEFORE:
        assert mean_difference(control.rows[role], control.rows["treatment"]).p > 0.001


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_are_the_same_people_with_the_same_marginals(seed: int) -> None:
    chosen, drawn = (
        CHALLENGE.parameters(variant, generator("twins", seed)) for variant in CHALLENGE.variants
    )
    changed = {key for key in chosen if chosen[key] != drawn[key]}
    assert changed <= {"start", *(f"pull_{role}" for role in BEFORE)}
    means = []
    for variant, at in (("trap", chosen), ("randomised", drawn)):
        model = CHALLENGE.world(variant, at).model((*BEFORE, "treatment", "outcome"))
        seen = [probability(model, Query((Event(role, 1),))) for role in ("treatment", "outcome")]
        means.append([float(chance) for chance in seen])
    assert means[0] == pytest.approx(means[1])
    assert means[0][1] == pytest.approx(0.5)
    rows = [_draw(seed)[variant].rows for variant in CHALLENGE.variants]
    assert all(np.array_equal(rows[0][role], rows[1][role]) for role in BEFORE)


def test_chances_are_chances() -> None:
    for variant, seed in product(CHALLENGE.variants, range(100)):
        at = CHALLENGE.parameters(variant, generator("chances", seed))
        table = CHALLENGE.world(variant, at).by_role["outcome"].tabulate()
        assert 0.01 < table.min() < table.max() < 0.99


def test_effects_are_spread_and_the_crude_difference_misadvises_at_times() -> None:
    traps = [_draw(seed)["trap"] for seed in range(40)]
    off = [trap.number("estimate").value / trap.number("estimate").se for trap in traps]
    assert min(off) < -8
    assert max(off) > 8
    assert 0 in off
    wrong = [
        not trap.truths["recommendation"].accepts(CHALLENGE.answer("naive", trap)["recommendation"])
        for trap in traps
    ]
    assert sum(wrong) >= 10


@pytest.mark.parametrize("seed", SEEDS)
def test_who_adjusts_for_all_that_came_before_is_right(seed: int) -> None:
    for variant, drawn in _draw(seed).items():
        rows = drawn.rows
        all_of_it = doubly_robust(
            rows["outcome"], rows["treatment"], [rows[role] for role in BEFORE]
        )
        said = CHALLENGE.complete(
            {
                "estimate": all_of_it,
                "adjustment_set": frozenset(BEFORE),
                "design": "observational" if variant == "trap" else "randomized",
            },
        )
        assert grade_values(CHALLENGE.fields, drawn, said).score == 1


def test_sets_that_are_enough() -> None:
    trap, control = (_draw(0)[variant].truths["adjustment_set"] for variant in CHALLENGE.variants)
    assert isinstance(trap, CategoricalTruth)
    assert isinstance(control, CategoricalTruth)
    for count in range(len(BEFORE) + 1):
        for chosen in map(frozenset, combinations(BEFORE, count)):
            assert trap.accepts(chosen) == (chosen >= set(CONFOUNDERS))
            assert control.accepts(chosen)


def test_doubly_robust_is_standardisation_where_both_models_are_full() -> None:
    rng = generator("test", "doubly robust")
    stratum = rng.integers(0, 2, 800)
    treatment = (rng.random(800) < 0.3 + 0.4 * stratum).astype(int)
    outcome = (rng.random(800) < 0.2 + 0.3 * treatment + 0.3 * stratum).astype(int)
    robust = doubly_robust(outcome, treatment, [stratum])
    expected = stratified_difference(outcome, treatment, stratum)
    assert robust.value == pytest.approx(expected.value)
    assert robust.se == pytest.approx(expected.se)


def test_doubly_robust_without_columns_is_the_difference() -> None:
    outcome, treatment = np.array([1, 0, 0, 1, 1]), np.array([0, 0, 0, 1, 1])
    assert propensities(treatment, []) == pytest.approx(np.full(5, 0.4))
    assert doubly_robust(outcome, treatment, []).value == pytest.approx(2 / 3)
