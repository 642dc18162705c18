"""`whybench compare`: tables, JSON, and a status that a build can go by."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import csv
from tests.page.simulated import answers

import whybench as wb
from whybench.cli import whybench_command
from whybench.records import write_records
from whybench.records.table import record_table
from whybench.results import Records
from whybench.results.fail_if import FailIf
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CallCommand


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    one, two = answers("intervene", 1), answers("intervene", 0)
    write_records(one, folder / "before.parquet")
    write_records(two, folder / "after.parquet")
    write_records(pa.concat_tables([one, two]), folder / "both.parquet")
    write_records(answers("compose", 1), folder / "other.parquet")
    return folder


def run(folder: Path, *words: str):
    paths = [str(folder / word) if word.endswith(".parquet") else word for word in words]
    return CliRunner().invoke(whybench_command, ["compare", *paths])


def test_the_table_shows_sides_differences_and_verdicts(sources: Path) -> None:
    done = run(sources, "before.parquet", "after.parquet")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["A", "B"]
    assert "after.parquet" in lines[0]
    assert all(str(sources) in line for line in lines[:2])
    assert "intervene" in lines
    headline = next(line for line in lines if "justified" in line)
    assert "lower" in headline
    assert "intervene: 84 items compared" in done.stdout


def test_json_has_a_row_for_each_measure(sources: Path) -> None:
    done = run(sources, "before.parquet", "after.parquet", "--json")
    rows = {row["measure"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert set(rows) == {"justified_accuracy", "accuracy", "balanced_accuracy", "answered"}
    found = rows["accuracy"]
    assert found["difference"] == pytest.approx(found["estimate_a"] - found["estimate_b"])
    assert found["low"] < found["difference"] < found["high"] < 0
    assert found["low_a"] < found["estimate_a"] < found["high_a"]
    assert found["tests"] == len(rows)
    assert (found["worlds"], found["verdict"]) == ("core", "lower")


def test_two_agents_of_one_source_are_the_same_comparison(sources: Path) -> None:
    two = run(sources, "before.parquet", "after.parquet", "--json")
    one = run(sources, "both.parquet", "--agents", "single-cause", "random-then-guess", "--json")
    assert one.stdout == two.stdout


@pytest.mark.parametrize(
    ("condition", "options", "status"),
    [
        ("accuracy<-0.05", (), 1),
        ("accuracy < -0.3", (), 0),  # the estimate is below, the interval is not
        ("accuracy < -0.3", ("--strict",), 1),
        ("accuracy>0.05", (), 0),
        ("accuracy>-0.9", (), 1),
        ("answered<-0.05", (), 0),
    ],
)
def test_the_status_is_1_where_the_interval_shows_the_change(
    sources: Path, condition: str, options: tuple[str, ...], status: int
) -> None:
    words = ("before.parquet", "after.parquet", "--fail-if", condition, *options)
    done = run(sources, *words)
    assert done.exit_code == status, done.output
    assert ("Failed: accuracy" in done.stderr) == (status == 1)


def test_one_measure_alone_is_a_family_of_its_own(sources: Path) -> None:
    words = ("before.parquet", "after.parquet", "--measure", "accuracy", "--json")
    (row,) = map(json.loads, run(sources, *words).stdout.splitlines())
    assert row["corrected_p"] == row["p"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("before.parquet",),
            "compare takes two sources, or one source and two --agents, got neit",
        ),
        (
            ("both.parquet", "after.parquet"),
            "the first side must hold one agent, got random-then-g",
        ),
        (
            ("both.parquet", "--agents", "a", "b"),
            "--agents must be among random-then-guess, single",
        ),
        (
            ("before.parquet", "other.parquet"),
            "both sides must hold answers of one suite, got inte",
        ),
        (("before.parquet", "none.parquet"), "a file of records was expected, got "),
        (
            ("before.parquet", "after.parquet", "--fail-if", "accuracy=0.1"),
            "--fail-if must be MEASURE<NUMBER or MEASURE>NUMBER, such as",
        ),
        (
            ("before.parquet", "after.parquet", "--fail-if", "consistency<-0.1"),
            "a measure must be among those that are compared here (justified_accuracy",
        ),
    ],
)
def test_wrong_use_is_said(sources: Path, words: tuple[str, ...], message: str) -> None:
    error = run(sources, *words).exception
    assert isinstance(error, UserError)
    assert str(error).startswith(message)


def test_a_condition_is_read_as_it_is_written() -> None:
    for text in (
        "heldout_r2<-0.05",
        "markov_violation>0.1",
        "explaining_away<.5",
        "explaining_away>+2",
    ):
        assert FailIf.read(text) == FailIf.read(str(FailIf.read(text)))
    assert FailIf.read(" explaining_away < 1 ") == FailIf("explaining_away", True, 1.0)


def test_ctrl_c_while_computing_leaves_nothing_half_written(
    sources: Path, tmp_path: Path, call_command: CallCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def compute(*_: object) -> None:
        begun.append(True)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Records, "compare_with_people", compute)
    source, target = sources / "before.parquet", tmp_path / "table.csv"
    told = call_command(f"compare {source} --baseline people -o {target}")
    assert begun
    assert told == (130, "", "Stopped.\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("mirror")
def test_what_cannot_be_set_beside_people_says_what_to_do(sources: Path, tmp_path: Path) -> None:
    done = run(sources, "before.parquet", "--baseline", "people")
    assert isinstance(done.exception, UserError)
    assert "a suite must have people to compare with, as judge has, got intervene" in str(
        done.exception
    )
    judge = get_suite("judge")
    design = judge.designs["abstract"]
    items = list(judge.items(design))
    rows = simulate_rows(judge, design, items, judge.agent("noisy-or"), {}, "mine", {})
    write_records(record_table(rows, judge.record_columns), tmp_path / "abstract.parquet")
    done = run(tmp_path, "abstract.parquet", "--baseline", "people")
    assert isinstance(done.exception, UserError)
    assert "answers must be about what people judged" in str(done.exception)
    assert "run judge with --design core" in str(done.exception)
    for more in (
        ("--baseline", "humans"),
        ("--baseline", "people", "--measure", "explaining_away"),
    ):
        done = run(tmp_path, "abstract.parquet", *more)
        assert isinstance(done.exception, UserError)
        assert "--baseline must be people, with one source" in str(done.exception)


def test_without_their_data_people_must_be_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whybench.suites.judge.published.people_are_fetched", lambda: False)
    write_records(answers("judge", 0), tmp_path / "judge.parquet")
    done = run(tmp_path, "judge.parquet", "--baseline", "people")
    assert isinstance(done.exception, UserError)
    assert "fetch them: whybench data fetch causAIign" in str(done.exception)


@pytest.fixture(scope="module")
def conditions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers of a reference agent in two styles, through Inspect."""
    folder = tmp_path_factory.mktemp("conditions")
    wb.run(
        "calculate",
        "reference/calculate.slips",
        model_args={"error": 0.3},
        style=["direct", "cot"],
        log_dir=folder / "logs",
        display="none",
    )
    return folder


