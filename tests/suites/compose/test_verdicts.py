"""When answers may be called valid and consistent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.stats import Estimate
from whybench.suites.compose.comparisons import TargetComparison
from whybench.suites.compose.verdicts import (
    classify,
    decide_verdict,
    relative_difference,
)

ends = st.floats(-2, 2)


def ratio(low, high, *flags: str, estimate=0.0) -> Estimate:
    return Estimate(estimate, low, high, 100, 100, "by hand", flags)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.2, 0.2, "yes"),
        (0.0, 0.0, "yes"),
        (0.05, 0.2, "yes"),  # a real difference, and shown to be too small to matter
        (-0.25, 0.2, "inconclusive"),
        (-0.1, 0.3, "inconclusive"),
        (0.05, 0.3, "inconclusive"),  # a real difference, and none that is shown to matter
        (-0.9, -0.1, "inconclusive"),
        (0.25, 0.6, "inconclusive"),
        (0.26, 0.6, "no"),
        (-0.6, -0.26, "no"),
        (0.5, 0.6, "no"),
        (-1.0, -1.0, "no"),
        (0.0, 0.3, "inconclusive"),
    ],
)
def test_an_interval_decides(low, high, expected) -> None:
    assert decide_verdict(ratio(low, high), 0.25) == expected


def test_no_numbers_no_verdict() -> None:
    assert decide_verdict(ratio(None, None, "undefined", estimate=None)) == "undefined"
    assert decide_verdict(ratio(None, None)) == "inconclusive"


@pytest.mark.parametrize("flag", ["few_units", "lone_units"])
def test_an_interval_that_is_too_narrow_decides_nothing(flag) -> None:
    assert decide_verdict(ratio(0.0, 0.0, flag)) == "inconclusive"
    assert decide_verdict(ratio(0.9, 0.9, flag)) == "inconclusive"


def test_silence_is_evidence_only_where_errors_would_show() -> None:
    assert decide_verdict(ratio(0.0, 0.0), 0.25, resolution=0.25) == "yes"
    assert decide_verdict(ratio(0.0, 0.0), 0.25, resolution=0.26) == "inconclusive"
    assert decide_verdict(ratio(0.5, 0.6), 0.25, resolution=0.26) == "no"


@given(ends, ends, st.floats(0.01, 0.9))
def test_a_verdict_does_not_depend_on_direction(one, two, delta) -> None:
    low, high = sorted((one, two))
    assert decide_verdict(ratio(low, high), delta) == decide_verdict(ratio(-high, -low), delta)


@given(ends, ends, st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_a_wider_margin_never_takes_a_yes_back(one, two, delta, other) -> None:
    low, high = sorted((one, two))
    narrow, wide = sorted((delta, other))
    if decide_verdict(ratio(low, high), narrow) == "yes":
        assert decide_verdict(ratio(low, high), wide) == "yes"


@given(ends, ends, st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_a_narrower_margin_never_takes_a_no_back(one, two, delta, other) -> None:
    low, high = sorted((one, two))
    narrow, wide = sorted((delta, other))
    if decide_verdict(ratio(low, high), wide) == "no":
        assert decide_verdict(ratio(low, high), narrow) == "no"


@given(ends, st.floats(0, 2), st.floats(0, 2), st.floats(0.01, 0.9))
def test_an_interval_that_holds_the_truth_is_never_against_it(true, below, above, delta) -> None:
    found = decide_verdict(ratio(true - below, true + above), delta)
    assert found in ({"no"} if abs(true) > delta else {"yes"}) | {"inconclusive"}


def test_the_margin_is_a_share() -> None:
    for delta in (0, 1, -0.1):
        with pytest.raises(ValueError, match=f"delta must lie between 0 and 1, got {delta}"):
            decide_verdict(ratio(0, 0), delta)


def test_ratios() -> None:
    assert relative_difference(3, 4) == -0.25
    assert relative_difference(4, 3) == 0.25
    assert relative_difference(0, 3) == -1
    assert relative_difference(-1, 1) == -2
    assert relative_difference(0, 0) is None


@pytest.mark.parametrize(
    ("valid", "consistent", "expected"),
    [
        ("yes", "yes", "VC"),
        ("yes", "no", "VI"),
        ("no", "yes", "IC"),
        ("no", "no", "II"),
        ("inconclusive", "yes", "inconclusive"),
        ("no", "inconclusive", "inconclusive"),
        ("no", "undefined", "undefined"),
        ("inconclusive", "undefined", "undefined"),
    ],
)
def test_a_class_needs_two_conclusive_verdicts(valid, consistent, expected) -> None:
    assert classify(valid, consistent) == expected


def compared(low: float, high: float, resolution: float = 0.0) -> TargetComparison:
    return TargetComparison(
        0.3, ratio(low, high), ratio(low, high), ratio(0, 1), resolution, "inconclusive"
    )


@given(st.tuples(ends, ends).map(sorted), st.floats(0, 1), st.floats(0.01, 0.99))
def test_two_margins_say_the_verdict_at_any_other(interval, resolution, delta) -> None:
    found = compared(*interval, resolution)
    verdict = decide_verdict(found.ratio, delta, resolution)
    assert (verdict == "no") == (delta < found.differs_to)
    if delta != found.same_from:  # at the margin itself, an interval is not within it
        assert (verdict == "yes") == (delta > found.same_from)


def test_margins_are_unknown_where_an_interval_decides_nothing() -> None:
    found = TargetComparison(0.3, ratio(0, 0), ratio(0, 0, "few_units"), ratio(0, 1), 0.1, "yes")
    assert found.same_from is None
    assert found.differs_to is None


@pytest.mark.parametrize(
    ("target", "difference", "passes"),
    [(0.5, 0.05, True), (0.5, -0.05, True), (0.5, 0.051, False), (0.0, 0.0, None)],
)
def test_the_rule_of_the_source_goes_by_estimates_alone(target, difference, passes) -> None:
    wide = ratio(-1, 1, estimate=difference)
    found = TargetComparison(target, wide, wide, ratio(0, 1), 0.1, "inconclusive")
    assert found.passes_source is passes
