"""What the runner does to processes: binds them to limits, hides from them, ends them."""

from __future__ import annotations

import errno
import os

KILL = 9
PR_SET_DUMPABLE = 4


def set_dumpable(value: int) -> None:
    """Let other processes of this user look into this one's memory and descriptors, or not."""
    # What `ctypes` is made of: importing the whole would take a third of the time to start.
    import _ctypes

    prctl = _ctypes.dlsym(_ctypes.dlopen("", 0), "prctl")
    if _ctypes.call_function(prctl, (PR_SET_DUMPABLE, value, 0, 0, 0)):
        raise OSError(errno.EPERM, "cannot hide from other processes")


def bind_limits(limits: dict[str, int]) -> None:
    """Bind this process, and all it will start, to the limits for good."""
    import resource

    for name, value in limits.items():
        place = getattr(resource, f"RLIMIT_{name}")
        _, hard = resource.getrlimit(place)
        # A second between the two lets the first be a signal that tells what it was.
        wanted = (value, value + (name == "CPU"))
        bounded = wanted if hard == resource.RLIM_INFINITY else tuple(min(w, hard) for w in wanted)
        resource.setrlimit(place, (bounded[0], bounded[1]))


def sweep() -> None:
    """End every other process in the sandbox, and wait until they are gone."""
    try:
        os.kill(-1, KILL)
    except ProcessLookupError:
        pass
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def bury_strays(child: int) -> None:
    """Bury ended processes whose parents are gone, which would count as living ones."""
    while True:
        try:
            found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if found is None or found.si_pid == child:
            return
        os.waitpid(found.si_pid, 0)
