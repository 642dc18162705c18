"""An experiment from its file to its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

import whybench as wb
from whybench.cli import whybench_command
from whybench.errors import UserError
from whybench.evaluation.experiment_files import read_experiment
from whybench.evaluation.experiments import freeze

if TYPE_CHECKING:
    from pathlib import Path

STATED: dict[str, Any] = {
    "title": "Does it help?",
    "models": ["reference/judge.noisy-or", {"model": "reference/careful", "args": {}}],
    "suites": [
        {
            "suite": "judge",
            "design": {
                "design": "core",
                "story": "weather",
                "task": ["VI", "VIII"],
                "style": ["direct", "cot"],
            },
        }
    ],
    "settings": {"temperature": [0, 0.8]},
    "compare": ["style", "temperature"],
    "measures": ["explaining_away"],
    "smallest": {"explaining_away": 0.05},
    "exclude": {"answered_below": 0.8},
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path)


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "helps.yaml"
    path.write_text(yaml.safe_dump({**STATED, **changes}))
    return path


def experiment(*words: str) -> Any:
    return CliRunner().invoke(
        whybench_command, ["experiment", *words], catch_exceptions=False, env={"COLUMNS": "100"}
    )


def test_what_is_stated_is_counted(file: Path) -> None:
    stated = read_experiment(file)
    (asked,) = stated.content()["suites"]
    assert asked["items"] == 32
    assert asked["answers"] == 32 * 2 * 2
    assert [*stated.crossings] == ["temperature=0", "temperature=0.8"]
    assert {model: len(plans) for model, plans in stated.plans_by_model().items()} == {
        "reference/judge.noisy-or": 2,
        "reference/careful": 2,
    }


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": ["x"]}, "got 'model'; did you mean"),
        ({"models": []}, "must have models, got none"),
        ({"suites": "judge"}, "suites must be a list, got 'judge'"),
        ({"compare": ["stlye"]}, "got 'stlye'; did you mean"),
        ({"compare": ["story"]}, "several levels .*, got 'story'"),
        ({"settings": {}}, "got 'temperature'"),
        ({"measures": ["eaa"]}, r"are compared \(.*explaining_away, .*shift_ratio.*got 'eaa'"),
        (
            {"smallest": {"explaining_away": -1}},
            "smallest explaining_away must be a number from 0, got -1",
        ),
        ({"exclude": {"answered": 1}}, "exclude must be answered_below"),
        ({"exclude": {"answered_below": 80}}, "a share from 0 to 1, got 80"),
        ({"suites": ["jugde"]}, "jugde"),
        ({"models": "m"}, "models must be a list, got 'm'"),
        ({"models": [{"name": "m"}]}, "a mapping of model and args"),
        ({"suites": [{"desing": "core"}]}, "a suite must be a name"),
        ({"unit_size": 20000}, "unit_size must be a whole number from 1 to 10000"),
        ({"quotas": {"m": 0}}, "calls a second above 0, got 0"),
    ],
)
def test_a_wrong_statement_is_told_before_anything_is_asked(
    tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(UserError, match=words) as told:
        read_experiment(write(tmp_path, **changes))
    assert "helps.yaml" in str(told.value)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="must be a file of text, .*: No such file or directory$"):
        read_experiment(tmp_path / "none.yaml")
    (tmp_path / "list.yaml").write_text("[1]")
    with pytest.raises(UserError, match="must be a mapping of models and suites"):
        read_experiment(tmp_path / "list.yaml")


def test_it_is_frozen_once(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "out"
    first = freeze(read_experiment(file), folder)
    assert freeze(read_experiment(file), folder) == first
    other = read_experiment(write(tmp_path, smallest={"explaining_away": 0.1}))
    with pytest.raises(
        UserError, match=r"since then smallest.explaining_away was 0.05 and is 0.1; undo that"
    ):
        freeze(other, folder)


@pytest.mark.slow
def test_from_a_file_to_a_page(tmp_path: Path, file: Path) -> None:
    folder = tmp_path / "out"
    plan = experiment(str(file), "--plan", "-o", str(folder))
    assert "repeated 2 times, for 2 settings of the model: temperature 0, 0.8" in plan.output
    assert not folder.exists()
    frozen = experiment(str(file), "--freeze", "-o", str(folder)).output
    assert re.search(r"^[0-9a-f]{64}$", frozen, re.MULTILINE)
    done = experiment(str(file), "-o", str(folder))
    assert done.exit_code == 0
    assert "style cot (A) and direct (B)" in done.output
    assert "temperature 0.8 (A) and 0 (B)" in done.output
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "follows the frozen plan" in page
    assert "deviates" not in page
    assert "128 of 128 answers that were planned" in page
    assert "not run" not in page
    answers = wb.load(folder / "records")
    assert len(answers) == 128
    with pytest.raises(UserError, match="must be frozen before the first answer"):
        freeze(read_experiment(file), _without_frozen(folder))
    # Another smallest effect, after the answers: everything is there, and the page tells.
    again = wb.experiment(write(tmp_path, smallest={"explaining_away": 0.3}), _with_frozen(folder))
    assert len(again) == 128
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "deviates from the frozen plan" in page
    assert "smallest.explaining_away was 0.05 and is 0.3" in page


def _without_frozen(folder: Path) -> Path:
    (folder / "frozen.json").rename(folder / "kept.json")
    return folder


def _with_frozen(folder: Path) -> Path:
    (folder / "kept.json").rename(folder / "frozen.json")
    return folder
