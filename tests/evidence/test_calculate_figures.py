"""Figures of calculate, by the same code at a small size."""

from __future__ import annotations

import pytest
from evidence.calculate import PARTS
from evidence.figures import held


@pytest.mark.slow
@pytest.mark.parametrize("part", list(PARTS))
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
