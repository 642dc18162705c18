"""Each entry of docs/errata/judge.md is recomputed, and each names a command that exists."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from evidence.errata import MIRROR, PARTS, figures
from evidence.figures import held
from evidence.statistics import TABLES

# What was published is read and fitted once in a process, for all entries.
pytestmark = pytest.mark.xdist_group("errata")

PAGE = Path(__file__).parents[2] / "docs" / "errata" / "judge.md"


@pytest.mark.parametrize("part", PARTS)
def test_an_entry_says_what_is_recomputed(part: str) -> None:
    if not (os.environ.get(MIRROR) and os.environ.get(TABLES)):
        pytest.skip(f"set {MIRROR} and {TABLES}")
    held(PARTS[part])


def test_the_page_has_every_entry_once() -> None:
    named = re.findall(r"`python -m evidence errata --only ([\w.-]+)`", PAGE.read_text("utf-8"))
    assert sorted(named) == sorted(PARTS)


def test_no_name_selects_another_entry() -> None:
    assert all(sum(name in other for other in PARTS) == 1 for name in PARTS)


def test_without_data_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MIRROR, raising=False)
    (only,) = figures(small=True)
    assert only.measured == "nothing compared"
