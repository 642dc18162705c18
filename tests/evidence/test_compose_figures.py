"""Figures of compose, by the same code at a tenth of the size; classes have tests of their own."""

from __future__ import annotations

import pytest
from evidence.compose import PARTS
from evidence.figures import held

from evidence import compose_classes

TIMED = {"speed", "prompts", "cost"}


@pytest.mark.parametrize(
    "part", [name for name in PARTS if name not in {*compose_classes.PARTS, *TIMED}]
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
