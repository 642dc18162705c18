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

__all__ = ["run_at_terminal"]


def run_at_terminal(
    command: Sequence[str],
    columns: int,
    folder: Path | str,
    environment: Mapping[str, str] | None = None,
    seconds: float = 300,
) -> tuple[int, str]:
    """Run a command in a pseudo-terminal; return its status and all that it wrote."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    settings = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
    settings.pop("COLUMNS", None)
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=settings
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
