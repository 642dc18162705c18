"""What docs/errata/field.md tells is recomputed, and it names commands that exist."""

from __future__ import annotations

import re

import pytest
from evidence.field import COLUMNS, PAGE, PARTS, fetched, figures, read_table
from evidence.figures import held


@pytest.mark.parametrize("part", PARTS)
def test_the_page_says_what_is_recomputed(part: str) -> None:
    if not fetched():
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds rlcausal/")
    held(PARTS[part])


def test_the_page_names_every_part_once() -> None:
    named = re.findall(r"`(?:python -m evidence field )?--only ([\w.-]+)`", PAGE.read_text("utf-8"))
    assert sorted(named) == sorted(PARTS)


def test_no_name_selects_another_part() -> None:
    assert all(sum(name in other for other in PARTS) == 1 for name in PARTS)


def test_every_item_has_a_verdict() -> None:
    table = read_table("reason")
    for column in COLUMNS:
        counts = [row[column].replace(",", "").replace("–", "0") for row in table.values()]
        assert sum(map(int, counts)) == 8000, column


def test_without_data_nothing_is_compared(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.delenv("WHYBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setenv("WHYBENCH_DATA_CACHE", str(tmp_path))
    (only,) = figures(small=True)
    assert only.measured == "nothing compared"
