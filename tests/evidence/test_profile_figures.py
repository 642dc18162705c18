"""Differences between agents, by the same code with few seeds."""

from __future__ import annotations

import pytest
from evidence.differences import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str, mirror) -> None:
    found = list(PARTS[part](True))
    assert len(found) == 2
    assert not [figure for figure in found if not figure.holds]
