"""Numbers that cannot be had: null is right, and so are the bounds that the data set them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import agreed
from whybench.suites.analyze.challenges.contract import (
    Instance,
    NumericTruth,
    Truth,
    UnidentifiedTruth,
)
from whybench.suites.analyze.columns import DataColumn
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.fields import NumberField
from whybench.suites.analyze.grading import GradedAnswer, bounds_pass, grade_values
from whybench.suites.analyze.reports import derive_recommendation, report_on

REPORT = report_on(NumberField("effect", share=True))
SE = 0.01


def number(value: float) -> NumericTruth:
    certificate = agreed("a bound", ("one way", value), ("another", value))
    return NumericTruth(certificate, {"share of rows": Coefficient(value, SE)}, SE)


BOUNDED = UnidentifiedTruth(bounds=(number(-0.4), number(0.6)))


def graded(truth: UnidentifiedTruth, **said: object) -> GradedAnswer:
    truths: dict[str, Truth] = {"effect": truth, "recommendation": derive_recommendation(truth)}
    columns = (DataColumn("outcome", "binary", 0),)
    instance = Instance("made up", "trap", {}, columns, {"outcome": np.zeros(1)}, truths)
    answer = {"recommendation": "not_identifiable", "effect": None, "interval": None, **said}
    return grade_values(REPORT, instance, answer)


@pytest.mark.parametrize("interval", [None, (-0.4, 0.6), (-0.424, 0.576)])
def test_null_and_bounds_have_full_marks(interval: tuple[float, float] | None) -> None:
    assert graded(BOUNDED, interval=interval).score == 1


def test_an_interval_within_the_bounds_claims_too_much() -> None:
    found = graded(BOUNDED, interval=(0.1, 0.2))
    assert found.fell_for
    assert found.score == pytest.approx(0.2)


def test_bounds_that_say_less_than_the_data_fail_without_a_fall() -> None:
    found = graded(BOUNDED, interval=(-1.0, 1.0))
    assert not found.fell_for
    assert found.score == pytest.approx(2 / 3)


def test_a_number_is_a_fall_whatever_its_interval() -> None:
    found = graded(BOUNDED, recommendation="increase", effect=0.15, interval=(-0.4, 0.6))
    assert found.fell_for
    assert found.score == pytest.approx(0.2)


def test_without_bounds_nobody_is_held_to_any() -> None:
    assert graded(UnidentifiedTruth()).score == 1
    assert graded(UnidentifiedTruth(), interval=(-1.0, 1.0)).score == 1
    assert graded(UnidentifiedTruth(), effect=0.1, interval=(-1.0, 1.0)).fell_for


def test_bounds_are_converted_with_the_outcome() -> None:
    scaled = BOUNDED.scaled(10.0)
    assert scaled.bounds is not None
    assert [end.value for end in scaled.bounds] == pytest.approx([-4, 6])
    assert [end.se for end in scaled.bounds] == pytest.approx([10 * SE] * 2)
    assert UnidentifiedTruth().scaled(10.0) == UnidentifiedTruth()


@given(st.floats(-1, 0), st.floats(-1, 1), st.floats(0, 0.1))
def test_no_confidence_interval_of_an_estimate_passes(low: float, value: float, se: float) -> None:
    # Bounds are 1 apart, and an interval of less than half of that cannot be at both ends.
    truth = UnidentifiedTruth(bounds=(number(low), number(low + 1)))
    assert not bounds_pass(Coefficient(value, se).interval, truth)
