"""Intervals, p-values and verdicts of random pairs, by the same code on fewer pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from evidence.comparisons import ESTIMATORS, PARTS, _list_faults, draw_pair
from evidence.figures import held

from whybench.seeds import generator
from whybench.stats import correct_family
from whybench.suites.pairs import compare_groups


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


@pytest.mark.parametrize(
    ("fault", "changed"),
    [
        ("agree", {"p": 0.5}),
        ("verdict", {"corrected_p": 0.2}),
        ("agree", {"p": 0.5, "corrected_p": 0.5}),
        ("bounds", {"high": 1.2}),
        ("mirror", {"low": 0.01}),
    ],
)
def test_a_fault_is_found(fault: str, changed: dict[str, float]) -> None:
    sides = draw_pair(generator("tests", "comparisons"), "constant")
    one = next(iter(correct_family(compare_groups(sides, ESTIMATORS))))
    one = replace(one, difference=1.0, low=0.4, high=1.0, p=0.01, corrected_p=0.01, tests=6)
    back = replace(one, difference=-1.0, low=-1.0, high=-0.4)
    assert not [*_list_faults(one, back, 0.01, 6)]
    assert fault in [*_list_faults(replace(one, **changed), back, 0.01, 6)]
