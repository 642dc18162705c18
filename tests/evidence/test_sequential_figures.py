"""Runs until decided keep their level, by the same code at a tenth of the size."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.sequential import PARTS


def test_the_boundaries_are_published() -> None:
    held(PARTS["boundaries"])


@pytest.mark.slow
@pytest.mark.parametrize("part", [name for name in PARTS if name != "boundaries"])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
