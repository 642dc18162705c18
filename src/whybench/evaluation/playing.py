"""A person at the terminal is asked like any agent, one episode after the other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.evaluation.engine import build_task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.registry import AnySuite

__all__ = ["hold_episode", "played_items"]

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


def played_items(folder: str | Path, agent: str) -> set[str]:
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
    """Hold an episode about an item; say whether it came to its end, else nothing is recorded."""
    from inspect_ai import eval as evaluate  # noqa: PLC0415  (importing Inspect takes seconds)

    task = build_task(suite, task_args)
    (log,) = evaluate(task, model=agent, sample_id=[item], log_dir=str(folder), **QUIET)
    if log.status != "success":
        Path(log.location).unlink()
    return bool(log.status == "success")
