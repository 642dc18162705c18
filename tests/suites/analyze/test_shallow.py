"""Shallow agents learn what there is to learn by heart, and what they find is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import WRONG_CAP
from whybench.suites.analyze.shallow import (
    ALWAYS,
    SHALLOW,
    Discriminant,
    find_leaks,
    measure_auc,
    measure_shallow,
)


def test_an_auc_is_the_share_of_pairs_in_order() -> None:
    assert measure_auc(np.array([2.0, 3.0]), np.array([0.0, 1.0])) == 1
    assert measure_auc(np.array([1.0, 1.0]), np.array([1.0])) == 0.5
    assert measure_auc(np.array([0.0, 2.0]), np.array([1.0])) == 0.5


@pytest.mark.parametrize(("shift", "widen"), [(2.0, 1.0), (0.0, 3.0)])
def test_a_line_sees_means_and_spreads_that_differ(shift: float, widen: float) -> None:
    rng = generator("line")
    first, second = (rng.standard_normal((2, 400, 3)) for _ in range(2))
    line = Discriminant.fit(first[0] * widen + shift, second[0])
    assert measure_auc(line.score(first[1] * widen + shift), line.score(second[1])) > 0.8
    idle = Discriminant.fit(first[0], second[0])
    assert 0.4 < measure_auc(idle.score(first[1]), idle.score(second[1])) < 0.6


def test_signs_are_the_analysis_of_direction_and_are_no_leak_there() -> None:
    result = measure_shallow(CHALLENGES["direction"], 30)
    assert set(result.twin) == {*SHALLOW, ALWAYS}
    assert result.twin["signs"] > 0.9
    # An edge by heart is wrong in one of two twins, and all that is left is to be sure of it.
    assert result.twin["constant"] <= WRONG_CAP
    assert not list(find_leaks(result, 3))
    told = list(find_leaks(replace(result, not_shallow=()), 3))
    assert [leak.split(" has ")[0] for leak in told] == [
        "direction: signs",
        "direction: text and signs",
    ]
