"""Whether a sandbox, of whatever kind, has the packages that programs are promised.

They are imported in the very sandbox that will be used, through Inspect's own interface, before
anything is asked. Where one is missing the run is refused: a program that fails for want of pandas
says nothing about who wrote it.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import anyio
import click
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from whybench.errors import RefusedError, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACKAGES = ("numpy", "pandas", "scipy", "statsmodels")
"""Distributions that programs are promised."""

OWN, OWN_MODULE = "bubblewrap", "inspect_bubblewrap"
"""The sandbox that is used by default, as Inspect names it, and the package that provides it."""

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
        "install them, or WhyBench with its extra `analyze`, or choose the sandbox "
        f"docker:{image_file()}, whose image has them"
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


def try_sandbox(kind: str, settings: str | None = None, log_dir: str = "logs") -> Mapping[str, str]:
    """Start a sandbox as a run would, and return the versions of the packages in it.

    Args:
        kind: Its kind as Inspect calls it, such as `docker`.
        settings: A file of settings, such as a compose file.
        log_dir: Where logs go, which programs must not be able to read.

    Raises:
        UserError: It cannot be started, lacks a package or would show what is private.
    """
    if kind == OWN and find_spec(OWN_MODULE) is None:
        raise UserError(
            f"the sandbox {OWN} must be installed, got no package {OWN_MODULE}; run "
            f"`pip install 'whybench[analyze]'`, or choose the sandbox docker:{image_file()}"
        )
    return _try_sandbox(kind, settings, log_dir)


def split_sandbox(chosen: Any) -> tuple[str, str | None]:
    """Return the kind of a sandbox and its settings, however Inspect was told of it."""
    if isinstance(chosen, str):
        kind, _, settings = chosen.partition(":")
        return kind, settings or None
    if isinstance(chosen, (tuple, list)):
        return chosen[0], str(chosen[1])
    return chosen.type, None if chosen.config is None else str(chosen.config)


@cache
def _try_sandbox(kind: str, settings: str | None, log_dir: str) -> Mapping[str, str]:
    task = Task([Sample("", id="sandbox")], solver=report_packages(), name="sandbox")
    with TemporaryDirectory() as folder, _log_folder(log_dir):
        try:
            [log] = inspect_eval(
                task,
                model="none",
                sandbox=kind if settings is None else (kind, settings),
                log_dir=folder,
                display="none",
                log_level="error",
                score=False,
            )
        except click.ClickException as error:  # a sandbox refuses its settings or this machine
            raise UserError(error.format_message()) from None
        if log.status != "success" or not log.samples:
            said = log.error.message if log.error else "the sandbox did not start"
            raise UserError(said)
        versions: Mapping[str, str] = log.samples[0].store["packages"]
        return versions


@contextmanager
def _log_folder(log_dir: str) -> Iterator[None]:
    """Name the folder of the logs to the sandbox, as Inspect's own variable does."""
    before = os.environ.get("INSPECT_LOG_DIR")
    os.environ["INSPECT_LOG_DIR"] = log_dir
    try:
        yield
    finally:
        if before is None:
            del os.environ["INSPECT_LOG_DIR"]
        else:
            os.environ["INSPECT_LOG_DIR"] = before
