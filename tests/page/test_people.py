"""Agents and people on the page: a block for each condition that people judged."""

from __future__ import annotations

import pytest
from tests.page.simulated import answers

from whybench.page.material import Material
from whybench.page.people import people


@pytest.mark.usefixtures("mirror")
def test_a_block_has_three_tables_with_marks_in_the_pictures() -> None:
    found = people(
        Material([("judge", answers("judge", 0)), ("intervene", answers("intervene", 0))])
    )
    assert not found.notes
    assert {block.suite for block in found.blocks} == {"judge"}
    differences, likeness, places = found.blocks[0].tables
    assert [row.measure for row in differences.rows] == [
        "shift_ratio",
        "explaining_away",
        "markov_violation",
    ]
    assert [row.measure for row in likeness.rows] == ["human_correlation", "human_distance"]
    assert [row.measure for row in places.rows] == [
        "explaining_away",
        "markov_violation",
        "human_distance",
    ]
    for mark in ("floor", "people", "ceiling"):
        assert all(f'<line class="{mark}"' in row.bar for row in likeness.rows)
    for table in (differences, likeness, places):
        assert all(len(row.cells) == len(table.columns) for row in table.rows)


def test_without_their_data_there_is_no_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whybench.suites.judge.published.people_are_fetched", lambda: False)
    assert people(Material([("judge", answers("judge", 0))])).blocks == ()
