"""Figures of the classes of compose, by the same code at a tenth of the size or less."""

from __future__ import annotations

import pytest
from evidence.compose_classes import PARTS
from evidence.figures import held


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
