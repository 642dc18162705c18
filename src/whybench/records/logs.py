"""Inspect logs to records.

Only sample summaries are read, a tenth of the work of reading whole samples; replies are read
only where answers are to be read anew. Where an item was answered in several logs by the same
agent in the same epoch (a run was interrupted and repeated), the latest answer counts; an error
counts only where there is no answer.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from inspect_ai.log import EvalLog, EvalSample, EvalSampleSummary
    from inspect_ai.scorer import Score

from whybench.errors import UserError
from whybench.outcomes import has_default_cap, is_foreign_solver, settle_outcome
from whybench.records.rows import is_thinned, unpack_sample
from whybench.records.salvage import is_whole, open_whole, write_whole
from whybench.seeds import is_item_id

logger = logging.getLogger(__name__)

SETTINGS = (
    "temperature",
    "reasoning_effort",
    "reasoning_tokens",
    "effort",
    "verbosity",
    "top_p",
    "seed",
)
"""Settings that change answers: an agent's name mentions those that a run sets."""


@dataclass(frozen=True)
class ReadLogs:
    """Rows by suite, and what a reader should know of the logs that they come from.

    Attributes:
        rows: Suite to rows of records.
        logs: How many logs were read.
        unfinished: The logs that did not end in success, and were not gone on with in another.
        superseded: How many answers were left out in favour of a later one. A sample that a
            resumed run took over from the log of the interrupted one is the same answer.
        foreign: Logs of tasks that are not ours, left out.
        damaged: Of each log that is damaged, how much could be read.
    """

    rows: dict[str, list[dict[str, Any]]]
    logs: int
    unfinished: tuple[str, ...]
    superseded: int
    foreign: tuple[str, ...]
    damaged: tuple[str, ...] = ()


def read_logs(
    paths: Sequence[str | Path],
    reread: Callable[[EvalSample], Score] | None = None,
    *,
    salvage: bool = False,
) -> ReadLogs:
    """Read the logs at these paths: log files, or folders that are searched for them.

    Args:
        paths: Log files and folders.
        reread: If given, reads each sample's answer anew from its replies.
        salvage: Of a damaged log, read what is whole and say in `damaged` how much that is. Whoever
            does so has to pass it on, since results that lack some answers look like whole ones.

    Raises:
        UserError: A log is damaged, or of a version that cannot be read, and nothing is salvaged;
            or it is the only one.
    """
    chosen: dict[tuple[Any, ...], dict[str, Any]] = {}
    superseded = 0
    unreadable: list[str] | None = [] if salvage else None
    damaged: list[str] = []
    headers = read_headers(paths, unreadable)
    ours = [entry for entry in headers if "suite" in (entry[1].eval.metadata or {})]
    paths_of_ours = {path for path, _ in ours}
    foreign = [path for path, _ in headers if path not in paths_of_ours]
    unfinished = []
    for path, header in ours:
        rows, told = _read_rows(path, header, reread, unreadable)
        damaged += told
        if header.status != "success" and not told and not _is_superseded(header, ours):
            unfinished.append(f"{path} ({header.status})")
        for row in rows:
            key = tuple(row[name] for name in _IDENTITY)
            superseded += key in chosen and chosen[key]["sample"] != row["sample"]
            if key not in chosen or row["outcome"] != "error" or chosen[key]["outcome"] == "error":
                chosen[key] = row
    if unreadable and not chosen:
        raise UserError(_UNREADABLE.format(", ".join(unreadable)))
    damaged += [f"left out {log}: it cannot be read" for log in unreadable or ()]
    by_suite: dict[str, list[dict[str, Any]]] = {}
    for row in chosen.values():
        by_suite.setdefault(row["suite"], []).append(row)
    return ReadLogs(
        by_suite, len(headers), tuple(unfinished), superseded, tuple(foreign), tuple(damaged)
    )


def _is_superseded(header: EvalLog, others: Sequence[tuple[str, EvalLog]]) -> bool:
    """Tell whether another log, of a run that came to its end, asked all that this one was to."""
    return any(
        other.status == "success"
        and _asked(other) == _asked(header)
        and (other.eval.config.epochs or 1) >= (header.eval.config.epochs or 1)
        and {*(other.eval.dataset.sample_ids or ())} >= {*(header.eval.dataset.sample_ids or ("",))}
        for _, other in others
    )


def _asked(header: EvalLog) -> tuple[str, ...]:
    metadata = header.eval.metadata or {}
    words = (metadata.get(name) for name in ("suite", "suite_version", "design_hash"))
    return (agent_name(header), *map(str, words))


