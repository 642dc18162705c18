"""Units run by processes of this machine.

Every unit has its own process. A process that dies is started again, up to a number of
attempts; a unit that fails with a reason is not, since the reason would be the same. If the driver
dies its workers end with it, and the same command resumes.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from whybench.errors import SIGNALS, Interrupted, StoppedError
from whybench.evaluation.quotas import enforce_file_quotas
from whybench.evaluation.runner import work_on
from whybench.evaluation.stopping import signals_raise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whybench.evaluation.runner import RunOptions
    from whybench.evaluation.units import Unit

ATTEMPTS = 5
POLL_INTERVAL = 0.2
REFUSED = 2
"""The exit status of a worker that gave its reason."""

GAVE_REASON = frozenset({REFUSED, *(128 + number for number in SIGNALS)})
"""Statuses of workers that gave a reason or were asked to stop, and are not started again."""

PATIENCE = 20.0
"""Seconds that workers have to stop, once they are asked."""


def run_pool(
    units: Sequence[Unit],
    options: RunOptions,
    workers: int,
    report: Callable[[dict[str, str]], None],
) -> dict[str, str]:
    """Run units, some at once, and return why units failed, by their places.

    SIGINT, SIGTERM and SIGHUP ask the workers to stop; those that have not after `PATIENCE`
    seconds are killed, and after a second SIGINT at once.

    Args:
        units: The units.
        options: Where they are run.
        workers: The number of processes.
        report: Called now and then with the failures so far.

    Raises:
        Interrupted: A signal ended it.
    """
    waiting = [(unit, 1) for unit in reversed(units)]
    running: list[tuple[Unit, int, subprocess.Popen[bytes]]] = []
    failed: dict[str, str] = {}
    try:
        with signals_raise():
            while waiting or running:
                while waiting and len(running) < workers:
                    unit, attempt = waiting.pop()
                    running.append((unit, attempt, _start(unit, options)))
                time.sleep(POLL_INTERVAL)
                for unit, attempt, process in list(running):
                    status = process.poll()
                    if status is None:
                        continue
                    running.remove((unit, attempt, process))
                    if status not in {0, *GAVE_REASON} and attempt < ATTEMPTS:
                        waiting.append((unit, attempt + 1))
                    elif status != 0:
                        failed[unit.place] = _read_reason(unit, options, status)
                report(failed)
    finally:
        _stop([process for _, _, process in running])
    return failed


def _stop(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask workers to stop, and kill those that do not."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + PATIENCE
    try:
        with signals_raise():
            for process in processes:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.0, deadline - time.monotonic()))
    except KeyboardInterrupt:  # a second one: at once
        pass
    for process in processes:
        process.kill()
        process.wait()


def _read_reason(unit: Unit, options: RunOptions, status: int) -> str:
    """Return why a worker ended, from its standard error."""
    errors = _error_file(unit, options).read_text(encoding="utf-8", errors="replace").strip()
    return errors.rpartition("\n")[2] or f"ended with status {status}"


def _start(unit: Unit, options: RunOptions) -> subprocess.Popen[bytes]:
    path = _error_file(unit, options)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            process_group=0,  # Ctrl-C reaches the driver alone, which asks its workers to stop
        )
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it has died already, and is started again
        process.stdin.write(pickle.dumps((unit, options, os.getpid())))
        process.stdin.close()
    return process


def _error_file(unit: Unit, options: RunOptions) -> Path:
    """Return the file of a worker's standard error."""
    return Path(options.base, "workers", f"{unit.number}.txt")


def run_worker(unit: Unit, options: RunOptions, parent: int | None = None) -> int:
    """Run a unit as a process of this machine within quotas, and return the status to exit with.

    Args:
        unit: The unit.
        options: Where it is run.
        parent: The process without which this one must not go on.
    """
    enforce_file_quotas(Path(options.base), options.quotas)
    try:
        work_on(unit, options, parent)
    except (ValueError, StoppedError) as error:  # a request that cannot be met, or makes no sense
        print(error, file=sys.stderr)
        return REFUSED
    except Interrupted as error:
        print("was interrupted", file=sys.stderr)
        return 128 + error.signal
    return 0


WORKER = (
    "import pickle, sys; from whybench.evaluation.pool import run_worker; "
    "sys.exit(run_worker(*pickle.load(sys.stdin.buffer)))"
)
"""The program of a worker process, which reads its unit from standard input."""
