"""`whybench play`, driven through its standard input."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress

import pytest
from tests.command_server import command


def whybench(*words: str, cwd, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command(), *words],
        input=typed,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.slow
def test_a_person_plays_and_is_recorded(tmp_path) -> None:
    done = whybench("play", "intervene", "--as", "ada", cwd=tmp_path, typed="help\nfly\nyes\n")
    assert done.returncode == 0, done.stderr
    assert "Press Ctrl-C to stop" in done.stdout
    assert "You may act" in done.stdout
    assert "'fly' is not clear" in done.stdout
    assert "What your observations settled:" in done.stdout
    assert "Logs: logs/play-intervene-ada" in done.stdout
    again = whybench("play", "intervene", "--as", "ada", cwd=tmp_path, typed="no\n")
    assert "1 played, 83 left" in again.stdout
    measured = whybench("results", "logs/play-intervene-ada", "--json", cwd=tmp_path)
    rows = [json.loads(line) for line in measured.stdout.splitlines()]
    assert {row["agent"] for row in rows} == {"person/ada"}
    assert {row["scored"] for row in rows} == {2}


@pytest.mark.slow
def test_leaving_in_the_middle_records_nothing(tmp_path) -> None:
    left = whybench("play", "intervene", cwd=tmp_path, typed="")
    assert left.returncode == 0, left.stderr
    assert "you can play it later" in left.stdout
    assert "Traceback" not in left.stdout + left.stderr


LEAVE_INSIDE = """
import os, signal
import anyio
from whybench.agents.person import PersonAPI
from whybench.cli import main

async def generate(*_, **__):
    os.kill(os.getpid(), signal.SIGHUP)
    await anyio.sleep(60)

PersonAPI.generate = generate
main()
"""
"""Play, but that the terminal is closed after the episode began and before its first prompt."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "after", "keys", "status"),
    [
        ("from whybench.cli import main; main()", b"Press Ctrl-C to stop", b"\x03", 130),
        ("from whybench.cli import main; main()", b"> ", b"", 143),
        ("from whybench.cli import main; main()", b"> ", None, 129),
        (LEAVE_INSIDE, b"never", b"", 129),
    ],
    ids=["before the prompt", "at the prompt", "hung up", "between"],
)
def test_who_leaves_by_a_signal_leaves_in_order(code, after, keys, status, tmp_path) -> None:
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.execv(sys.executable, [sys.executable, "-c", code, "play", "intervene"])
    said, told = b"", False
    with suppress(OSError):  # the end of a terminal
        while part := os.read(terminal, 1000):
            said += part
            if after in said and not told:
                told = True
                if keys is None:  # the terminal is closed, and nobody hears more
                    break
                os.write(terminal, keys) if keys else os.kill(child, signal.SIGTERM)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status
    assert said.count(b"Stopped. The unfinished episode is not recorded") == (keys is not None)
    assert b"Traceback" not in said
    assert b"Error" not in said
    assert not list(tmp_path.rglob("*.eval"))


def test_what_cannot_be_played_is_said(tmp_path) -> None:
    judged = whybench("play", "judge", cwd=tmp_path)
    assert judged.returncode == 2
    assert "can be played (intervene), got judge" in judged.stderr
    named = whybench("play", "intervene", "--as", "a b", cwd=tmp_path)
    assert named.returncode == 2
    assert "--as must be letters" in named.stderr
