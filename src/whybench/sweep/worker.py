"""One unit of work, from its last upload to its end.

A worker has a folder of its own for the log. It starts from what is there, else from what was last
uploaded, and Inspect's `eval_set` asks what is missing. While it runs, the log is uploaded after
a number of samples, and once more at the end; then the unit is marked as done.

Run again, a unit that is done costs nothing. A worker that was killed is simply run again: it
repeats the samples that were in flight or not yet written; on another machine, those since the last
upload.
"""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.evaluation.engine import build_task, check_model, evaluate
from whybench.suites.registry import get_suite
from whybench.sweep.store import DONE, LOG, PROGRESS, Store

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from whybench.sweep.plan import Unit

__all__ = ["run_unit"]

WRITE_EVERY = 100
"""Samples between two writes of the local log, which cost less than uploads."""
POLL = 0.25
LOCK_SECONDS = 30


@dataclass
class _Progress:
    """How far a unit is, as its own process knows it.

    Attributes:
        before: Samples that ended in earlier runs.
        ended: Samples that ended in this one.
        uploaded_at: How many of these there were at the last upload.
        seen: The logs that were uploaded, and when they had been written.
    """

    before: int = 0
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
    parent: int | None = None,
) -> dict[str, Any]:
    """Run a unit to its end, unless it is done already, and return a summary of it.

    Args:
        unit: What to do.
        store: Where its log goes.
        folder: Where workers of this machine keep logs.
        upload_every: Samples between uploads.
        settings: Further settings of Inspect's.
        parent: The process without which this one must not go on.
    """
    finished = store.read_note(unit.name, DONE)
    if finished is not None:
        return finished
    own = folder / unit.name
    with _locked(folder / f"{unit.name}.lock"):
        progress = _start(unit, store, own)
        store.write_note(unit.name, PROGRESS, _progress(progress, own))
        _count_samples(progress)
        began = time.time()
        with _uploads(unit, store, own, progress, upload_every, parent):
            reasons = evaluate(
                _task(unit),
                folder="output",
                model=unit.model,
                model_args=dict(unit.args),
                epochs=unit.ask.epochs,
                limit=unit.ask.limit,
                log_dir=str(own),
                log_buffer=min(WRITE_EVERY, upload_every),
                **{"display": "none", **settings},
            )
        result = {
            "samples": unit.samples * unit.ask.epochs,
            "asked": progress.ended,
            "seconds": time.time() - began,
            "folder": _here(own),
        }
        if reasons:
            store.write_note(
                unit.name, PROGRESS, {**_progress(progress, own), "failed": reasons[0]}
            )
            raise UserError(f"{unit.name} {reasons[0]}")
        store.write_note(unit.name, DONE, result)
    return result


def _start(unit: Unit, store: Store, own: Path) -> _Progress:
    """Make the folder hold the latest log there is, and return how far that is.

    If the last upload came from elsewhere, what is here is older.
    """
    from inspect_ai.log import read_eval_log_sample_summaries  # noqa: PLC0415

    last = store.read_note(unit.name, PROGRESS)
    if last is not None and last.get("folder") != _here(own):
        shutil.rmtree(own, ignore_errors=True)
        store.download(unit.name, own)
    ended = (len(read_eval_log_sample_summaries(str(log))) for log in own.glob(f"*{LOG}"))
    # A time that no file has, so that whatever is here counts as changed.
    uploaded = {path.rpartition("/")[2]: 0.0 for path in store.logs(unit.name)}
    return _Progress(before=max(ended, default=0), seen=uploaded)


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
    progress: _Progress,
    upload_every: int,
    parent: int | None,
) -> Iterator[None]:
    """Upload the log again and again until the block ends, and then once more."""
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(POLL):
            if parent is not None and os.getppid() != parent:
                os._exit(1)  # nobody would ever read what this process found
            if progress.ended - progress.uploaded_at >= upload_every:
                _upload(unit, store, own, progress)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        stop.set()
        watching.join()
        _upload(unit, store, own, progress)


def _upload(unit: Unit, store: Store, own: Path, progress: _Progress) -> None:
    """Upload the logs that have changed, and remove those that are gone."""
    ended = progress.ended
    logs = {path.name: path.stat().st_mtime for path in own.glob(f"*{LOG}")}
    changed = [name for name, when in logs.items() if progress.seen.get(name) != when]
    for name in changed:
        store.upload(unit.name, own / name)
    for name in set(progress.seen) - set(logs):
        store.remove_log(unit.name, name)
    progress.seen = logs
    if changed:
        progress.uploaded_at = ended
        store.write_note(unit.name, PROGRESS, _progress(progress, own))


def _progress(progress: _Progress, own: Path) -> dict[str, Any]:
    done = progress.before + progress.uploaded_at
    return {"done": done, "folder": _here(own), "pid": os.getpid(), "at": time.time()}


_counting: list[_Progress] = []
"""Whose samples this process counts; Inspect keeps a hook for the life of a process."""


def _count_samples(progress: _Progress) -> None:
    from inspect_ai.hooks import Hooks, SampleEnd, hooks  # noqa: PLC0415

    _counting.append(progress)
    if len(_counting) > 1:
        _counting.pop(0)
        return

    @hooks(name="whybench_progress", description="Counts the samples of a unit of work")
    class _Count(Hooks):  # Inspect registers the class when it is defined
        async def on_sample_end(self, data: SampleEnd) -> None:  # noqa: ARG002
            _counting[0].ended += 1