def test_conditions_of_an_agent_are_compared(conditions: Path, tmp_path: Path) -> None:
    shown = run(conditions, str(conditions / "logs"), "--by", "style")
    assert shown.exit_code == 0, shown.output
    assert (
        "calculate, reference/calculate.slips[error=0.3], style direct (A) and cot (B)"
        in shown.stdout
    )
    assert "no difference of a primary measure is significant" in shown.stdout
    told = run(conditions, str(conditions / "logs"), "--by", "style", "--json")
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert {row["measure"] for row in rows} >= {"skill_score", "accuracy", "answerability"}
    assert {(row["by"], row["side_a"], row["side_b"]) for row in rows} == {
        ("style", "direct", "cot")
    }
    files = [*("--figures", str(tmp_path / "f")), *("-o", str(tmp_path / "c.csv"))]
    drawn = run(conditions, str(conditions / "logs"), "--by", "style", *files)
    assert drawn.exit_code == 0, drawn.output
    assert (tmp_path / "f" / "conditions-calculate-style.svg").exists()
    assert csv.read_csv(tmp_path / "c.csv").column_names[:4] == [
        "suite",
        "agent",
        "by",
        "side_a",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--by", "query"), "--by must be a factor"),
        (("--by", "style", "--reference", "cott"), "--reference must be a level of style"),
        (("--reference", "cot"), "--by compares conditions of every agent"),
        (("--by", "style", "--agents", "a", "b"), "--by compares conditions of every agent"),
    ],
)
def test_wrong_use_of_conditions_is_said(
    conditions: Path, words: tuple[str, ...], message: str
) -> None:
    error = run(conditions, str(conditions / "logs"), *words).exception
    assert isinstance(error, UserError)
    assert str(error).startswith(message)
