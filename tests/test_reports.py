"""The page of evaluation reports is what its script makes of the answers that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from docs.reports import PAGE, write_page

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_the_page_of_reports_is_not_stale(mirror: Path) -> None:
    assert mirror.is_dir()
    assert PAGE.read_text("utf-8") == write_page()
