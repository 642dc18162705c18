"""The figures of exports at a small size."""

from __future__ import annotations

import pytest
from evidence.exports import PARTS

# The other suites go the same way; tests of training look at their rows.


@pytest.mark.parametrize("part", ["exports: judge", "contamination"])
def test_the_figures_hold(part: str) -> None:
    found = list(PARTS[part](True))
    assert found
    assert not [figure for figure in found if not figure.holds]
