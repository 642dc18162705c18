from __future__ import annotations

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.suites.analyze import effects
from whybench.suites.analyze.columns import real, within
from whybench.suites.analyze.effects import contrast, increase
from whybench.suites.analyze.world import World

INTERACTION = increase("dose", age=1) - increase("dose", age=0)


def surface(constant: float, dose: float, age: float, both: float) -> World:
    """Return a world with any surface of two causes."""

    def outcome(**at):
        return constant + dose * at["dose"] + age * at["age"] + both * at["dose"] * at["age"]

    return World(
        (within("age", 0, 9), real("dose"), real("outcome", outcome, 3, causes=("age", "dose")))
    )


def value(world: World, effect: effects.Effect) -> float:
    return world.find_effect(effect)[1]


def test_the_words_of_the_module_hold() -> None:
    assert doctest.testmod(effects).failed == 0


def test_effects_by_hand() -> None:
    world = surface(1, 2, 5, -4)
    assert value(world, increase("dose", age=0)) == 2
    assert value(world, increase("dose", age=3)) == 2 - 4 * 3
    assert value(world, increase("age", dose=0)) == 5
    assert value(world, INTERACTION) == -4
    assert value(world, 0.5 * INTERACTION) == -2
    assert value(world, contrast({"dose": 3, "age": 0}, {"dose": 1, "age": 0})) == 4


@given(st.lists(st.integers(-50, 50), min_size=5, max_size=5))
def test_effects_find_the_coefficients_of_any_surface(drawn: list[int]) -> None:
    constant, dose, age, both, held = drawn
    world = surface(constant, dose, age, both)
    assert value(world, increase("dose", age=held)) == dose + both * held
    assert value(world, increase("age", dose=held)) == age + both * held
    assert value(world, INTERACTION) == both


def test_the_weights_of_an_effect_sum_to_nothing() -> None:
    assert sum(weight for weight, _ in INTERACTION.arms) == 0
    assert value(surface(17, 0, 0, 0), INTERACTION) == 0


def test_the_error_of_a_trial_is_that_of_effects_on_units() -> None:
    # One more of the dose does 2 - 4 age, with ages from 0 to 9: 2 - 4 * 4.5 on average, with a
    # standard deviation of 4 * sqrt(99 / 12).
    world = surface(1, 2, 5, -4)
    noise = world.draw_noise(100_000, generator("effects"))
    found = world.run_trial({"effect": increase("dose")}, noise)
    mean, se = found["effect"]
    assert se == pytest.approx(4 * (99 / 12) ** 0.5 / 100_000**0.5, rel=0.02)
    assert mean == pytest.approx(-16, abs=4 * se)
