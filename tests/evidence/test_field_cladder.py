"""What docs/errata/field.md says of CLadder is recomputed, and every part is named there."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidence.field_cladder import PARTS, fetched, figures
from evidence.figures import held

PAGE = Path(__file__).parents[2] / "docs" / "errata" / "field.md"


@pytest.mark.parametrize("part", PARTS)
def test_a_part_says_what_is_recomputed(part: str) -> None:
    if not fetched():
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds cladder/")
    held(PARTS[part])


def test_the_page_names_every_part() -> None:
    text = PAGE.read_text("utf-8")
    assert [part for part in PARTS if f"--only {part}" not in text] == []


def test_without_data_nothing_is_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WHYBENCH_DATA_MIRROR", str(tmp_path))
    (only,) = figures(small=True)
    assert only.measured == "nothing compared"
