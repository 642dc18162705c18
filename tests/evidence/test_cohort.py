"""Cohorts whose minds are known, by the same code with fewer people."""

from __future__ import annotations

import os

import pytest
from evidence.cohort import PARTS, minds
from evidence.figures import held

from whybench.datasets import file_state
from whybench.study.export import ENGINE


@pytest.mark.xdist_group("browser")
def test_a_cohort_goes_through_the_browser() -> None:
    if file_state("jsPsych", ENGINE) == "not fetched" and "CI" not in os.environ:
        pytest.skip("fetch jsPsych: whybench data fetch jsPsych")
    assert len(held(PARTS["cohort-browser"])) == 2


@pytest.mark.parametrize(("part", "count"), [("cohort-coverage", 2), ("cohort-careless", 1)])
def test_the_figures_hold(part: str, count: int) -> None:
    assert len(held(PARTS[part])) == count


def test_minds_are_alike_or_their_own_and_the_same_for_a_seed() -> None:
    assert minds(5, 3) == minds(5, 3)
    drawn = {
        alike: {(one.settings["p"], one.settings["m1"]) for one in minds(5, 3, alike)}
        for alike in (True, False)
    }
    assert (len(drawn[True]), len(drawn[False])) == (1, 5)
    assert len({one.id for seed in (1, 2) for one in minds(48, seed)}) == 96
