"""A task and a model through Inspect's eval sets, with settings that keep a long run alive.

Whoever asks a model does it by `evaluate`: a single run, a profile, a unit of a sweep. The folder
of logs is resumed rather than repeated, and what Inspect says of a wrong request becomes a message
that says what to do.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.registry import AnySuite

__all__ = ["KEEP_CONNECTIONS", "LEAN", "build_task", "check_model", "evaluate"]

LEAN: dict[str, Any] = {
    "log_realtime": False,
    "score_display": False,
    "log_buffer": 100,
    "ctl_server": False,
    "log_level": "warning",
    "fail_on_error": False,
    "retry_on_error": 1,
    "max_retries": 8,
    "timeout": 600,
    "attempt_timeout": 180,
    "retry_attempts": 0,
    "retry_immediate": False,
}
"""Settings of every run: small logs, bounded retries, and a failed sample is data, not a crash."""

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


def evaluate(task: Any, *, folder: str = "log_dir", **settings: Any) -> list[str]:
    """Run the eval set; return why it is unfinished, nothing if every sample was done.

    Args:
        task: The Inspect task.
        folder: The caller's argument that names the folder of logs, for messages.
        **settings: Settings of Inspect's eval set; those that are None are left out.
    """
    from inspect_ai import eval_set  # noqa: PLC0415  (importing Inspect takes seconds)

    from whybench.records.logs import check_log_folder  # noqa: PLC0415
    from whybench.suites.task import check_sandbox  # noqa: PLC0415

    given = {name: value for name, value in settings.items() if value is not None}
    with _as_user_error(of_folder=(folder, given["log_dir"])):
        check_log_folder(given["log_dir"])
        where = check_sandbox(task, given.pop("sandbox", None), given["log_dir"])
        done, logs = eval_set(task, **{**LEAN, **given}, sandbox=where)
    reasons = [
        f"ended as {log.status}: {log.error.message if log.error else 'no reason given'}"
        for log in logs
        if log.status != "success"
    ]
    return reasons or ([] if done else ["not every sample was done"])


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
    from inspect_ai._util.error import PrerequisiteError  # noqa: PLC0415

    try:
        yield
    except UserError:
        raise
    except (PrerequisiteError, ValueError, OSError) as error:
        words = MARKUP.sub("", str(error)).removeprefix("ERROR: ").split()
        message = f"{before}{' '.join(words).rstrip('.')}{after}"
        if "is not associated with a task" in message:
            argument, log_dir = of_folder
            message = (
                f"`{argument}` must hold runs of this very request, got {log_dir} with runs of "
                "other models, items, settings or readings of answers; these are not mixed. Use "
                f"another `{argument}`. Old logs can be read with today's reading by "
                "`whybench records --reread`"
            )
        raise UserError(message) from None
