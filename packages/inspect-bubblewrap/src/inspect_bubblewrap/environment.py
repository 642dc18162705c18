"""The sandbox behind Inspect's interface: `--sandbox bubblewrap`.

One sample has one sandbox. Its files live as long as the sample; a command that ends takes along
whatever it started, so nothing runs on between commands. Commands run as `nobody` and as nobody
else. There are no sockets, therefore none of Inspect's tools that talk to a server inside
(`bash_session`, `text_editor`, `exec_remote`); those need `--sandbox docker`, which stays
available as ever.

`--sandbox bubblewrap:settings.yaml` states other limits and packages.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Literal, TypeVar, overload

import anyio
from anyio.to_thread import run_sync
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
    sandboxenv,
)

from inspect_bubblewrap.layout import NOBODY, WORK, choose_visible
from inspect_bubblewrap.limits import read_settings
from inspect_bubblewrap.outcome import (
    OWN_ENDS,
    Outcome,
    SandboxError,
    SandboxRefusedError,
    SettingsError,
)
from inspect_bubblewrap.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_bubblewrap.confinement import Sandbox
    from inspect_bubblewrap.outcome import End

AHEAD = 2
"""Sandboxes that wait with their imports done."""

ORDINARY = (FileNotFoundError, PermissionError, IsADirectoryError)
"""Failures of a file that Inspect reports to the model."""

T = TypeVar("T")


class SpentSandboxError(SandboxUnavailableError):
    """A program of the sample has ended the sandbox, since it met a limit.

    Attributes:
        caused_by_program: True, so that a solver need not import this class to find out.
    """

    caused_by_program = True


class _Shared:
    """A pool for all tasks at work with the same limits, closed when the last of them ends."""

    def __init__(self, config: str | None) -> None:
        settings = read_settings(config)
        choose_visible(settings.packages, None)  # refuses where private files would be visible
        self.pool = Pool(AHEAD, settings)
        self.tasks = 0


@sandboxenv(name="bubblewrap")
class BubblewrapSandbox(SandboxEnvironment):
    """Bubblewrap, a seccomp filter and limits, where no container engine is needed."""

    _pools: dict[str | None, _Shared] = {}  # noqa: RUF012

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__()
        self._sandbox = sandbox
        self._one_at_a_time = anyio.CapacityLimiter(1)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:  # noqa: ARG003
        """Refuse where this machine cannot confine; else start making sandboxes ready."""
        key = _path(config)
        try:
            if key not in cls._pools:
                cls._pools[key] = await run_sync(_Shared, key)
        except SandboxRefusedError as error:
            raise SettingsError(str(error)) from None
        cls._pools[key].tasks += 1

    @classmethod
    async def sample_init(
        cls,
        task_name: str,  # noqa: ARG003
        config: SandboxEnvironmentConfigType | None,
        metadata: dict[str, str],  # noqa: ARG003
    ) -> dict[str, SandboxEnvironment]:
        """Take a sandbox for one sample."""
        return {"default": cls(await run_sync(cls._pools[_path(config)].pool.take))}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,  # noqa: ARG003
        config: SandboxEnvironmentConfigType | None,  # noqa: ARG003
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,  # noqa: ARG003
    ) -> None:
        """End a sample's sandbox and all that is in it."""
        with anyio.CancelScope(shield=True):
            for environment in environments.values():
                await run_sync(environment.as_type(cls)._sandbox.close)

    @classmethod
    async def task_cleanup(
        cls,
        task_name: str,  # noqa: ARG003
        config: SandboxEnvironmentConfigType | None,
        cleanup: bool,  # noqa: ARG003
    ) -> None:
        """End the sandboxes that wait, once no task needs them."""
        shared = cls._pools.get(_path(config))
        if shared is None:
            return
        shared.tasks -= 1
        if shared.tasks <= 0:
            del cls._pools[_path(config)]
            with anyio.CancelScope(shield=True):
                await run_sync(shared.pool.close)

    @classmethod
    def default_concurrency(cls) -> int | None:
        """Return two sandboxes a core: analyses are short and mostly wait for the model."""
        return 2 * (os.cpu_count() or 1)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,  # noqa: ARG002
        concurrency: bool = True,  # noqa: ARG002
    ) -> ExecResult[str]:
        """Run a command; one that meets its time or output limit raises, others return.

        A command that timed out is not tried again: it may have done half of its work.
        """
        if user not in {None, "nobody", str(NOBODY)}:
            raise SandboxUserUnsupportedError(f"commands run as nobody here, never as {user!r}")
        given = input.encode() if isinstance(input, str) else input
        folder = os.path.normpath(os.path.join(WORK, cwd or ""))  # noqa: PTH118
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        try:
            outcome = await self._asked(
                lambda: self._sandbox.run(
                    cmd, stdin=given, cwd=folder, env=env, seconds=timeout, output=most
                )
            )
        except PermissionError:
            raise
        except OSError as error:
            missing = error.errno == errno.ENOENT
            return ExecResult(False, 127 if missing else 126, "", f"{error}\n")
        return _result(outcome)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file, relative to the working folder."""
        given = contents.encode() if isinstance(contents, str) else contents
        try:
            await self._asked(lambda: self._sandbox.write(file, given))
        except ORDINARY:
            raise
        except OSError as error:
            raise PermissionError(error.errno, error.strerror, file) from error

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a regular file, following no link."""
        most = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        try:
            contents = await self._asked(lambda: self._sandbox.read(file, most))
        except ORDINARY:
            raise
        except OSError as error:
            if error.errno == errno.EFBIG:
                limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR
                raise OutputLimitExceededError(limit, None) from error
            raise PermissionError(error.errno, error.strerror, file) from error
        return contents.decode() if text else contents

    async def _asked(self, question: Callable[[], T]) -> T:
        """Ask the sandbox in a thread; if nobody waits for the answer any more, end it."""
        try:
            return await run_sync(question, limiter=self._one_at_a_time, abandon_on_cancel=True)
        except anyio.get_cancelled_exc_class():
            self._sandbox.end()
            raise
        except SandboxError as error:
            raise _unavailable(str(error), error.cause) from error


def _unavailable(message: str, cause: End) -> SandboxUnavailableError:
    return (SpentSandboxError if cause in OWN_ENDS else SandboxUnavailableError)(message)


def _path(config: SandboxEnvironmentConfigType | None) -> str | None:
    if config is not None and not isinstance(config, str):
        raise SettingsError(
            f"the settings of the sandbox must be a YAML file, got {config!r}; name one, as in "
            "`--sandbox bubblewrap:settings.yaml`"
        )
    return config


def _result(outcome: Outcome) -> ExecResult[str]:
    out = outcome.stdout.decode("utf-8", "replace")
    err = outcome.stderr.decode("utf-8", "replace")
    if outcome.ended == "time":
        raise TimeoutError(f"the command was ended after {outcome.seconds:.1f} seconds")
    if outcome.ended == "output":
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR
        raise OutputLimitExceededError(limit, out or err)
    if outcome.ended not in OWN_ENDS:
        raise _unavailable(f"the sandbox ended: {outcome.ended} ({outcome.note})", outcome.ended)
    if outcome.ended != "exit":
        err += f"\nended by the sandbox: {outcome.ended} ({outcome.note})\n"
    return ExecResult(outcome.ok, outcome.status, out, err)
