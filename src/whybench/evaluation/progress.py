"""How far an evaluation is: proved from its logs, and shown while it goes on.

A sample is answered when the log has a score for it, be it that its reply held no answer. One that
ended in an error is not: it is asked again. One that was cancelled was never asked. A run is
complete when every sample that was planned is answered, whatever anybody else says of it.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from inspect_ai.log import EvalSampleSummary

SILENT_SECONDS = 30.0
"""Seconds between two lines where there is no terminal to draw a bar on."""


@dataclass(frozen=True)
class Progress:
    """How many samples there are, and what became of them.

    Attributes:
        planned: Samples, over all epochs.
        answered: Those that have a score, also where the reply held no answer.
        errors: Why others failed, and how often.
    """

    planned: int
    answered: int = 0
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> int:
        """How many samples ended in an error."""
        return self.errors.total()

    @property
    def complete(self) -> bool:
        """Whether every planned sample is answered."""
        return self.answered == self.planned

    def accepted(self, keep_errors: bool) -> bool:
        """Whether there is nothing left to ask: with `keep_errors`, errors count as answers."""
        return self.complete or (keep_errors and self.answered + self.failed == self.planned)

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.answered} of {self.planned}{failed}"

    def explain(self, what: str = "samples") -> str:
        """Say what is missing, and why if that is known."""
        left = self.planned - self.answered - self.failed
        parts = []
        if self.failed:
            often = f", such as: {self.errors.most_common(1)[0][0]}"
            parts.append(f"{self.failed} of {self.planned} {what} ended in an error{often}")
        if left:
            parts.append(f"{left} of {self.planned} {what} were not asked")
        return "; ".join(parts)


def planned_samples(
    task: Any, limit: int | tuple[int, int] | None, epochs: int | None, folder: str | Path
) -> set[tuple[str, int]]:
    """Return id and epoch of each sample that a task asks; a limit of two numbers is a range.

    Of a task that asks in rounds, these are the samples up to the first round that is not answered
    in the logs of the folder.
    """
    asked = slice(*limit) if isinstance(limit, tuple) else slice(limit)
    if (source := getattr(task, "sample_source", None)) is None:
        ids = [str(sample.id) for sample in task.dataset]
    else:
        ids = [item.id for item in source.rounds.list_items(_read_correct(folder))]
    ids = ids[asked]
    return {(name, epoch) for name in ids for epoch in range(1, (epochs or 1) + 1)}


def _read_correct(folder: str | Path) -> dict[str, bool | None]:
    """Read from the logs of a folder whether answers are correct."""
    from whybench.suites.sources import is_sample_correct  # noqa: PLC0415  (imports Inspect)

    answers: dict[str, bool | None] = {}
    for sample in _read_samples(folder):
        if sample.epoch == 1 and (answer := is_sample_correct(sample)) is not None:
            answers[str(sample.id)] = answer
    return answers


def read_progress(folder: str | Path, planned: Iterable[tuple[str, int]]) -> Progress:
    """Read from the logs of a folder what became of the samples that were planned."""
    from whybench.records.logs import last_line, was_cancelled  # noqa: PLC0415  (imports pyarrow)

    wanted = set(planned)
    answered: set[tuple[str, int]] = set()
    failed: dict[tuple[str, int], str] = {}
    for sample in _read_samples(folder):
        key = (str(sample.id), sample.epoch)
        if key not in wanted:
            continue
        if sample.error is None and sample.scores:
            answered.add(key)
        elif not was_cancelled(sample):
            failed[key] = last_line(sample.error or "no score")
    errors = Counter(reason for key, reason in failed.items() if key not in answered)
    return Progress(len(wanted), len(answered), errors)


def _read_samples(folder: str | Path) -> Iterator[EvalSampleSummary]:
    """Yield what the logs of a folder say of samples; a log that cannot be read says nothing."""
    from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries  # noqa: PLC0415

    if "://" not in str(folder) and not Path(folder).is_dir():
        return
    for log in list_eval_logs(str(folder)):
        try:
            yield from read_eval_log_sample_summaries(log)
        except Exception:  # a damaged log fails in whatever step comes upon the damage
            continue


class ProgressBar:
    """Shows on standard error how far a run is: a bar, or a line now and then.

    Args:
        label: Who is asked what.
        planned: How many samples there are.
        before: How many of them were answered earlier.
        shown: Whether to show anything.
    """

    def __init__(self, label: str, planned: int, before: int = 0, shown: bool = True) -> None:
        self.label, self.planned, self.answered, self.failed = label, planned, before, 0
        self.shown, self._said = shown, time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> Self:
        if self.shown and sys.stderr.isatty():
            self._bar = _make_bar()
            self._bar.start()
            self._row = self._bar.add_task(
                self.label, total=self.planned, completed=self.answered, failed=""
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        elif self.shown:
            self._say()

    def extend(self, planned: int) -> None:
        """Set the number of samples, which grows if they are asked in rounds."""
        self.planned = planned
        if self._bar is not None:
            self._bar.update(self._row, total=planned)

    def sample_ended(self, error: str | None) -> None:
        """Count a sample, and show it."""
        self.failed += error is not None
        self.answered += error is None
        if self._bar is not None:
            failed = f"[red]{self.failed} failed[/red]" if self.failed else ""
            self._bar.update(self._row, completed=self.answered, failed=failed)
        elif self.shown and time.monotonic() - self._said >= SILENT_SECONDS:
            self._say()

    def _say(self) -> None:
        self._said = time.monotonic()
        progress = Progress(self.planned, self.answered, Counter({"": self.failed}))
        print(f"{self.label}: {progress}", file=sys.stderr, flush=True)


def _make_bar() -> Any:
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as RichProgress  # noqa: PLC0415

    return RichProgress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
