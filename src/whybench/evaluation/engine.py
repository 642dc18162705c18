"""A task and a model through Inspect's eval sets, with settings that keep a long run alive.

Every unit of a run, a profile or an experiment calls `evaluate`. The folder of logs is resumed
rather than repeated, and what Inspect says of a wrong request becomes a message that says what to
do.
"""

from __future__ import annotations

import inspect
import os
import re
import time
from asyncio import CancelledError
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from signal import SIGINT
from typing import TYPE_CHECKING, Any

from whybench.errors import RefusedError, UserError, suggest
from whybench.evaluation.progress import Progress, ProgressBar, planned_samples, read_progress
from whybench.evaluation.stopping import Evaluation, Stop, stoppable
from whybench.outcomes import DEFAULT_CAP
from whybench.planning.caps import default_reply_cap
from whybench.planning.prices import NO_SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

LEAN: dict[str, Any] = {
    "log_realtime": False,
    "score_display": False,
    "log_buffer": 100,
    "ctl_server": False,
    "log_level": "warning",
    "retry_on_error": 1,
    "max_retries": 8,
    "retry_attempts": 0,
    "retry_immediate": False,
}
"""Settings of every run: small logs and bounded retries; no time-outs but the provider's own."""

FLUSH_SECONDS = 30.0
"""Seconds after which an answer is in the log, though fewer than `log_buffer` came."""

LOCK, LOCK_INTERVAL = ".lock", 0.25
"""The file by which a run holds its folder of logs, and seconds between attempts to hold it."""

OWN_SETTINGS = frozenset({"tasks", "model", "limit", "epochs", "log_dir", "fail_on_error"})
"""Settings of Inspect's eval sets that a request has words of its own for."""

KEEP_CONNECTIONS = "INSPECT_HTTP_POOL_KEEPALIVE_CONNECTIONS"
"""The variable that tells Inspect how many connections to a server stay open. None do: a server
that sends a reply twice would have the second one taken for the answer to the next question."""

MARKUP = re.compile(r"\[/?(?:bold|italic|blue|green|red|yellow)\]")
"""Colours and the like in Inspect's messages."""

NAMING = (
    "; name a model as PROVIDER/NAME, such as openai/gpt-4o, and set its provider's key, such as "
    "`export OPENAI_API_KEY=…`"
)
OURS = ("reference/", "person/")
"""Providers of this package, whose own messages say what to do."""


def build_task(suite: AnySuite, task_args: Mapping[str, Any]) -> Any:
    """Return the Inspect task of a suite; raise at once if something is missing for it."""
    from whybench.suites.task import inspect_task  # noqa: PLC0415  (importing Inspect takes seconds)

    with _as_user_error():
        return inspect_task(suite)(**task_args)


def check_model(model: str, model_args: Mapping[str, Any]) -> None:
    """Open a model, so that a missing key or package shows before the first call."""
    from inspect_ai.model import get_model  # noqa: PLC0415  (importing Inspect takes seconds)

    before, after = f"a model must be one that Inspect can call, got {model}: ", NAMING
    if model.startswith(OURS):
        before = after = ""
    os.environ.setdefault(KEEP_CONNECTIONS, "0")
    with _as_user_error(before, after):
        get_model(model, **model_args)


@dataclass(frozen=True)
class Ended:
    """How an evaluation ended.

    Attributes:
        progress: What became of its samples, as the log has it.
        stopped: Why it was stopped, if it was.
        reason: Why it is not complete, in words; empty if it is.
    """

    progress: Progress
    stopped: Stop | None = None
    reason: str = ""


