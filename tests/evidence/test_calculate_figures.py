"""Figures of calculate, by the same code at a small size."""

from __future__ import annotations

import pytest
from evidence.calculate import PARTS
from evidence.calculate_model import limits_of
from evidence.figures import held
from evidence.printed_worlds import answer_prompt

from whybench.suites.calculate.generation import ItemCell
from whybench.suites.calculate.items import make_item
from whybench.suites.calculate.quantities import NOT_COMPUTABLE


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(name, marks=[pytest.mark.model] if name == "real-model" else [])
        for name in PARTS
        if name != "speed"
    ],
)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


def test_what_limits_a_model_is_told_in_words() -> None:
    row = {"form": "number", "truth": 40.0, "conditioning": 60.0}
    rows = [row | {"value": value} for value in (60.0, 60.0, 40.0, None)]
    assert limits_of(rows) == (
        "of 4: conditions instead of intervening 2, right 1, gives no answer 1; "
        "said most: 60 (2 x), 40 (1 x)"
    )


def test_a_number_with_which_what_is_known_cannot_be_is_not_tried() -> None:
    cell = ItemCell("pn", "thresholds", "missing", "number", 7, 2, 1711)
    item = make_item(cell, "workshop", "table", "plain", "direct")
    # By hand: with the saw on, the mixer has 39 - 40 + ? points; 1 of the lamp would leave it none.
    rows = "| always | 39 |\n| if the saw is on | -40 |\n| if the lamp is on | ? |"
    assert rows in item.prompt
    assert "the saw was on and the mixer was on" in item.prompt
    assert answer_prompt(item.prompt) == item.truth == NOT_COMPUTABLE
