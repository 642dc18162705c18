"""The figures of the library, by the code that prints them."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.library import PARTS

MARKS = {"script": [pytest.mark.install]}


@pytest.mark.parametrize("part", [pytest.param(name, marks=MARKS.get(name, [])) for name in PARTS])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
