"""Partitioned records by the command: made from logs, measured like a file, and summed up."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.command_server import command

from whybench.cli import whybench_command
from whybench.records import write_partition
from whybench.records.table import CORE, record_table
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    words = ["run", "judge", "--model", "reference/judge.random", "--limit", "40", "--log-dir", "l"]
    subprocess.run([command(), *words], cwd=folder, check=True, capture_output=True)
    return folder / "l"


def call(*words: object):
    done = CliRunner().invoke(whybench_command, [str(word) for word in words])
    if done.exception is not None:
        raise done.exception
    return done


def measured(*words: object) -> list[dict[str, object]]:
    return [json.loads(line) for line in call("results", *words, "--json").stdout.splitlines()]


@pytest.mark.slow
def test_partitions_are_measured_like_a_file(logs: Path, tmp_path, mirror) -> None:
    call("results", logs, "-o", tmp_path / "all.parquet")
    for _ in range(2):  # the second time writes the same
        done = call("results", logs, "--partition", "-o", tmp_path / "parts")
    assert done.stdout.splitlines()[1].split() == [str(tmp_path / "parts"), "40", "40"]
    assert len(list((tmp_path / "parts").rglob("*.*"))) == 2  # judge.random's folder and its file
    from_file = measured(tmp_path / "all.parquet")
    assert measured(tmp_path / "parts") == from_file
    summed = {
        (row["measure"], row.get("task")): row for row in measured(tmp_path / "parts", "--summed")
    }
    for row in from_file:
        if not str(row["measure"]).startswith(
            ("human_correlation", "human_distance")
        ):  # of people's cells
            for name in ("estimate", "low", "high"):
                found = summed[row["measure"], None][name]
                assert found == pytest.approx(row[name], abs=1e-9)
    assert ("mean", "VI") in summed


@pytest.mark.slow
def test_progress_stays_out_of_pipes(logs: Path, tmp_path) -> None:
    call("results", logs, "--partition", "-o", tmp_path)
    done = call("results", tmp_path)
    assert done.stderr == ""
    assert "heldout_r2" in done.stdout
    assert "measuring" not in done.stdout


@pytest.mark.slow
def test_people_stand_beside_partitions(logs: Path, tmp_path, mirror) -> None:
    call("results", logs, "--partition", "-o", tmp_path)
    agents = [row["agent"] for row in measured(tmp_path, "--baseline", "people")]
    assert agents[0] == "reference/judge.random"
    assert str(agents[-1]).startswith("human/")
    with pytest.raises(UserError, match="--baseline must be among what .* got 'nobody'"):
        measured(tmp_path, "--baseline", "nobody")


@pytest.mark.slow
def test_what_does_not_go_together_is_said(logs: Path, tmp_path) -> None:
    with pytest.raises(UserError, match="--summed must have partitioned records, got"):
        measured(logs, "--summed")
    with pytest.raises(UserError, match="--summed must be used alone, got --baseline too"):
        measured(logs, "--summed", "--baseline", "people")
    with pytest.raises(UserError, match=r"--partition requires answers and a folder .*all\.csv"):
        call("results", logs, "--partition", "-o", tmp_path / "all.csv")


@pytest.mark.slow
def test_suites_that_need_single_answers_are_left_out_of_sums(logs: Path, tmp_path) -> None:
    one = get_suite("intervene")
    row = dict.fromkeys(CORE) | {"suite": "intervene", "agent": "a", "version": 1}
    row |= {"design": "core", "design_hash": "00", "item": "i", "epoch": 1, "outcome": "error"}
    write_partition(record_table([row], one.record_columns), tmp_path)
    with pytest.raises(UserError, match="needs no single answers, got intervene; leave it out"):
        measured(tmp_path, "--summed")
    call("results", logs, "--partition", "-o", tmp_path)
    done = call("results", tmp_path, "--summed")
    assert "left out intervene" in done.stderr
