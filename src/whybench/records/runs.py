"""What logs have beside answers: the runs, by their headers, and the conversations.

A header says who was asked what, by which versions, and how the run ended. Records leave this out,
because it is the same for every answer of a run; it is what a methods section needs, and what tells
runs apart that must not be mixed.

For conversations whole samples are read, which takes milliseconds each, so only those asked for
are. A sample may hold the conversations about several items, one after the other; each message that
opens or carries on the conversation about an item names it.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.records.logs import (
    agent_name,
    count_samples,
    generate_config,
    list_log_files,
    read_content_hash,
    read_headers,
    read_whole,
)
from whybench.records.rows import unpack_sample
from whybench.records.salvage import open_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from inspect_ai.log import EvalLog, EvalSample


@dataclass(frozen=True)
class Run:
    """One log of ours, by its header.

    Attributes:
        log: The log file's name.
        agent: The agent as records name it.
        suite: The suite.
        version: The suite's comparability number.
        content_hash: A digest of what was asked and of how replies are read.
        design: The design's name.
        design_hash: A digest of everything that decides its items.
        epochs: How often each item was asked.
        samples: How many samples were to be asked.
        completed: How many of them were.
        status: How the run ended, as Inspect says it.
        seed: The seed that was given to the model, if any.
        whybench: The version of this package that ran it.
        inspect: The version of Inspect that ran it.
        grading: What the grader's agreement is, where answers were graded by a model.
        started: When it was started, in ISO form with its zone.
    """

    log: str
    agent: str
    suite: str
    version: int
    content_hash: str
    design: str
    design_hash: str
    epochs: int
    samples: int
    completed: int
    status: str
    seed: str
    whybench: str
    inspect: str
    grading: str
    started: str = ""

    def row(self) -> dict[str, Any]:
        """Return the run as one flat row."""
        return asdict(self)


def read_runs(paths: Sequence[str | Path]) -> list[Run]:
    """Return our runs among the logs at these paths (files or folders), the oldest first."""
    return [
        _run(path, header)
        for path, header in read_headers(paths, [])
        if "suite" in (header.eval.metadata or {})
    ]


def _run(path: str, header: EvalLog) -> Run:
    metadata = header.eval.metadata or {}
    results = header.results
    seed = generate_config(header).get("seed", header.eval.model_args.get("seed"))
    return Run(
        log=Path(path).name,
        agent=agent_name(header),
        suite=metadata["suite"],
        version=metadata["suite_version"],
        content_hash=read_content_hash(header),
        design=metadata["design"],
        design_hash=metadata["design_hash"],
        epochs=header.eval.config.epochs or 1,
        samples=count_samples(header),
        completed=results.completed_samples if results else 0,
        status=header.status,
        seed="" if seed is None else str(seed),
        whybench=metadata.get("whybench", ""),
        inspect=header.eval.packages.get("inspect_ai", ""),
        grading=_grading(header),
        started=header.eval.created,
    )


def _grading(header: EvalLog) -> str:
    """Say how far the grader's marks agree with labelled answers; empty where there is none."""
    for score in header.results.scores if header.results else ():
        metrics = {name: metric.value for name, metric in score.metrics.items()}
        if metrics.get("calibrated") == 0:
            return "the grader has not been set beside the labelled answers"
        if "kappa" in metrics:
            return f"weighted kappa of the grader with labelled answers: {metrics['kappa']:.2f}"
    return ""


class AnswerPosition(NamedTuple):
    """What identifies an answer: the name of its log, its item and its epoch."""

    log: str
    item: str
    epoch: int


class Turn(NamedTuple):
    """Something that was said, and by whom: `user`, `assistant`, `thinking`, `tool`, `system`."""

    role: str
    text: str


def read_transcripts(
    paths: Sequence[str | Path], keys: Collection[AnswerPosition]
) -> Iterator[tuple[AnswerPosition, tuple[Turn, ...]]]:
    """Yield the conversation behind each of these answers that the logs have, log by log.

    Args:
        paths: Log files and folders.
        keys: The answers.
    """
    from inspect_ai.log import read_eval_log_sample_summaries  # noqa: PLC0415

    by_log: dict[str, set[AnswerPosition]] = {}
    for key in keys:
        by_log.setdefault(key.log, set()).add(key)
    for path in list_log_files(paths):
        log = Path(path).name
        if log not in by_log:
            continue
        with open_whole(path, samples=True) as readable:
            chosen: dict[tuple[str | int, int], set[AnswerPosition]] = {}
            for summary in read_eval_log_sample_summaries(readable):
                metadata = read_whole(readable, summary).metadata
                rows = unpack_sample(str(summary.id), metadata, None)
                mine = {AnswerPosition(log, row["item"], summary.epoch) for row in rows}
                if mine & by_log[log]:
                    chosen[summary.id, summary.epoch] = mine & by_log[log]
            for sample in _read_samples(readable, chosen):
                yield from _conversations_of(sample, chosen[sample.id, sample.epoch])


UNSAID = {"events", "store"}
"""What of a sample is not read to tell what was said."""


def _read_samples(path: str, chosen: Collection[tuple[str | int, int]]) -> Iterator[EvalSample]:
    """Yield these samples of a log; one that is lost, though its summary is not, is left out."""
    from inspect_ai.log import read_eval_log_sample, read_eval_log_samples_by_id  # noqa: PLC0415

    try:
        yield from read_eval_log_samples_by_id(path, chosen, exclude_fields=UNSAID)
    except (IndexError, KeyError):
        for name, epoch in chosen:
            with suppress(IndexError, KeyError):
                yield read_eval_log_sample(path, name, epoch, exclude_fields=UNSAID)


def _conversations_of(
    sample: EvalSample, chosen: Collection[AnswerPosition]
) -> Iterator[tuple[AnswerPosition, tuple[Turn, ...]]]:
    conversations = split_conversations(str(sample.id), sample.messages)
    for key in sorted(chosen):
        messages = conversations.get(key.item, [])
        yield key, tuple(turn for message in messages for turn in _turns(message))


def split_conversations(sample_id: str, messages: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the messages of a sample by the item that they are about, in order.

    Args:
        sample_id: The sample's id, which is the item's if no message names one.
        messages: Messages as Inspect has them.
    """
    conversations: dict[str, list[Any]] = {}
    current = sample_id
    for message in messages:
        if message.role == "user":
            current = (message.metadata or {}).get("item", current)
        conversations.setdefault(current, []).append(message)
    return conversations


def _turns(message: Any) -> Iterator[Turn]:
    """Yield what a message says: thoughts apart from the rest, calls of tools as they were made."""
    content = [] if isinstance(message.content, str) else message.content
    for part in content:
        if part.type == "reasoning":
            thought = part.summary if part.redacted else part.reasoning
            yield from [Turn("thinking", thought)] if thought else []
    calls = getattr(message, "tool_calls", None) or ()
    if message.text or not calls:
        yield Turn(message.role, message.text)
    for call in calls:
        yield Turn(message.role, f"{call.function}({json.dumps(call.arguments)})")
