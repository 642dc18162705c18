"""Programs that are served the tools of a sample by MCP."""

from __future__ import annotations

import gc
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest
from inspect_ai import eval as inspect_eval

import whybench as wb
from whybench.agents.programs import URL, mcp
from whybench.errors import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from inspect_ai.log import EvalLog

CALLS = """
import asyncio, os, sys
from mcp import Client

async def main():
    async with Client(os.environ[{url!r}]) as client:
        tools = {{tool.name: tool for tool in (await client.list_tools()).tools}}
        names = tools["hold"].input_schema["properties"]["entity"]["enum"]
        wrong = await client.call_tool("hold", {{"entity": "nobody"}})
        right = await client.call_tool("hold", {{"entity": names[0]}})
        print(sorted(tools), wrong.is_error, right.is_error, right.content[0].text)
        {more}

asked = sys.stdin.read()
assert "Question: Does the" in asked
asyncio.run(main())
"""


def run(folder: Path, source: str, **settings: Any) -> EvalLog:
    program = folder / "program.py"
    program.write_text(source)
    solver = mcp(command=shlex.join([sys.executable, str(program)]), **settings)
    (log,) = inspect_eval(
        wb.intervene(interface="tools"),
        model="none",
        solver=solver,
        log_dir=str(folder / "logs"),
        display="none",
        limit=1,
    )
    return log


def only_row(folder: Path) -> dict[str, Any]:
    (row,) = wb.load(str(folder / "logs")).to_arrow().to_pylist()
    return row


def test_a_program_calls_the_tools_and_its_calls_are_kept(tmp_path: Path) -> None:
    last = 'await client.call_tool("answer", {"answer": "yes"})'
    log = run(tmp_path, CALLS.format(url=URL, more=last))
    assert log.status == "success"
    assert log.samples is not None
    (sample,) = log.samples
    assert sample.output.completion.startswith("['answer', 'hold', 'move'] True False You see: ")
    called = [call.function for m in sample.messages for call in getattr(m, "tool_calls", 0) or ()]
    assert called == ["hold", "hold", "answer"]
    row = only_row(tmp_path)
    assert (row["value"], row["steps"]) == (1.0, 1)  # what was refused cost nothing


@pytest.mark.parametrize("more", ["raise SystemExit(3)", "await asyncio.sleep(600)", "pass"])
def test_a_program_that_does_not_answer_has_not_finished(tmp_path: Path, more: str) -> None:
    log = run(tmp_path, CALLS.format(url=URL, more=more), seconds=40 if "sleep" in more else 600)
    assert log.status == "success"
    row = only_row(tmp_path)
    assert (row["outcome"], row["reason"], row["steps"]) == ("no_answer", "unfinished", 1)


def test_what_cannot_be_started_is_said(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match="command must be a program with its arguments, got nothing"
    ):
        mcp(command=" ")
    (log,) = inspect_eval(
        wb.intervene(interface="tools"),
        model="none",
        solver=mcp(command="no-such-program --at all"),
        log_dir=str(tmp_path),
        display="none",
        limit=1,
    )
    assert log.status == "error"
    assert log.error is not None
    assert "program that can be started, got 'no-such-program'" in log.error.message
    gc.collect()  # a socket that was left open is a warning now, and so an error


def test_a_sample_without_tools_is_refused(tmp_path: Path) -> None:
    (log,) = inspect_eval(
        wb.judge(), model="none", solver=mcp(command="true"), log_dir=str(tmp_path),
        display="none", limit=1,
    )  # fmt: skip
    assert log.error is not None
    assert "a sample must have tools for a program to work with" in log.error.message
