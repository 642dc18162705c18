"""Running units: one after the other in this process, or a single one as a worker.

A unit whose logs stay where they are written is an eval set and nothing else. Where its output is
elsewhere, it starts from the last upload if that is newer, uploads its log after a number of
samples, and once more at the end. Its note in the store has the progress; only answers that are
proved from the log count as answered.

A worker that gets a signal stops in order: its answers are written and uploaded. A worker that was
killed is run again. It repeats the samples that were in flight or not yet written; on another
machine, those since the last upload.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.engine import Ended, cap_replies, check_model, evaluate, hold_file
from whybench.evaluation.progress import Progress, planned_samples, read_progress
from whybench.evaluation.spending import watch_spending
from whybench.evaluation.states import explain_progress, read_state
from whybench.evaluation.stopping import raise_stopped
from whybench.evaluation.store import LOG, Store, open_store
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.evaluation.units import Unit
    from whybench.planning.prices import Prices

UPLOAD_INTERVAL = 500
"""Samples between uploads. Each sends the whole log, so more would cost more than they save."""

WRITE_INTERVAL = 100
"""Samples between two writes of a worker's log."""

POLL_INTERVAL = 0.25
LOCK_SECONDS = 30.0
"""Seconds that a worker waits for another one that holds its unit, such as one that is ending."""


@dataclass(frozen=True)
class RunOptions:
    """Where units are run, and by which limits.

    Attributes:
        output: A folder or an address of fsspec's.
        work: The folder for logs until they are uploaded; None to write them into the output.
        upload_interval: Samples between two uploads of a log.
        quotas: Calls a second by provider, of all workers together.
        max_cost: US dollars, of all workers that share a folder; at the limit they stop.
        prices: The prices of tokens; None for those that are known.
        keep_errors: Whether samples that end in an error are accepted.
    """

    output: str
    work: Path | None = None
    upload_interval: int = UPLOAD_INTERVAL
    quotas: Mapping[str, float] = field(default_factory=dict)
    max_cost: float | None = None
    prices: Prices | None = None
    keep_errors: bool = False

    @property
    def base(self) -> str:
        """The folder in which logs are written, and the account of spending."""
        return self.output if self.work is None else str(self.work)

    def log_dir(self, unit: Unit) -> str:
        """Return the folder in which the log of a unit is written."""
        return "/".join(filter(None, (self.base, unit.place)))


def run_units(
    units: Sequence[Unit],
    options: RunOptions,
    store: Store | None = None,
    tasks: Mapping[str, Any] | None = None,
    folder: str = "output",
) -> list[str]:
    """Run units in this process; return why units are incomplete, nothing if all are complete.

    Args:
        units: The units.
        options: Where they are run.
        store: Where notes on them go; None for no notes.
        tasks: Inspect tasks of units, by digest, where they are there already.
        folder: The caller's argument that names the output, for messages.

    Raises:
        StoppedError: Further calls made no sense; the message has the reason and the progress.
        Interrupted: A signal ended it in order.
    """
    reasons = []
    for number, unit in enumerate(units, start=1):
        place = f"{number} of {len(units)}: " if len(units) > 1 else ""
        task = (tasks or {}).get(unit.digest) or unit.build_task()
        label = place + unit.label
        ended = run_unit(unit, task, options, store, label=label, folder=folder)
        if ended.stopped:
            raise_stopped(ended.stopped, _explain_all(units, options, store))
        if ended.reason:
            reasons.append(f"{unit.label}: {ended.reason}" if place else ended.reason)
    return reasons


def work_on(unit: Unit, options: RunOptions, parent: int | None = None) -> None:
    """Run one unit as a worker, unless it is complete already.

    Args:
        unit: The unit.
        options: Where it is run.
        parent: The process without which this one must not go on.

    Raises:
        UserError: Samples are missing, or ended in an error.
        StoppedError: Further calls made no sense.
        Interrupted: A signal ended it in order.
    """
    store = open_store(options.output)
    if read_state(unit, store).progress.accepted(options.keep_errors):
        return
    check_model(unit.model, unit.args)
    task = unit.build_task()
    with watch_spending(options.base, options.max_cost, options.prices, {unit.model: ()}):
        ended = run_unit(unit, task, options, store, parent=parent)
    if ended.stopped:
        raise_stopped(ended.stopped, f"{unit.label}: {ended.progress}")
    if ended.reason:
        raise UserError(f"{unit.label}: {ended.reason}")


