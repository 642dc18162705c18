"""The figures of exports at a small size."""

from __future__ import annotations

import pytest
from evidence.exports import PARTS
from evidence.figures import held

# The other suites go the same way; tests of training look at their rows.


@pytest.mark.parametrize("part", ["exports: calculate", "contamination"])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
