"""Conditions of one mind, by the same code with few seeds."""

from __future__ import annotations

import pytest
from evidence.experiments import CASES, PARTS
from evidence.figures import held


@pytest.mark.parametrize("part", [*(case.name for case in CASES), "real-model"])
def test_the_figures_hold(part: str, mirror) -> None:
    assert len(held(PARTS[part])) >= 2
