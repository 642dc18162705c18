"""analyze with a grader of reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from evidence.graders import honest, scripted
from inspect_ai import eval as inspect_eval
from tests.suites.analyze.test_task import gold_of, rows_in, speaking

from whybench.errors import RefusedError
from whybench.suites.task import score_sample
from whybench_papers.du2025.reasons import analyze_reasons

if TYPE_CHECKING:
    from pathlib import Path

    from inspect_ai.log import EvalLog

FACTORS = {"challenge": "simpson", "seeds": 1, "protocol": "direct"}


def run(folder: Path, model: Any, **settings: Any) -> EvalLog:
    quiet = {"display": "none", "log_realtime": False, "score_display": False}
    (log,) = inspect_eval(
        analyze_reasons(**FACTORS), model=model, log_dir=str(folder), **quiet, **settings
    )
    return log


def test_run_without_a_grader_is_refused(tmp_path: Path) -> None:
    log = run(tmp_path, "reference/analyze.competent", limit=1)
    assert log.status == "error"
    assert log.error is not None
    assert "grader" in log.error.message


def test_records_hold_the_score_of_the_report_and_the_tokens_of_the_agent(tmp_path: Path) -> None:
    asked: list[Any] = []
    roles = {"grader": scripted("mockllm/grader", honest, asked)}
    log = run(tmp_path, speaking(gold_of), model_roles=roles)
    assert log.status == "success", log.error
    assert len(asked) == 2
    assert list((log.samples or [])[0].scores or {}) == ["analysis", "reasons"]
    assert log.stats.role_usage["grader"].output_tokens == 10 * len(asked)
    for rows in (rows_in(tmp_path), rows_in(tmp_path, reread=score_sample)):
        assert [(row["input_tokens"], row["output_tokens"]) for row in rows] == [(2, 2), (2, 2)]
        assert [row["value"] for row in rows] == [1.0, 1.0]


def test_samples_of_several_items_are_refused() -> None:
    with pytest.raises(RefusedError, match="group must be 1"):
        analyze_reasons(**FACTORS, group=2)
