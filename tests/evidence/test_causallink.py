"""Each entry of docs/errata/intervene.md is recomputed, and each names a command that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from evidence.causallink import PARTS
from evidence.compose import PARTS as COMPOSE
from evidence.figures import held

PAGES = Path(__file__).parents[2] / "docs" / "errata"


@pytest.mark.parametrize("part", PARTS)
def test_an_entry_says_what_is_recomputed(part: str) -> None:
    held(PARTS[part])


def test_every_entry_has_its_command() -> None:
    page = (PAGES / "intervene.md").read_text("utf-8")
    named = re.findall(r"`python -m evidence causallink --only ([\w.-]+)`", page)
    assert sorted(named) == sorted(PARTS)
    other = (PAGES / "compose.md").read_text("utf-8")
    (named_source,) = re.findall(r"`python -m evidence compose --only ([\w.-]+)`", other)
    assert named_source in COMPOSE
