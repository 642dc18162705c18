"""Measures as tidy data: names, labels and levels apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from whybench.stats import Measure, MeasureKey


def measure(**changed) -> Measure:
    given = {"labels": {"agent": "somebody", "style": "direct"}, "at": {"entities": 4}, **changed}
    return Measure("accuracy", 0.5, 0.25, None, 8, 4, 9, 1, 2, "by hand", ("a", "b"), **given)


def test_a_row_is_flat_and_in_order() -> None:
    assert list(measure().row().items()) == [
        ("agent", "somebody"),
        ("style", "direct"),
        ("measure", "accuracy"),
        ("entities", 4),
        ("estimate", 0.5),
        ("low", 0.25),
        ("high", None),
        ("n", 8),
        ("units", 4),
        ("scored", 9),
        ("no_answer", 1),
        ("error", 2),
        ("method", "by hand"),
        ("flags", "a b"),
    ]
    assert "entities" not in measure(at={}).row()


def test_a_key_says_which_measure_it_is_whoever_it_is_of() -> None:
    assert measure().key == MeasureKey("accuracy", (("entities", 4),))
    assert measure(at={}).key == MeasureKey("accuracy")
    assert measure(labels={"agent": "another"}).key == measure().key
    assert len({measure().key, measure(at={"entities": 5}).key, measure(at={}).key}) == 3


def test_a_title_tells_people_the_levels() -> None:
    assert measure().title == "accuracy (entities 4)"
    assert measure(at={"gates": "or", "n_blocks": 2}).title == "accuracy (gates or, n_blocks 2)"
    assert measure(at={}).title == "accuracy"


def test_a_name_must_hold_no_level() -> None:
    with pytest.raises(ValueError, match="name must hold no level, got .*; give levels as `at`"):
        replace(measure(), name="accuracy" + "@" + "n=4")


@pytest.mark.parametrize("taken", ["style", "n", "measure", "estimate", "flags"])
def test_a_level_must_not_hide_another_column(taken: str) -> None:
    with pytest.raises(ValueError, match=f"names that no other column has, got {taken}"):
        measure(at={taken: 1, "entities": 4})
