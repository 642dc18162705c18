"""`study export` and `study serve` as their users call them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
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

pytestmark = pytest.mark.skipif(
    file_state("jsPsych", ENGINE) == "not fetched" and not os.environ.get("CI"),
    reason="jsPsych is not here: `whybench data fetch jsPsych`",
)


def exported(folder: Path, *words: str) -> str:
    called = ["study", "export", "judge", "-o", str(folder), *words]
    return CliRunner().invoke(whybench_command, called, catch_exceptions=False).output


def test_export_says_what_there_is_and_how_to_go_on(tmp_path: Path) -> None:
    said = exported(tmp_path / "study", "-T", "story=weather,economy", "--items", "10")
    assert f"Open {tmp_path / 'study'}/index.html" in said
    assert "16 lists, a participant has one: 10 items." in said
    assert "balanced after 160 participants, all lists after every 16." in said
    manifest = json.loads((tmp_path / "study" / "study.json").read_text(encoding="utf-8"))
    assert manifest["settings"] == {"design": "core", "story": ["weather", "economy"]}
    assert manifest["save"] == "download"


def test_export_of_nothing_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--save must be"):
        exported(tmp_path / "study", "--save", "somewhere")
    assert not (tmp_path / "study").exists()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let what is started hear interrupts; what a shell runs in its background ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("how", ["serve", "download"])
def test_serve_says_where_takes_rows_and_ends_when_interrupted(how: str, tmp_path: Path) -> None:
    exported(tmp_path / "study", "--save", how)
    study = json.loads((tmp_path / "study" / "study.json").read_text(encoding="utf-8"))["study"]
    command = [Path(sys.executable).parent / "whybench", "study", "serve", "study", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as serving:
        assert serving.stdout is not None
        try:
            address = serving.stdout.readline().split(" ")[0]
            told = serving.stdout.readline()
            row = json.dumps({"study": study, "participant": "anna"}).encode()
            with urlopen(Request(f"{address}data", data=row), timeout=10) as reply:
                assert reply.status == 200
        finally:
            serving.send_signal(signal.SIGINT)
        try:
            rest, _ = serving.communicate(timeout=60)
        finally:
            serving.kill()
    assert serving.returncode == 0
    assert rest == "ended\n"
    assert ("export the study with --save serve" in told) == (how == "download")
    assert (tmp_path / "study" / "data" / "anna.jsonl").is_file()
