"""A suite of another package is found, checked, calibrated and run like ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.command_server import command

from whybench.scaffolds import make_scaffold, write_scaffold
from whybench.suites.checks import ZERO
from whybench.suites.laws import LAWS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, install: Callable[[Path, Path], None]
) -> Path:
    """Return a folder of packages that holds the start of a suite called lamp."""
    folder = tmp_path_factory.mktemp("lamp")
    write_scaffold(make_scaffold("suite", "lamp"), folder)
    install(folder / "whybench-lamp", folder / "site-packages")
    return folder / "site-packages"


def start(
    installed: Path, folder: Path, *words: str, display: str = "none"
) -> subprocess.CompletedProcess[str]:
    where = os.pathsep.join(filter(None, (str(installed), os.environ.get("PYTHONPATH"))))
    about = {"PYTHONPATH": where, "INSPECT_DISPLAY": display, "COLUMNS": "200"}
    return subprocess.run(
        words,
        env={**os.environ, **about},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def whybench(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return start(installed, folder, command(), *words)


def test_it_is_listed_beside_ours(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(whybench(installed, tmp_path, "list", "--json").stdout)
    assert {"judge", "lamp"} <= {row["suite"] for row in listed}


def test_validate_checks_its_items_and_calibrates_its_agents(
    installed: Path, tmp_path: Path
) -> None:
    done = whybench(installed, tmp_path, "validate", "lamp", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(row["passed"] for row in rows)
    checks = [row for row in rows if "applies" in row]
    assert len(checks) >= 12
    assert all(row["looked_at"] == 12 for row in checks if row["applies"])
    assert [row["name"] for row in checks if not row["applies"]] == [*LAWS, ZERO]
    assert [(row["agent"], row["measure"]) for row in rows if "agent" in row] == [
        ("reasoner", "gap"),
        ("confused", "gap"),
    ]


@pytest.mark.slow
def test_it_runs_and_is_measured(installed: Path, tmp_path: Path) -> None:
    run = ("run", "lamp", "--model", "reference/lamp.confused", "--json")
    done = whybench(installed, tmp_path, *run)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout.splitlines()[-1])
    assert (measured["measure"], measured["estimate"], measured["n"]) == ("gap", 0.0, 12)


def test_an_agent_of_ours_refuses_its_items(installed: Path, tmp_path: Path) -> None:
    done = whybench(installed, tmp_path, "run", "lamp", "--model", "reference/judge.noisy-or")
    assert done.returncode == 2
    assert "must be asked its own suite, judge, got lamp" in done.stderr


def test_inspect_finds_its_task_under_its_own_package(installed: Path, tmp_path: Path) -> None:
    code = (
        "import inspect\n"
        "import whybench_lamp.task\n"
        "from inspect_ai._util.registry import registry_create, registry_info, registry_lookup\n"
        "for kind, name in (('task', 'lamp'), ('scorer', 'lamp_answers'),"
        " ('metric', 'lamp_measures')):\n"
        "    print(registry_info(registry_lookup(kind, f'whybench_lamp/{name}')).name)\n"
        "ask = registry_lookup('task', 'whybench_lamp/lamp')\n"
        "print(list(inspect.signature(ask).parameters))\n"
        "print('prior: Switches that are on, of 100.' in ask.__doc__)\n"
        "made = ask(manner='seen')\n"
        "print(len(made.dataset), made.dataset.name)\n"
    )
    done = start(installed, tmp_path, sys.executable, "-c", code)
    assert done.stdout.splitlines() == [
        "whybench_lamp/lamp",
        "whybench_lamp/lamp_answers",
        "whybench_lamp/lamp_measures",
        "['design', 'name', 'prior', 'strength', 'manner', 'shard', 'group', 'others']",
        "True",
        "6 lamp-core*",
    ]


@pytest.mark.slow
def test_inspect_runs_it_and_refuses_a_misspelt_factor(installed: Path, tmp_path: Path) -> None:
    ask = [command("inspect"), "eval", "whybench_lamp/lamp", "--model", "reference/lamp.confused"]
    done = start(installed, tmp_path, *ask, "-T", "prior=20,60", display="plain")
    assert done.returncode == 0, done.stderr
    assert "lamp_answers" in done.stdout
    assert "gap " in done.stdout
    wrong = start(installed, tmp_path, *ask, "-T", "maner=seen", display="plain")
    assert wrong.returncode != 0
    assert "a design takes design, name, prior, strength, manner, got 'maner'" in wrong.stderr + (
        wrong.stdout
    )
