"""`whybench sandbox check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from whybench.cli.machine import sandbox_command
from whybench.sandbox import check
from whybench.sandbox.check import SandboxFinding

HOLDS = SandboxFinding("network off", True, "only ['lo']")
FAILS = SandboxFinding("namespaces", False, "not permitted")


@pytest.mark.parametrize(
    ("found", "status", "out", "err"),
    [
        (
            [HOLDS],
            0,
            "restriction  holds  observed\nnetwork off  ok     only ['lo']\n\n"
            "Untrusted code can be confined on this machine.\n",
            "",
        ),
        (
            [HOLDS, FAILS],
            1,
            "restriction  holds  observed\nnetwork off  ok     only ['lo']\n"
            "namespaces   FAIL   not permitted\n\n",
            "Untrusted code must not be run here: namespaces: not permitted\n",
        ),
    ],
)
def test_the_findings_and_the_verdict(
    monkeypatch: pytest.MonkeyPatch, found: list[SandboxFinding], status: int, out: str, err: str
) -> None:
    monkeypatch.setattr(check, "check_all", lambda: iter(found))
    done = CliRunner().invoke(sandbox_command, ["check"])
    assert (done.exit_code, done.stdout, done.stderr) == (status, out, err)


def test_findings_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "check_all", lambda: iter([HOLDS, FAILS]))
    done = CliRunner().invoke(sandbox_command, ["check", "--json"])
    assert done.exit_code == 1
    assert [json.loads(line)["holds"] for line in done.stdout.splitlines()] == [True, False]


def test_the_image_is_named_and_is_there() -> None:
    done = CliRunner().invoke(sandbox_command, ["image"])
    compose = Path(done.stdout.strip())
    assert done.exit_code == 0
    assert {path.name for path in compose.parent.iterdir()} == {
        *("compose.yaml", "Dockerfile", "requirements.txt"),
    }


def test_it_is_registered() -> None:
    from whybench.cli import whybench_command

    done = CliRunner().invoke(whybench_command, ["sandbox", "check", "--help"])
    assert done.exit_code == 0
    assert "Test each restriction" in done.stdout
