"""Whether a sandbox, of whatever kind, has the packages that programs are promised.

They are imported in the very sandbox that will be used, through Inspect's own interface, before
anything is asked. Where one is missing the run is refused: a program that fails for want of pandas
says nothing about who wrote it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import anyio
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from whybench.errors import RefusedError, UserError
from whybench.sandbox.allowlist import PACKAGES, check_hidden, list_private, list_visible

if TYPE_CHECKING:
    from collections.abc import Mapping

OWN = "whybench"
PATIENCE = 300
"""Seconds within which the packages must have been imported."""

PROGRAM = """
import importlib, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = [str(importlib.import_module(name).__version__), ""]
    except BaseException as error:
        found[name] = ["", f"{type(error).__name__}: {error}"]
print(json.dumps(found))
"""


def image_file() -> Path:
    """Return the compose file of an image that has the packages."""
    return Path(str(files(__package__) / "image" / "compose.yaml"))


class PackageCheck:
    """The packages of a run's sandbox, looked at once; every sample asks, the first one looks."""

    def __init__(self) -> None:
        self._looking: anyio.Lock | None = None
        self._versions: Mapping[str, str] | None = None
        self._problem = ""

    async def versions(self) -> Mapping[str, str]:
        """Return the versions of the promised packages in the sample's sandbox.

        Raises:
            RefusedError: One cannot be imported; says which and what to do.
        """
        self._looking = self._looking or anyio.Lock()
        async with self._looking:
            if self._versions is None and not self._problem:
                self._versions, self._problem = await _look()
        if self._versions is None:
            raise RefusedError(self._problem)
        return self._versions


async def _look() -> tuple[Mapping[str, str] | None, str]:
    """Return the versions, or else what is wrong and what to do."""
    done = await sandbox().exec(["python3", "-c", PROGRAM, *PACKAGES], timeout=PATIENCE)
    try:
        found = json.loads(done.stdout)
    except ValueError:
        words = (done.stderr or done.stdout).strip().splitlines()
        return None, _describe(f"no Python that can be run ({words[-1] if words else 'silence'})")
    missing = {name: why for name, (version, why) in found.items() if not version}
    if missing:
        reasons = "; ".join(missing.values())
        return None, _describe(f"none of {', '.join(missing)} ({reasons})")
    return {name: version for name, (version, _) in found.items()}, ""


def _describe(got: str) -> str:
    return (
        f"the sandbox must have {', '.join(PACKAGES)}, which programs are promised, got {got}; "
        "install them, or WhyBench with its extra `analyze`, or use the image that has them: "
        f"`--sandbox docker:{image_file()}`"
    )


@solver
def report_packages() -> Solver:
    """Ask nothing, and look what the sandbox has."""
    check = PackageCheck()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        state.store.set("packages", dict(await check.versions()))
        state.completed = True
        return state

    return solve


def try_sandbox(kind: str, settings: str | None = None, *private: str) -> Mapping[str, str]:
    """Start a sandbox as a run would, and return the versions of the packages in it.

    Args:
        kind: Its kind as Inspect calls it, such as `docker`.
        settings: A file of settings, such as a compose file.
        *private: Folders that programs must not be able to read, such as that of the logs.

    Raises:
        UserError: It cannot be started, lacks a package or would show what is private.
    """
    if kind == OWN:
        check_hidden(list_visible(), list_private(*private))
    return _try_sandbox(kind, settings)


def split_sandbox(chosen: Any) -> tuple[str, str | None]:
    """Return the kind of a sandbox and its settings, however Inspect was told of it."""
    if isinstance(chosen, str):
        kind, _, settings = chosen.partition(":")
        return kind, settings or None
    if isinstance(chosen, (tuple, list)):
        return chosen[0], str(chosen[1])
    return chosen.type, None if chosen.config is None else str(chosen.config)


@cache
def _try_sandbox(kind: str, settings: str | None) -> Mapping[str, str]:
    task = Task([Sample("", id="sandbox")], solver=report_packages(), name="sandbox")
    with TemporaryDirectory() as folder:
        [log] = inspect_eval(
            task,
            model="none",
            sandbox=kind if settings is None else (kind, settings),
            log_dir=folder,
            display="none",
            log_level="error",
            score=False,
        )
        if log.status != "success" or not log.samples:
            said = log.error.message if log.error else "the sandbox did not start"
            raise UserError(said)
        versions: Mapping[str, str] = log.samples[0].store["packages"]
        return versions
