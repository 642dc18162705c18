"""`study export` and `study serve` as their users call them."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from whybench.cli import whybench_command
from whybench.datasets import file_state
from whybench.study.export import ENGINE
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    file_state("jsPsych", ENGINE) == "not fetched" and not os.environ.get("CI"),
    reason="jsPsych is not here: `whybench data fetch jsPsych`",
)


CALL = "from whybench.cli import main; main()"


def exported(folder: Path, *words: str) -> str:
    called = ["study", "export", "judge", "-o", str(folder), *words]
    return CliRunner().invoke(whybench_command, called, catch_exceptions=False).output


def test_export_says_what_there_is_and_how_to_go_on(tmp_path: Path) -> None:
    said = exported(tmp_path / "study", "-T", "story=weather,economy", "--items", "10")
    assert f"Open {tmp_path / 'study'}/index.html" in said
    assert "16 lists, one per participant: 10 items." in said
    assert "balanced after 160 participants, all lists after every 16." in said
    manifest = json.loads((tmp_path / "study" / "study.json").read_text(encoding="utf-8"))
    assert manifest["settings"] == {"design": "core", "story": ["weather", "economy"]}
    assert manifest["save"] == "download"


def test_export_of_nothing_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--save must be"):
        exported(tmp_path / "study", "--save", "somewhere")
    assert not (tmp_path / "study").exists()


@pytest.fixture
def deaf() -> Iterator[None]:
    """Let what is started ignore interrupts, as what a shell runs in its background does."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def serving(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CALL, "study", "serve", "study", "--port", "0"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.usefixtures("deaf")
@pytest.mark.parametrize(
    ("how", "number"), [("serve", signal.SIGINT), ("download", signal.SIGTERM)]
)
def test_serve_says_where_takes_rows_and_ends_when_told(how: str, number: int, tmp_path) -> None:
    exported(tmp_path / "study", "--save", how)
    study = json.loads((tmp_path / "study" / "study.json").read_text(encoding="utf-8"))["study"]
    with serving(tmp_path) as server:
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split(" ")[0]
            told = server.stdout.readline()
            row = json.dumps({"study": study, "participant": "anna"}).encode()
            with urlopen(Request(f"{address}data", data=row), timeout=60) as reply:
                assert reply.status == 200
            half = begin_post(address, row)
            server.send_signal(number)
            half.sendall(row[7:])
            assert half.makefile("rb").readline().split()[1] == b"200"
            half.close()
            rest, errors = server.communicate(timeout=60)
        finally:
            server.kill()
    assert server.returncode == 128 + number
    assert rest == "ended: 2 rows of 1 participants were written to study/data\n"
    assert errors == ""
    assert ("export with --save serve" in told) == (how == "download")
    written = (tmp_path / "study" / "data" / "anna.jsonl").read_text(encoding="utf-8")
    assert len(written.splitlines()) == 2


def begin_post(address: str, row: bytes) -> socket.socket:
    """Send the head and a few bytes of a row, and wait until they are being read."""
    host, _, port = address.removeprefix("http://").rstrip("/").partition(":")
    half = socket.create_connection((host, int(port)), timeout=60)
    half.sendall(b"POST /data HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(row) + row[:7])
    with urlopen(address, timeout=60):  # who came later was answered
        return half


def test_a_closed_terminal_ends_serving(tmp_path: Path) -> None:
    exported(tmp_path / "study", "--save", "serve")
    child, terminal = pty.fork()
    if not child:
        os.chdir(tmp_path)
        command = [sys.executable, "-c", CALL, "study", "serve", "study", "--port", "0"]
        os.execv(sys.executable, command)
    said = b""
    while b"written to" not in said:
        said += os.read(terminal, 1000)
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP


def test_serve_refuses_a_folder_that_takes_no_rows(tmp_path: Path) -> None:
    exported(tmp_path / "study", "--save", "serve")
    called = ["study", "serve", str(tmp_path / "study"), "--data", "/dev/null/data", "--port", "0"]
    with pytest.raises(UserError, match="--data must be a folder that can be written, got /dev/nu"):
        CliRunner().invoke(whybench_command, called, catch_exceptions=False)


@pytest.mark.parametrize("command", ["export", "simulate", "import"])
def test_what_cannot_be_written_is_one_line(command: str, tmp_path: Path) -> None:
    study = tmp_path / "study"
    exported(study, "--lists", "1")
    answers = [
        "study",
        "simulate",
        str(study),
        "--model",
        "reference/judge.random",
        "--people",
        "1",
    ]
    CliRunner().invoke(whybench_command, answers, catch_exceptions=False)
    called = {
        "export": ["export", "judge", "-o", "/dev/null/study"],
        "simulate": [*answers[1:], "-o", "/dev/null/a.jsonl"],
        "import": [
            "import",
            f"{study}/simulated.jsonl",
            "--study",
            str(study),
            "-o",
            "/dev/null/a.csv",
        ],
    }[command]
    with pytest.raises(UserError, match="must be a (file|folder) that can be written, got"):
        CliRunner().invoke(whybench_command, ["study", *called], catch_exceptions=False)
