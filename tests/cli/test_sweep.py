"""`whybench sweep` from a plan to measures, as its user meets it."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner
from tests.command_server import command

from whybench.cli import whybench_command
from whybench.suites.contract import UserError

PLAN = """
output: {folder}/out
models: [reference/judge.noisy-or]
suites: [{{suite: judge, limit: 12}}, {{suite: judge, limit: 6, design: abstract}}]
"""


@pytest.fixture
def plan(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(PLAN.format(folder=tmp_path))
    return str(file)


def sweep(*words):
    return CliRunner().invoke(whybench_command, ["sweep", *words], catch_exceptions=False)


def test_units_are_numbered(plan):
    lines = sweep("units", plan).output.splitlines()
    assert [line.split()[0] for line in lines[2:]] == ["1", "2"]
    assert lines[0].endswith("plan.yaml  epochs 1")
    assert lines[2].endswith(" 12")
    rows = [json.loads(line) for line in sweep("units", plan, "--json").output.splitlines()]
    assert [row["samples"] for row in rows] == [12, 6]


def test_nothing_is_collected_before_anything_is_done(plan):
    with pytest.raises(UserError, match="must have finished units, got none of 2"):
        sweep("collect", plan)


def test_an_unknown_unit_is_told(plan, tmp_path):
    with pytest.raises(UserError, match="--unit must be a name or a number from 1 to 2, got '3'"):
        sweep("run", plan, "--unit", "3", "--work", str(tmp_path / "work"))


@pytest.mark.slow
def test_from_plan_to_measures(plan, tmp_path):
    work = str(tmp_path / "work")
    first = sweep("run", plan, "--work", work, "--unit", "1")
    assert "1 units, 0 already finished" in first.output
    assert "12/12" in first.output
    everything = sweep("run", plan, "--work", work, "--processes", "1")
    assert "2 units, 1 already finished" in everything.output
    states = [json.loads(line) for line in sweep("status", plan, "--json").output.splitlines()]
    assert [(s["done"], s["samples"], s["of"]) for s in states] == [(True, 12, 12), (True, 6, 6)]
    assert "18 answers of 2 units" in sweep("collect", plan).output
    # To collect again changes nothing.
    assert json.loads(sweep("collect", plan, "--json").output.splitlines()[-1])["rows"] == 18
    measured = subprocess.run(
        [command(), "measures", str(tmp_path / "out" / "records"), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [json.loads(line) for line in measured.stdout.splitlines()]
    assert {row["scored"] for row in rows if row["measure"] == "ea"} == {12, 6}


@pytest.mark.slow
def test_a_unit_that_fails_is_told_and_the_others_go_on(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(
        f"output: {tmp_path}/out\nmodels: [nobody/model, reference/judge.noisy-or]\n"
        "suites: [{suite: judge, limit: 6}]\n"
    )
    found = sweep("run", str(file), "--work", str(tmp_path / "work"), "--processes", "2")
    assert found.exit_code == 1
    assert "nobody" in found.output
    assert "1 units are incomplete. Run the same command again to resume." in found.output
    states = [json.loads(line) for line in sweep("status", str(file), "--json").output.splitlines()]
    assert [state["done"] for state in states] == [False, True]


def test_ray_is_an_extra(plan, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UserError, match=r"pip install 'whybench\[ray\]'"):
        sweep("run", plan, "--ray", "local", "--work", str(tmp_path / "work"))
