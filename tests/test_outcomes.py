"""Whose doing it was: what a run says of itself decides between lost and not achieved."""

from __future__ import annotations

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

import whybench as wb
from whybench.evaluation.engine import cap_replies
from whybench.outcomes import CRASHED, CUT_BY_DEFAULT, CUT_OFF, DEFAULT_CAP, settle_outcome
from whybench.suites.registry import get_suite

ASKED = 6

TRANSPORT = (
    "APIConnectionError('Connection error.')", "RateLimitError('429')", "ReadTimeout('')",
    "InternalServerError('500')", "ServiceUnavailableError()", "TimeoutError()", "OSError(5)",
    "ConnectionResetError(104)", "openai.APIStatusError('502')", "NoReplyError('two empty')",
    "SandboxLostError('gone')", "StoppedError('budget')", "CancelledError()",
)  # fmt: skip

CRASHES = ("KeyError('x')", "IndexError('list')", "RuntimeError('no plan')", "PlannerGaveUp()")


@pytest.mark.parametrize("error", [*TRANSPORT, *CRASHES])
def test_an_error_is_the_agents_only_under_another_solver_and_not_in_transport(error: str) -> None:
    row = {"outcome": "error", "reason": error, "value": None}
    ours = settle_outcome(row, error, default_cap=False, foreign=False)
    theirs = settle_outcome(row, error, default_cap=False, foreign=True)
    assert ours == row
    assert (theirs["outcome"] == "error") == (error in TRANSPORT)


@solver
def crashes_now_and_then() -> Solver:
    asked = 0

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise KeyError("the agent forgot its plan")
        if asked == 3:
            raise ConnectionError("the server hung up")
        return await generate(state)

    return solve


def test_a_crash_counts_as_no_answer_and_a_lost_connection_does_not(tmp_path) -> None:
    inspect_eval(
        wb.compose(worlds=1, units=1, gates="or", group=1),
        model="reference/compose.exact",
        solver=crashes_now_and_then(),
        limit=ASKED,
        log_dir=str(tmp_path),
        fail_on_error=False,
        max_samples=1,
        display="none",
    )
    told = wb.load(tmp_path).to_arrow().to_pylist()
    assert sorted(row["outcome"] for row in told) == ["error", "no_answer"] + ["scored"] * 4
    assert [row["reason"] for row in told if row["outcome"] == "no_answer"] == [CRASHED]


@pytest.mark.parametrize("own", [True, False])
def test_a_reply_that_our_default_cap_cut_off_is_flagged_as_ours(tmp_path, own: bool) -> None:
    def reply(messages, tools, tool_choice, config) -> ModelOutput:
        stop = "max_tokens" if "Does Jonah come" in messages[0].text else "stop"
        output = ModelOutput.from_content("mockllm", "no", stop_reason=stop)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1)
        return output

    suite = get_suite("compose")
    given = {} if own else {"max_tokens": 1024}
    settings = cap_replies(given, suite, suite.designs["core"], "openai/gpt-4o", tmp_path)
    assert settings["max_tokens"] == 1024
    assert (DEFAULT_CAP in settings.get("metadata", {})) == own
    inspect_eval(
        wb.compose(worlds=1, units=1, gates="or", group=1),
        model=get_model("mockllm/model", custom_outputs=reply, memoize=False),
        log_dir=str(tmp_path),
        display="none",
        **settings,
    )
    told = wb.load(tmp_path)
    cut = [row for row in told.to_arrow().to_pylist() if row["outcome"] == "no_answer"]
    assert {row["reason"] for row in cut} == {CUT_BY_DEFAULT if own else CUT_OFF}
    flags = {flag for measure in told.measures() for flag in measure.flags}
    assert ("default_cap" in flags) == own
