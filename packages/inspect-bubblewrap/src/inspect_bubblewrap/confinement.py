"""One sandbox: a place for code that nobody has read.

    with Sandbox.open(Limits(seconds=10)) as sandbox:
        sandbox.write("rows.csv", rows)
        outcome = sandbox.run(["python", "-c", code])

Inside, there is no network, no other process, no environment, no file but programs, libraries,
Python with the packages of an analysis and the inputs, and nothing can be written but two folders
in memory; see `allowlist`, `layout`, `syscall_filter` and `limits` for what exactly, and `monitor`
and `runner` for who sees to it. A command takes with it whatever it started. One sandbox runs one
command at a time.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Self

from inspect_bubblewrap.channel import LateReplyError
from inspect_bubblewrap.layout import WORK
from inspect_bubblewrap.limits import PACKAGES, Limits
from inspect_bubblewrap.monitor_handle import GRACE, MonitorHandle, parse_end
from inspect_bubblewrap.outcome import Outcome, SandboxError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from inspect_bubblewrap.outcome import End

OVERHEAD = 4096
MOST_COLLECTED = 256
LONGEST_NAME = 255


class Sandbox:
    """A confined place with a working folder, in which commands are run one after another.

    Attributes:
        limits: What code inside may use.
        preloaded: Modules that a plain Python inside finds imported.
        alive: Whether it can still be asked.
    """

    def __init__(
        self, limits: Limits, preload: Sequence[str], packages: Sequence[str], inputs: Path | None
    ) -> None:
        self.limits = limits
        self.alive = True
        self.preloaded: tuple[str, ...] = ()
        self._ended: End = "gone"
        self._turn = threading.RLock()
        self._monitor = MonitorHandle(limits, ",".join(preload), tuple(packages), inputs)

    @classmethod
    def open(
        cls,
        limits: Limits | None = None,
        *,
        preload: Sequence[str] = (),
        packages: Sequence[str] = PACKAGES,
        inputs: Path | None = None,
        patience: float = 60.0,
        waiting: bool = False,
    ) -> Self:
        """Start a sandbox and wait until it can be asked.

        Args:
            limits: What code inside may use.
            preload: Modules to import beforehand; those that are not installed are left out.
            packages: Installed distributions that code inside can import.
            inputs: A folder shown inside, read-only, as `/input`. Started as root, what lies in it
                must be readable by others, since it is not read as root.
            patience: Seconds within which it must be ready.
            waiting: Whether its lifetime begins only with `start_clock`.
        """
        made = cls(limits or Limits(), preload, packages, inputs)
        try:
            kind, ready = made._monitor.channel.receive(OVERHEAD, time.monotonic() + patience)
            if kind != b"ready":
                raise SandboxError(f"it must say that it is ready, got {kind!r}")
        except (SandboxError, ValueError) as error:
            _, words = made._monitor.reason(patience=1.0)
            made.close()
            raise SandboxError(f"the sandbox did not start: {words or error}") from error
        made.preloaded = tuple(ready.decode().split(",")) if ready else ()
        if not waiting:
            made.start_clock()
        return made

    def start_clock(self) -> None:
        """Let the lifetime begin: somebody uses the sandbox from now on."""
        self._monitor.start_clock()

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes | None = None,
        cwd: str = WORK,
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
        output: int | None = None,
    ) -> Outcome:
        """Run a command and wait for its end.

        A limit that is met ends the command, not the sandbox, except that what lies in its
        folders may by itself be too much: then the sandbox ends too.

        Raises:
            OSError: The command could not be started, as the kernel says why.
            SandboxError: The sandbox was gone before; its cause says what ended it.
        """
        if not argv:
            raise ValueError("argv must hold a command, got none")
        variables = [f"{name}={value}" for name, value in (env or {}).items()]
        for text in (*argv, *variables, cwd):
            if "\0" in text:
                raise ValueError(f"a command must hold no zero byte, got {text!r}")
        seconds = self.limits.seconds if seconds is None else seconds
        cap = self.limits.output if output is None else output
        request = [
            b"run",
            repr(float(seconds)).encode(),
            str(cap).encode(),
            cwd.encode("utf-8", "surrogateescape"),
            b"" if stdin is None else b"given",
            stdin or b"",
            "\0".join(argv).encode("utf-8", "surrogateescape"),
            "\0".join(variables).encode("utf-8", "surrogateescape"),
        ]
        started = time.monotonic()
        with self._turn:
            self._check_alive()
            self._monitor.forget()
            asked = time.monotonic()
            try:
                failure, ended, status, out, err = self._ask(request, 2 * cap, seconds)
                number, code, why, note = int(failure), int(status), parse_end(ended), ""
            except (SandboxError, ValueError) as error:
                late = isinstance(error, LateReplyError)
                why, note = ("time", str(error)) if late else self._monitor.reason(patience=1.0)
                self._ended = why
                self.close()
                return Outcome(why, 137, b"", b"", time.monotonic() - started, note or str(error))
            if why == "exit" and code == 137:
                found, seen = self._monitor.reason(since=asked)
                why, note = (why, note) if found == "gone" else (found, seen)
        if number:
            raise OSError(number, os.strerror(number), argv[0])
        return Outcome(why, code, out, err, time.monotonic() - started, note)

    def write(self, path: str, contents: bytes) -> None:
        """Write a file, relative to the working folder, making the folders it lies in."""
        self._file([b"write", os.fsencode(path), contents], 0, path)

    def read(self, path: str, most: int | None = None) -> bytes:
        """Return the contents of a regular file of at most `most` bytes, following no link."""
        most = self.limits.collected if most is None else most
        [contents] = self._file([b"read", os.fsencode(path), str(most).encode()], most, path)
        return contents

    def collect(self) -> dict[str, bytes]:
        """Return the regular files of the working folder, by name, while they fit the limit.

        A name that is not plain text, or that could lead elsewhere, is left behind.
        """
        left = self.limits.collected
        request = [b"names", str(MOST_COLLECTED).encode()]
        reply = self._file(request, MOST_COLLECTED * LONGEST_NAME, WORK)
        names = [name.decode("utf-8", "replace") for name in reply]
        found = {}
        for name in filter(_is_plain, names):
            try:
                found[name] = self.read(name, left)
            except OSError:  # a link, a folder, or too large
                continue
            left -= len(found[name])
        return found

    @property
    def process(self) -> int:
        """The monitor's process, of which all processes inside are descendants."""
        return self._monitor.process

    def is_running(self) -> bool:
        """Whether the sandbox has neither been closed nor come to its own end."""
        return self.alive and self._monitor.is_running()

    def end(self) -> None:
        """Have the sandbox ended, without waiting; a command that is being run returns."""
        self._monitor.let_go()

    def close(self) -> None:
        """End the sandbox with all that runs in it, and wait until it is gone."""
        self.end()
        with self._turn:
            if self.alive:
                self.alive = False
                self._monitor.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _file(self, request: list[bytes], most: int, path: str) -> list[bytes]:
        with self._turn:
            self._check_alive()
            try:
                failure, *rest = self._ask(request, most, self.limits.seconds)
            except SandboxError as error:
                self._ended, note = self._monitor.reason(patience=1.0)
                self.close()
                raise SandboxError(f"{error} ({self._ended} {note})", self._ended) from error
        if int(failure):
            raise OSError(int(failure), os.strerror(int(failure)), path)
        return rest

    def _check_alive(self) -> None:
        """Refuse once it has ended; without its monitor nothing watches what still runs inside."""
        if self.alive and not self._monitor.is_running():
            self._ended, _ = self._monitor.reason()
            self.close()
        if not self.alive:
            raise SandboxError(f"the sandbox has ended ({self._ended})", self._ended)

    def _ask(self, request: list[bytes], most: int, seconds: float) -> list[bytes]:
        deadline = time.monotonic() + seconds + GRACE
        self._monitor.channel.send(request, deadline)
        kind, *reply = self._monitor.channel.receive(most + OVERHEAD, deadline)
        if kind != request[0] or not reply:
            raise SandboxError(f"a reply must be to {request[0]!r}, got {kind!r}")
        return reply


def _is_plain(name: str) -> bool:
    return name.isprintable() and "/" not in name and name not in {"", ".", ".."}
