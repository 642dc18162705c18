"""Commands to start, and how much memory another process holds at its peak.

What the system tells of an ended child (`ru_maxrss`) begins with the memory of whoever started it.
The peak that a running process has under /proc is its own.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

PEAK = re.compile(r"VmHWM:\s+(\d+) kB")


COMMANDS = "COMMANDS_OF_TESTS"
"""The variable that names a folder of commands that need not import what takes long."""


def command(name: str = "whybench") -> str:
    """Return the path of a command: the installed one, or that of tests, which starts sooner.

    What is measured of the process itself (time, memory, what a kill leaves) asks a real one.
    """
    return str(Path(os.environ.get(COMMANDS) or Path(sys.executable).parent, name))


def children_cpu() -> float:
    """Return the seconds of CPU that all processes took that this one started and saw end."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def ended(process: subprocess.Popen[bytes], seconds: float = 3600.0) -> tuple[bool, float]:
    """Wait for a process, or kill it; say whether it ended in time, and its peak in MB."""
    deadline = time.monotonic() + seconds
    status = Path(f"/proc/{process.pid}/status")
    peak = 0
    while process.poll() is None:
        try:
            found = PEAK.search(status.read_text(encoding="ascii"))
        except OSError:  # it ended this very moment
            break
        peak = max(peak, int(found[1]) if found else 0)
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            return False, peak / 1024
        time.sleep(0.01)
    process.wait()
    return True, peak / 1024
