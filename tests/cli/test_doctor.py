"""`whybench doctor` with and without sandbox, extras, keys and data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from whybench.cli import doctor
from whybench.errors import UserError
from whybench.suites import sandboxes

if TYPE_CHECKING:
    from click.testing import Result


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, str | None]]:
    """Replace the start of a sandbox, and work in an empty folder without API keys."""
    given: list[tuple[str, str | None]] = []
    monkeypatch.setattr(
        sandboxes, "try_sandbox", lambda *words: given.append(words) or {"numpy": "2.0"}
    )
    monkeypatch.setattr(doctor.os, "environ", {})
    monkeypatch.chdir(tmp_path)
    return given


def run(*words: str) -> Result:
    return CliRunner().invoke(doctor.doctor_command, words)


def find(part: str, *words: str) -> dict[str, str]:
    rows = [json.loads(line) for line in run(*words, "--json").stdout.splitlines()]
    (row,) = (row for row in rows if row["part"] == part)
    return row


def refuse(*_: object) -> None:
    raise UserError("user namespaces must be allowed, got none; run sysctl")


def test_sandbox_that_starts_is_ok_with_its_packages(tried: list[tuple[str, str | None]]) -> None:
    row = find("sandbox docker", "--sandbox", "docker:compose.yaml")
    assert tried == [("docker", "compose.yaml")]
    assert (row["state"], row["found"]) == ("ok", "programs run, with numpy 2.0")


def test_sandbox_that_is_refused_fails_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxes, "try_sandbox", refuse)
    done = run("--sandbox", "docker")
    assert done.exit_code == 1
    assert "FAIL" in done.stdout
    assert "run sysctl" in done.stdout


def test_sandbox_that_is_not_installed_fails_only_when_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda _: None)
    assert run().exit_code == 0
    row = find("inspect-bubblewrap")
    assert (row["state"], "whybench[analyze]" in row["hint"]) == ("missing", True)
    assert run("--sandbox", "bubblewrap").exit_code == 1


def test_sandbox_without_its_package_is_refused_with_alternatives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(sandboxes, "OWN_MODULE", "no_such_module")
    with pytest.raises(UserError, match="must be installed, got no package no_such_module") as e:
        sandboxes.try_sandbox(sandboxes.OWN)
    assert "pip install 'whybench[analyze]'" in str(e.value)
    assert "docker:" in str(e.value)


def test_image_prints_the_path_of_the_compose_file() -> None:
    compose = Path(run("--image").stdout.strip())
    assert {path.name for path in compose.parent.iterdir()} == {
        *("compose.yaml", "Dockerfile", "requirements.txt"),
    }


def test_keys_are_named_and_their_values_are_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find("API keys")["state"] == "missing"
    monkeypatch.setattr(doctor.os, "environ", {"OPENAI_API_KEY": "sk-1", "EMPTY_API_KEY": ""})
    Path(".env").write_text("export XAI_API_KEY=sk-2\nOTHER=sk-3\n# GROQ_API_KEY=sk-4\n")
    row = find("API keys")
    assert (row["state"], row["found"]) == ("ok", "OPENAI_API_KEY, XAI_API_KEY")
    assert "sk-" not in run().output


def test_extra_with_a_missing_requirement_has_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "click>=8.2",
        "pandas>=2.2; extra == 'pandas'",
        "no-such-package>=2; extra == 'notebook'",
        "whybench[pandas]; extra == 'notebook'",
    ]
    monkeypatch.setattr(doctor, "requires", lambda _: lines)
    assert find("extra pandas")["state"] == "ok"
    row = find("extra notebook")
    assert (row["state"], row["found"]) == ("missing", "without no-such-package")
    assert row["hint"] == "pip install 'whybench[notebook]'"


def test_data_that_is_not_complete_has_the_command_that_fetches_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = iter(["cache", *["not fetched"] * 1000])
    monkeypatch.setattr(doctor, "file_state", lambda *_: next(states))
    row = find("data causAIign")
    assert (row["state"], row["found"][:5]) == ("missing", "1 of ")
    assert row["hint"] == "whybench data fetch causAIign"
