"""The protocols as Inspect solvers: programs are run in the sample's sandbox.

What a program of the agent's brings about, the end of its sandbox included, is an outcome. A
sandbox that fails before the first program was run is nobody's answer: it is an error, and the
sample is one that Inspect can try again. Outcomes stand in the metadata of the message that told
the agent of them, so that a log can be read again (`attempts_in`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai.model import (
    ChatMessageTool,
    ChatMessageUser,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef
from inspect_ai.util import OutputLimitExceededError, SandboxUnavailableError, sandbox

from whybench.records.rows import rows_of_sample
from whybench.suites.analyze.items import instance_of
from whybench.suites.analyze.protocols.attempts import Attempt, ended, told
from whybench.suites.analyze.protocols.conversation import Conversation
from whybench.suites.analyze.protocols.programs import given_program
from whybench.suites.analyze.protocols.wording import (
    ANSWER,
    NO_RUNS_LEFT,
    PROTOCOLS,
    ROWS_FILE,
    SECONDS,
)
from whybench.suites.analyze.wording import table
from whybench.suites.asking import ask
from whybench.suites.task import CUT_OFF, marked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.model import ChatMessage, ModelOutput
    from inspect_ai.tool import ToolChoice

    from whybench.suites.analyze.protocols.programs import Program
    from whybench.suites.analyze.protocols.wording import Protocol

__all__ = ["agentic", "attempts_in", "in_replies", "solver_for"]

PROGRAM_FILE = "program.py"
ATTEMPT = "attempt"
TURNS_PER_PROGRAM = 2
"""How many turns an agent with a tool may take for each program it may run; calls that cannot be
carried out use up turns and no programs."""


def solver_for(protocol: str, seconds: int = SECONDS) -> Solver:
    """Return the solver of a protocol under which programs are run.

    Args:
        protocol: code, code-debug or agentic.
        seconds: How long a program may run.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    return agentic(seconds) if PROTOCOLS[protocol].tool else in_replies(protocol, seconds)


def attempts_in(messages: Sequence[ChatMessage]) -> list[str]:
    """Return the outcomes of a conversation's attempts, in order; `code_parts` makes columns."""
    found = ((message.metadata or {}).get(ATTEMPT) for message in messages)
    return [str(outcome) for outcome in found if outcome is not None]


@solver
def in_replies(protocol: str, seconds: int = SECONDS) -> Solver:
    """Run the program of a reply, say what came of it, ask for a repair or for the answer."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        bench = _opened(state, seconds)
        conversation = Conversation(PROTOCOLS[protocol], seconds)
        while True:
            output = await _reply(state)
            program = conversation.hear(output.message.text, output.stop_reason in CUT_OFF)
            if program is None:
                return state
            attempt = await bench.run(program)
            state.messages.append(_said(conversation.see(attempt), attempt))

    return solve


@solver
def agentic(seconds: int = SECONDS) -> Solver:
    """Let the agent run programs with a tool, and ask for the answer when it is done."""
    protocol = PROTOCOLS["agentic"]

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        bench = _opened(state, seconds)
        attempts: list[Attempt | None] = []
        tools = [_python(bench, attempts, protocol, seconds)]
        for _ in range(TURNS_PER_PROGRAM * protocol.programs):
            output = await _reply(state, tools)
            if not output.message.tool_calls:
                break
            before = len(attempts)
            answered, _ = await execute_tools(state.messages, tools)
            state.messages.extend(_attributed(answered, attempts[before:]))
            if _used(attempts) >= protocol.programs:
                break
        # Who ran nothing is recorded with no runs, as under the other protocols.
        state.messages.append(_said(ANSWER, None if _used(attempts) else Attempt("no_code")))
        await _reply(state, tools, answering=True)
        return state

    return solve


async def _reply(
    state: TaskState, tools: Sequence[ToolDef] = (), answering: bool = False
) -> ModelOutput:
    """Ask the model under test; tools stay known to it when it answers, but may not be called."""
    choice: ToolChoice = "none" if answering or not tools else "auto"
    generate = get_model().generate
    state.output = await ask(generate, state.messages, tools, tool_choice=choice)
    state.messages.append(marked(state.output))
    return state.output


def _said(text: str, attempt: Attempt | None) -> ChatMessageUser:
    about = None if attempt is None else {ATTEMPT: attempt.outcome}
    return ChatMessageUser(content=text, metadata=about)


def _opened(state: TaskState, seconds: int) -> _Bench:
    """Return the bench with the rows of the item that a sample asks."""
    rows = rows_of_sample(str(state.sample_id), state.metadata, None)
    if len(rows) != 1:
        raise ValueError(f"a sample must ask one item where programs are run, got {len(rows)}")
    [row] = rows
    return _Bench(table(instance_of(row), str(row["label"])), seconds)


class _Bench:
    """Where the programs of one conversation are run, one after another."""

    def __init__(self, rows: str, seconds: int) -> None:
        self._rows = rows.encode()
        self._seconds = seconds
        self._used = False

    async def run(self, program: Program) -> Attempt:
        """Run a program on the rows as they were given, whatever became of the file since."""
        if program.outcome:
            return Attempt(program.outcome, blocks=program.blocks)
        try:
            await sandbox().write_file(ROWS_FILE, self._rows)
            await sandbox().write_file(PROGRAM_FILE, program.code.encode("utf-8", "replace"))
            return await self._ran(program.blocks)
        except (SandboxUnavailableError, PermissionError, FileNotFoundError, IsADirectoryError):
            if not self._used:
                raise
            return Attempt("gone", blocks=program.blocks)
        finally:
            self._used = True

    async def _ran(self, blocks: int) -> Attempt:
        command = ["python3", PROGRAM_FILE]
        try:
            result = await sandbox().exec(command, timeout=self._seconds, timeout_retry=False)
        except TimeoutError:
            return Attempt("time", blocks=blocks)
        except OutputLimitExceededError as error:
            return Attempt("flood", output=error.truncated_output or "", blocks=blocks)
        except UnicodeDecodeError:
            return Attempt("not_text", blocks=blocks)
        return ended(result.returncode, result.stdout, result.stderr, blocks)


def _python(
    bench: _Bench, attempts: list[Attempt | None], protocol: Protocol, seconds: int
) -> ToolDef:
    """Return the tool of one conversation; each call that reaches it adds to the attempts."""

    async def execute(code: str) -> str:
        """Run a Python program on the rows and see what it prints.

        Args:
            code: The whole program. Each run is a new one: files stay, variables do not.
        """
        if _used(attempts) >= protocol.programs:
            attempts.append(None)
            return NO_RUNS_LEFT
        attempt = await bench.run(given_program(code))
        attempts.append(attempt)
        left = protocol.programs - _used(attempts)
        return f"{told(attempt, seconds)}\n\nRuns left: {left}."

    # Not parallel: one sandbox, one set of files, and runs that are counted.
    return ToolDef(execute, name="python", parallel=False, max_output=0)


def _used(attempts: Sequence[Attempt | None]) -> int:
    return sum(attempt is not None for attempt in attempts)


def _attributed(
    answered: Sequence[ChatMessage], attempts: Sequence[Attempt | None]
) -> list[ChatMessage]:
    """Put outcomes to the messages that tell of them; a call that was refused has none."""
    made = iter(attempts)
    for message in answered:
        if isinstance(message, ChatMessageTool) and message.error is None:
            attempt = next(made, None)
            if attempt is not None:
                about: dict[str, Any] = {ATTEMPT: attempt.outcome}
                message.metadata = {**(message.metadata or {}), **about}
    return list(answered)