def check_log_folder(folder: str | Path) -> None:
    """Make sure, before the first call, that logs can be written here and those here be read.

    A damaged log is set aside under another name, so that it does not stop a run. A log of what is
    whole in it takes its place, and the run goes on from there.

    Raises:
        UserError: Nothing can be written. An address of a store elsewhere is not tried.
    """
    if "://" in str(folder):
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            file.write(b"a log needs room")
        for path in list_log_files([folder]):
            if not _can_be_resumed(path):
                _set_aside(Path(path))
    except OSError as error:
        raise UserError(
            f"logs must go to a folder that can be written, got {folder}: {error}"
        ) from error


def _can_be_resumed(path: str) -> bool:
    from inspect_ai.log import read_eval_log  # noqa: PLC0415  (importing Inspect takes seconds)

    if path.endswith(".eval") and not is_whole(path, samples=True):
        return False
    try:
        read_eval_log(path, header_only=True)
    except Exception:
        # A damaged file fails in whatever step of unpacking comes upon the damage.
        return False
    return True


def _set_aside(path: Path) -> None:
    """Rename a damaged log, and put one of its whole samples in its place, if there are any."""
    aside = path.with_name(f"{path.name}.broken")
    part = path.with_name(f"{path.name}.part")
    kept = 0
    if path.suffix == ".eval":
        with suppress(UserError):  # nothing of it can be read
            kept = write_whole(path, part, resumable=True)
    path.replace(aside)
    if kept:
        part.replace(path)
    part.unlink(missing_ok=True)
    logger.warning(
        "%s is damaged and now called %s; %s samples of it are whole and kept, the others are "
        "asked again",
        *(path, aside.name, kept),
    )


def read_headers(
    paths: Sequence[str | Path], unreadable: list[str] | None = None
) -> list[tuple[str, EvalLog]]:
    """Return the logs at these paths with their headers, the oldest first.

    Args:
        paths: Log files and folders.
        unreadable: If given, logs that cannot be read are named here and left out.

    Raises:
        UserError: Names all logs that cannot be read, or are damaged.
    """
    from inspect_ai.log import read_eval_log  # noqa: PLC0415  (importing Inspect takes seconds)

    headers, damaged = [], []
    for path in list_log_files(paths):
        try:
            with open_whole(path) as log:
                if log != path and unreadable is None:
                    raise UserError("parts of it are damaged or cut off")
                headers.append((path, read_eval_log(log, header_only=True)))
        except Exception as error:
            # A damaged file fails in whatever step of unpacking comes upon the damage.
            damaged.append(f"{path} ({_root_cause(error)})")
    if damaged and unreadable is None:
        raise UserError(_UNREADABLE.format(", ".join(damaged)))
    if unreadable is not None:
        unreadable += damaged
    return sorted(headers, key=lambda entry: entry[1].eval.created)


CANCELLED = ("CancelledError(", "Cancelled(")
"""How the error of a sample begins whose call was ended; it is the exception as Python shows it."""

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


