"""What we claim of the fits, by the code that prints it, on less than the full size."""

from __future__ import annotations

import os

import pytest
from evidence.figures import held
from evidence.fits import PARTS


@pytest.mark.slow
@pytest.mark.parametrize("part", [name for name in PARTS if not name.startswith("published")])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


@pytest.mark.slow
def test_published_fits_are_reproduced(mirror) -> None:
    if not os.environ.get("WHYBENCH_PUBLISHED_TABLES"):
        pytest.skip("set WHYBENCH_PUBLISHED_TABLES to a folder that holds cbn_fits_b19_b25.csv")
    assert len(held(PARTS["published"])) == 2
