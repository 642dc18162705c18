from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.stats import paired_power


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
