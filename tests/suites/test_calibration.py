"""Calibration: which intervals are held to their level."""

from __future__ import annotations

import pytest

from whybench.suites.calibration import calibrate
from whybench.suites.registry import get_suite


@pytest.mark.parametrize(
    ("stories", "held"), [("economy", False), ("economy,sociology,weather", True)]
)
def test_calibrate_few_units_claims_no_coverage_of_fits(stories: str, held: bool) -> None:
    suite = get_suite("judge")
    rows = list(calibrate(suite, suite.make_design({"story": stories}), seeds=1))
    noisy = {row.measure for row in rows if "noise" in row.agent and row.coverage is not None}
    assert ("leak" in noisy) is held
    assert "explaining_away" in noisy
