"""A suite of another package is found, checked, calibrated and run like ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from whybench.starts import start, write_start

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def installed(
    tmp_path_factory: pytest.TempPathFactory, install: Callable[[Path, Path], None]
) -> Path:
    """Return a folder of packages that holds the start of a suite called lamp."""
    folder = tmp_path_factory.mktemp("lamp")
    write_start(start("suite", "lamp"), folder)
    install(folder / "whybench-lamp", folder / "site-packages")
    return folder / "site-packages"


def whybench(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from whybench.cli import main; main()", *words],
        env={**os.environ, "PYTHONPATH": str(installed), "INSPECT_DISPLAY": "none"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_listed_beside_ours(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(whybench(installed, tmp_path, "list", "--json").stdout)
    assert {"judge", "lamp"} <= {row["suite"] for row in listed}


def test_it_passes_the_shared_checks(installed: Path, tmp_path: Path) -> None:
    done = whybench(installed, tmp_path, "check", "lamp", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(rows) >= 12
    assert all(row["passed"] and row["looked_at"] == 12 for row in rows)


def test_its_agents_are_calibrated(installed: Path, tmp_path: Path) -> None:
    done = whybench(installed, tmp_path, "calibrate", "lamp", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["agent"], row["measure"], row["passed"]) for row in rows] == [
        ("reasoner", "gap", True),
        ("confused", "gap", True),
    ]


def test_it_runs_and_is_measured(installed: Path, tmp_path: Path) -> None:
    run = ("run", "lamp", "--model", "reference/lamp.confused", "--json")
    done = whybench(installed, tmp_path, *run)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout.splitlines()[-1])
    assert (measured["name"], measured["estimate"], measured["n"]) == ("gap", 0.0, 12)


def test_an_agent_of_ours_refuses_its_items(installed: Path, tmp_path: Path) -> None:
    done = whybench(installed, tmp_path, "run", "lamp", "--model", "reference/judge.noisy-or")
    assert done.returncode == 1
    assert "12 x error, such as: " in done.stderr
    assert "answers items of the suite judge, got lamp-" in done.stderr
