"""The units of a plan, run by processes of this machine.

Every unit has a process to itself. One that dies is started again, up to a number of attempts; one
that fails with a reason is not, since the reason would be the same. If the driver dies its workers
end with it, and to run the plan again finishes what is left.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.sweep.quotas import FilePace, keep_quotas
from whybench.sweep.store import open_store
from whybench.sweep.worker import run_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from whybench.sweep.plan import Plan, Unit

__all__ = ["ATTEMPTS", "Work", "run_pool"]

ATTEMPTS = 5
POLL = 0.2
REFUSED = 2
"""The exit status of a worker that gave its reason: to run it again would not help."""


@dataclass(frozen=True)
class Work:
    """What a worker process is told: a unit and where things are."""

    unit: Unit
    plan: Plan
    folder: Path
    parent: int


def run_pool(
    plan: Plan,
    units: Sequence[Unit],
    folder: Path,
    processes: int,
    tell: Callable[[dict[str, str]], None],
) -> dict[str, str]:
    """Run units, so many at once, and return why the others failed, by name.

    Args:
        plan: Where logs go, and by which settings units are run.
        units: What to do.
        folder: Where the workers keep their logs.
        processes: How many at once.
        tell: Called now and then with the failures so far.
    """
    waiting = [(unit, 1) for unit in reversed(units)]
    running: list[tuple[Unit, int, subprocess.Popen[bytes]]] = []
    failed: dict[str, str] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                unit, attempt = waiting.pop()
                running.append((unit, attempt, _start(Work(unit, plan, folder, os.getpid()))))
            time.sleep(POLL)
            for unit, attempt, process in list(running):
                status = process.poll()
                if status is None:
                    continue
                running.remove((unit, attempt, process))
                if status not in {0, REFUSED} and attempt < ATTEMPTS:
                    waiting.append((unit, attempt + 1))
                elif status != 0:
                    said = _said(folder, unit).read_text(encoding="utf-8").strip()
                    failed[unit.name] = said.rpartition("\n")[2] or f"ended with status {status}"
            tell(failed)
    finally:
        for _, _, process in running:
            process.kill()
            process.wait()
    return failed


def _start(work: Work) -> subprocess.Popen[bytes]:
    said = _said(work.folder, work.unit)
    said.parent.mkdir(parents=True, exist_ok=True)
    with said.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(work))
    process.stdin.close()
    return process


def _said(folder: Path, unit: Unit) -> Path:
    """Return the file of what a worker says on standard error."""
    return folder / f"{unit.name}.txt"


def _main() -> int:
    """Do the work that standard input tells."""
    work: Work = pickle.load(sys.stdin.buffer)
    plan = work.plan
    keep_quotas(
        {
            provider: FilePace(work.folder / f"{provider}.pace", rate).reserve
            for provider, rate in plan.quotas.items()
        }
    )
    try:
        run_unit(
            work.unit,
            open_store(plan.output),
            work.folder,
            upload_every=plan.upload_every,
            settings=plan.settings,
            parent=work.parent,
        )
    except ValueError as error:  # a request that cannot be met
        print(error, file=sys.stderr)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(_main())
