"""Studies whose data are damaged or whose disk is full, by the same code with fewer people."""

from __future__ import annotations

import os

import pytest
from evidence.damaged_studies import PARTS, can_mount
from evidence.figures import held

from whybench.datasets import file_state
from whybench.study.export import ENGINE

needs_a_disk = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_mount(), reason="a small disk needs root and unshare"),
    pytest.mark.skipif(
        file_state("jsPsych", ENGINE) == "not fetched" and not os.environ.get("CI"),
        reason="jsPsych is not here: `whybench data fetch jsPsych`",
    ),
]


@pytest.mark.parametrize(
    ("part", "count"),
    [
        pytest.param("damaged studies", 2, marks=pytest.mark.slow),
        pytest.param("damaged fields", 1, marks=pytest.mark.slow),
        pytest.param("full disk", 2, marks=needs_a_disk),
        pytest.param("unwritten studies", 1, marks=needs_a_disk),
    ],
)
def test_the_figures_hold(part: str, count: int) -> None:
    assert len(held(PARTS[part])) == count
