"""What a call costs in processor time and in log, with a real server, and what many calls come to.

Two runs of different length are compared, so that starting up does not count. The server is on this
machine and answers at once; its own time is not counted either.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.fault_server import MODEL, FaultServer
from evidence.figures import Figure, Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 60_000_000
"""A thousand models, and all suites."""
HOUR, GIGABYTE = 3600.0, 1e9
GROUP = 20


@dataclass(frozen=True)
class Cost:
    """What a call costs: processor seconds, and bytes of log."""

    seconds: float
    log: float

    def of(self, calls: int) -> str:
        """Say what so many calls come to."""
        hours, size = calls * self.seconds / HOUR, calls * self.log / GIGABYTE
        return (
            f"{hours:.0f} core-hours and {size:.0f} GB of logs ({1000 * self.seconds:.1f} ms and "
            f"{self.log:.0f} bytes a call)"
        )


def cost_of_calls(few: int, many: int, group: int) -> Cost:
    """Ask judge few and many questions, so many a sample, and return what each more costs."""
    seconds, log = zip(*(_run(calls, group) for calls in (few, many)), strict=True)
    more = many - few
    return Cost((seconds[1] - seconds[0]) / more, (log[1] - log[0]) / more)


def _run(calls: int, group: int) -> tuple[float, int]:
    """Return the processor seconds of a run, and the size of its log."""
    whybench = str(Path(sys.executable).with_name("whybench"))
    with FaultServer() as server, tempfile.TemporaryDirectory() as folder:
        command = [whybench, "run", "judge", "--json", "--design", "full", "-T", "style=direct"]
        command += ["--model", MODEL, "--limit", str(calls // group), "--group", str(group)]
        process = subprocess.Popen(
            [*command, "--log-dir", folder, "--max-connections", "20"],
            env={**os.environ, **server.environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        asked = len(server.calls())
        if process.returncode or asked != calls:
            raise RuntimeError(f"{calls} calls must be made, got {asked}, status {status}")
        size = sum(log.stat().st_size for log in Path(folder).glob("*.eval"))
    return used.ru_utime + used.ru_stime, size


def costs(small: bool) -> Iterator[Figure]:
    """Yield what many calls come to, one question a sample and twenty."""
    few, many = (100, 400) if small else (200, 3200)
    for group, most in ((1, Cost(0.024, 4000)), (GROUP, Cost(0.016, 1200))):
        found = cost_of_calls(few, many, group)
        # A few hundred calls are too short to be timed well beside starting up.
        slack = 2 if small else 1
        yield Figure(
            f"{MANY // 10**6} million calls, {group} a sample, take at most "
            f"{MANY * most.seconds / HOUR:.0f} core-hours",
            found.of(MANY),
            0 < found.seconds <= most.seconds * slack,
            timed=True,
        )
        yield Figure(
            f"{MANY // 10**6} million calls, {group} a sample, write at most "
            f"{MANY * most.log / GIGABYTE:.0f} GB of logs",
            found.of(MANY),
            0 < found.log <= most.log,
        )


PARTS: Parts = {"costs": costs}
