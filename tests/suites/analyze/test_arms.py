from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.suites.analyze.arms import contrast, simulate_contrast, subtract_arms, unit_increase

INTERACTION = subtract_arms(unit_increase("dose", age=1), unit_increase("dose", age=0))


def mean(setting):
    return 1 + 2 * setting["dose"] + 5 * setting["age"] - 4 * setting["dose"] * setting["age"]


def test_effects_by_hand() -> None:
    assert contrast(unit_increase("dose", age=0), mean) == 2
    assert contrast(unit_increase("dose", age=3), mean) == 2 - 4 * 3
    assert contrast(unit_increase("age", dose=0), mean) == 5
    assert contrast(INTERACTION, mean) == -4


@given(st.lists(st.integers(-50, 50), min_size=5, max_size=5))
def test_arms_find_the_coefficients_of_any_surface(drawn: list[int]) -> None:
    constant, dose, age, both, held = drawn

    def surface(at):
        return constant + dose * at["dose"] + age * at["age"] + both * at["dose"] * at["age"]

    assert contrast(unit_increase("dose", age=held), surface) == dose + both * held
    assert contrast(unit_increase("age", dose=held), surface) == age + both * held
    assert contrast(INTERACTION, surface) == both


def test_the_weights_of_an_effect_sum_to_nothing() -> None:
    assert sum(arm.weight for arm in INTERACTION) == 0
    assert contrast(INTERACTION, lambda _: 17.0) == 0


def test_a_trial_without_noise_gives_the_effect_and_no_error() -> None:
    value, se = simulate_contrast(INTERACTION, lambda at, size: np.full(size, mean(at)), 400)
    assert (value, se) == (-4, 0)


def test_the_error_of_a_trial_is_that_of_its_arms() -> None:
    rng = generator("arms")
    asked = []

    def outcomes(setting, size):
        asked.append(size)
        return mean(setting) + 3 * rng.standard_normal(size)

    value, se = simulate_contrast(unit_increase("dose", age=0), outcomes, 200_000)
    assert asked == [100_000, 100_000]
    # Two arms with a standard deviation of 3 each: sqrt(2 * 9 / 100000) = 0.013416.
    assert se == pytest.approx(0.013416, rel=0.02)
    assert value == pytest.approx(2, abs=4 * se)
