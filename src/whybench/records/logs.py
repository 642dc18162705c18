"""Inspect logs to records.

Only sample summaries are read, a tenth of the work of reading whole samples; replies are read
only where answers are to be read anew. Where an item was answered in several logs by the same
agent in the same epoch (a run was interrupted and repeated), the latest answer counts; an error
counts only where there is no answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary
    from inspect_ai.scorer import Score

from whybench.errors import UserError
from whybench.records.rows import unpack_sample

SampleT = TypeVar("SampleT")

__all__ = [
    "ReadLogs",
    "agent_name",
    "check_log_folder",
    "is_model_setting",
    "list_log_files",
    "read_headers",
    "read_logs",
    "was_cancelled",
]

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
    """Rows by suite, and what a reader should know of the logs that they come from.

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

    Raises:
        UserError: A log is damaged, or of a version that cannot be read. Others are not read
            without it, since results that lack some answers would look like whole ones.
    """
    chosen: dict[tuple[Any, ...], dict[str, Any]] = {}
    unfinished, foreign, superseded = [], [], 0
    headers = read_headers(paths)
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


def check_log_folder(folder: str | Path) -> None:
    """Make sure, before the first call, that logs can be written here and those here be read.

    Raises:
        UserError: They cannot. An address of a store elsewhere is not tried.
    """
    if "://" in str(folder):
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"a log needs room")
    except OSError as error:
        raise UserError(
            f"logs must go to a folder that can be written, got {folder}: {error}"
        ) from error
    read_headers([folder])


def read_headers(paths: Sequence[str | Path]) -> list[tuple[str, EvalLog]]:
    """Return the logs at these paths with their headers, the oldest first.

    Raises:
        UserError: Names all logs that cannot be read.
    """
    from inspect_ai.log import read_eval_log  # noqa: PLC0415  (importing Inspect takes seconds)

    headers, damaged = [], []
    for path in list_log_files(paths):
        try:
            headers.append((path, read_eval_log(path, header_only=True)))
        except Exception as error:
            # A damaged file fails in whatever step of unpacking comes upon the damage.
            damaged.append(f"{path} ({_root_cause(error)})")
    if damaged:
        raise UserError(_UNREADABLE.format(", ".join(damaged)))
    return sorted(headers, key=lambda entry: entry[1].eval.created)


_UNREADABLE = (
    "logs must be whole and of a version that can be read, got {}. If its run is still going, try "
    "again in a moment; else move it elsewhere, and the run's command asks what is then missing"
)

_IDENTITY = ("agent", "suite", "version", "design_hash", "item", "epoch")


def list_log_files(paths: Sequence[str | Path]) -> list[str]:
    """Return the log files among these files and in these folders."""
    from inspect_ai.log import list_eval_logs  # noqa: PLC0415

    files: list[str] = []
    for path in paths:
        if Path(path).is_dir():
            listed = (info.name.removeprefix("file://") for info in list_eval_logs(str(path)))
            files += sorted(listed)  # Inspect lists by time of change, which copying changes.
        elif Path(path).is_file():
            files.append(str(path))
        else:
            raise UserError(f"a log file or a folder of logs was expected, got {path}")
    return files


def _log_rows(
    path: str, header: EvalLog, reread: Callable[[EvalSample], Score] | None
) -> Iterator[dict[str, Any]]:
    metadata = header.eval.metadata or {}
    missing = [name for name in ("suite_version", "design", "design_hash") if name not in metadata]
    if missing:
        raise UserError(_UNREADABLE.format(f"{path} (it does not say its {', '.join(missing)})"))
    common = {
        "agent": agent_name(header),
        "version": metadata["suite_version"],
        "design": metadata["design"],
        "design_hash": metadata["design_hash"],
        "log": Path(path).name,
    }
    for sample, score in _samples(path, reread):
        if score is None and was_cancelled(sample):
            continue  # it was in flight when its run was ended: nobody was asked
        fields = None
        if score is not None:
            fields = {"value": score.value, "reason": score.reason, "metadata": score.metadata}
        rows = unpack_sample(str(sample.id), sample.metadata, fields, _error(sample))
        sent, received = _tokens(sample)
        costs = {
            "epoch": sample.epoch,
            "input_tokens": sent // len(rows),
            "output_tokens": received // len(rows),
            "seconds": (sample.total_time or 0.0) / len(rows),
            "sample": sample.uuid,
        }
        for row in rows:
            yield {**row, **common, **costs}


def _tokens(sample: EvalSampleSummary | EvalSample) -> tuple[int, int]:
    """Return the agent's tokens, sent and received: of all models, less those that have a role."""
    every, others = sample.model_usage.values(), sample.role_usage.values()
    return (
        sum(usage.input_tokens for usage in every) - sum(usage.input_tokens for usage in others),
        sum(usage.output_tokens for usage in every) - sum(usage.output_tokens for usage in others),
    )


