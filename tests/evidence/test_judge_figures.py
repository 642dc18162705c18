"""Figures of judge, by the same code at a tenth of the size; fits and statistics have their own."""

from __future__ import annotations

import os

import pytest
from evidence.figures import held
from evidence.judge import PARTS

# Two parts look at one replication, which a process makes once. At this size the calibration is
# that of the house, and has its test there.
TOGETHER = pytest.mark.xdist_group("replication")


@pytest.mark.parametrize(
    "part",
    [
        pytest.param("replication", marks=TOGETHER),
        pytest.param("beyond", marks=TOGETHER),
        "heldout_r2",
    ],
)
def test_the_figures_hold(part: str, mirror) -> None:
    if not os.environ.get("WHYBENCH_PUBLISHED_TABLES"):
        pytest.skip("set WHYBENCH_PUBLISHED_TABLES to the folder of the source's printed tables")
    held(PARTS[part])
