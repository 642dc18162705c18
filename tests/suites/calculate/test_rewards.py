"""Rewards in training: 1 for what is right, nothing on average for what is blind."""

from __future__ import annotations

import pytest
from evidence.blind_rewards import MOST, mean_rewards
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.calculate import SUITE
from whybench.suites.calculate.quantities import NOT_COMPUTABLE, QUERIES
from whybench.suites.calculate.rewards import SCALES, reward_answer
from whybench.suites.contract import Answer
from whybench.training.items import training_items

POINTS = st.floats(-100, 100)
QUERY = st.sampled_from(QUERIES)


def paid(value: float, truth: float, form: str = "number", query: str = "do") -> float:
    return reward_answer({"form": form, "query": query}, truth, Answer(value))


@given(POINTS, POINTS, POINTS, QUERY)
def test_what_is_further_off_has_no_more(a: float, b: float, truth: float, query: str) -> None:
    near, far = sorted((a, b), key=lambda value: abs(value - truth))
    assert paid(near, truth, query=query) >= paid(far, truth, query=query)
    assert -1 <= paid(far, truth, query=query) <= paid(truth, truth, query=query) == 1


def test_points_cost_by_the_scale_of_the_query() -> None:
    for query, scale in SCALES.items():
        assert paid(40.5, 40, query=query) == 1
        assert paid(40 + scale, 40, query=query) == pytest.approx(0)
        assert paid(40 - scale / 2, 40, query=query) == pytest.approx(0.5)
        assert paid(40 - 2.5 * scale, 40, query=query) == -1
    assert tuple(SCALES) == QUERIES


@pytest.mark.parametrize(
    ("value", "truth", "form", "expected"),
    [
        (NOT_COMPUTABLE, 12.0, "number", -1),
        (NOT_COMPUTABLE, NOT_COMPUTABLE, "number", 1),
        (12.0, NOT_COMPUTABLE, "number", 0),
        (1.0, 1.0, "greater", 1),
        (1.0, 2.0, "greater", -1),
        (NOT_COMPUTABLE, 2.0, "greater", -1),
        (1.0, NOT_COMPUTABLE, "greater", 0),
    ],
)
def test_answers_that_are_no_numbers(
    value: float, truth: float, form: str, expected: float
) -> None:
    assert paid(value, truth, form) == expected


def test_nothing_blind_is_paid() -> None:
    """Of few items as far as chance allows; the evidence looks at many."""
    found = mean_rewards(list(training_items(SUITE, {}).take(120)))
    assert len(found) == 30
    for name, (mean, error) in found.items():
        assert mean <= MOST + 3 * error, name
    assert found["always 'cannot be computed'"][0] == pytest.approx((41 - 79) / 120)
