"""The published answers and tables, where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from evidence.fits import interval_speed, published_judgments, published_speed, reproduction


@pytest.fixture(scope="module")
def judgments():
    folder = os.environ.get("WHYBENCH_DATA_MIRROR")
    if not folder:
        pytest.skip("set WHYBENCH_DATA_MIRROR to a folder that holds causAIign/")
    return published_judgments(Path(folder))


def test_printed_tables_are_reproduced(judgments):
    folder = os.environ.get("WHYBENCH_PUBLISHED_TABLES")
    if not folder:
        pytest.skip("set WHYBENCH_PUBLISHED_TABLES to a folder that holds cbn_fits_b19_b25.csv")
    found = reproduction(judgments, Path(folder) / "cbn_fits_b19_b25.csv")
    assert found.printed == 167
    assert found.r2_within >= 163
    assert found.same_size >= 162
    human = {name: round(value, 4) for name, value in found.human.items()}
    assert (human["ea"], human["mv"], human["loocv_r2"]) == (0.0995, 0.1004, 0.9367)
    assert (round(human["b"], 3), round(human["m"], 3), round(human["lad"], 3)) == (
        0.239,
        0.630,
        0.391,
    )


def test_all_published_agents_take_seconds(judgments):
    assert published_speed(judgments).seconds < 5
    assert interval_speed(judgments, resamples=100).seconds < 20
