"""Studies for people in a real browser, by the same code with few items."""

from __future__ import annotations

import os

import pytest
from evidence.experiment import PARTS
from evidence.figures import held

from whybench.datasets import file_state
from whybench.study.export import ENGINE

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.skipif(
    file_state("jsPsych", ENGINE) == "not fetched" and not os.environ.get("CI"),
    reason="jsPsych is not here: `whybench data fetch jsPsych`",
)
@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
