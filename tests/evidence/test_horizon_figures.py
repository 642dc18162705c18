"""Horizons measure, and their worlds have no shortcuts, by the same code at a tenth of the size."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.horizon import PARTS

from evidence import horizon_derive


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", ["worlds", "attacks", "recovery", "rises", "ladder", *horizon_derive.PARTS]
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
