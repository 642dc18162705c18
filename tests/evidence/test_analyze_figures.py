"""Figures of analyze, at a tenth of the size; those not named here have tests of their own."""

from __future__ import annotations

import pytest
from evidence.analyze import PARTS
from evidence.figures import held

from evidence import challenges, code_runs, confinement, graders

OWN_TESTS = {*challenges.PARTS, *code_runs.PARTS, *confinement.PARTS, *graders.PARTS, "pitfalls"}
REAL_MODEL = {"grader-real", "real-answers"}
TIMED = {"rate"}


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(name, marks=[pytest.mark.model] if name in REAL_MODEL else [])
        for name in PARTS
        if name not in OWN_TESTS - REAL_MODEL | TIMED
    ],
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
