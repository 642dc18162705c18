"""Runs until decided, from the command to the comparison."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

import whybench as wb
from whybench.cli import whybench_command
from whybench.errors import UserError
from whybench.evaluation.experiment_files import read_experiment

if TYPE_CHECKING:
    from pathlib import Path

EXACT, READER = "reference/trace.exact", "reference/trace.reader"

STATED: dict[str, Any] = {
    "models": [EXACT, READER],
    "suites": [{"suite": "trace", "design": "core", "limit": 88}],
    "measures": ["accuracy"],
}


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "two.yaml"
    path.write_text(yaml.safe_dump({**STATED, **changes}))
    return path


def invoke(*words: str) -> Any:
    return CliRunner().invoke(
        whybench_command, [*words], catch_exceptions=False, env={"COLUMNS": "200"}
    )


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an experiment that ended early."""
    folder = tmp_path_factory.mktemp("ended")
    wb.experiment(write(folder), folder / "output", until="decided")
    return folder / "output"


def test_experiment_clear_difference_ends_before_the_whole_design(ended: Path) -> None:
    looks = json.loads((ended / "looks.json").read_text())
    samples = looks["plan"]["suites"]["trace"]["samples"]
    assert samples == [22, 44, 66, 88]
    number = looks["ended"]["trace"]
    assert number < 4
    assert len(wb.load(ended)) == 2 * samples[number - 1]
    assert [row["state"] for row in looks["history"]] == ["open"] * (number - 1) + ["decided"]


def test_compare_answers_of_a_part_have_the_sequential_interval(ended: Path) -> None:
    looks = json.loads((ended / "looks.json").read_text())
    (stored,) = looks["results"]
    for source in (ended, ended / "logs"):
        compared = wb.load(source).compare(EXACT, READER)
        (one,) = compared["accuracy"]
        assert (one.p, one.low, one.high) == (stored["p"], stored["low"], stored["high"])
        assert one.method.startswith("group-sequential, decided at look")
        others = [other for other in compared if other.measure != "accuracy"]
        assert all("optional_stopping" in other.flags for other in others)
        assert any("ended at look" in note for note in compared.notes)
    (swapped,) = wb.load(ended).compare(READER, EXACT)["accuracy"]
    assert (swapped.low, swapped.high) == (-one.high, -one.low)
    assert "ended at look" in (ended / "page.html").read_text(encoding="utf-8")


def test_experiment_again_asks_nothing_and_has_the_same_looks(ended: Path) -> None:
    before = (ended / "looks.json").read_text()
    logs = sorted(ended.rglob("*.eval"))
    said: list[str] = []
    wb.experiment(write(ended.parent), ended, until="decided", say=said.append)
    assert (ended / "looks.json").read_text() == before
    assert sorted(ended.rglob("*.eval")) == logs
    assert "accuracy" in said[0]
    assert invoke("experiment", str(ended.parent / "two.yaml"), "--until", "decided", "-o",
                  str(ended), "--collect").exit_code == 0  # fmt: skip


def test_experiment_other_plan_or_none_in_the_folder_is_refused(ended: Path) -> None:
    stated = write(ended.parent)
    with pytest.raises(UserError, match="must have the plan"):
        wb.experiment(stated, ended, until="decided", smallest={"accuracy": 0.3})
    with pytest.raises(UserError, match="must be decided in a folder with looks"):
        wb.experiment(stated, ended)


def test_experiment_folder_asked_without_looks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.eval").touch()
    with pytest.raises(UserError, match="must start in a folder without answers"):
        wb.experiment(write(tmp_path), tmp_path, until="decided")


def test_run_two_levels_are_decided(tmp_path: Path) -> None:
    words = ("run", "intervene", "--model", "reference/intervene.recipe", "--limit", "32")
    levels = ("-T", "style=direct,cot", "--design", "limited")
    target = ("--until", "decided", "--log-dir", str(tmp_path / "logs"))
    planned = invoke(*words, *levels, *target, "--plan")
    assert "until decided by justified_accuracy (0.1)" in planned.output
    done = invoke(*words, *levels, *target)
    assert done.exit_code == 0
    assert "justified_accuracy" in done.output
    assert "ended at look" in done.output
    again = wb.load(tmp_path / "logs")
    assert again.looks is not None
    assert again.looks.plan["sides"] == []


def test_frozen_statement_has_the_looks(tmp_path: Path) -> None:
    stated = read_experiment(write(tmp_path))
    assert "until" not in stated.content()
    found = stated.with_until("decided").content()["until"]
    assert found["suites"]["trace"]["smallest"] == {"accuracy": "0.1"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"models": [EXACT]}, "must have two sides to compare, got 1 model"),
        ({"models": [EXACT, READER, "reference/trace.slips"]}, "got 3 models"),
        (
            {"suites": ["judge"], "models": ["reference/careful"], "measures": []},
            "a measure of which one side can be better, got only judge",
        ),
        (
            {"suites": ["trace", {"suite": "trace", "design": "equal"}]},
            "one design of each suite, got several of trace",
        ),
    ],
)
def test_until_without_a_comparison_is_refused(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    stated = read_experiment(write(tmp_path, **changes)).with_until("decided")
    with pytest.raises(UserError, match=words):
        stated.list_units()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--smallest", "accuracy=0.1"), "--until must be decided, which --smallest requires"),
        (("--until", "decided", "--unit", "1"), "--unit must be left out with --until"),
    ],
)
def test_options_that_need_each_other_are_refused(
    tmp_path: Path, given: tuple[str, ...], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        invoke("experiment", str(write(tmp_path)), *given)
