"""Where monitors come from: one small process, of which every monitor is a fork.

To start an interpreter for each monitor would be a quarter of the time a sandbox takes to start. So
the program starts one, which has loaded the monitor and waits at a socket for what a monitor needs:
its arguments, and its descriptors. It ends when the program does, and its monitors with it.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from inspect_bubblewrap import bundle
from inspect_bubblewrap.outcome import SandboxError

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

MOST_SAID = 64
PATIENCE = 30.0
"""Seconds within which a monitor must have been forked, on however busy a machine."""


def make_memory_file(contents: bytes) -> int:
    """Return a descriptor of a file that is nowhere, with these contents."""
    made = os.memfd_create("sandbox")
    os.write(made, contents)
    os.lseek(made, 0, os.SEEK_SET)
    return made


class _ForkServer:
    """The process, and the socket at which it waits."""

    def __init__(self) -> None:
        import socket  # noqa: PLC0415  (what is needed of it is not on every system)

        self.door: socket.socket
        self.door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        program = make_memory_file(bundle.pack_monitor())
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", f"/proc/self/fd/{program}", str(theirs.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            pass_fds=(program, theirs.fileno()),
        )
        theirs.close()
        os.close(program)
        self.door.settimeout(PATIENCE)

    def close(self) -> None:
        self.door.close()
        self.process.wait()


_lock = threading.Lock()
_open: dict[int, _ForkServer] = {}
"""The fork server of this process; one that a parent had is not ours to use after a fork."""


def start_monitor(arguments: Sequence[str], descriptors: Sequence[int]) -> int:
    """Start a monitor; return its process.

    Args:
        arguments: Its arguments, in which a descriptor is called by its place among `descriptors`.
        descriptors: Its input, its output, its errors, and then whatever else it needs.
    """
    import socket  # noqa: PLC0415

    message = "\0".join(arguments).encode("utf-8", "surrogateescape")
    with _lock:
        here = _open.get(os.getpid())
        if here and here.process.poll() is not None:
            here.close()
            here = None
        if here is None:
            here = _open[os.getpid()] = _ForkServer()
        try:
            socket.send_fds(here.door, [message], list(descriptors))
            return int(here.door.recv(MOST_SAID))
        except (OSError, ValueError) as error:
            del _open[os.getpid()]
            here.close()
            raise SandboxError(f"no monitor could be started: {error}") from error


@atexit.register
def _close() -> None:
    here = _open.pop(os.getpid(), None)
    if here:
        here.close()
