"""Figures of intervene, by the same code at a tenth of the size; worlds and what is entailed have
tests of their own."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.intervene import PARTS

ELSEWHERE = {"worlds", "entailment"}
TIMED = {"speed", "cost"}


@pytest.mark.parametrize("part", [name for name in PARTS if name not in ELSEWHERE | TIMED])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
