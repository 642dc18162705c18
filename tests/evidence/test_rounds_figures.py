"""Rounds recover horizons and survive being killed: the same code at a tenth of the size."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.rounds import PARTS


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
