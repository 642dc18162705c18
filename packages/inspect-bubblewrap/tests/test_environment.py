"""The sandbox as Inspect uses it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, Target, accuracy, scorer
from inspect_ai.solver import Generate, TaskState, solver
from inspect_ai.util import (
    OutputLimitExceededError,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandbox,
)
from inspect_ai.util._sandbox.limits import override_max_exec_output_size
from pydantic import BaseModel
from tests.waiting import wait_until

from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.environment import BubblewrapSandbox, SpentSandboxError
from inspect_bubblewrap.limits import MIB, Limits
from inspect_bubblewrap.monitor import descendants
from inspect_bubblewrap.outcome import SettingsError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from inspect_ai.scorer import Scorer
    from inspect_ai.solver import Solver

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.xdist_group("sandbox"),
    pytest.mark.usefixtures("confines"),
]


class Settings(BaseModel):
    seconds: int = 1


LIMITS = Limits(seconds=60, lifetime=3600, memory=192 * MIB, disk=16 * MIB, files=500)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def environment() -> AsyncIterator[BubblewrapSandbox]:
    with Sandbox.open(LIMITS) as opened:
        yield BubblewrapSandbox(opened)


async def test_a_missing_program_is_a_failed_result(environment: BubblewrapSandbox) -> None:
    result = await environment.exec(["no-such-program"])
    assert (result.success, result.returncode) == (False, 127)
    assert "no-such-program" in result.stderr


async def test_nobody_else_can_be_asked_for(environment: BubblewrapSandbox) -> None:
    assert (await environment.exec(["whoami"], user="nobody")).stdout == "nobody\n"
    with pytest.raises(SandboxUserUnsupportedError, match="never as 'root'"):
        await environment.exec(["whoami"], user="root")


async def test_too_much_output_raises_with_its_beginning(environment: BubblewrapSandbox) -> None:
    with (
        override_max_exec_output_size(1024),
        pytest.raises(OutputLimitExceededError, match="1 KiB") as caught,
    ):
        await environment.exec(["yes"])
    assert caught.value.truncated_output == "y\n" * 512


async def test_too_much_memory_is_told_to_the_model(environment: BubblewrapSandbox) -> None:
    greedy = "x = []\nwhile True: x.append(bytearray(b'x' * 2**20))"
    result = await environment.exec(["python3", "-c", greedy])
    assert (result.success, result.returncode) == (False, 137)
    assert "ended by the sandbox: memory (memory reached" in result.stderr


async def test_a_sandbox_that_a_program_ended_is_spent(environment: BubblewrapSandbox) -> None:
    many = "for n in range(10000): open(f'/tmp/{n}', 'w').close()\nimport time; time.sleep(60)"
    result = await environment.exec(["python3", "-c", many])
    assert "ended by the sandbox: files" in result.stderr
    await _wait_until(lambda: not environment._sandbox.is_running())
    with pytest.raises(SpentSandboxError):
        await environment.exec(["true"])
    for failing in (environment.read_file("x"), environment.write_file("x", "y")):
        with pytest.raises(SpentSandboxError):
            await failing


async def test_a_sandbox_that_was_killed_is_nobodys_doing(environment: BubblewrapSandbox) -> None:
    async with anyio.create_task_group() as together:
        together.start_soon(_kill_at_work, environment._sandbox.process)
        with pytest.raises(SandboxUnavailableError) as caught:
            await environment.exec(["sleep", "60"])
    assert not isinstance(caught.value, SpentSandboxError)
    for failing in (environment.read_file("x"), environment.write_file("x", "y")):
        with pytest.raises(SandboxUnavailableError) as caught:
            await failing
        assert not isinstance(caught.value, SpentSandboxError)


async def _wait_until(condition: Callable[[], object]) -> None:
    await anyio.to_thread.run_sync(wait_until, condition)


async def _wait_for_work(process: int) -> None:
    """Wait until a command runs inside, next to bubblewrap and the runner."""
    await _wait_until(lambda: len(descendants(process)) > 2)


async def _kill_at_work(process: int) -> None:
    await _wait_for_work(process)
    os.kill(process, 9)


async def test_links_are_reported_in_a_way_inspect_knows(environment: BubblewrapSandbox) -> None:
    await environment.exec(["ln", "-s", "/etc/passwd", "link"])
    for failing in (environment.read_file("link"), environment.write_file("link", "x")):
        with pytest.raises(PermissionError, match="symbolic links"):
            await failing
    await environment.write_file("bytes", b"\xff")
    with pytest.raises(UnicodeDecodeError):
        await environment.read_file("bytes")


async def test_a_cancelled_command_ends_its_sandbox(environment: BubblewrapSandbox) -> None:
    monitor = environment._sandbox.process
    members = [monitor, *descendants(monitor)]
    async with anyio.create_task_group() as together:
        together.start_soon(environment.exec, ["sleep", "60"])
        await _wait_for_work(monitor)
        together.cancel_scope.cancel()
    await anyio.to_thread.run_sync(environment._sandbox.close)
    assert not [number for number in members if Path(f"/proc/{number}").exists()]


async def test_settings_must_be_a_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="settings must be a YAML file, got .*none.yaml"):
        await BubblewrapSandbox.task_init("task", str(tmp_path / "none.yaml"))
    with pytest.raises(SettingsError, match="settings of the sandbox must be a YAML file"):
        await BubblewrapSandbox.task_init("task", Settings())
    assert not BubblewrapSandbox._pools


@solver
def _writes_and_runs() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await sandbox().write_file("script.py", state.input_text)
        result = await sandbox().exec(["python", "script.py"])
        state.output.completion = result.stdout + result.stderr
        return state

    return solve


@scorer(metrics=[accuracy()])
def _as_expected() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        return Score(value=target.text in state.output.completion)

    return score


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_an_evaluation_runs_in_it_and_leaves_nothing(tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text("seconds: 60\nprocesses: 16\n", encoding="utf-8")
    samples = [
        Sample("print(6 * 7)", target="42"),
        Sample("import numpy; print(numpy.arange(4).sum())", target="6"),
        Sample("import os; print(os.getuid(), sorted(os.listdir()))", target="65534 ['script.py']"),
        Sample("import socket; socket.socket()", target="PermissionError"),
        Sample("import resource as r; print(r.getrlimit(r.RLIMIT_NPROC))", target="(16, 16)"),
        Sample("print(open('rows').read())", target="a,b", files={"rows": "a,b"}),
    ]
    [log] = eval(
        Task(samples, solver=_writes_and_runs(), scorer=_as_expected()),
        model="mockllm/model",
        sandbox=("bubblewrap", str(limits)),
        log_dir=str(tmp_path / "logs"),
        display="none",
    )
    assert log.status == "success", log.error
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert not BubblewrapSandbox._pools
