"""Requests: what is asked of whom, one after the other, each an eval set in a folder of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.evaluation.engine import cap_replies, evaluate
from whybench.evaluation.progress import planned_samples, read_progress
from whybench.evaluation.stopping import raise_stopped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = ["Request", "ask_requests"]


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
