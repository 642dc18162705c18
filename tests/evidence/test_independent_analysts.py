"""Reports of independent analysts."""

from __future__ import annotations

import pytest
from evidence.independent_analysts import count_sound, is_sound, load_answers

ANSWERS = load_answers()


def test_a_report_with_another_number_is_not_sound() -> None:
    row = next(row for row in ANSWERS if row["challenge"] == "simpson")
    assert is_sound(row)
    assert not is_sound({**row, "answer": {**row["answer"], "estimate": 0.9}})
    assert not is_sound({**row, "answer": {**row["answer"], "estimand": "association"}})


def test_both_data_sets_of_a_pair_must_be_sound() -> None:
    pair = [row for row in ANSWERS if (row["challenge"], row["analyst"]) == ("simpson", "A")]
    assert count_sound(pair) == {"simpson": (1, 1)}
    spoiled = [pair[0], {**pair[1], "answer": {}}]
    assert count_sound(spoiled) == {"simpson": (0, 1)}


def test_other_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="must be those analyzed"):
        is_sound({**ANSWERS[0], "data": "0"})
