"""Requests: what is asked of whom, one after the other, each an eval set in a folder of its own.

What came of all of them is written beside their logs: records and a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from signal import SIGINT
from typing import TYPE_CHECKING, Any

from whybench.errors import Interrupted
from whybench.evaluation.engine import cap_replies, evaluate
from whybench.evaluation.progress import planned_samples, read_progress
from whybench.evaluation.stopping import raise_stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from whybench.results import Records
    from whybench.results.experiments import Statement
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite


@dataclass(frozen=True)
class Request:
    """A suite asked of a model.

    Attributes:
        suite: The suite.
        design: Its design.
        task: The Inspect task of it; several requests may share one.
        model: The model as Inspect names it.
        log_dir: Where its logs go.
        settings: How the model is asked, as settings of Inspect's.
        limit: The number of samples, from the start of the design.
        epochs: How often everything is asked.
        words: What tells it from another of the same suite and model, such as `temperature=0.8`.
    """

    suite: AnySuite
    design: Design
    task: Any
    model: str
    log_dir: str
    settings: Mapping[str, Any]
    limit: int | None = None
    epochs: int = 1
    words: str = ""

    @property
    def label(self) -> str:
        """Who is asked what."""
        return ", ".join(filter(None, (self.suite.name, self.model, self.words)))


def ask_requests(
    requests: Sequence[Request], *, folder: str = "log_dir", keep_errors: bool = False
) -> list[str]:
    """Ask everything; return why requests are unfinished, nothing if all are done.

    Args:
        requests: What is asked.
        folder: The caller's argument that names the folder of logs, for messages.
        keep_errors: Accept samples that end in an error.

    Raises:
        StoppedError: Asking made no sense any more: says why and how far all of it is.
        Interrupted: A signal ended it in order.
    """
    reasons = []
    for number, request in enumerate(requests, start=1):
        place = f"{number} of {len(requests)}: " if len(requests) > 1 else ""
        ended = evaluate(
            request.task,
            folder=folder,
            label=place + request.label,
            keep_errors=keep_errors,
            model=request.model,
            limit=request.limit,
            epochs=request.epochs,
            log_dir=request.log_dir,
            **cap_replies(
                request.settings, request.suite, request.design, request.model, request.log_dir
            ),
        )
        if ended.stopped:
            raise_stopped(ended.stopped, _tell_progress(requests))
        if ended.reason:
            reasons.append(f"{request.label}: {ended.reason}" if place else ended.reason)
    return reasons


def write_results(
    folder: Path,
    title: str,
    reasons: Sequence[str],
    say: Callable[[str], None],
    *,
    baselines: Sequence[str] = (),
    statement: Statement | None = None,
) -> Records:
    """Write `records` and `page.html` about the `logs` of a folder, and return the answers.

    Args:
        folder: The folder.
        title: The heading of the page.
        reasons: Why requests are unfinished.
        say: Called with each step while the page is made.
        baselines: People or published models that stand beside on the page.
        statement: Of an experiment, what was stated beforehand.

    Raises:
        Interrupted: A signal ended it: says that everything was asked.
    """
    from whybench.page import report  # noqa: PLC0415  (not for those who only plan)
    from whybench.results.sources import load  # noqa: PLC0415

    try:
        answers = load(folder / "logs", incomplete=reasons)
        answers.save(folder / "records")
        beside = answers.with_baselines(*baselines) if baselines else answers
        report(beside, folder / "page.html", title=title, statement=statement, say=say)
    except KeyboardInterrupt as error:
        far = "Stopped: all answers are logged. Run the same command again to write the report."
        raise Interrupted(getattr(error, "signal", SIGINT), far) from None
    return answers


def _tell_progress(requests: Sequence[Request]) -> str:
    """Say how far each model is in each suite, by its logs."""
    far: dict[str, list[str]] = {}
    for request in requests:
        samples = planned_samples(request.task, request.limit, request.epochs)
        what = " ".join(filter(None, (request.suite.name, request.words)))
        words = f"{what} {read_progress(request.log_dir, samples)}"
        far.setdefault(request.model, []).append(words)
    return "; ".join(
        (f"{model}: " if len(far) > 1 else "") + ", ".join(words) for model, words in far.items()
    )