def _read_rows(
    path: str,
    header: EvalLog,
    reread: Callable[[EvalSample], Score] | None,
    unreadable: list[str] | None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a log, and how much of it could be read if that is not all."""
    rows: list[dict[str, Any]] = []
    samples = lost = 0
    try:
        common = _common_columns(path, header)
        facts = {
            "default_cap": has_default_cap(header.eval.metadata),
            "foreign": is_foreign_solver(header.eval.solver),
        }
        with open_whole(path, samples=reread is not None) as log:
            for sample, score in _samples(log, reread):
                if score is None and was_cancelled(sample):
                    continue  # it was in flight when its run was ended: nobody was asked
                try:
                    rows += _sample_rows(sample, score, common, facts)
                    samples += 1
                except (AttributeError, KeyError, TypeError, ValueError):
                    lost += 1
            repaired = log != path
    except Exception as error:
        # A damaged file fails in whatever step of unpacking comes upon the damage.
        cause = f"{path} ({_root_cause(error)})"
        if unreadable is None:
            raise UserError(_UNREADABLE.format(cause)) from error
        unreadable.append(cause)
        return [], []
    strange = _find_strange(rows)
    if unreadable is None and (repaired or lost or strange):
        raise UserError(_UNREADABLE.format(f"{path} (parts of it are damaged or cut off)"))
    kept = [row for row in rows if row["item"] not in strange]
    if not (repaired or lost or strange):
        return kept, []
    expected = max(count_samples(header), samples + lost)
    about = round(expected * (len(rows) / samples if samples else 1))
    named = f"; {', '.join(sorted(strange)[:3])}: no such item" if strange else ""
    return kept, [f"{path} is damaged: {len(kept)} of about {about} answers could be read{named}"]


def _find_strange(rows: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return ids that no item of the suite can have; none where a suite has ids of its own."""
    strange = {row["item"] for row in rows if not is_item_id(row["suite"], row["item"])}
    return set() if len(strange) == len({row["item"] for row in rows}) else strange


def count_samples(header: EvalLog) -> int:
    """Return how many samples a run was to ask, epochs counted each."""
    if header.results is not None:
        return int(header.results.total_samples)
    asked = len(header.eval.dataset.sample_ids or ()) or header.eval.dataset.samples or 0
    return asked * (header.eval.config.epochs or 1)


def _common_columns(path: str, header: EvalLog) -> dict[str, Any]:
    """Return what all rows of a log share."""
    metadata = header.eval.metadata or {}
    missing = [name for name in ("suite_version", "design", "design_hash") if name not in metadata]
    if missing:
        raise UserError(f"it does not say its {', '.join(missing)}")
    return {
        "agent": agent_name(header),
        "version": metadata["suite_version"],
        "design": metadata["design"],
        "design_hash": metadata["design_hash"],
        "log": Path(path).name,
    }


def _sample_rows(
    sample: EvalSampleSummary | EvalSample,
    score: Score | None,
    common: Mapping[str, Any],
    facts: Mapping[str, bool],
) -> Iterator[dict[str, Any]]:
    fields = None
    if score is not None:
        fields = {"value": score.value, "reason": score.reason, "metadata": score.metadata}
    rows = unpack_sample(str(sample.id), sample.metadata, fields, _error(sample))
    rows = [settle_outcome(row, _message(sample), **facts) for row in rows]
    sent, received = _tokens(sample)
    costs = {
        "epoch": sample.epoch,
        "input_tokens": sent // len(rows),
        "output_tokens": received // len(rows),
        "seconds": (sample.total_time or 0.0) / len(rows),
        "sample": sample.uuid,
    }
    return ({**row, **common, **costs} for row in rows)


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
        read_eval_log_sample,
        read_eval_log_sample_summaries,
    )

    # The header of a log lists the samples of the first round only, and the summaries all.
    for summary in read_eval_log_sample_summaries(path):
        if reread is None:
            whole = read_whole(path, summary)
            yield whole, next(iter((whole.scores or {}).values()), None)
        else:
            with suppress(IndexError):  # a sample that is lost, though its summary is not
                sample = read_eval_log_sample(path, summary.id, summary.epoch)
                yield sample, None if sample.error else reread(sample)


def read_whole(path: str, summary: EvalSampleSummary) -> EvalSampleSummary | EvalSample:
    """Return a summary, or the sample itself where the summary has lost something of its items."""
    from inspect_ai.log import read_eval_log_sample  # noqa: PLC0415

    score = next(iter((summary.scores or {}).values()), None)
    if not is_thinned(summary.metadata, None if score is None else {"metadata": score.metadata}):
        return summary
    return read_eval_log_sample(path, summary.id, summary.epoch)


def _root_cause(error: BaseException) -> str:
    """Return the error that came first, in words; those that follow from it say less."""
    first = error.__cause__ or error.__context__
    if first:
        return _root_cause(first)
    words = last_line(error)
    return words if isinstance(error, UserError) else f"{type(error).__name__}: {words}"


def last_line(message: object) -> str:
    """Return the last line of a message, which says most, cut where it is long."""
    return next(reversed(str(message).strip().splitlines()), "")[:200]


def was_cancelled(sample: EvalSampleSummary | EvalSample) -> bool:
    """Whether a sample was in flight when its run was ended."""
    return _message(sample).startswith(CANCELLED)


def _message(sample: EvalSampleSummary | EvalSample) -> str:
    """Return the error of a sample as it is told, which begins with its name."""
    return str(getattr(sample.error, "message", sample.error) or "")


def _error(sample: EvalSampleSummary | EvalSample) -> str:
    return last_line(_message(sample))


def read_content_hash(header: EvalLog) -> str:
    """Return the digest of what a log asked and how it read."""
    return str((header.eval.metadata or {}).get("content_hash", ""))


def agent_name(header: EvalLog) -> str:
    """Return the model's name with the settings that change its answers, where a run set any."""
    config = generate_config(header)
    settings = {name: config[name] for name in SETTINGS if name in config}
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
