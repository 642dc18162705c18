"""Runs that ask or read something else are not mixed, though their version is the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from inspect_ai.log import read_eval_log

import whybench as wb
from whybench.suites.judge import render_prompt
from whybench.suites.registry import own_suites

if TYPE_CHECKING:
    from pathlib import Path

    from whybench.suites.judge.items import JudgeItem

AGENT = "reference/judge.noisy-or"
OTHERS = "`log_dir` must hold runs of the same request, got .* not mixed. Use another `log_dir`"


def ask(folder: Path, limit: int = 4, **settings: Any) -> wb.Records:
    return wb.run("judge", AGENT, limit=limit, log_dir=str(folder), display="none", **settings)


def only_log(folder: Path) -> Path:
    (log,) = folder.glob("*.eval")
    return log


def changed(item: JudgeItem) -> str:
    return f"{render_prompt(item)} Think well."


@pytest.mark.slow
def test_a_changed_item_with_the_same_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(tmp_path)
    before = read_eval_log(str(only_log(tmp_path)), header_only=True)
    for user in ("judge", "judge.generation"):
        monkeypatch.setattr(f"whybench.suites.{user}.render_prompt", changed)
    assert wb.judge().version == before.eval.task_version
    with pytest.raises(wb.UserError, match=OTHERS):
        ask(tmp_path)
    with pytest.raises(wb.UserError, match=OTHERS):
        ask(tmp_path, settings={"log_dir_allow_dirty": True})
    assert only_log(tmp_path)
    ask(tmp_path / "another")


@pytest.mark.parametrize("name", own_suites())
def test_the_version_has_the_form_of_the_field(name: str) -> None:
    task = getattr(wb, name)()
    assert re.fullmatch(r"\d+-[A-Z]", task.version)
    assert re.fullmatch(r"[0-9a-f]{16}", task.metadata["content_hash"])
