"""Ids and rows, as Inspect has them."""

from __future__ import annotations

import pytest
from evidence.figures import held
from evidence.inspect_rows import PARTS


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Inspect's data frames, of pandas
@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])
