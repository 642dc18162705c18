"""Every figure we claim is measured here by the same code, at a tenth of the size or less."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.house import PARTS

# One process makes the environments, for all tests that ask for them.
INSTALL = [pytest.mark.install, pytest.mark.xdist_group("install")]
MARKS = {"runs": [pytest.mark.model], "wheel": INSTALL}
TIMED = {"certification", "cost", "startup"}


@pytest.mark.parametrize(
    "part", [pytest.param(name, marks=MARKS.get(name, [])) for name in PARTS if name not in TIMED]
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
