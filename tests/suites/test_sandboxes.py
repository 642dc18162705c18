"""What programs are promised is there before anything is asked, in whatever sandbox they run."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from whybench._registry import analyze
from whybench.errors import UserError
from whybench.evaluation.engine import Ended, evaluate
from whybench.records import read_logs
from whybench.suites import sandboxes
from whybench.suites.sandboxes import (
    PACKAGES,
    image_file,
    report_packages,
    split_sandbox,
    try_sandbox,
)
from whybench.suites.task import check_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow

QUIET = {"display": "none", "log_realtime": False}
READS = "I run:\n```python\nimport csv\nprint(len(list(csv.reader(open('rows.csv')))))\n```"


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Importing all four takes seconds, and none is needed to see whether they are looked for.
    monkeypatch.setattr(sandboxes, "PACKAGES", ("numpy", "packaging"))
    check = pytest.importorskip("inspect_bubblewrap.check")
    for memory in (sandboxes._try_sandbox, check.require_confinement):
        memory.cache_clear()
    yield
    for memory in (sandboxes._try_sandbox, check.require_confinement):
        memory.cache_clear()


def speaking(*said: str) -> tuple[Any, list[int]]:
    """Return a model that says these in turn, and a list to which every call adds."""
    calls: list[int] = []

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        calls.append(len(messages))
        turn = sum(message.role == "assistant" for message in messages)
        output = ModelOutput.from_content("mockllm/model", said[min(turn, len(said) - 1)])
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply), calls


def asked(tmp_path: Path, **settings: Any) -> tuple[list[int], Ended]:
    """Run a task as `whybench run` does; return its calls, and how it ended."""
    model, calls = speaking(READS, '{"estimate": 0}')
    task = analyze(challenge="simpson", seeds=1, protocol="code")
    return calls, evaluate(task, model=model, log_dir=str(tmp_path), **QUIET, **settings)


def test_versions_are_those_of_the_sandbox_that_is_used() -> None:
    expected = {name: version(name) for name in ("numpy", "packaging")}
    assert try_sandbox("local") == expected


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_our_own_sandbox_has_what_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxes, "PACKAGES", PACKAGES)
    assert try_sandbox("bubblewrap") == {name: version(name) for name in PACKAGES}


def test_any_sandbox_may_be_chosen_and_versions_stand_in_the_log(tmp_path: Path) -> None:
    calls, ended = asked(tmp_path, sandbox="local")
    assert ended.progress.complete
    assert sorted(calls) == [1, 1, 3, 3, 5, 5]  # a program, the report, the diagnosis
    rows = read_logs([str(tmp_path)]).rows["analyze"]
    assert {(row["outcome"], row["code_outcome"], row["runs"]) for row in rows} == {
        ("scored", "ok", 1)
    }


def test_a_run_without_a_promised_package_is_refused_and_nothing_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandboxes, "PACKAGES", ("numpy", "no_such_package"))
    with pytest.raises(UserError, match="got none of no_such_package .*; install them, or") as e:
        asked(tmp_path, sandbox="local")
    assert str(image_file()) in str(e.value)
    assert "\n" not in str(e.value)
    assert not list(tmp_path.rglob("*.eval"))


def test_under_inspect_alone_nothing_is_asked_either(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sandboxes, "PACKAGES", ("no_such_package",))
    model, calls = speaking(READS)
    task = analyze(challenge="simpson", seeds=1, protocol="agentic")
    [log] = inspect_eval(task, model=model, sandbox="local", log_dir=str(tmp_path), **QUIET)
    assert (log.status, calls) == ("error", [])
    assert log.error is not None
    assert "got none of no_such_package" in log.error.message


def test_a_sandbox_without_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxes, "PROGRAM", "raise SystemExit('broken')")
    with pytest.raises(UserError, match=r"got no Python that can be run \(broken\)"):
        try_sandbox("local")


def test_without_bubblewrap_the_ways_out_are_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UserError, match="no bwrap on the path") as refused:
        asked(tmp_path)
    assert "\n" not in str(refused.value)
    for way in ("apt-get install bubblewrap", "--sandbox docker"):
        assert way in str(refused.value)


def test_logs_where_programs_could_read_them_are_refused() -> None:
    with pytest.raises(UserError, match="must not lie where programs can read, got /usr/lib/"):
        try_sandbox("bubblewrap", None, "/usr/lib/my/logs")
    promised = {"metadata": {"packages": []}, "sandbox": "local"}
    task = Task([Sample("")], solver=report_packages(), **promised)
    seen = Path(json.__file__).parent  # a folder of the standard library
    with pytest.raises(UserError, match="must not lie where programs can read"):
        evaluate(task, sandbox="bubblewrap", log_dir=str(seen))


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_settings_that_cannot_be_read_are_refused_in_one_line(tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text("memory: .inf", encoding="utf-8")
    with pytest.raises(UserError, match="memory must be positive and finite, got inf"):
        asked(tmp_path, sandbox=f"bubblewrap:{limits}")


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("docker", ("docker", None)),
        ("docker:a/compose.yaml", ("docker", "a/compose.yaml")),
        (("bubblewrap", "limits.yaml"), ("bubblewrap", "limits.yaml")),
        (analyze(challenge="simpson", seeds=1, protocol="code").sandbox, ("bubblewrap", None)),
    ],
)
def test_a_sandbox_is_named_as_inspect_names_it(
    chosen: Any, expected: tuple[str, str | None]
) -> None:
    assert split_sandbox(chosen) == expected


def test_a_task_without_programs_is_given_no_sandbox() -> None:
    task = analyze(challenge="simpson", seeds=1, protocol="direct")
    assert check_sandbox(task, "docker:compose.yaml", "logs") is None


def test_the_image_has_the_packages_and_no_network() -> None:
    service = yaml.safe_load(image_file().read_text(encoding="utf-8"))["services"]["default"]
    assert (service["network_mode"], service["build"]) == ("none", ".")
    lines = (image_file().parent / "requirements.txt").read_text(encoding="utf-8").split()
    pinned = dict(line.split("==") for line in lines)
    assert set(PACKAGES) < set(pinned)
    tested = Path(__file__).parents[2] / "constraints.txt"  # the versions that our tests run with
    assert set(lines) <= set(tested.read_text(encoding="utf-8").split())
    assert "requirements.txt" in (image_file().parent / "Dockerfile").read_text(encoding="utf-8")
