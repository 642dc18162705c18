"""Starts a monitor with its sandbox, holds its leash, and hears from it why it ended something."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import threading
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from inspect_bubblewrap import bundle
from inspect_bubblewrap.channel import Channel
from inspect_bubblewrap.fork_server import make_memory_file, start_monitor
from inspect_bubblewrap.layout import NOBODY, WORK, bwrap_arguments, choose_visible
from inspect_bubblewrap.outcome import End, SandboxError, SandboxRefusedError
from inspect_bubblewrap.syscall_filter import compile_filter

if TYPE_CHECKING:
    from inspect_bubblewrap.limits import Limits

GRACE = 5.0
"""How long anything may take beyond what it was given before it is ended outright."""

USERS = f"nobody:x:{NOBODY}:{NOBODY}:nobody:{WORK}:/bin/sh\n".encode()
PLACES = {
    name: place
    for place, name in enumerate(
        ("asked", "answered", "says", "report", "leash", "filter", "runner", "users")
    )
}
"""Descriptors that a monitor is given, and their numbers there; the first three are its streams."""

PIPE_SIZE = 1 << 20
MOST_SAID = 4096


def find_bwrap() -> str:
    """Return where bubblewrap is; refuse where it is not."""
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxRefusedError("bubblewrap is not installed: no bwrap on the path")
    return str(Path(path).resolve())


def parse_end(name: bytes) -> End:
    """Return an end by its name; a name that is none comes from something gone wrong."""
    text = name.decode("ascii", "replace")
    if text not in get_args(End):
        raise SandboxError(f"an end must be one of {', '.join(get_args(End))}, got {text!r}")
    return cast("End", text)


class MonitorHandle:
    """One monitor and the pipes to it and to the runner inside.

    Attributes:
        channel: The way to ask the runner.
        process: The monitor's process, of which all processes inside are descendants.
    """

    def __init__(
        self, limits: Limits, preload: str, packages: tuple[str, ...], inputs: Path | None
    ) -> None:
        # What may refuse comes first, while there is nothing yet to clear away.
        bwrap, program, shown = find_bwrap(), compile_filter(), choose_visible(packages, inputs)
        staged = os.geteuid() == 0
        watched = [limits.memory, limits.processes, limits.files, limits.lifetime]
        command = [
            *map(str, (PLACES["report"], PLACES["leash"], *watched)),
            *(["staged", *(bind.source for bind in shown.binds)] if staged else ["as-is"]),
            *("--", bwrap, *bwrap_arguments(limits, shown, staged, PLACES, preload)),
        ]
        self._letting_go = threading.Lock()
        self._held = True
        asked, requests = os.pipe()
        replies, answered = os.pipe()
        self._said, says = os.pipe()
        self._report, reports = os.pipe()
        held, self._leash = os.pipe()
        lent = [asked, answered, says, reports, held]
        lent += map(make_memory_file, (program, bundle.pack_runner(), USERS))
        try:
            self.process = start_monitor(command, lent)
        except SandboxError:
            for descriptor in (requests, replies, self._said, self._report, self._leash):
                os.close(descriptor)
            raise
        finally:
            for descriptor in lent:
                os.close(descriptor)
        for descriptor in (self._report, self._said):
            os.set_blocking(descriptor, False)
        _widen(requests, replies)
        self.channel = Channel(requests, replies)

    def is_running(self) -> bool:
        """Whether the monitor, and so the sandbox, is there."""
        return not self._has_ended(0.0)

    def start_clock(self) -> None:
        """Have the monitor count the sandbox's lifetime from now on."""
        with self._letting_go, contextlib.suppress(BrokenPipeError):
            if self._held:
                os.write(self._leash, b"!")

    def let_go(self) -> None:
        """Let go of the leash: the monitor then ends everything. Does not wait."""
        with self._letting_go:
            if self._held:
                self._held = False
                os.close(self._leash)

    def close(self) -> None:
        """End everything and wait until it is gone."""
        self.let_go()
        if not self._has_ended(GRACE):  # killed, it takes along what it held
            os.kill(self.process, signal.SIGKILL)
            self._has_ended(GRACE)
        _wait_until_buried(self.process)
        self.channel.close()
        for descriptor in (self._report, self._said):
            os.close(descriptor)

    def forget(self) -> None:
        """Drop what was reported of earlier commands, which must not explain a later one."""
        if self.is_running():
            _drained(self._report)

    def reason(self, patience: float = 0.0, since: float = 0.0) -> tuple[End, str]:
        """Return what was ended and what had been found; else that it is gone, and last words.

        Args:
            patience: Seconds to wait for the monitor's own end before asking.
            since: The moment, by the monotonic clock, before which what was seen does not count.
        """
        self._has_ended(patience)
        for line in _drained(self._report).splitlines():
            limit, reached, seen = line.split()
            if float(seen) >= since:
                return parse_end(limit.encode()), f"{limit} reached {reached}"
        words = _drained(self._said).strip().splitlines()
        return "gone", words[-1] if words else ""

    def _has_ended(self, seconds: float) -> bool:
        """Wait so long for the monitor's end, which is when nobody holds its report's other end."""
        waiting = select.poll()
        waiting.register(self._report, 0)
        return bool(waiting.poll(seconds * 1000))


def _wait_until_buried(process: int) -> None:
    """Wait for the moment between a process's last act and its leaving the list of processes."""
    try:
        watched = os.pidfd_open(process)
    except ProcessLookupError:
        return
    waiting = select.poll()
    waiting.register(watched, select.POLLIN)
    waiting.poll(GRACE * 1000)
    os.close(watched)


def _widen(*pipes: int) -> None:
    """Give pipes more room, for speed; beyond what a user may have they stay as they are."""
    import fcntl  # noqa: PLC0415  (not on every system; but neither is bubblewrap)

    for pipe in pipes:
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)


def _drained(descriptor: int) -> str:
    """Read all that was said so far; whole lines, since each is written at once."""
    said = b""
    try:
        while len(said) < PIPE_SIZE and (more := os.read(descriptor, MOST_SAID)):
            said += more
    except BlockingIOError:
        pass
    return said.decode("utf-8", "replace")
