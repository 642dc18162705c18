"""One unit of work, from its last upload to its end.

A worker has a folder of its own for the log. It starts from what is there, else from what was last
uploaded, and Inspect's `eval_set` asks what is missing. While it runs, the log is uploaded after
a number of samples, and once more at the end. Then the unit is marked as done, if its log proves
that every sample was answered.

Run again, a unit that is done costs nothing. A worker that is asked to stop, by a signal, does so
in order: what it has is written and uploaded. A worker that was killed is simply run again: it
repeats the samples that were in flight or not yet written; on another machine, those since the last
upload.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.engine import build_task, cap_replies, check_model, evaluate
from whybench.evaluation.progress import Progress, planned_samples, read_progress
from whybench.evaluation.spending import watch_spending
from whybench.evaluation.stopping import raise_stopped
from whybench.suites.registry import get_suite
from whybench.sweep.store import DONE, LOG, PROGRESS, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from whybench.sweep.plan import Unit

WRITE_EVERY = 100
"""Samples between two writes of the local log, which cost less than uploads."""
POLL = 0.25
LOCK_SECONDS = 30


@dataclass
class _Uploading:
    """What of a unit was uploaded, as its own process knows it.

    Attributes:
        ended: Samples that ended in this run.
        uploaded_at: How many of these there were at the last upload.
        seen: The logs that were uploaded, and when they had been written.
    """

    ended: int = 0
    uploaded_at: int = 0
    seen: dict[str, float] = field(default_factory=dict)


def run_unit(
    unit: Unit,
    store: Store,
    folder: Path,
    *,
    upload_every: int,
    settings: Mapping[str, Any],
    keep_errors: bool = False,
    max_cost: float | None = None,
    parent: int | None = None,
) -> dict[str, Any]:
    """Run a unit to its end, unless it is complete already, and return how far it is.

    Args:
        unit: What to do.
        store: Where its log goes.
        folder: Where workers of this machine keep logs.
        upload_every: Samples between uploads.
        settings: Further settings of Inspect's.
        keep_errors: Accept samples that end in an error.
        max_cost: US dollars, of all workers of this folder together.
        parent: The process without which this one must not go on.

    Raises:
        UserError: Samples are missing, or ended in an error; says why.
        StoppedError: Asking made no sense any more.
        Interrupted: A signal ended it in order.
    """
    finished = store.read_note(unit.name, DONE)
    if finished is not None and unit_progress(unit, finished).accepted(keep_errors):
        return finished
    own = folder / unit.name
    with _locked(folder / f"{unit.name}.lock"):
        task = _task(unit)
        planned = planned_samples(task, unit.ask.limit, unit.ask.epochs)
        uploading = _start(unit, store, own)
        before = read_progress(own, planned)
        store.write_note(unit.name, PROGRESS, _note(before, own))
        began = time.time()
        with _uploads(unit, store, own, before, uploading, upload_every, parent):
            how = cap_replies(
                settings, get_suite(unit.ask.suite), unit.ask.choose_design(), unit.model, own
            )
            with watch_spending(folder, max_cost, None, {unit.model: ()}):
                ended = evaluate(
                    task,
                    folder="output",
                    keep_errors=keep_errors,
                    ended=partial(_count, uploading),
                    model=unit.model,
                    model_args=dict(unit.args),
                    epochs=unit.ask.epochs,
                    limit=unit.ask.limit,
                    log_dir=str(own),
                    log_buffer=min(WRITE_EVERY, upload_every),
                    **{"display": "none", **how},
                )
        note = _note(ended.progress, own)
        if ended.stopped:
            why = ended.stopped.reason
            store.write_note(unit.name, PROGRESS, {**note, "failed": why})
            raise_stopped(ended.stopped, f"{unit.name} {ended.progress}")
        if ended.reason:
            store.write_note(unit.name, PROGRESS, {**note, "failed": ended.reason})
            raise UserError(f"{unit.name}: {ended.reason}")
        result = {**note, "asked": uploading.ended, "seconds": time.time() - began}
        store.write_note(unit.name, DONE, result)
    return result


def unit_progress(unit: Unit, note: Mapping[str, Any]) -> Progress:
    """Return how far a unit is by a note about it; one that does not prove it says nothing."""
    planned = unit.samples * unit.ask.epochs
    errors = Counter({str(note.get("failed", "")): int(note.get("errors", 0))})
    return Progress(planned, int(note.get("answered", 0)), +errors)


def _start(unit: Unit, store: Store, own: Path) -> _Uploading:
    """Make the folder hold the latest log there is.

    If the last upload came from elsewhere, what is here is older.
    """
    last = store.read_note(unit.name, PROGRESS)
    if last is not None and last.get("folder") != _here(own):
        shutil.rmtree(own, ignore_errors=True)
        store.download(unit.name, own)
    # A time that no file has, so that whatever is here counts as changed.
    return _Uploading(seen={path.rpartition("/")[2]: 0.0 for path in store.logs(unit.name)})


def _count(uploading: _Uploading, error: str | None) -> None:  # noqa: ARG001
    uploading.ended += 1


def _here(own: Path) -> str:
    return f"{socket.gethostname()}:{own.resolve()}"


def _task(unit: Unit) -> Any:
    """Return the task of a unit; the model is opened too, so that a wrong name shows at once."""
    check_model(unit.model, unit.args)
    group = {"group": unit.ask.group} if unit.ask.group else {}
    task_args = {**unit.ask.design, "shard": unit.shard, **group}
    return build_task(get_suite(unit.ask.suite), task_args)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a unit's folder against other workers of this machine."""
    import fcntl  # noqa: PLC0415  (not on every system)

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="ascii") as file:
        for _ in range(int(LOCK_SECONDS / POLL)):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(POLL)
        else:
            raise UserError(f"{path} must be free, got one that another worker holds")
        yield


@contextmanager
def _uploads(
    unit: Unit,
    store: Store,
    own: Path,
    before: Progress,
    uploading: _Uploading,
    upload_every: int,
    parent: int | None,
) -> Iterator[None]:
    """Upload the log again and again until the block ends, and then once more."""
    stop = threading.Event()

    def upload() -> None:
        _upload(unit, store, own, before, uploading)

    def watch() -> None:
        while not stop.wait(POLL):
            if parent is not None and os.getppid() != parent:
                os._exit(1)  # nobody would ever read what this process found
            if uploading.ended - uploading.uploaded_at >= upload_every:
                upload()

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        stop.set()
        watching.join()
        upload()


def _upload(unit: Unit, store: Store, own: Path, before: Progress, uploading: _Uploading) -> None:
    """Upload the logs that have changed, and remove those that are gone."""
    ended = uploading.ended
    logs = {path.name: path.stat().st_mtime for path in own.glob(f"*{LOG}")}
    changed = [name for name, when in logs.items() if uploading.seen.get(name) != when]
    for name in changed:
        store.upload(unit.name, own / name)
    for name in set(uploading.seen) - set(logs):
        store.remove_log(unit.name, name)
    uploading.seen = logs
    if changed:
        uploading.uploaded_at = ended
        # What ended without an error is known at the end, from the log.
        store.write_note(unit.name, PROGRESS, _note(before, own, more=ended))


def _note(progress: Progress, own: Path, more: int = 0) -> dict[str, Any]:
    return {
        "done": progress.answered + more,
        "answered": progress.answered,
        "errors": progress.failed,
        "folder": _here(own),
        "pid": os.getpid(),
        "at": time.time(),
    }
