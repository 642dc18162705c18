"""Figures of the classes of compose, by the same code at a tenth of the size or less."""

from __future__ import annotations

import pytest
from evidence.compose_classes import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    found = list(PARTS[part](True))
    assert found
    assert not [figure for figure in found if not figure.holds]
