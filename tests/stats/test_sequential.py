"""Boundaries against published constants, and p-values that agree with intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.stats.sequential import Boundaries, spend, spend_evenly


def even(looks: int) -> tuple[float, ...]:
    return tuple(number / looks for number in range(1, looks + 1))


FIVE = spend(even(5))
"""The boundaries of five looks."""


def test_spend_five_looks_are_the_published_boundaries() -> None:
    # Reboussin, DeMets, Kim and Lan (2000), two-sided 0.05.
    assert FIVE.bounds == pytest.approx((4.8769, 3.3569, 2.6803, 2.2898, 2.0310), abs=2e-4)


@pytest.mark.parametrize(
    ("looks", "constant"), [(2, 2.178), (3, 2.289), (4, 2.361), (5, 2.413), (10, 2.555)]
)
def test_level_of_equal_boundaries_is_that_of_pocock(looks: int, constant: float) -> None:
    assert Boundaries(even(looks), (constant,) * looks).level == pytest.approx(0.05, abs=2e-4)


def test_spend_one_look_is_the_fixed_test() -> None:
    assert spend((1.0,)).bounds == pytest.approx((1.959964,), abs=1e-6)


def test_exits_agree_with_simulated_walks() -> None:
    rng, runs = generator("test", "sequential", "walks"), 200_000
    shares = np.array(FIVE.shares)
    steps = rng.normal(size=(runs, 5)) * np.sqrt(np.diff(shares, prepend=0))
    sums = np.cumsum(steps, axis=1) + 2.0 * shares
    crossed = np.abs(sums / np.sqrt(shares)) >= FIVE.bounds
    ended = np.where(crossed.any(axis=1), crossed.argmax(axis=1), 5)
    found = np.bincount(ended, minlength=6)[:5] / runs
    assert np.sum(FIVE.exits(2.0), axis=0) == pytest.approx(found, abs=0.004)


def test_spend_evenly_gives_the_rest_to_the_whole_design() -> None:
    found = spend_evenly(even(10))
    assert found.bounds[:9] == pytest.approx((2.807034,) * 9, abs=1e-5)
    assert found.bounds[9] < 2.807
    assert found.level == pytest.approx(0.05, abs=1e-9)
    assert spend_evenly((0.1, 0.2)).level < 0.01


def test_end_at_the_first_look_is_the_fixed_inference() -> None:
    ended = FIVE.end(1, 5.0)
    assert (ended.middle, ended.low, ended.high) == pytest.approx(
        (0, 1.959964, -1.959964), abs=1e-5
    )


@given(st.integers(1, 10), st.floats(0.001, 0.2))
def test_spend_boundaries_fall_and_have_their_level(looks: int, alpha: float) -> None:
    found = spend(even(looks), alpha)
    assert list(found.bounds) == sorted(found.bounds, reverse=True)
    assert found.level == pytest.approx(alpha, abs=1e-7)


@given(st.integers(1, 5), st.floats(-6, 6))
def test_end_p_is_below_the_level_exactly_if_the_interval_excludes_zero(
    look: int, statistic: float
) -> None:
    ended = FIVE.end(look, statistic)
    excludes = statistic - ended.low > 0 or statistic - ended.high < 0
    assert (ended.p < 0.05) == excludes or ended.p == pytest.approx(0.05, abs=1e-6)
    assert ended.low >= ended.middle >= ended.high


@given(st.integers(1, 5), st.floats(0, 5), st.floats(0.01, 2))
def test_end_p_falls_with_the_statistic(look: int, statistic: float, more: float) -> None:
    found = FIVE.end(look, statistic + more).p
    assert found <= FIVE.end(look, statistic).p + 1e-9


@pytest.mark.parametrize("shares", [(), (0.0, 1.0), (0.5, 0.5), (0.5, 1.1)])
def test_spend_shares_that_do_not_rise_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="shares must rise"):
        spend(shares)
