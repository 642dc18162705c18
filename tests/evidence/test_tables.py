"""Figures on records of many answers, by the same code on a hundred thousand."""

from __future__ import annotations

import sys

import pytest
from evidence.figures import held
from evidence.tables import PARTS, peak_memory


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


def test_memory_that_is_held_is_seen() -> None:
    # Each waits long enough to be looked at on a busy machine.
    little, much = (
        peak_memory([sys.executable, "-c", f"import time; held = {held}; time.sleep(3)"])
        for held in ("b''", "b'x' * (100 << 20)")
    )
    assert 95 < much - little < 110
    with pytest.raises(RuntimeError, match="must succeed, got status 3"):
        peak_memory([sys.executable, "-c", "raise SystemExit(3)"])