def _samples(
    path: str, reread: Callable[[EvalSample], Score] | None
) -> Iterator[tuple[EvalSampleSummary | EvalSample, Score | None]]:
    from inspect_ai.log import (  # noqa: PLC0415
        read_eval_log_sample_summaries,
        read_eval_log_samples,
    )

    if reread is None:
        for summary in _read_whole(path, read_eval_log_sample_summaries):
            yield summary, next(iter((summary.scores or {}).values()), None)
    else:
        read_samples = partial(read_eval_log_samples, all_samples_required=False)
        for sample in _read_whole(path, read_samples):
            yield sample, None if sample.error else reread(sample)


def _read_whole(path: str, read: Callable[[str], Iterable[SampleT]]) -> Iterator[SampleT]:
    """Yield the samples of a log, or say that it is damaged."""
    try:
        yield from read(path)
    except Exception as error:
        raise UserError(_UNREADABLE.format(f"{path} ({_root_cause(error)})")) from error


def _root_cause(error: BaseException) -> str:
    """Return the error that came first, in words; those that follow from it say less."""
    first = error.__cause__ or error.__context__
    return _root_cause(first) if first else f"{type(error).__name__}: {_last_line(error)}"


def _last_line(message: object) -> str:
    return next(reversed(str(message).strip().splitlines()), "")[:200]


def was_cancelled(sample: EvalSampleSummary | EvalSample) -> bool:
    """Whether a sample was in flight when its run was ended."""
    from inspect_ai._util.error import is_cancellation_message  # noqa: PLC0415

    error = getattr(sample.error, "message", sample.error)
    return bool(error) and is_cancellation_message(str(error))


def _error(sample: EvalSampleSummary | EvalSample) -> str:
    message = getattr(sample.error, "message", sample.error)
    return "" if message is None else _last_line(message)


def agent_name(header: EvalLog) -> str:
    """Return the model's name with the settings that change its answers, where not the default."""
    config = generate_config(header)
    settings = {
        name: config[name]
        for name, default in SETTINGS.items()
        if name in config and config[name] != default
    }
    settings |= {k: v for k, v in sorted(header.eval.model_args.items()) if is_model_setting(k, v)}
    text = ",".join(f"{name}={value}" for name, value in settings.items())
    return f"{header.eval.model}[{text}]" if text else header.eval.model


def generate_config(header: EvalLog) -> dict[str, Any]:
    """Return the settings of a run's calls: the model's, and those of the task beside them."""
    return {
        **header.plan.config.model_dump(exclude_none=True),
        **header.eval.model_generate_config.model_dump(exclude_none=True),
    }


def is_model_setting(name: str, value: object) -> bool:
    """Whether a model's argument decides answers; a key or an address must never be shown."""
    hidden = ("key", "token", "secret", "url", "host", "port", "auth", "password", "credential")
    return isinstance(value, str | int | float | bool) and not any(h in name for h in hidden)
