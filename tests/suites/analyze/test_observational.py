from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges.observational import BEFORE, CHALLENGE, CONFOUNDERS
from whybench.suites.analyze.estimators.regression import mean_difference, stratified_difference
from whybench.suites.analyze.estimators.weighting import doubly_robust, propensities

SEEDS = range(5)

# A quarter have the first column, which makes the gain 0.2 instead of 0.1.
BY_HAND = {
    "sign": 1.0,
    "gain_0": 0.1,
    "gain_1": 0.2,
    **{f"share_{role}": 0.25 if role == "first" else 0.5 for role in BEFORE},
    **{f"pull_{role}": 2 * np.log(3) if role == "first" else 0.0 for role in BEFORE},
    **{f"shift_{role}": 0.4 if role == "first" else 0.0 for role in BEFORE},
}


def _world(variant: str, seed: int) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    rng = generator("twins", seed)
    at = CHALLENGE.parameters(variant, rng)
    return at, CHALLENGE.draw_rows(variant, at, rng)


def test_the_effect_by_hand() -> None:
    # 3/4 gain 0.1 and 1/4 gain 0.2.
    assert CHALLENGE.certify("trap", BY_HAND)["effect"].value == pytest.approx(0.125, abs=1e-12)


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
    trap = CHALLENGE.generate("trap", "test", seed)
    effect = trap.number("effect")
    crude = mean_difference(trap.rows["outcome"], trap.rows["treatment"]).value
    assert effect.naive == {"crude difference": crude}
    assert abs(crude - effect.value) >= 5 * effect.se
    control = CHALLENGE.generate("randomised", "test", seed)
    assert not control.number("effect").naive
    for role in BEFORE:
        assert mean_difference(control.rows[role], control.rows["treatment"]).p > 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_are_the_same_people(seed: int) -> None:
    (chosen, by_choice), (drawn, by_lot) = (
        _world(variant, seed) for variant in ("trap", "randomised")
    )
    for role in BEFORE:
        assert np.array_equal(by_choice[role], by_lot[role])
        assert drawn[f"pull_{role}"] == 0
        assert chosen[f"shift_{role}"] == drawn[f"shift_{role}"]
    assert chosen["gain_0"] == drawn["gain_0"]


def test_effects_of_all_directions_occur() -> None:
    found = {
        CHALLENGE.generate("trap", "test", seed).truths["direction"].value for seed in range(20)
    }
    assert found == {"increases", "decreases", "none"}


def test_crude_direction_misleads_at_times() -> None:
    instances = [CHALLENGE.generate("trap", "test", seed) for seed in range(20)]
    wrong = [
        CHALLENGE.naive(instance)["direction"] != instance.truths["direction"].value
        for instance in instances
    ]
    assert sum(wrong) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_competent_names_what_is_so(seed: int) -> None:
    trap = CHALLENGE.competent(CHALLENGE.generate("trap", "test", seed))
    assert (trap["design"], trap["adjustment_set"]) == ("observational", frozenset(CONFOUNDERS))
    control = CHALLENGE.competent(CHALLENGE.generate("randomised", "test", seed))
    assert (control["design"], control["adjustment_set"]) == ("randomised", frozenset())


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
