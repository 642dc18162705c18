"""Conditions of one mind, by the same code with few seeds."""

from __future__ import annotations

import pytest
from evidence.experiments import PARTS
from evidence.figures import held


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str, mirror) -> None:
    assert len(held(PARTS[part])) >= 2
