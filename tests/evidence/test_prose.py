"""Texts that people see first keep to the rates that the evidence states."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.prose import PARTS, count_rates, strip_markup


@pytest.mark.parametrize("part", PARTS)
def test_prose_rates_hold(part: str) -> None:
    assert held(PARTS[part])


def test_count_rates_text_of_ten_words_counts_per_thousand() -> None:
    text = "It tells you what it said, beside `told` {% said %} you."
    found = count_rates(strip_markup(text))
    assert found == {"words": 8, "told": 125, "say": 125, "beside": 125, "you": 250}
