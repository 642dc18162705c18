"""Answers to published prompts, compared with people and with answers to the cases of judge."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import csv
from scipy.stats import false_discovery_control
from tests.cli.test_compare import run as run_compare

import whybench as wb
from whybench.records import write_records
from whybench.records.table import record_table
from whybench.suites.calibration import simulate_rows
from whybench.suites.judge import SUITE as JUDGE
from whybench_papers.dettki2025 import SUITE
from whybench_papers.dettki2025.replies import published_records

if TYPE_CHECKING:
    from pathlib import Path

    from whybench.results.comparison import Comparison


@pytest.mark.usefixtures("mirror")
def test_compare_with_people_prints_differences_and_places(tmp_path: Path) -> None:
    records = published_records("core", style=("direct",))
    two = [agent in {"published/o3", "published/gpt-4o"} for agent in records["agent"].to_pylist()]
    write_records(
        records.filter(two).append_column("person", pa.nulls(sum(two), pa.string())),
        tmp_path / "two.parquet",
    )
    done = run_compare(
        tmp_path, "two.parquet", "--baseline", "people", "-o", str(tmp_path / "table.csv")
    )
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert "published/gpt-4o (A) and people (B): dettki2025, collider, story, direct" in lines[0]
    (ea, placed) = (line.split() for line in lines[:12] if line.startswith("explaining_away "))
    assert ea[1:3] == ["0.62", "0.10"]
    assert "higher" in ea
    assert placed[2] == "1.00"
    assert "six numbers" in done.stdout
    assert "collider: 132 of 132 cells that people judged" in lines
    table = csv.read_csv(tmp_path / "table.csv").to_pylist()
    printed = run_compare(tmp_path, "two.parquet", "--baseline", "people", "--json")
    rows = [json.loads(line) for line in printed.stdout.splitlines()]
    assert [row["table"] for row in rows] == [row["table"] for row in table]
    assert {row["agent"] for row in rows} == {"published/o3", "published/gpt-4o"}
    assert len(rows) == 2 * 8
    differences = [row for row in rows if row["table"] == "differences"]
    # People's own answers imply too small a shift.
    assert {row["measure"] for row in differences if row["p"] is None} == {"shift_ratio"}
    known = [row for row in differences if row["p"] is not None]
    corrected = false_discovery_control([row["p"] for row in known])
    assert [row["corrected_p"] for row in known] == pytest.approx(corrected)


def answered(suite: object, agent: str, path: Path, **settings: object) -> Path:
    """Write the answers of a reference agent to a design of a suite."""
    design = suite.make_design(settings)
    rows = simulate_rows(suite, design, list(suite.items(design)), suite.agent(agent), {}, "me", {})
    write_records(record_table(rows, suite.record_columns), path)
    return path


@pytest.mark.usefixtures("mirror")
def test_suites_with_the_same_cases_are_paired_by_case(tmp_path: Path) -> None:
    own = answered(JUDGE, "noisy-or", tmp_path / "own.parquet", style="direct,cot")
    paper = answered(SUITE, "noisy-or", tmp_path / "paper.parquet", style="direct,cot")
    whole: Comparison = wb.compare(own, paper)
    assert {change.suite for change in whole} == {"judge"}
    assert whole.notes == ("judge: 480 items compared",)
    # The agent answers by the case alone, so nothing changes with the words.
    assert {change.difference for change in whole} == {0.0}
    assert {change.labels["style"] for change in whole} == {"direct", "cot"}


@pytest.mark.usefixtures("mirror")
def test_a_difference_between_wordings_is_that_of_the_two_agents(tmp_path: Path) -> None:
    own = answered(JUDGE, "noisy-or", tmp_path / "own.parquet")
    other = answered(JUDGE, "associative", tmp_path / "other.parquet")
    paper = answered(SUITE, "associative", tmp_path / "paper.parquet")
    within, across = wb.compare(own, other), wb.compare(own, paper)
    values = [
        {(c.measure, c.difference, c.low, c.high, c.p) for c in found} for found in (within, across)
    ]
    assert values[0] == values[1]
    backward = wb.compare(paper, own)
    assert [c.difference for c in backward] == pytest.approx([-(c.difference or 0) for c in across])


@pytest.mark.usefixtures("mirror")
def test_conditions_of_the_paper_without_a_match_are_left_out(tmp_path: Path) -> None:
    own = answered(JUDGE, "noisy-or", tmp_path / "own.parquet")
    paper = answered(SUITE, "noisy-or", tmp_path / "paper.parquet", design="thesis")
    found = wb.compare(own, paper)
    assert found.notes == ("judge: 240 items compared; 2160 only in the second",)
