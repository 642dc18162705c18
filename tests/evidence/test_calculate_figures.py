"""Figures of calculate, by the same code at a small size."""

from __future__ import annotations

import pytest
from evidence.calculate import PARTS
from evidence.calculate_model import limits_of
from evidence.figures import held


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(name, marks=[pytest.mark.model] if name == "real-model" else [])
        for name in PARTS
    ],
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


def test_what_limits_a_model_is_told_in_words() -> None:
    row = {"form": "number", "truth": 40.0, "seeing": 60.0}
    rows = [row | {"value": value} for value in (60.0, 60.0, 40.0, None)]
    assert limits_of(rows) == (
        "of 4: takes seeing for doing 2, right 1, gives no answer 1; said most: 60 (2 x), 40 (1 x)"
    )
