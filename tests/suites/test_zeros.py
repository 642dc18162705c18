"""Zeros: the scale of skill scores, and the files of the suites."""

from __future__ import annotations

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from whybench.stats import Estimate
from whybench.stats.left_out import Ratio
from whybench.suites.checks import design_digest
from whybench.suites.registry import get_suite
from whybench.suites.zeros import DIGESTED, SOLVED, Zero, Zeros, write_zeros

ABILITIES = ("intervene", "compose", "calculate", "analyze")


BELOW = st.floats(0, SOLVED, exclude_max=True)


def zeros(value: float) -> Zeros:
    return Zeros({"core": Zero("core", "", "accuracy", "coin", value)})


def estimate(value: float) -> Estimate:
    return Estimate(value, value, value, 10, 10, "mean")


@given(BELOW, st.floats(-2, 1))
def test_the_zero_is_0_and_exact_is_1_and_order_stays(value: float, other: float) -> None:
    scale = zeros(value).scale
    assert scale(estimate(value), {}).estimate == pytest.approx(0)
    assert scale(estimate(1.0), {}).estimate == 1
    found = scale(estimate(other), {}).estimate
    assert found is not None
    assert (found > 1e-9) <= (other > value)


@given(BELOW, st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_scaled_ratios_sum_to_the_scaled_value(value: float, scores: list[float]) -> None:
    above, below = np.array(scores), np.ones(len(scores))
    ratios = zeros(value).scale_ratios([Ratio(1.0, above, below)], {})
    total = sum(one.weight * one.above.sum() / one.below.sum() for one in ratios)
    assert total == pytest.approx(zeros(value).scale(estimate(above.mean()), {}).estimate)


def test_a_solved_design_has_no_skill_score() -> None:
    for value, solved in ((0.94, False), (SOLVED, True), (1.0, True)):
        assert (zeros(value).scale(estimate(1.0), {}).estimate is None) == solved
        assert (zeros(value).scale_ratios([Ratio(1.0, np.ones(2), np.ones(2))], {}) == []) == solved


def test_a_changed_design_has_the_zero_of_its_family_and_another_one_the_first() -> None:
    both = Zeros({"core": Zero("core", "", "a", "x", 0.2), "hard": Zero("hard", "", "a", "y", 0.4)})
    assert both.of({"design": "hard"}).value == 0.4
    assert both.of({"design": "hard*"}).value == 0.4
    assert both.of({"design": "mine"}).value == 0.2
    assert both.find("mine") is None


def test_the_file_gives_back_what_was_written() -> None:
    own = [Zero("core", "ab", "accuracy", "coin", 0.25)]
    assert [Zero(**entry) for entry in yaml.safe_load(write_zeros(own))] == own


@pytest.mark.parametrize("name", ABILITIES)
def test_the_stored_zeros_are_of_the_present_items(name: str) -> None:
    suite = get_suite(name)
    assert suite.zeros is not None
    for zero in suite.zeros.by_design.values():
        assert zero.measure == suite.headline[0]
        assert zero.items == design_digest(suite, suite.designs[zero.design], DIGESTED), zero.design
        assert zero.attack in {attack.name for attack in suite.attacks}
        assert 0 <= zero.value <= 1
