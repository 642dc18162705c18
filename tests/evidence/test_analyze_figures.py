"""Figures of analyze, at a tenth of the size; challenges and attacks have tests of their own."""

from __future__ import annotations

import pytest
from evidence.analyze import PARTS


@pytest.mark.parametrize("part", ["soundness", "calibration", "real"])
def test_the_figures_hold(part: str) -> None:
    found = list(PARTS[part](True))
    assert found
    assert not [figure for figure in found if not figure.holds]