def run_unit(
    unit: Unit,
    task: Any,
    options: RunOptions,
    store: Store | None = None,
    *,
    label: str = "",
    folder: str = "output",
    parent: int | None = None,
) -> Ended:
    """Run a unit to its end, and return how it ended.

    Args:
        unit: The unit.
        task: Its Inspect task.
        options: Where it is run.
        store: Where its note goes, and its log if it is uploaded; None for neither.
        label: Who is asked what, for the line that shows the progress; empty for a worker.
        folder: The caller's argument that names the output, for messages.
        parent: The process without which this one must not go on.
    """
    own = options.log_dir(unit)
    uploads = store is not None and options.work is not None
    given = dict(unit.settings)
    if not label:
        often = min(WRITE_INTERVAL, options.upload_interval)
        given = {"log_buffer": often, **given, "display": "none"}
    patience = 0.0 if label else LOCK_SECONDS
    with hold_file(f"{own}.lock", patience) if uploads else nullcontext():
        noting = None
        if store is not None:
            noting = _Noting(unit, store, Path(own), uploads, options.upload_interval)
            noting.start(read_progress(own, _planned(unit, task, own)))
        with noting.repeat(parent) if noting else nullcontext():
            suite, design = get_suite(unit.ask.suite), unit.ask.choose_design()
            ended = evaluate(
                task,
                folder=folder,
                label=label,
                keep_errors=options.keep_errors,
                ended=noting.count if noting else None,
                patience=patience,
                model=unit.model,
                limit=unit.limit,
                epochs=unit.ask.epochs,
                log_dir=own,
                **cap_replies(given, suite, design, unit.model, own),
            )
        if noting:
            reason = ended.stopped.reason if ended.stopped else ended.reason
            noting.write(ended.progress, reason=reason)
    return ended


def _planned(unit: Unit, task: Any, folder: str) -> set[tuple[str, int]]:
    return planned_samples(task, unit.limit, unit.ask.epochs, folder)


def _read_unit(unit: Unit, folder: str) -> Progress:
    return read_progress(folder, _planned(unit, unit.build_task(), folder))


def _explain_all(units: Sequence[Unit], options: RunOptions, store: Store | None) -> str:
    """Return how far each model is in each suite, by its notes or else by its logs."""
    return explain_progress(
        (
            unit,
            read_state(unit, store).progress if store else _read_unit(unit, options.log_dir(unit)),
        )
        for unit in units
    )


class _Noting:
    """Keeps the note of a unit, and its uploaded logs, up to date while it runs.

    Args:
        unit: The unit.
        store: Where notes and uploads go.
        own: The folder in which this process writes the log.
        uploads: Whether the log is uploaded.
        interval: Samples between two uploads.
    """

    def __init__(self, unit: Unit, store: Store, own: Path, uploads: bool, interval: int) -> None:
        self.unit, self.store, self.own = unit, store, own
        self.uploads, self.interval = uploads, interval
        self.before = Progress(0)
        self.ended = self.noted = 0
        self.seen: dict[str, float] = {}
        self.here = f"{socket.gethostname()}:{own.resolve()}"
        if uploads:
            last = store.read_note(unit).get("folder")
            if last not in {None, self.here}:  # the log that is here is older
                shutil.rmtree(own, ignore_errors=True)
                store.download(unit, own)
            # A time that no file has, so that every file counts as changed.
            self.seen = {path.rpartition("/")[2]: 0.0 for path in store.logs(unit)}

    def start(self, before: Progress) -> None:
        """Note the answers of earlier runs."""
        self.before = before
        self.write(before)

    def count(self, _error: str | None) -> None:
        """Count a sample that ended."""
        self.ended += 1

    def write(self, progress: Progress, more: int = 0, reason: str = "") -> None:
        """Write the note.

        Args:
            progress: The samples as the log has them.
            more: Samples that ended since then.
            reason: Why the unit is incomplete.
        """
        note = {
            "unit": self.unit.digest,
            "answered": progress.answered,
            "planned": progress.planned,
            "errors": progress.failed,
            "ended": progress.answered + more,
            "asked": self.ended,
            "reason": reason,
            "folder": self.here,
            "pid": os.getpid(),
        }
        self.store.write_note(self.unit, note)

    def update(self) -> None:
        """Upload the logs that have changed, remove those that are gone, and note the progress."""
        ended = self.ended
        logs = {path.name: path.stat().st_mtime for path in self.own.glob(f"*{LOG}")}
        changed = [name for name, when in logs.items() if self.seen.get(name) != when]
        if self.uploads:
            for name in changed:
                self.store.upload(self.own / name, self.unit.place)
            for name in set(self.seen) - set(logs):
                self.store.remove_log(self.unit, name)
        self.seen = logs
        if changed:
            self.noted = ended
            # Whether these ended without an error is known at the end, from the log.
            self.write(self.before, more=ended)

    @contextmanager
    def repeat(self, parent: int | None) -> Iterator[None]:
        """Update again and again until the block ends, and then once more."""
        stop = threading.Event()

        def watch() -> None:
            while not stop.wait(POLL_INTERVAL):
                if parent is not None and os.getppid() != parent:
                    os._exit(1)  # no process would ever read the answers of this one
                if self.ended - self.noted >= self.interval:
                    self.update()

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield
        finally:
            stop.set()
            watching.join()
            self.update()
