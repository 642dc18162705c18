"""`whybench study import` as a user meets it, and what takes the records that it makes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from whybench.cli import whybench_command
from whybench.records import write_records
from whybench.records.table import record_table
from whybench.study.export import write_study
from whybench.study.plan import make_plan
from whybench.study.simulation import SimulatedPerson, participation_rows
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("engine")

PLAN = make_plan("judge", {"design": "core"})
PEOPLE = 14


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """Return the folder of a study in which the last of 14 people left early."""
    folder = tmp_path / "pilot"
    write_study(PLAN, folder)
    (folder / "data").mkdir()
    for number in range(PEOPLE):
        rows = participation_rows(PLAN, SimulatedPerson(number, "noisy-or", {"noise": 0.3}))
        kept = rows[:12] if number == PEOPLE - 1 else rows
        lines = "\n".join(map(json.dumps, kept))
        (folder / "data" / f"{number}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def imported(*words: object):
    return CliRunner().invoke(whybench_command, ["study", "import", *map(str, words)])


def test_a_study_s_folder_is_all_that_is_needed(study: Path, tmp_path: Path) -> None:
    target = tmp_path / "out" / "people.parquet"
    done = imported(study, "-o", target, "--exclude", "incomplete", "--exclude", "constant")
    assert not done.exception
    assert done.stdout.splitlines() == [
        f"{target}: 260 answers of 13 participations, 260 scored, 0 no_answer; 13 agents",
        "rule        matched  unknown  excluded  answers lost",
        "incomplete        1        0         1             7",
        "constant          0        0         0             0",
        "kept: 13 of 14 participations",
    ]
    assert done.stderr == ""


def test_nobody_is_left_out_unless_a_rule_says_so(study: Path, tmp_path: Path) -> None:
    done = imported(study / "data", "--study", study, "-o", tmp_path / "a.csv", "--by", "group")
    assert "267 answers of 14 participations, 267 scored, 0 no_answer; 1 agent\n" in done.stdout
    assert "No exclusion rule given: all 14 participations are kept." in done.stdout
    assert "human/pilot" in (tmp_path / "a.csv").read_text(encoding="utf-8")


def test_what_could_not_be_read_is_said(study: Path, tmp_path: Path) -> None:
    lines = (study / "data" / "0.jsonl").read_text(encoding="utf-8").splitlines()
    torn = [lines[0], *(line[:20] for line in lines[5:12]), '{"trial_type": "preload"}']
    (study / "data" / "torn.txt").write_text("\n".join(torn), encoding="utf-8")
    (study / "data" / "readme.txt").write_text("about these data", encoding="utf-8")
    done = imported(study, "-o", tmp_path / "a.parquet")
    notes = done.stderr.splitlines()
    assert "Note: 1 rows were there more than once, and count once" in notes
    assert "Note: 1 entries are not rows of a study, and are left alone" in notes
    assert "Note: readme.txt holds no row of a study" in notes
    assert sum("not read: torn.txt:" in note for note in notes) == 5
    assert notes[-1] == "Note: not read: 2 more; the summary names them"
    told = json.loads(imported(study, "-o", tmp_path / "a.parquet", "--json").stdout)
    assert len(told["broken"]) == 7
    assert (told["rows"], told["kept"], told["doubles"], told["foreign"]) == (267, 14, 1, 1)
    assert told["exclusions"] == []


def test_a_wrong_request_says_what_to_do(study: Path, tmp_path: Path) -> None:
    for words, message in (
        ([study / "data", "-o", "a.csv"], "--study must name the study's folder, got none for"),
        ([study, "-o", tmp_path / "a.xlsx"], "ending in .parquet or .csv, got .*xlsx"),
        ([study, "-o", tmp_path / "a.csv", "--exclude", "slow"], "--exclude must be one of incom"),
        ([tmp_path / "no", "--study", study, "-o", "a.csv"], "there is no such thing"),
    ):
        with pytest.raises(UserError, match=message):
            raise imported(*words).exception
    assert imported(study, "-o", "a.csv", "--by", "all").exit_code == 2


def test_simulated_people_take_the_same_way(study: Path, tmp_path: Path) -> None:
    words = ["simulate", study, "--model", "reference/judge.noisy-or", "-M", "noise=0.3"]
    done = CliRunner().invoke(
        whybench_command, ["study", *map(str, words), "--people", "5", "--seed", "2"]
    )
    target = study / "simulated.jsonl"
    assert done.stdout.splitlines() == [
        f"{target}: 5 people, answering as reference/judge.noisy-or",
        f"whybench study import {target} --study {study} -o simulated.parquet",
    ]
    rules = ["incomplete", "constant", "repeated", "comprehension>2", "attention<1"]
    given = [word for rule in rules for word in ("--exclude", rule)]
    done = imported(target, "--study", study, "-o", tmp_path / "a.parquet", *given)
    assert done.stdout.splitlines()[-1] == "kept: 5 of 5 participations"
    for model, message in (
        ("reference/compose.coin", "reference/judge.NAME .*got 'reference/compose.coin'"),
        ("reference/judge.nobody", "judge has no reference agent 'nobody'"),
    ):
        words = ["simulate", str(study), "--model", model]
        with pytest.raises(UserError, match=message):
            raise CliRunner().invoke(whybench_command, ["study", *words]).exception


def test_people_are_measured_and_compared_like_any_agent(study: Path, tmp_path: Path) -> None:
    people, model = tmp_path / "people.parquet", tmp_path / "model.parquet"
    imported(study, "-o", people, "--by", "group", "--exclude", "incomplete", "--as", "pilot")
    done = CliRunner().invoke(whybench_command, ["results", str(people), "--json"])
    found = {row["measure"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert {row["agent"] for row in found.values()} == {"human/pilot"}
    # The unit behind an interval is the person, of whom there are more than stories.
    assert found["explaining_away"]["units"] == PEOPLE - 1
    assert found["explaining_away"]["low"] <= 0.35 <= found["explaining_away"]["high"]
    design = PLAN.suite.make_design(PLAN.settings)
    agent = PLAN.suite.agent("anchored-at-50")
    rows = simulate_rows(
        PLAN.suite, design, list(PLAN.suite.items(design)), agent, {}, "maker/model", {}
    )
    write_records(record_table(rows, PLAN.suite.record_columns), model)
    done = CliRunner().invoke(whybench_command, ["compare", str(people), str(model), "--json"])
    changes = {row["measure"]: row for row in map(json.loads, done.stdout.splitlines())}
    # What people and a model share are stories, each with the people who judged it.
    assert changes["explaining_away"]["units"] == 12
    assert changes["explaining_away"]["verdict"] == "lower"
    assert changes["explaining_away"]["high"] < 0
