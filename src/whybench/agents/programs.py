"""Agents that are programs of their own: `--solver whybench/mcp -S command='…'`.

The tools that a sample has, those of intervene's worlds or those that run code on analyze's rows,
are served by the Model Context Protocol on an address of this machine, one for each sample. The
program is told the address, gets the question on its standard input, works as it likes, and what it
prints is its last word. Calls are carried out by Inspect, and so are in the log like a model's;
verdicts rest on them.
"""

from __future__ import annotations

import os
import shlex
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio
from inspect_ai.model import ChatMessageAssistant, ModelOutput, execute_tools
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolDef

from whybench.agents.scaffold import require_tools
from whybench.errors import RefusedError, UserError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

URL = "WHYBENCH_MCP_URL"
"""The variable that tells a program where the tools are."""

POLL = 0.01


@solver
def mcp(command: str, seconds: float = 600.0) -> Solver:
    """Let a program work with the tools of the sample, by the Model Context Protocol.

    Args:
        command: The program with its arguments, as in a shell.
        seconds: How long it may work on a question; what it called until then counts.
    """
    words = shlex.split(command)
    if not words:
        raise UserError("command must be a program with its arguments, got nothing")

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        require_tools(state, "a program")
        async with _serve(state) as url:
            said = await _run(words, url, state.user_prompt.text, seconds)
        state.output = ModelOutput.from_content("mcp", said)
        state.messages.append(state.output.message)
        return state

    return solve


async def _run(words: list[str], url: str, question: str, seconds: float) -> str:
    """Run the program on a question; return what it printed, nothing if it took too long."""
    environment = {**os.environ, URL: url}
    with anyio.move_on_after(seconds):
        try:
            done = await anyio.run_process(
                words, input=question.encode(), env=environment, check=False, stderr=None
            )
        except OSError as error:
            raise RefusedError(
                f"command must be a program that can be started, got {words[0]!r} "
                f"({error.strerror})"
            ) from error
        return done.stdout.decode("utf-8", "replace").strip()
    return ""


@asynccontextmanager
async def _serve(state: TaskState) -> AsyncIterator[str]:
    """Serve the tools of a sample; yield the address."""
    try:
        import uvicorn  # noqa: PLC0415
        from mcp.server.lowlevel import Server  # noqa: PLC0415
        from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool  # noqa: PLC0415
    except ImportError as error:
        raise RefusedError(f"serving tools needs `pip install 'whybench[mcp]'` ({error})") from None

    one_at_a_time = anyio.Lock()

    async def list_tools(*_: Any) -> Any:
        definitions = map(ToolDef, state.tools)
        return ListToolsResult(
            tools=[
                Tool(
                    name=definition.name,
                    description=definition.description,
                    input_schema=definition.parameters.model_dump(exclude_none=True),
                )
                for definition in definitions
            ]
        )

    async def call_tool(_: Any, asked: Any) -> Any:
        call = ToolCall(id=uuid4().hex, function=asked.name, arguments=asked.arguments or {})
        async with one_at_a_time:
            message = ChatMessageAssistant(content="", tool_calls=[call])
            results, _ = await execute_tools([message], state.tools)
            state.messages += [message, *results]
        error = getattr(results[0], "error", None)
        text = error.message if error else results[0].text
        return CallToolResult(
            content=[TextContent(type="text", text=text)], is_error=error is not None
        )

    tools = Server("whybench", on_list_tools=list_tools, on_call_tool=call_tool)
    app = tools.streamable_http_app(json_response=True, stateless_http=True)

    class Quiet(uvicorn.Server):
        """A server that leaves signals to the run that it is part of."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    server = Quiet(
        uvicorn.Config(
            app, host="127.0.0.1", port=0, log_level="error", timeout_graceful_shutdown=1
        )
    )
    ended = anyio.Event()

    async def serve() -> None:
        # Cancelled, it would leave its socket open: it ends when it is told to, and soon.
        with anyio.CancelScope(shield=True):
            await server.serve()
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(serve)
        try:
            while not server.started:
                await anyio.sleep(POLL)
            _, port = server.servers[0].sockets[0].getsockname()
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.should_exit = True
            with anyio.CancelScope(shield=True):
                await ended.wait()
