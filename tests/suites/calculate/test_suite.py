"""The suite as a whole: sound, calibrated, and asked through Inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import whybench as wb
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.diagnoses import DIAGNOSES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.calibration import calibrate
from whybench.suites.checks import check_design
from whybench.suites.laws import try_lapses
from whybench.tasks import calculate

if TYPE_CHECKING:
    from pathlib import Path


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


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"query": "ate", "variables": "3"}, " percentage points"),
        ({"design": "greater", "query": "do", "worlds": 1}, "first second"),
    ],
)
def test_a_truth_is_shown_in_words(settings: dict[str, object], said: str) -> None:
    shown = set()
    for item in SUITE.items(SUITE.make_design({"design": "core", **settings})):
        words = SUITE.show_truth(item)
        if item.truth == NOT_COMPUTABLE:
            assert words == "cannot be determined"
        elif said == " percentage points":
            assert words.endswith(said)
            number = words.removesuffix(said)
            assert float(number) == pytest.approx(item.truth, abs=0.005)
            assert len(number.partition(".")[2]) <= 2
        else:
            assert words == said.split()[int(item.truth) - 1]
        shown.add(words)
    assert "cannot be determined" in shown


@pytest.mark.slow
def test_a_sample_in_inspect_says_what_became_of_its_answer(tmp_path: Path) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    asked = {"query": "do,counterfactual", "variables": "3", "display": "none"}
    wb.run("calculate", "reference/calculate.sees-only", "core", log_dir=str(tmp_path), **asked)
    [log] = list_eval_logs(str(tmp_path))
    scores = [sample.scores["answer"] for sample in read_eval_log(log).samples or []]
    values = [score.value for score in scores]
    assert {*values[0]} == {"diagnosis", "correct", "answered"}
    found = {value["diagnosis"] for value in values}
    assert {"right", "conditioning", "baseless"} <= found <= {*DIAGNOSES}
    assert all((value["diagnosis"] == "right") == (value["correct"] == 1) for value in values)
