"""The figures of the library, by the code that prints them."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.library import PARTS

# One process makes the environments, for all tests that ask for them.
MARKS = {"script": [pytest.mark.install, pytest.mark.xdist_group("install")]}


@pytest.mark.parametrize("part", [pytest.param(name, marks=MARKS.get(name, [])) for name in PARTS])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
