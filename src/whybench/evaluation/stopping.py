"""Ending an evaluation before its end, in order.

While `stoppable` is entered, SIGINT, SIGTERM and SIGHUP end what Inspect is running, as does a call
of `stop`: no call begins any more, what was answered is written to the log, and samples in flight
are left for the next time. A second SIGINT ends the process at once.

What goes on is told by one hook of Inspect's: where an evaluation runs, and how each sample ended.
When the first samples all fail alike, the evaluation is stopped: the rest would fail as well.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from whybench.errors import SIGNALS, Interrupted, StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

FIRST_FAILURES = 5
"""How many samples at the start must fail, all alike, before the rest is not tried."""


@dataclass(frozen=True)
class Stop:
    """Why an evaluation was ended.

    Attributes:
        reason: In words.
        signal: The signal that asked for it, if one did.
    """

    reason: str
    signal: int | None = None

    @classmethod
    def by_signal(cls, number: int) -> Stop:
        """Return the stop that a signal asks for."""
        return cls("interrupted", number)


@dataclass
class Evaluation:
    """An evaluation that is going on.

    Attributes:
        keep_errors: Whether samples that fail are accepted, however many.
        ended: Called after each sample, with its error or None.
        answered: Samples that ended without an error.
        failed: Those that ended with one.
        stopped: Why it was stopped, if it was.
    """

    keep_errors: bool = False
    ended: Callable[[str | None], None] = lambda _: None
    answered: int = 0
    failed: int = 0
    stopped: Stop | None = None
    _attempts: int = 0
    _kinds: set[str] = field(default_factory=set)
    _task: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def stop(self, why: Stop) -> None:
        """End it; only the first reason counts."""
        if self.stopped is None:
            self.stopped = why
        self._cancel()

    def starts_here(self) -> None:
        """Note that it runs in the current task."""
        with suppress(RuntimeError):  # another kind of event loop
            loop = asyncio.get_running_loop()
            task = asyncio.current_task()
            self._task = None if task is None else (loop, task)
        if self.stopped is not None:
            self._cancel()

    def sample_ended(self, error: str | None, final: bool) -> None:
        """Count an attempt at a sample, and stop if all that were made failed alike."""
        if self.stopped is not None:
            return  # cancelled rather than failed
        if error is None:
            self.answered += 1
        else:
            self.failed += final
            self._kinds.add(_kind(error))
        if final:
            self.ended(error)
        self._attempts += 1
        hopeless = not self.answered and self._attempts >= FIRST_FAILURES and len(self._kinds) == 1
        if hopeless and not self.keep_errors:
            self.stop(Stop(f"the first {self._attempts} calls all failed: {error}"))

    @property
    def running(self) -> bool:
        """Whether Inspect is at work."""
        return self._task is not None and not self._task[1].done()

    def _cancel(self) -> None:
        if self.running and self._task is not None:
            loop, task = self._task
            loop.call_soon_threadsafe(task.cancel)


_current: list[Evaluation] = []
"""The evaluation of this process; Inspect runs one at a time."""


def stop(reason: str) -> None:
    """End the evaluation of this process in order, for a reason that its user is told."""
    if _current:
        _current[-1].stop(Stop(reason))


def raise_stopped(why: Stop, progress: str) -> NoReturn:
    """Raise what tells that asking was ended, how far it is, and that it can be gone on with.

    Raises:
        Interrupted: A signal ended it.
        StoppedError: Something else did.
    """
    go_on = "Run the same command again to resume."
    if why.signal is not None:
        raise Interrupted(why.signal, f"Stopped: {progress}. {go_on}")
    said = "to resume" in why.reason
    raise StoppedError(f"Stopped, since {why.reason}. {progress}." + ("" if said else f" {go_on}"))


@contextmanager
def stoppable(evaluation: Evaluation) -> Iterator[None]:
    """Let signals and `stop` end an evaluation while the block runs.

    Raises:
        Interrupted: A signal came while Inspect was not at work.
    """
    _listen()
    _current.append(evaluation)

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        if number == signal.SIGINT and evaluation.stopped is not None:
            _end_now(number)
        running = evaluation.running
        evaluation.stop(Stop.by_signal(number))
        if not running:
            raise Interrupted(number)

    before = _take_signals(on_signal)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _current.remove(evaluation)


@contextmanager
def signals_raise() -> Iterator[None]:
    """Let every signal that asks for the end raise `Interrupted` while the block runs."""
    came: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        came.append(number)
        raise Interrupted(number)

    before = _take_signals(on_signal)
    try:
        yield
    except KeyboardInterrupt:  # a library may have raised its own in place of ours
        raise Interrupted(came[-1] if came else signal.SIGINT) from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _take_signals(handler: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Handle the signals that are not ignored; return what handled them before."""
    if threading.current_thread() is not threading.main_thread():
        return {}  # signals reach the main thread alone
    taken = {}
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            taken[int(number)] = signal.signal(number, handler)
    return taken


def _end_now(number: int) -> None:
    """End the process without waiting for anything."""
    with suppress(OSError, ValueError):
        show_cursor = "\x1b[?25h" if sys.stderr.isatty() else ""
        print(
            f"{show_cursor}\nEnded at once. Run the same command again to resume.", file=sys.stderr
        )
        sys.stderr.flush()
    os._exit(128 + number)


def _kind(error: str) -> str:
    """Return what an error has in common with its like: without numbers and ids."""
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", error.lower())[:200]


_listening: list[type] = []
"""The hook, once it is registered; Inspect keeps it for the life of a process."""


def _listen() -> None:
    """Register the hook that tells what goes on."""
    if _listening:
        return
    from inspect_ai.hooks import Hooks, RunStart, SampleAttemptEnd, hooks  # noqa: PLC0415

    @hooks(name="whybench_evaluation", description="Tells how far a run is, and can stop it")
    class _Tell(Hooks):  # Inspect registers the class when it is defined
        def enabled(self) -> bool:
            return bool(_current)

        async def on_run_start(self, data: RunStart) -> None:  # noqa: ARG002
            _current[-1].starts_here()

        async def on_sample_attempt_end(self, data: SampleAttemptEnd) -> None:
            error = None if data.error is None else data.error.message
            _current[-1].sample_ended(error, not data.will_retry)

    _listening.append(_Tell)
