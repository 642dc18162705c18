"""Answers in the prompts of CausalLink, compared with answers to the same cases of intervene."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import whybench as wb
from whybench.records import write_records
from whybench.records.table import record_table
from whybench.suites.calibration import simulate_rows
from whybench.suites.intervene import SUITE as INTERVENE
from whybench_papers.feng2025 import SUITE

if TYPE_CHECKING:
    from pathlib import Path


def answered(suite: object, path: Path) -> Path:
    """Write the answers of a reference agent to the core set in both styles."""
    design = suite.make_design({"design": "core", "style": "direct,fewest-steps"})
    items = list(suite.items(design))
    rows = simulate_rows(suite, design, items, suite.agent("single-cause"), {}, "me", {})
    write_records(record_table(rows, suite.record_columns), path)
    return path


@pytest.mark.usefixtures("mirror")
def test_answers_to_the_same_cases_are_paired(tmp_path: Path) -> None:
    own = answered(INTERVENE, tmp_path / "own.parquet")
    paper = answered(SUITE, tmp_path / "paper.parquet")
    whole = wb.compare(own, paper)
    assert whole.notes == ("intervene: 168 items compared",)
    # The agent acts by the observations and the question, which are the same in both suites.
    assert {change.suite for change in whole} == {"intervene"}
    assert {change.difference for change in whole if change.measure == "accuracy"} == {0.0}