def evaluate(
    task: Any,
    *,
    folder: str = "log_dir",
    label: str = "",
    keep_errors: bool = False,
    ended: Callable[[str | None], None] | None = None,
    patience: float = 0.0,
    **settings: Any,
) -> Ended:
    """Run the eval set, and return how it ended, proved from the log.

    Args:
        task: The Inspect task.
        folder: The caller's argument that names the folder of logs, for messages.
        label: Who is asked what, for the line that shows the progress.
        keep_errors: Accept samples that end in an error; else they are asked again the next time,
            and an evaluation whose first samples all fail alike is stopped.
        ended: Called after each sample, with its error or None.
        patience: Seconds to wait for another run that holds the folder.
        **settings: Settings of Inspect's eval set; those that are None are left out.
    """
    from inspect_ai import eval_set  # noqa: PLC0415  (importing Inspect takes seconds)

    from whybench.records.logs import check_log_folder  # noqa: PLC0415
    from whybench.suites.task import check_sandbox  # noqa: PLC0415

    given = {name: value for name, value in settings.items() if value is not None}
    log_dir = given["log_dir"]
    list_planned = partial(planned_samples, task, given.get("limit"), given.get("epochs"), log_dir)
    display = given.pop("display", None) or os.environ.get("INSPECT_DISPLAY")
    logs: list[Any] = []
    with _as_user_error(of_folder=(folder, log_dir)), hold_file(f"{log_dir}/{LOCK}", patience):
        check_log_folder(log_dir)
        _match_content(task, log_dir, folder, dirty=bool(given.get("log_dir_allow_dirty")))
        given["sandbox"] = check_sandbox(task, given.pop("sandbox", None), log_dir)
        planned = list_planned()
        before = read_progress(log_dir, planned)
        in_rounds = (source := task.sample_source) is not None
        if (before.failed and not keep_errors) or (in_rounds and not before.accepted(keep_errors)):
            _reopen_logs(log_dir, complete=in_rounds)
        bar = ProgressBar(label, len(planned), before.answered, display is None and bool(label))

        def sample_ended(error: str | None) -> None:
            bar.sample_ended(error)
            if ended is not None:
                ended(error)

        if in_rounds:
            source.begin(accepts_errors=keep_errors, on_round=bar.extend)
        evaluation = Evaluation(keep_errors, sample_ended)
        failing = {"fail_on_error": False} if keep_errors else ERRORS_LEAVE_WORK
        with bar, _inspect_quiet(display in {None, "none"}), stoppable(evaluation):
            _flush_often()
            try:
                _, logs = eval_set(
                    task, **{**LEAN, **failing, **given, "display": display or "none"}
                )
            except (KeyboardInterrupt, CancelledError):
                evaluation.stop(Stop.by_signal(SIGINT))
    progress = read_progress(log_dir, list_planned())
    stopped = evaluation.stopped
    if stopped is None and not progress.accepted(True) and _was_cancelled(log_dir):
        stopped = Stop.by_signal(SIGINT)  # Inspect's own display takes Ctrl-C as a key
    reason = ""
    if not progress.accepted(keep_errors):
        messages = [log.error.message for log in logs if log.error and not progress.failed]
        reason = "; ".join(messages) or progress.explain()
    return Ended(progress, stopped, reason)


ERRORS_LEAVE_WORK: dict[str, Any] = {"fail_on_error": True, "continue_on_fail": True}
"""A failed sample does not end a run, but its log is unfinished: it is asked again."""


def check_settings(settings: Mapping[str, Any], name: str = "settings") -> dict[str, Any]:
    """Return settings of Inspect's calls and eval sets, if Inspect has them all.

    Raises:
        UserError: It does not, or they are what a request has words of its own for.
    """
    if not isinstance(settings, Mapping):
        raise UserError(f"`{name}` must be names and values, got {settings!r}")
    if not settings:
        return {}
    from inspect_ai import eval_set  # noqa: PLC0415  (importing Inspect takes seconds)
    from inspect_ai.model import GenerateConfig  # noqa: PLC0415

    known = {*GenerateConfig.model_fields, *inspect.signature(eval_set).parameters}
    known -= OWN_SETTINGS | {"kwargs"}
    for key, value in settings.items():
        if key not in known:
            hint = suggest(key, known) or "; `inspect eval --help` lists them"
            raise UserError(
                f"`{name}` must be generate or eval settings of Inspect's, got {key!r}{hint}"
            )
        if key in GenerateConfig.model_fields:
            try:
                GenerateConfig.model_validate({key: value})
            except ValueError as error:
                said = str(error).splitlines()[2].strip()
                raise UserError(f"`{name}`: {key} cannot be {value!r}: {said}") from None
    return dict(settings)


def cap_replies(
    settings: Mapping[str, Any], suite: AnySuite, design: Design, model: str, folder: str | Path
) -> dict[str, Any]:
    """Return how a model is asked, with a cap on its replies where there is none.

    A run that was begun keeps its cap: with another it would be another run. The log says that the
    cap is ours (`DEFAULT_CAP`), so that a reply which it cuts off is not held against the model.
    """
    if settings.get("max_tokens") or model.startswith(NO_SERVER):
        return dict(settings)
    cap = default_reply_cap(suite, design, model, settings)
    noted = {**(settings.get("metadata") or {}), DEFAULT_CAP: True}
    return {**settings, "max_tokens": _begun_with(folder, cap), "metadata": noted}


def _begun_with(folder: str | Path, default: int) -> int | None:
    """Return the cap of the runs that a folder holds, or the default if it holds none."""
    from whybench.records.logs import generate_config, read_headers  # noqa: PLC0415

    if not Path(folder).is_dir():
        return default
    headers = read_headers([folder], [])
    return generate_config(headers[-1][1]).get("max_tokens") if headers else default


