"""Inspect logs to records.

Only sample summaries are read, a tenth of the work of reading whole samples; replies are read
only where answers are to be read anew. Where an item was answered in several logs by the same
agent in the same epoch (a run was interrupted and repeated), the latest answer counts; an error
counts only where there is no answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary
    from inspect_ai.scorer import Score

from whybench.records.rows import rows_of_sample

__all__ = ["ReadLogs", "agent_name", "read_logs"]

SETTINGS = {
    "temperature": 0.0,
    "reasoning_effort": None,
    "reasoning_tokens": None,
    "verbosity": None,
    "top_p": None,
    "seed": None,
}
"""Settings that change answers, and the value at which an agent's name does not mention them."""


@dataclass(frozen=True)
class ReadLogs:
    """What was found in logs: rows by suite, and what a reader should know of the logs.

    Attributes:
        rows: Suite to rows of records.
        logs: How many logs were read.
        unfinished: The logs that did not end in success.
        superseded: How many answers were left out in favour of a later one. A sample that a
            resumed run took over from the log of the interrupted one is the same answer.
        foreign: Logs of tasks that are not ours, left out.
    """

    rows: dict[str, list[dict[str, Any]]]
    logs: int
    unfinished: tuple[str, ...]
    superseded: int
    foreign: tuple[str, ...]


def read_logs(
    paths: Sequence[str | Path], reread: Callable[[EvalSample], Score] | None = None
) -> ReadLogs:
    """Read the logs at these paths: log files, or folders that are searched for them.

    Args:
        paths: Log files and folders.
        reread: If given, reads each sample's answer anew from its replies.
    """
    from inspect_ai.log import read_eval_log  # noqa: PLC0415  (importing Inspect takes seconds)

    chosen: dict[tuple[Any, ...], dict[str, Any]] = {}
    unfinished, foreign, superseded = [], [], 0
    headers = [(path, read_eval_log(path, header_only=True)) for path in _log_files(paths)]
    headers.sort(key=lambda entry: entry[1].eval.created)
    for path, header in headers:
        if "suite" not in (header.eval.metadata or {}):
            foreign.append(path)
            continue
        if header.status != "success":
            unfinished.append(f"{path} ({header.status})")
        for row in _log_rows(path, header, reread):
            key = tuple(row[name] for name in _IDENTITY)
            superseded += key in chosen and chosen[key]["sample"] != row["sample"]
            if key not in chosen or row["outcome"] != "error" or chosen[key]["outcome"] == "error":
                chosen[key] = row
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in chosen.values():
        rows.setdefault(row["suite"], []).append(row)
    return ReadLogs(rows, len(headers), tuple(unfinished), superseded, tuple(foreign))


_IDENTITY = ("agent", "suite", "version", "design_hash", "item", "epoch")


def _log_files(paths: Sequence[str | Path]) -> list[str]:
    from inspect_ai.log import list_eval_logs  # noqa: PLC0415

    found: list[str] = []
    for path in paths:
        if Path(path).is_dir():
            found += [info.name.removeprefix("file://") for info in list_eval_logs(str(path))]
        elif Path(path).is_file():
            found.append(str(path))
        else:
            raise FileNotFoundError(f"a log file or a folder of logs was expected, got {path}")
    return found


def _log_rows(
    path: str, header: EvalLog, reread: Callable[[EvalSample], Score] | None
) -> Iterator[dict[str, Any]]:
    about = header.eval.metadata or {}
    common = {
        "agent": agent_name(header),
        "version": about["suite_version"],
        "design": about["design"],
        "design_hash": about["design_hash"],
        "log": Path(path).name,
    }
    for sample, score in _samples(path, reread):
        fields = None
        if score is not None:
            fields = {"value": score.value, "reason": score.reason, "metadata": score.metadata}
        rows = rows_of_sample(str(sample.id), sample.metadata, fields, _error(sample))
        tokens = sample.model_usage.values()
        costs = {
            "epoch": sample.epoch,
            "input_tokens": sum(usage.input_tokens for usage in tokens) // len(rows),
            "output_tokens": sum(usage.output_tokens for usage in tokens) // len(rows),
            "seconds": (sample.total_time or 0.0) / len(rows),
            "sample": sample.uuid,
        }
        for row in rows:
            yield {**row, **common, **costs}


def _samples(
    path: str, reread: Callable[[EvalSample], Score] | None
) -> Iterator[tuple[EvalSampleSummary | EvalSample, Score | None]]:
    from inspect_ai.log import (  # noqa: PLC0415
        read_eval_log_sample_summaries,
        read_eval_log_samples,
    )

    if reread is None:
        for summary in read_eval_log_sample_summaries(path):
            yield summary, next(iter((summary.scores or {}).values()), None)
    else:
        for sample in read_eval_log_samples(path, all_samples_required=False):
            yield sample, None if sample.error else reread(sample)


def _error(sample: EvalSampleSummary | EvalSample) -> str:
    error = sample.error
    message = getattr(error, "message", error)
    return "" if message is None else str(message).strip().splitlines()[-1][:200]


def agent_name(header: EvalLog) -> str:
    """Return the model's name with the settings that change its answers, where not the default."""
    given = {**header.eval.model_generate_config.model_dump(exclude_none=True)}
    config = {**header.plan.config.model_dump(exclude_none=True), **given}
    spelled = {
        name: config[name]
        for name, default in SETTINGS.items()
        if name in config and config[name] != default
    }
    spelled |= {k: v for k, v in sorted(header.eval.model_args.items()) if _is_setting(k, v)}
    inside = ",".join(f"{name}={value}" for name, value in spelled.items())
    return f"{header.eval.model}[{inside}]" if inside else header.eval.model


def _is_setting(name: str, value: object) -> bool:
    """Keep what decides answers; a key or an address must never get into a record."""
    hidden = ("key", "token", "secret", "url", "host", "port")
    return isinstance(value, str | int | float | bool) and not any(h in name for h in hidden)
