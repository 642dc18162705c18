from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.stats import epochs_needed, paired_power, variance_components


@pytest.mark.parametrize("items", [5, 20, 240])
@pytest.mark.parametrize("effect", [0.05, 0.3, 1.0])
def test_statsmodels_agrees(items: int, effect: float) -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    # One epoch and within = √½: item differences have a standard deviation of 1.
    ours = paired_power(effect, 0.5**0.5, items)
    assert ours == pytest.approx(power.power(effect, items, 0.05), abs=1e-8)


def test_power_with_very_few_items_and_a_strict_level() -> None:
    # Two items: t is a ratio of two normals. At a shift of the limit itself, a simulation.
    draw = generator("test", "two items")
    seen = 1.0 + draw.normal(0, 0.01, (200_000, 2))
    t = np.abs(seen.mean(axis=1) / (np.abs(seen[:, 0] - seen[:, 1]) / 2))
    limit = 636.619
    expected = float(np.mean(t > limit))
    assert paired_power(1.0, 0.01 * 0.5**0.5, 2, alpha=0.001) == pytest.approx(expected, abs=0.005)


def test_without_a_difference_power_is_the_level() -> None:
    assert paired_power(0, 1, 20) == pytest.approx(0.05)
    assert paired_power(0, 0, 20) == 0.05
    assert paired_power(0.1, 0, 20) == 1.0


def test_epochs_by_hand() -> None:
    # 400 items, within 20: a difference of 4 with many items needs about
    # 2·20²·(1.96 + 0.84)²/(400·4²) = 0.98 epochs; a difference of 2 four times as many.
    assert epochs_needed(4, 20, 400).epochs == 1
    assert epochs_needed(2, 20, 400).epochs == 4


@given(
    st.floats(0.5, 10),
    st.floats(1, 30),
    st.integers(3, 300),
    st.floats(0, 10),
    st.floats(0.3, 0.95),
)
def test_the_number_of_epochs_is_the_smallest_that_suffices(
    difference: float, within: float, items: int, between: float, power: float
) -> None:
    found = epochs_needed(difference, within, items, between, power)
    if found.epochs is None:
        assert found.flags == ("more_items_needed",)
        assert paired_power(difference, within, items, 10**6, between) < power
        return
    assert found.power == paired_power(difference, within, items, found.epochs, between)
    assert found.power >= power
    if found.epochs > 1:
        assert paired_power(difference, within, items, found.epochs - 1, between) < power
    assert found.n == items


def test_epochs_cannot_make_up_for_few_items() -> None:
    found = epochs_needed(1.0, 5.0, 10, between=4.0)
    assert (found.epochs, found.flags) == (None, ("more_items_needed",))
    assert found.power == pytest.approx(paired_power(1.0, 0.0, 10, between=4.0))


def test_a_pilot_gives_back_the_spreads() -> None:
    draw = generator("test", "pilot")
    base, taste = draw.normal(50, 20, (4000, 1)), draw.normal(0, 6, (4000, 1))
    first = base + taste + draw.normal(0, 10, (4000, 3))
    second = base + draw.normal(0, 10, (4000, 5))
    found = variance_components(first, second)
    assert found.within == pytest.approx(10, rel=0.03)
    assert found.between == pytest.approx(6, rel=0.1)
    assert (found.n, found.units, found.flags) == (32_000, 4000, ())
    assert variance_components(first[:, :1], second).flags == ("one_epoch",)
    assert variance_components(np.ones((5, 2)), np.ones((5, 2))).between == 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"items": 1}, "items must be at least 2, got 1"),
        ({"epochs": 0}, "epochs must be above 0, got 0"),
        ({"within": -1}, "within and between must not be negative"),
        ({"alpha": 0}, "alpha must lie between 0 and 1, got 0"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        paired_power(**{"difference": 1, "within": 1, "items": 20, **arguments})
    with pytest.raises(ValueError, match="power must lie between alpha"):
        epochs_needed(1, 1, 20, power=math.nan)
    with pytest.raises(ValueError, match="first and second must be items x epochs"):
        variance_components([1, 2], [1, 2])
