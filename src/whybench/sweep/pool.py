"""The units of a plan, run by processes of this machine.

Every unit has a process to itself. One that dies is started again, up to a number of attempts; one
that fails with a reason is not, since the reason would be the same. If the driver dies its workers
end with it, and to run the plan again finishes what is left.

All workers of a sweep share the quota of a provider, in calls a second. A call waits for its slot,
and slots lie evenly in time, a little farther apart than the quota asks for: a worker that was held
up makes its late calls at once, and these must still fit into the quota. Retries wait for slots as
first calls do. Slots are kept in a locked file on one machine (`FileRateLimiter`), and by an actor
of Ray's on several (`cluster`).
"""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.errors import SIGNALS, Interrupted, StoppedError
from whybench.evaluation.stopping import signals_raise
from whybench.sweep.store import open_store
from whybench.sweep.worker import run_unit

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from inspect_ai.hooks import BeforeModelGenerate

    from whybench.sweep.plan import SweepPlan, Unit

MARGIN = 1.03
"""By how much slots are farther apart than the quota asks for."""


MOST_WAITING = 10_000
"""More calls than can wait for slots at once, all workers together."""


class RateLimiter:
    """Reserves the slots of one provider.

    Args:
        rate: Calls a second.
    """

    def __init__(self, rate: float) -> None:
        self.interval = MARGIN / rate
        self.free = 0.0

    def reserve(self, now: float | None = None) -> float:
        """Take the next slot, and return how many seconds from now it is."""
        now = time.time() if now is None else now
        if self.free > now + MOST_WAITING * self.interval:
            self.free = now  # the clock was set back: no such number of calls can be waiting
        slot = max(now, self.free)
        self.free = slot + self.interval
        return slot - now


class FileRateLimiter:
    """Reserves slots for the processes of one machine, through a locked file.

    Args:
        path: The file; what it holds is when the next slot is.
        rate: Calls a second.
    """

    def __init__(self, path: Path, rate: float) -> None:
        self.path, self.rate = path, rate
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    async def reserve(self) -> float:
        """Take the next slot, and return how many seconds from now it is."""
        import fcntl  # noqa: PLC0415  (not on every system)

        with self.path.open("r+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            limiter = RateLimiter(self.rate)
            limiter.free = float(file.read() or 0)
            wait = limiter.reserve()
            file.seek(0)
            file.write(f"{limiter.free:.6f}")
            file.truncate()
        return wait


def enforce_quotas(reserves: Mapping[str, Callable[[], Awaitable[float]]]) -> None:
    """Make every model call of this process wait for its slot.

    Args:
        reserves: Provider to what takes a slot and tells how long to wait for it.
    """
    if not reserves:
        return
    from inspect_ai.hooks import Hooks, hooks  # noqa: PLC0415  (importing Inspect takes seconds)

    @hooks(name="whybench_quotas", description="Waits before calls, to stay within quotas")
    class _Quotas(Hooks):  # Inspect registers the class when it is defined
        async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
            reserve = reserves.get(data.model_name.partition("/")[0])
            if reserve is not None:
                await asyncio.sleep(await reserve())


ATTEMPTS = 5
POLL = 0.2
REFUSED = 2
"""The exit status of a worker that gave its reason."""

GAVE_REASON = frozenset({REFUSED, *(128 + number for number in SIGNALS)})
"""Statuses of workers that gave a reason or were asked to stop: not to be run again by itself."""

PATIENCE = 20.0
"""Seconds that workers have to stop, once they are asked."""


@dataclass(frozen=True)
class Work:
    """What a worker process gets: a unit and where things are."""

    unit: Unit
    plan: SweepPlan
    folder: Path
    parent: int
    keep_errors: bool


def run_units(
    plan: SweepPlan,
    units: Sequence[Unit],
    folder: Path,
    report: Callable[[dict[str, str]], None],
    processes: int | None = None,
    address: str | None = None,
    keep_errors: bool = False,
) -> dict[str, str]:
    """Run units, here or where a cluster has an address, and return why units failed, by name."""
    if not units:
        return {}
    if address is None:
        at_once = processes or os.cpu_count() or 1
        return run_pool(plan, units, folder, at_once, report, keep_errors)
    from whybench.sweep.cluster import run_cluster  # noqa: PLC0415  (imports this module)

    return run_cluster(plan, units, folder, address, report, keep_errors)


def run_pool(
    plan: SweepPlan,
    units: Sequence[Unit],
    folder: Path,
    processes: int,
    report: Callable[[dict[str, str]], None],
    keep_errors: bool = False,
) -> dict[str, str]:
    """Run units, some at once, and return why units failed, by name.

    SIGINT, SIGTERM and SIGHUP ask the workers to stop; those that have not after `PATIENCE`
    seconds are killed, and after a second SIGINT at once.

    Args:
        plan: Where logs go, and by which settings units are run.
        units: What to do.
        folder: Where the workers keep their logs.
        processes: How many at once.
        report: Called now and then with the failures so far.
        keep_errors: Accept samples that end in an error.

    Raises:
        Interrupted: A signal ended it.
    """
    waiting = [(unit, 1) for unit in reversed(units)]
    running: list[tuple[Unit, int, subprocess.Popen[bytes]]] = []
    failed: dict[str, str] = {}
    try:
        with signals_raise():
            while waiting or running:
                while waiting and len(running) < processes:
                    unit, attempt = waiting.pop()
                    work = Work(unit, plan, folder, os.getpid(), keep_errors)
                    running.append((unit, attempt, _start(work)))
                time.sleep(POLL)
                for unit, attempt, process in list(running):
                    status = process.poll()
                    if status is None:
                        continue
                    running.remove((unit, attempt, process))
                    if status not in {0, *GAVE_REASON} and attempt < ATTEMPTS:
                        waiting.append((unit, attempt + 1))
                    elif status != 0:
                        failed[unit.name] = _last_words(folder, unit, status)
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


def _last_words(folder: Path, unit: Unit, status: int) -> str:
    """Return why a worker ended, from its standard error."""
    errors = _error_file(folder, unit).read_text(encoding="utf-8", errors="replace").strip()
    return errors.rpartition("\n")[2] or f"ended with status {status}"


def _start(work: Work) -> subprocess.Popen[bytes]:
    path = _error_file(work.folder, work.unit)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            process_group=0,  # Ctrl-C reaches the driver alone, which asks its workers to stop
        )
    assert process.stdin is not None
    process.stdin.write(pickle.dumps(work))
    process.stdin.close()
    return process


def _error_file(folder: Path, unit: Unit) -> Path:
    """Return the file of a worker's standard error."""
    return folder / f"{unit.name}.txt"


def _main() -> int:
    """Do the work that is pickled in standard input."""
    work: Work = pickle.load(sys.stdin.buffer)
    plan = work.plan
    enforce_quotas(
        {
            provider: FileRateLimiter(work.folder / f"{provider}.limiter", rate).reserve
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
            keep_errors=work.keep_errors,
            max_cost=plan.max_cost,
            parent=work.parent,
        )
    except (ValueError, StoppedError) as error:  # a request that cannot be met, or makes no sense
        print(error, file=sys.stderr)
        return REFUSED
    except Interrupted as error:
        print("was interrupted", file=sys.stderr)
        return 128 + error.signal
    return 0


if __name__ == "__main__":
    sys.exit(_main())
