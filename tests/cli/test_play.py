"""`whybench play`, driven through its standard input."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def whybench(*words: str, cwd, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from whybench.cli import main; main()", *words],
        input=typed,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.slow
def test_a_person_plays_and_is_recorded(tmp_path) -> None:
    done = whybench("play", "intervene", "--as", "ada", cwd=tmp_path, typed="help\nfly\nyes\n")
    assert done.returncode == 0, done.stderr
    assert "Ctrl-C leaves" in done.stdout
    assert "You may act" in done.stdout
    assert "'fly' is not clear" in done.stdout
    assert "What you could know:" in done.stdout
    assert "Recorded in logs/play-intervene-ada" in done.stdout
    again = whybench("play", "intervene", "--as", "ada", cwd=tmp_path, typed="no\n")
    assert "1 played before, 83 waiting" in again.stdout
    measured = whybench("measures", "logs/play-intervene-ada", "--json", cwd=tmp_path)
    rows = [json.loads(line) for line in measured.stdout.splitlines()]
    assert {row["agent"] for row in rows} == {"person/ada"}
    assert {row["scored"] for row in rows} == {2}


@pytest.mark.slow
def test_leaving_in_the_middle_records_nothing(tmp_path) -> None:
    left = whybench("play", "intervene", cwd=tmp_path, typed="")
    assert left.returncode == 0, left.stderr
    assert "it waits for you" in left.stdout
    assert "Traceback" not in left.stdout + left.stderr


def test_what_cannot_be_played_is_said(tmp_path) -> None:
    judged = whybench("play", "judge", cwd=tmp_path)
    assert judged.returncode == 2
    assert "can be played (intervene), got judge" in judged.stderr
    named = whybench("play", "intervene", "--as", "a b", cwd=tmp_path)
    assert named.returncode == 2
    assert "--as must be letters" in named.stderr
