"""You and people: what is printed, calculated a second time, at a small size."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.likeness import PARTS


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
