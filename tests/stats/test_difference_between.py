"""Differences between two sides on the same units."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.statistics import contradictions
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whybench.stats import (
    Estimate,
    Jackknifed,
    clustered_mean,
    clustered_share,
    difference_between,
    paired_difference,
    resampled_difference,
)

UNITS = st.integers(3, 12)
VALUES = st.floats(-5, 5, allow_nan=False).map(lambda value: round(value, 3))


def side(values, estimator=clustered_mean) -> Jackknifed:
    """Return a side whose unit i has the value i."""
    array, units = np.asarray(values, dtype=float), np.arange(len(values))
    without = {int(u): float(array[units != u].mean()) for u in units}
    return Jackknifed(estimator(array, units), without)


def plain(estimate, low, high) -> Jackknifed:
    return Jackknifed(Estimate(estimate, low, high, 10, 10, "given"), dict.fromkeys(range(10), 0.0))


pairs = UNITS.flatmap(
    lambda n: st.tuples(
        st.lists(VALUES, min_size=n, max_size=n), st.lists(VALUES, min_size=n, max_size=n)
    )
)


@given(pairs)
def test_of_means_it_is_the_paired_t_interval(values) -> None:
    first, second = values
    found = difference_between(side(first), side(second)).estimate
    known = paired_difference(second, first)
    assert found.estimate == pytest.approx(known.estimate, abs=1e-9)
    if "identical" in found.flags or found.method.endswith("hence by signs"):
        assert known.high - known.low == pytest.approx(0, abs=1e-5)
    else:
        assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-5)


def test_few_units_that_all_differ_alike_show_no_change() -> None:
    """Three units that point the same way are weak evidence: by signs p is 1/4."""
    for first, second in (([0, 0, 0], [1, 1, 1]), ([0, 1, 5], [2, 3, 7])):
        shift = difference_between(side(first), side(second))
        assert shift.p == pytest.approx(0.25)
        assert shift.estimate.low < 0 < shift.estimate.high
        assert "no_spread" in shift.estimate.flags
        assert shift.estimate.method.endswith("no spread, hence by signs")


def test_the_p_value_agrees_with_the_interval() -> None:
    # Many more are tried with the other figures of the statistics.
    assert contradictions(100) == {"between": 0, "resampled": 0}


@given(pairs)
def test_sides_change_places_with_the_sign(values) -> None:
    first, second = map(side, values)
    there, back = difference_between(first, second), difference_between(second, first)
    assert there.estimate.estimate == pytest.approx(-back.estimate.estimate)
    assert back.estimate.high is None or there.estimate.low == pytest.approx(-back.estimate.high)
    assert there.p == pytest.approx(back.p)


def test_without_correlation_the_reaches_add_as_squares() -> None:
    # a = 0.3 and b = 0.4 downwards, 0.05 and 0.12 upwards
    found = difference_between(plain(0.5, 0.38, 0.9), plain(0.8, 0.5, 0.85)).estimate
    assert found.estimate == pytest.approx(0.3)
    assert found.low == pytest.approx(0.3 - 0.5)
    assert found.high == pytest.approx(0.3 + 0.13)


@pytest.mark.parametrize("values", [[1.0] * 20, [0.2, 0.4, 0.9]])
def test_sides_equal_in_every_unit_have_no_interval(values) -> None:
    one = side(values, clustered_share if values[0] == 1 else clustered_mean)
    shift = difference_between(one, one)
    assert (shift.estimate.low, shift.estimate.estimate, shift.estimate.high, shift.p) == (
        None,
        0.0,
        None,
        1.0,
    )
    assert "identical" in shift.estimate.flags
    assert shift.estimate.method == f"0 of {len(values)} units differ"


def test_sides_with_the_same_mean_and_other_units_have_an_interval() -> None:
    shift = difference_between(side([0.0, 1.0, 1.0, 0.0]), side([1.0, 0.0, 0.0, 1.0]))
    assert shift.p == 1.0
    assert shift.estimate.low < 0 < shift.estimate.high
    assert "identical" not in shift.estimate.flags


@pytest.mark.parametrize("units", [2, 5, 6, 8, 60, 3000])
def test_a_difference_without_spread_is_judged_by_signs(units) -> None:
    shift = difference_between(side([0.2] * units), side([0.7] * units))
    found, p = shift.estimate, 2 * max(0.5**units, 0.5**1000)
    assert shift.p == pytest.approx(p, rel=1e-9)
    assert found.estimate == pytest.approx(0.5)
    # The interval is that of a t test with this p-value, and leaves out 0 from six units on.
    reach, t = stats.t.ppf(0.975, units - 1), stats.t.isf(p / 2, units - 1)
    assert (found.low, found.high) == pytest.approx((0.5 - 0.5 * reach / t, 0.5 + 0.5 * reach / t))
    assert (found.low > 0) == (units >= 6)


def test_what_one_side_does_not_have_cannot_be_compared() -> None:
    nothing = Jackknifed(Estimate(None, None, None, 0, 0, "none", ("undefined",)), {})
    shift = difference_between(side([1, 2, 3]), nothing)
    assert (shift.estimate.estimate, shift.p) == (None, None)
    assert "undefined" in shift.estimate.flags


def test_a_single_unit_gives_no_interval() -> None:
    shift = difference_between(side([1, 2, 3]), Jackknifed(side([2, 3, 5]).estimate, {0: 4.0}))
    assert shift.estimate.estimate == pytest.approx(4 / 3)
    assert (shift.estimate.low, shift.p) == (None, None)


def test_joint_resamples_give_quantiles_and_the_smaller_tail() -> None:
    first, second = np.zeros(999), np.concatenate([[-1.0] * 9, [1.0] * 990])
    shift = resampled_difference(0.0, 1.0, (first, second), n=50, units=20)
    assert (shift.estimate.estimate, shift.estimate.low, shift.estimate.high) == (1.0, 1.0, 1.0)
    assert shift.p == pytest.approx(2 * (1 + 9) / 1000)


def test_resamples_that_never_move_show_no_change() -> None:
    same = np.full(99, 0.5)
    assert resampled_difference(0.5, 0.5, (same, same), n=9, units=9).p == 1.0


def test_an_interval_of_resamples_ends_where_its_p_value_says() -> None:
    """Of 999 resamples 24 below 0 leave p at .05, and 23 do not."""
    for below, shown in ((24, False), (23, True)):
        moved = np.linspace(1, 2, 999)
        moved[:below] = -1
        shift = resampled_difference(0.0, 1.0, (np.zeros(999), moved), n=50, units=20)
        assert (shift.p < 0.05) == (shift.estimate.low > 0) == shown
    few = resampled_difference(0.0, 1.0, (np.zeros(20), np.ones(20)), n=50, units=20)
    assert (few.estimate.low, few.estimate.high) == (0.0, 1.0)
    assert few.p == pytest.approx(2 / 21)


def test_resamples_without_a_value_do_not_count() -> None:
    moved = np.where(np.arange(1998) % 2, np.nan, 1.0)
    shift = resampled_difference(0.0, 1.0, (np.zeros(1998), moved), n=50, units=20)
    assert (shift.estimate.low, shift.p) == (1.0, 2 / 1000)
    nothing = resampled_difference(0.0, 1.0, (np.zeros(9), np.full(9, np.nan)), n=50, units=20)
    assert (nothing.estimate.low, nothing.p) == (None, None)


def test_within_strata_the_sides_move_together_only_within_them() -> None:
    # Strata that differ by 10 on both sides would have a correlation of 1; within them it is -1.
    first, second = [1.0, 2.0, 11.0, 12.0], [2.0, 1.0, 12.0, 11.0]
    strata = {0: "low", 1: "low", 2: "high", 3: "high"}
    one, two = (
        Jackknifed(Estimate(6.5, 6.0, 7.0, 4, 4, "given"), side(values).without, strata)
        for values in (first, second)
    )
    found = difference_between(one, two).estimate
    assert "correlation -1.00" in found.method
    assert found.high - found.low == pytest.approx(2.0)
    pooled = difference_between(Jackknifed(one.estimate, one.without), two).estimate
    assert "correlation 0.98" in pooled.method
