"""Runs a command: feeds it, hears it, and ends it with all it started."""

from __future__ import annotations

import _signal  # the part of `signal` that is there anyway, without its enumerations
import os
import select
import time

from inspect_bubblewrap.inside.processes import KILL, bind_limits, bury_strays, set_dumpable, sweep
from inspect_bubblewrap.inside.scripts import become_python, is_plain_python

INTERRUPT, PROCESSOR_TIME = 2, 24
AT_ONCE = 1 << 16
GLANCE = 0.1
MOST_DESCRIPTORS = 1024


def run(request: list[bytes], limits: dict[str, int]) -> tuple[bytes, ...]:
    """Run a command, and say why it did not start or how it ended, and what it wrote."""
    seconds, most, cwd, given, stdin, arguments, variables = request
    argv = [part.decode("utf-8", "surrogateescape") for part in arguments.split(b"\0")]
    pairs = [part.decode("utf-8", "surrogateescape") for part in variables.split(b"\0") if part]
    env = dict(pair.split("=", 1) for pair in pairs)
    (inlet, into), (out, outlet), (err, errlet) = os.pipe(), os.pipe(), os.pipe()
    streams = [inlet, outlet, errlet]
    child, told = _start(argv, os.fsdecode(cwd), env, limits, streams)
    for stream in streams:
        os.close(stream)
    failure = os.read(told, 16)
    os.close(told)
    spoken = _Conversation(into, stdin if given else b"", out, err, int(most))
    ended, status = spoken.until_over(child, time.monotonic() + float(seconds))
    return failure or b"0", ended, str(status).encode(), spoken.heard(out), spoken.heard(err)


def _start(
    argv: list[str], cwd: str, env: dict[str, str], limits: dict[str, int], streams: list[int]
) -> tuple[int, int]:
    """Start a command in a child; return it, and a descriptor that tells why it did not start."""
    told, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        return child, told
    try:
        os.setsid()
        _signal.signal(INTERRUPT, _signal.default_int_handler)
        for place, stream in enumerate(streams):
            os.dup2(stream, place)
        # A fork keeps what an exec would drop, its own input's other end among it.
        os.closerange(len(streams), tell)
        os.closerange(tell + 1, MOST_DESCRIPTORS)
        os.chdir(cwd)
        os.environ.update(env)
        bind_limits(limits)
        if is_plain_python(argv, env):
            os.close(tell)
            set_dumpable(1)
            become_python(argv)
        os.execvpe(argv[0], argv, os.environ)
    except OSError as error:
        os.write(tell, str(error.errno).encode())
    finally:
        os._exit(127)


class _Conversation:
    """What goes into a command and what comes out of it, within a limit."""

    def __init__(self, into: int, stdin: bytes, out: int, err: int, most: int) -> None:
        self._into, self._left, self._most = into, memoryview(stdin), most
        self._parts: dict[int, list[bytes]] = {out: [], err: []}
        self._sizes = {out: 0, err: 0}
        self._waiting = select.poll()
        for stream in (into, out, err):
            os.set_blocking(stream, False)
        for stream in self._parts:
            self._waiting.register(stream, select.POLLIN)
        self._waiting.register(into, select.POLLOUT)
        if not self._left:
            self._hang_up()

    def heard(self, stream: int) -> bytes:
        """Return what a stream brought, up to the limit."""
        return b"".join(self._parts[stream])[: self._most]

    def until_over(self, child: int, deadline: float) -> tuple[bytes, int]:
        """Go on until the command ends or meets a limit; then end all; say how it ended."""
        watch = os.pidfd_open(child)
        self._waiting.register(watch, select.POLLIN)
        ended, alive = b"exit", True
        while alive and ended == b"exit":
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                ended = b"time"
            for stream, _ in self._waiting.poll(max(0.0, min(remaining, GLANCE)) * 1000):
                if stream == watch:
                    alive = False
                elif stream == self._into:
                    self._feed()
                elif not self._hear(stream):
                    self._waiting.unregister(stream)
            ended = b"output" if self._is_full() else ended
            bury_strays(child)
        code = KILL if alive else os.waitpid(child, 0)[1]
        sweep()
        for stream in self._parts:
            while ended == b"exit" and self._hear(stream):
                ended = b"output" if self._is_full() else ended
            os.close(stream)
        self._hang_up()
        os.close(watch)
        status = 128 + os.WTERMSIG(code) if os.WIFSIGNALED(code) else os.WEXITSTATUS(code)
        return (b"time" if status == 128 + PROCESSOR_TIME else ended), status

    def _is_full(self) -> bool:
        return max(self._sizes.values()) > self._most

    def _hear(self, stream: int) -> bool:
        """Read what a stream holds now; return whether there may be more."""
        try:
            part = os.read(stream, AT_ONCE)
        except BlockingIOError:
            return False
        if self._sizes[stream] <= self._most:
            self._parts[stream].append(part)
        self._sizes[stream] += len(part)
        return bool(part)

    def _feed(self) -> None:
        try:
            self._left = self._left[os.write(self._into, self._left[:AT_ONCE]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._left = self._left[:0]
        if not self._left:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._into >= 0:
            self._waiting.unregister(self._into)
            os.close(self._into)
            self._into = -1
