"""`whybench experiment` with workers, units and a status, as its user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from tests.command_server import command

import whybench as wb
from whybench.cli import whybench_command
from whybench.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

FILE = """
models: [{models}]
suites: [{{suite: judge, limit: 12}}, {{suite: judge, limit: 6, design: abstract}}]
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "plan.yaml"
    path.write_text(FILE.format(models="reference/judge.noisy-or"))
    return str(path)


@pytest.fixture
def output(tmp_path: Path) -> tuple[str, str]:
    return ("-o", str(tmp_path / "out"))


def experiment(*words: str) -> Any:
    return CliRunner().invoke(whybench_command, ["experiment", *words], catch_exceptions=False)


def test_the_plan_shows_the_number_of_units(file: str) -> None:
    assert "2 units of at most 12 samples" in experiment(file, "--plan").output


def test_nothing_is_collected_without_answers(file: str, output: tuple[str, str]) -> None:
    with pytest.raises(UserError, match="answers, got none"):
        experiment(file, "--collect", *output)


def test_an_unknown_unit_is_refused(file: str, output: tuple[str, str]) -> None:
    with pytest.raises(UserError, match="--unit must be a number from 1 to 2, got 3"):
        experiment(file, "--unit", "3", *output)


def test_two_ways_to_run_at_once_are_refused(file: str) -> None:
    with pytest.raises(UserError, match="only one of .* got --ray and --collect"):
        experiment(file, "--collect", "--ray")


def test_units_of_an_array_job_are_run_one_by_one_and_collected(
    file: str, output: tuple[str, str]
) -> None:
    first = experiment(file, "--unit", "1", *output)
    assert "Unit 1 of 2 is complete: judge, reference/judge.noisy-or" in first.output
    status = experiment(file, "--status", *output).output
    (row,) = (line.split() for line in status.splitlines() if line.startswith("judge "))
    assert row[-2:] == ["1/2", "12/18"]
    partial = experiment(file, "--collect", *output)
    assert partial.exit_code == 1
    assert "6 of 6 samples were not asked" in partial.output
    assert "Unit 2 of 2 is complete" in experiment(file, "--unit", "2", *output).output
    assert experiment(file, "--collect", *output).exit_code == 0
    assert len(wb.load(output[1])) == len(wb.load(f"{output[1]}/records")) == 18


def test_an_output_elsewhere_has_logs_records_and_a_page(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from whybench.evaluation.store import open_store

    monkeypatch.chdir(tmp_path)
    address = "memory://elsewhere/plan"
    done = experiment(file, "-o", address)
    assert done.exit_code == 0, done.output
    store = open_store(address)
    assert len(wb.load(f"{address}/records")) == 18
    assert b"<html" in store.files.cat_file(store.path("page.html"))
    again = experiment(file, "-o", address, "--status")
    assert "2/2" in again.output
    with pytest.raises(UserError, match="-o must be a folder to freeze"):
        experiment(file, "--freeze", "-o", address)


@pytest.mark.slow
def test_workers_resume_and_leave_what_one_process_leaves(
    file: str, output: tuple[str, str]
) -> None:
    experiment(file, "--unit", "1", *output)
    everything = experiment(file, "--workers", "2", *output)
    assert "2/2" in everything.output
    assert everything.exit_code == 0
    assert len(wb.load(f"{output[1]}/logs")) == 18
    assert experiment(file, *output).exit_code == 0, "one process finds it complete"
    measured = subprocess.run(
        [command(), "results", f"{output[1]}/records", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in measured.stdout.splitlines()]
    assert {row["scored"] for row in found if row["measure"] == "ea"} == {12, 6}


@pytest.mark.slow
def test_a_unit_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(FILE.format(models="nobody/model, reference/judge.noisy-or"))
    found = experiment(str(path), "--workers", "2", "-o", str(tmp_path / "out"))
    assert found.exit_code == 1
    assert "got nobody/model" in found.output
    assert "Run the same command again to resume." in found.output
    assert len(wb.load(tmp_path / "out" / "logs")) == 18


def test_ray_is_an_extra(
    file: str, output: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'whybench\[ray\]'"):
        experiment(file, "--ray", *output)
