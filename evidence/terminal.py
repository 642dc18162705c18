"""What a command shows at a terminal of a given width."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

OF_THE_CALLER = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "INSPECT_DISPLAY"}
"""Variables that tell how the caller's own terminal shows things; a command does not get them."""


def run_at_terminal(
    command: Sequence[str],
    columns: int,
    folder: Path | str,
    environment: Mapping[str, str] | None = None,
    seconds: float = 300,
    errors: bool = True,
) -> tuple[int, str]:
    """Run a command in a pseudo-terminal; return its status and all that it wrote.

    Args:
        command: Words of the command.
        columns: The width of the terminal.
        folder: Where it runs.
        environment: Variables beside those of this process.
        seconds: How long it may take.
        errors: Whether standard error, with all progress, is the terminal too; else it is dropped.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in OF_THE_CALLER}
    settings = {**inherited, "TERM": "xterm-256color", **(environment or {})}
    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs if errors else subprocess.DEVNULL,
        cwd=folder,
        env=settings,
    )
    os.close(theirs)
    written = b""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ready, _, _ = select.select([ours], [], [], 0.2)
        try:
            if ready and not (part := os.read(ours, 65536)):
                break
        except OSError:  # the other end is closed
            break
        if ready:
            written += part
        elif process.poll() is not None:
            break
    os.close(ours)
    if process.poll() is None:
        process.kill()
    return process.wait(), written.decode("utf-8", "replace").replace("\r\n", "\n")
