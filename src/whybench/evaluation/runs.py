"""A run: one model, one design, one folder of logs that is resumed rather than repeated.

Everything that `run` does can be done with `inspect eval` as well. What it adds: settings that keep
a long run alive and its logs small, a folder named after what is asked, and the answers as
`Records` at the end. `hold_episode` asks a person at the terminal like any agent, one episode at a
time.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from zipfile import BadZipFile

from whybench.errors import INTERRUPTED, UserError
from whybench.evaluation.engine import LEAN, build_task, check_model, evaluate
from whybench.planning.plans import check_counts
from whybench.suites import registry
from whybench.suites.catalog import WHOLE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.results import Records
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = [
    "REFERENCE",
    "file_name",
    "hold_episode",
    "inspect_settings",
    "list_played_items",
    "list_suites_for",
    "log_folder",
    "run",
]


REFERENCE = "reference/"


def run(
    suite: str,
    model: str,
    design: str | None = None,
    *,
    limit: int | None = None,
    epochs: int = 1,
    shard: str = WHOLE,
    group: int | None = None,
    log_dir: str | None = None,
    model_args: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    max_connections: int | None = None,
    log_buffer: int = LEAN["log_buffer"],
    display: str | None = None,
    **factors: Any,
) -> Records:
    """Ask a model the items of a design, and return its answers.

    The same call again resumes what was interrupted, and repeats nothing.

    Args:
        suite: The suite's name.
        model: A model as Inspect names it (`openai/gpt-4o`), or a reference agent
            (`reference/judge.noisy-or`).
        design: A named design or a YAML file; the suite's first if there is none.
        limit: The number of samples, from the start of the design.
        epochs: How often everything is asked.
        shard: `i/n`, the i-th of n equal parts of the design.
        group: Items a sample asks; None for one, or those that belong together.
        log_dir: Where logs go; resumed if it exists. By default `logs/`, then suite, design and
            model.
        model_args: Arguments of the model, or settings of a reference agent.
        max_tokens: Longest reply, in tokens.
        max_connections: Calls at once.
        log_buffer: Samples between writes to the log; a crash loses no more.
        display: How Inspect shows progress (`full`, `rich`, `plain`, `none`); None for its own
            choice.
        **factors: Levels in place of the design's, such as `style="cot"`.

    Raises:
        UserError: The request cannot be met: says what was expected, what came and what to do.
    """
    from whybench.results.sources import load  # noqa: PLC0415  (not for those who only plan)

    chosen = registry.get_suite(suite)
    list_suites_for(model, [suite])
    check_counts(limit=limit, epochs=epochs, group=group)
    task_args = chosen.settings(design, **factors)
    args = dict(model_args or {})
    folder = log_dir or log_folder(suite, chosen.make_design(task_args), model, args, shard, group)
    task_args |= {"shard": shard, **({"group": group} if group else {})}
    task = build_task(chosen, task_args)
    settings = inspect_settings(args, max_tokens, max_connections, log_buffer, display)
    check_model(model, args)
    reasons = evaluate(task, model=model, limit=limit, epochs=epochs, log_dir=folder, **settings)
    return load(folder, incomplete=reasons)


def inspect_settings(
    model_args: Mapping[str, Any],
    max_tokens: int | None = None,
    max_connections: int | None = None,
    log_buffer: int = LEAN["log_buffer"],
    display: str | None = None,
) -> dict[str, Any]:
    """Return how a model is asked, as settings of Inspect's eval sets."""
    return {
        "model_args": dict(model_args),
        "max_tokens": max_tokens,
        "max_connections": max_connections,
        "max_samples": max_connections,
        "log_buffer": log_buffer,
        "display": display,
    }


def log_folder(
    suite: str,
    design: Design,
    model: str,
    model_args: Mapping[str, Any],
    shard: str = WHOLE,
    group: int | None = None,
) -> str:
    """Name a folder after what is asked and who is asked, so that other runs have others."""
    agent = (model, *(f"{name}={value}" for name, value in model_args.items()))
    parts = [suite, design.name.strip("*"), design.hash[:6], ",".join(agent)]
    parts += [f"shard-{shard}"] if shard != WHOLE else []
    parts += [f"by-{group}"] if group else []
    return "logs/" + file_name(*parts)


def file_name(*words: str) -> str:
    """Return words as one name that every file system takes."""
    return "-".join(re.sub(r"[^\w.=,-]+", "-", word) for word in words)


def list_suites_for(model: str, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the suites that a model is asked: a reference agent answers its own alone."""
    if not isinstance(model, str):
        raise UserError(f"`model` must be one name, got {model!r}; `profile` takes several")
    for name in chosen:
        registry.get_suite(name)
    names = tuple(chosen) or registry.suite_names()
    if not model.startswith(REFERENCE):
        return names
    own = model.removeprefix(REFERENCE).partition(".")[0]
    registry.get_suite(own)
    if own not in names:
        raise UserError(f"{model} must be asked its own suite, {own}, got {', '.join(names)}")
    return (own,)


QUIET: dict[str, Any] = {
    "display": "none",
    "log_level": "error",
    "score_display": False,
    "ctl_server": False,
    "max_samples": 1,
    "log_buffer": 1,
    "max_retries": 0,
    "retry_on_error": 0,
    "fail_on_error": True,
}


def list_played_items(folder: str | Path, agent: str) -> set[str]:
    """Return the ids of the items that this person has answered before."""
    from whybench.records import read_logs  # noqa: PLC0415

    if not Path(folder).is_dir():
        return set()
    return {
        row["item"]
        for rows in read_logs([folder]).rows.values()
        for row in rows
        if row["agent"] == agent and row["outcome"] != "error"
    }


def hold_episode(
    suite: AnySuite, task_args: Mapping[str, Any], agent: str, item: str, folder: str | Path
) -> bool:
    """Hold an episode about an item; return whether it ended, else nothing is recorded.

    Raises:
        KeyboardInterrupt: The person left by Ctrl-C.
    """
    # Importing Inspect takes seconds.
    from inspect_ai import eval as evaluate  # noqa: PLC0415

    task = build_task(suite, task_args)
    sitting = {"sitting": uuid4().hex}
    settings = {"sample_id": [item], "log_dir": str(folder), "metadata": sitting, **QUIET}
    logs = []
    try:
        logs = evaluate(task, model=agent, **settings)
    finally:
        if not logs or logs[0].status != "success":
            _remove_logs(Path(folder), sitting)
    if not logs or any(log.error and INTERRUPTED in log.error.message for log in logs):
        raise KeyboardInterrupt
    return bool(logs[0].status == "success")


def _remove_logs(folder: Path, sitting: Mapping[str, str]) -> None:
    """Remove the logs of an episode that did not end; Inspect does not always name them."""
    from inspect_ai.log import read_eval_log  # noqa: PLC0415

    for file in folder.glob("*.eval"):
        with suppress(OSError, ValueError, KeyError, BadZipFile):  # somebody else's, and damaged
            found = read_eval_log(str(file), header_only=True)
            if dict(sitting).items() <= (found.eval.metadata or {}).items():
                file.unlink()
