"""Who asks for no display sees none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import whybench as wb

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_no_run_of_a_script_shows_anything_where_none_is_to_be_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("first", "second"):
        wb.run(
            "judge",
            "reference/judge.noisy-or",
            limit=2,
            log_dir=tmp_path / name,
            display="none",
        )
    assert capfd.readouterr().out == ""
