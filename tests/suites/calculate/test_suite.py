"""The suite as a whole: sound, calibrated, and asked through Inspect."""

from __future__ import annotations

import pytest

from whybench.suites.calculate import SUITE
from whybench.suites.calibration import calibrate
from whybench.suites.checks import check_design
from whybench.suites.laws import try_lapses
from whybench.tasks import calculate


@pytest.mark.parametrize("name", ["core", "trivial"])
def test_checks_pass(name: str) -> None:
    results = list(check_design(SUITE, SUITE.make_design({"design": name, "style": "direct"})))
    failed = [(result.name, result.examples) for result in results if not result.passed]
    assert not failed
    assert sum(result.applies for result in results) > 15


@pytest.mark.slow
def test_measures_recover_what_is_known_of_agents() -> None:
    missed = [row for row in calibrate(SUITE, SUITE.designs["core"], 10) if not row.passed]
    assert not missed


def test_the_headline_falls_with_lapses() -> None:
    tests = list(try_lapses(SUITE, SUITE.designs["core"], 15))
    assert len(tests) == 2
    assert all(test.passed for test in tests)


def test_a_task_can_be_built() -> None:
    task = calculate(design="trivial")
    assert len(task.dataset) == 96
    assert task.metadata
    assert task.version == "1-A"
