"""How conversations are held: each question alone, and in programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef
from inspect_ai.util import registry_info

import whybench as wb
from whybench.suites.analyze.protocols.prompts import PROTOCOLS
from whybench.suites.analyze.protocols.task import agentic, in_replies, solver_for
from whybench.suites.conversations import ask_each
from whybench.suites.intervene.task import open_world
from whybench.suites.replies import REASK

if TYPE_CHECKING:
    from pathlib import Path

    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model


def echo(heard: list[list[str]]) -> Model:
    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        heard.append([message.text for message in messages])
        output = ModelOutput.from_content("mockllm", f"to {messages[-1].text}")
        output.usage = ModelUsage()  # else the mock downloads a tokenizer to count with
        return output

    return get_model("mockllm/model", custom_outputs=answer)


def run(task: Task, heard: list[list[str]], folder: Path) -> EvalLog:
    (log,) = eval(task, model=echo(heard), log_dir=str(folder), display="none")
    return log


def test_each_question_of_a_sample_is_asked_alone(tmp_path: Path) -> None:
    heard: list[list[str]] = []
    questions = [ChatMessageUser(content=word) for word in ("one", "two", "three")]
    log = run(Task(dataset=[Sample(input=questions)], solver=ask_each()), heard, tmp_path)
    assert sorted(heard) == [["one"], ["three"], ["two"]]
    assert log.samples is not None
    said = [message.text for message in log.samples[0].messages]
    assert said == ["one", "to one", "two", "to two", "three", "to three"]


@pytest.mark.parametrize("group", [1, 3])
@pytest.mark.parametrize(
    ("replies", "stop_reason", "values"),
    [
        (["I would say it is likely.", "85"], "stop", [85.0]),
        (["85"], "stop", [85.0]),
        (["Hm.", "Hm."], "stop", [None]),
        (["The causes are"], "max_tokens", [None]),
    ],
)
def test_a_reply_without_an_answer_is_asked_for_once_more(
    tmp_path: Path, replies: list[str], stop_reason: Any, values: list[float | None], group: int
) -> None:
    heard: list[list[Any]] = []

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        heard.append([(message.role, message.text) for message in messages])
        output = ModelOutput.from_content(
            "mockllm", replies[len(messages) // 2], stop_reason=stop_reason
        )
        output.usage = ModelUsage()
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = eval(
        wb.judge(group=group), model=model, log_dir=str(tmp_path), display="none", limit=1
    )
    assert log.status == "success"
    assert len(heard) == group * len(replies)
    again = [talk for talk in heard if len(talk) > 1]
    assert all(
        talk[2] == ("user", f"{REASK} Please answer again, using exactly the requested format.")
        for talk in again
    )
    rows = wb.load(str(tmp_path)).to_arrow().to_pylist()
    assert [row["value"] for row in rows] == values * group


@pytest.mark.parametrize("protocol", [name for name, kind in PROTOCOLS.items() if kind.programs])
def test_a_protocol_is_held_with_a_tool_or_in_replies(protocol: str) -> None:
    expected = agentic(9) if PROTOCOLS[protocol].tool else in_replies(protocol, 9)
    assert registry_info(solver_for(protocol, 9)) == registry_info(expected)


@solver
def look_around() -> Solver:
    """Write down which tools and what else there is, and ask nobody."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.store.set("tools", [ToolDef(tool).name for tool in state.tools])
        return state

    return solve


def test_the_set_up_of_a_world_gives_the_sample_its_tools(tmp_path: Path) -> None:
    samples = wb.intervene(interface="tools").dataset[:1]
    task = Task(dataset=samples, setup=open_world(), solver=look_around())
    log = run(task, [], tmp_path)
    assert log.samples is not None
    kept = log.samples[0].store
    assert (kept["tools"], kept["intervene:calls"]) == (["move", "hold", "answer"], [])
    assert kept["intervene:world"]["names"] == samples[0].metadata["names"]
