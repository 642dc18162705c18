"""Decisions about differences that are looked at several times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.results.sequential import (
    InterimLook,
    SequentialResult,
    decide,
    default_smallest,
    effect_at,
)
from whybench.stats import Difference, Estimate
from whybench.stats.horizon import METHOD
from whybench.stats.paired import mean_change

SIDE = Estimate(0.5, 0.4, 0.6, 100, 100, "share")


def difference(changes: list[float]) -> Difference:
    found = Difference.of("justified_accuracy", {}, (SIDE, SIDE), mean_change(changes))
    return replace(found, suite="intervene")


def ask(changes: list[float], looks: int = 5, **smallest: float) -> SequentialResult:
    """Return the decision over equal looks at changes of units in order."""
    size = len(changes) // looks
    every = [
        InterimLook(n, n / looks, difference(changes[: n * size])) for n in range(1, looks + 1)
    ]
    return decide(every, **smallest)


def horizon(low: float, value: float, high: float, p: float) -> Difference:
    side = replace(SIDE, estimate=4.0)
    numbers = {"difference": value, "low": low, "high": high, "p": p, "n": 88, "units": 88}
    return Difference("horizon", {}, side, side, **numbers, method=METHOD, suite="trace")


def test_decide_clear_difference_ends_early_with_its_own_interval() -> None:
    found = ask([0.4, 0.6] * 50)
    assert (found.state, found.look.number) == ("decided", 1)
    one = found.difference
    assert one.p is not None
    assert one.p < 1e-6
    # At the first look nothing was tested before: the fixed interval.
    assert (one.low, one.high) == pytest.approx(
        (found.look.difference.low, found.look.difference.high)
    )
    assert "group-sequential, decided at look 1" in one.method


def test_decide_changes_that_cancel_within_the_smallest_end_without_difference() -> None:
    found = ask([0.02, -0.02] * 50, smallest=0.1)
    assert found.state == "no_difference"
    assert found.difference.p == 1.0
    assert replace(found.difference, corrected_p=1.0).verdict == "no difference of interest"


def test_decide_no_smallest_difference_goes_on_to_the_end() -> None:
    found = ask([0.02, -0.02] * 50, smallest=0.0)
    assert (found.state, found.look.number) == ("complete", 5)


def test_decide_fewer_than_eight_units_is_no_test() -> None:
    found = decide([InterimLook(1, 0.2, difference([0.5, 0.6, 0.5, 0.4, 0.5, 0.6, 0.5]))])
    assert (found.state, found.statistic) == ("open", None)
    assert "not_decided" in found.difference.flags


def test_decide_identical_sides_are_complete_after_the_whole_design() -> None:
    found = ask([0.0] * 50)
    assert (found.state, found.look.number) == ("complete", 5)
    assert found.difference.is_identical


def test_decide_keeps_the_look_that_decided() -> None:
    looks = [
        InterimLook(1, 0.5, difference([0.4, 0.6] * 20)),
        InterimLook(2, 1.0, difference([-0.1, 0.1] * 40)),
    ]
    assert decide(looks) == decide(looks[:1])


def test_decide_horizons_beyond_the_posterior_bound_differ() -> None:
    assert decide([InterimLook(1, 0.25, horizon(1, 3, 6, 0.004))]).state == "decided"
    assert decide([InterimLook(1, 0.25, horizon(0.5, 3, 6, 0.006))]).state == "open"


def test_decide_horizons_within_an_octave_have_no_difference_of_interest() -> None:
    assert default_smallest(horizon(-1, 0, 1, 0.9)) == (-2.0, 4.0)
    assert decide([InterimLook(1, 0.25, horizon(-1, 0.1, 1, 0.9))]).state == "no_difference"
    assert decide([InterimLook(1, 0.25, horizon(-1.9, 0.1, 1, 0.9))]).state == "open"


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=30))
def test_effect_at_runs_through_interval_and_zero(changes: list[float]) -> None:
    one = difference(changes)
    if one.low is None or one.high is None or one.p is None or one.difference is None:
        return
    assert effect_at(one, 0.0) == pytest.approx(one.difference, abs=1e-9)
    ends = effect_at(one, -1.959964), effect_at(one, 1.959964)
    assert ends == pytest.approx((one.low, one.high), abs=1e-4)
    scores = np.linspace(-6, 6, 25)
    effects = [effect_at(one, score) for score in scores]
    assert effects == sorted(effects)


@given(
    st.lists(st.floats(-1, 1), min_size=40, max_size=40),
    st.floats(0.0, 0.5),
)
def test_decide_p_is_below_the_level_exactly_if_the_interval_excludes_zero(
    changes: list[float], smallest: float
) -> None:
    one = ask(changes, smallest=smallest).difference
    if one.low is None or one.high is None or one.p is None:
        return
    excludes = one.low > 0 or one.high < 0
    assert (one.p < 0.05) == excludes or one.p == pytest.approx(0.05, abs=1e-6)