def _match_content(task: Any, log_dir: str, folder: str, *, dirty: bool) -> None:
    """Refuse a folder with runs of the same suite that asked or read something else.

    Inspect's eval sets would take them for runs of this task, since the version does not change
    with every item.

    Args:
        task: The Inspect task.
        log_dir: The folder of logs.
        folder: The caller's argument that names it, for the message.
        dirty: Whether runs of other designs may be there.

    Raises:
        UserError: There is such a run.
    """
    from whybench.records.logs import read_content_hash, read_headers  # noqa: PLC0415

    asked = task.metadata or {}
    if "content_hash" not in asked or not ("://" in log_dir or Path(log_dir).is_dir()):
        return
    same = ("suite", "design_hash") if dirty else ("suite",)
    for _, header in read_headers([log_dir], []):
        found = header.eval.metadata or {}
        if any(found.get(name) != asked[name] for name in same):
            continue
        if read_content_hash(header) != asked["content_hash"]:
            raise UserError(_say_other_runs(folder, log_dir))
        if header.eval.task_version != task.version:
            raise UserError(_say_other_runs(folder, log_dir))


def _say_other_runs(argument: str, log_dir: str) -> str:
    return (
        f"`{argument}` must hold runs of the same request, got {log_dir} with runs of other "
        f"models, items, settings or parsers; these are not mixed. Use another `{argument}`. To "
        f"parse old logs with the current parser, use `whybench results --reread`"
    )


@contextmanager
def hold_file(file: str, patience: float = 0.0) -> Iterator[None]:
    """Hold a lock against other runs of this machine, which would ask everything twice.

    Args:
        file: The file of the lock; an address of a store elsewhere is not held.
        patience: Seconds to wait for another run that holds it.

    Raises:
        UserError: Another run holds it.
    """
    if "://" in file:
        yield
        return
    try:
        import fcntl  # noqa: PLC0415  (not on every system)
    except ImportError:
        yield
        return
    path = Path(file)
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + patience
    with path.open("w", encoding="ascii") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() < deadline:
                    time.sleep(LOCK_INTERVAL)
                    continue
                raise UserError(
                    f"only one run at a time must write to a folder, got {path.parent}, where "
                    "another is active; wait until it ends, or choose another folder"
                ) from None
        yield


def _reopen_logs(folder: str, complete: bool = False) -> None:
    """Mark finished logs as unfinished, so that missing samples are asked.

    Args:
        folder: The folder of logs.
        complete: Whether to mark logs without errors, too. Inspect takes a log of rounds that ended
            early for a finished one.
    """
    from inspect_ai.log import list_eval_logs, read_eval_log, write_eval_log  # noqa: PLC0415

    for info in list_eval_logs(folder):
        if read_eval_log(info, header_only=True).status == "success":
            log = read_eval_log(info)
            if complete or any(sample.error for sample in log.samples or ()):
                log.status = "error"
                write_eval_log(log)


def _was_cancelled(folder: str) -> bool:
    """Whether the latest log of a folder is of a run that was cancelled."""
    from inspect_ai.log import list_eval_logs, read_eval_log  # noqa: PLC0415

    headers = [read_eval_log(info, header_only=True) for info in list_eval_logs(folder)]
    latest = max(headers, key=lambda header: header.eval.created, default=None)
    return latest is not None and latest.status == "cancelled"


def _flush_often() -> None:
    """Let Inspect write answers that wait for others after 30 seconds; by itself it waits 60.

    There is no public setting for it, and what is lost when a run is killed was paid for.
    """
    from inspect_ai._eval.task import log  # noqa: PLC0415  # inspect-evals-lint: ignore[private_api_imports] -- no public setting

    if hasattr(log, "_STALE_FLUSH_INTERVAL"):
        log._STALE_FLUSH_INTERVAL = FLUSH_SECONDS


@contextmanager
def _inspect_quiet(quiet: bool) -> Iterator[None]:
    """Keep Inspect's lines off the screen where we show the progress, or nobody is to."""
    import rich  # noqa: PLC0415

    console = rich.get_console()
    before, console.quiet = console.quiet, quiet or console.quiet
    try:
        yield
    finally:
        console.quiet = before


@contextmanager
def _as_user_error(
    before: str = "", after: str = "", of_folder: tuple[str, str] = ("", "")
) -> Iterator[None]:
    """Turn what Inspect says of a wrong request into our form of it.

    Args:
        before: What to say before its words.
        after: What to do about it, said behind them.
        of_folder: The argument that names the folder of logs, and the folder.
    """
    try:
        yield
    except RefusedError as error:
        raise UserError(str(error)) from None
    except UserError:
        raise
    except Exception as error:
        # Inspect has no public name for the error that it prints without a traceback.
        wrong = isinstance(error, ValueError | OSError)
        if not wrong and type(error).__name__ != "PrerequisiteError":
            raise
        words = MARKUP.sub("", str(error)).removeprefix("ERROR: ").split()
        message = f"{before}{' '.join(words).rstrip('.')}{after}"
        if "is not associated with a task" in message:
            message = _say_other_runs(*of_folder)
        raise UserError(message) from None
