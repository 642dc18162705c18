"""The protocols as Inspect solvers: programs are run in the sample's sandbox.

What a program of the agent's brings about, the end of its sandbox included, is an outcome. A
sandbox that fails before the first program was run, or ends by no limit that a program met, is
nobody's answer: it is an error, and the sample is one that Inspect can try again. Outcomes stand in
the metadata of the message that told the agent of them, so that a log can be read again
(`read_outcomes`); versions of packages stand in the sample's store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from inspect_ai.model import (
    ChatMessageTool,
    ChatMessageUser,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, bash, python
from inspect_ai.util import OutputLimitExceededError, SandboxUnavailableError, sandbox

from whybench.records.rows import unpack_sample
from whybench.suites.analyze.prompts import rows_csv
from whybench.suites.analyze.protocols.attempts import Attempt, classify_exit, describe_attempt
from whybench.suites.analyze.protocols.programs import check_program, find_program, follow_up
from whybench.suites.analyze.protocols.prompts import (
    NO_RUNS_LEFT,
    PROTOCOLS,
    ROWS_FILE,
    SECONDS,
)
from whybench.suites.asking import ask
from whybench.suites.contract import GOES_ON
from whybench.suites.conversations import (
    CUT_OFF,
    ask_each,
    keep_stop_reason,
    reply_text,
)
from whybench.suites.registry import get_suite
from whybench.suites.sandboxes import PackageCheck

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.model import ChatMessage, ModelOutput
    from inspect_ai.tool import ToolChoice

    from whybench.suites.analyze.episode import AnalyzeEpisode
    from whybench.suites.analyze.protocols.programs import Program
    from whybench.suites.analyze.protocols.prompts import Protocol

PROGRAM_FILE = "program.py"
ATTEMPT = "attempt"
VERSIONS = "packages"
"""Where a sample keeps the versions of the packages that programs are promised."""

TURNS_PER_PROGRAM = 2
"""How many turns an agent with a tool may take for each program it may run; calls that cannot be
carried out use up turns and no programs."""


def solver_for(protocol: str, seconds: int = SECONDS) -> Solver:
    """Return the solver of a protocol under which programs are run.

    Args:
        protocol: code, code-debug, agentic or free.
        seconds: How long a program may run.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    if PROTOCOLS[protocol].tool:
        return agentic(seconds, protocol)
    return in_replies(protocol, seconds)


def read_outcomes(messages: Sequence[ChatMessage]) -> list[str]:
    """Return the outcomes of a conversation's attempts, in order; `code_columns` makes columns."""
    outcomes = ((message.metadata or {}).get(ATTEMPT) for message in messages)
    return [str(outcome) for outcome in outcomes if outcome is not None]


@solver
def in_replies(protocol: str, seconds: int = SECONDS) -> Solver:
    """Run the program of a reply, say what came of it, ask for a repair or for the answer."""
    packages = PackageCheck()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        workspace = await _open_workspace(state, seconds, packages)
        for left in reversed(range(PROTOCOLS[protocol].programs)):
            output = await _ask(state)
            program = find_program(output.message.text, output.stop_reason in CUT_OFF)
            attempt = await workspace.run(program)
            text, repair = follow_up(attempt, left, seconds, _open_episode(state).request)
            state.messages.append(_user_message(text, attempt))
            if not repair:
                break
        await _ask(state)
        await _go_on(state)
        return state

    return solve


@solver
def follow_protocol(seconds: int = SECONDS) -> Solver:
    """Ask as the protocol of each sample says."""
    solvers = {
        "direct": ask_each(),
        **{protocol: solver_for(protocol, seconds) for protocol in PROTOCOLS},
    }

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await solvers[str(_find_row(state)["protocol"])](state, generate)

    return solve


def _find_row(state: TaskState) -> dict[str, Any]:
    """Return the factors of the item that a sample asks."""
    [row] = unpack_sample(str(state.sample_id), state.metadata, None)
    return row


@solver
def offer_tools(seconds: int = SECONDS) -> Solver:
    """Put tools that run programs into the state, for solvers that take them from there.

    Ours do not: they have a tool of their own, which counts what it runs.
    """
    packages = PackageCheck()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        rules = PROTOCOLS.get(str(_find_row(state)["protocol"]))
        if rules is not None:
            state.store.set(VERSIONS, dict(await packages.versions()))
        if rules is not None and rules.tool:
            state.tools.extend([bash(timeout=seconds), python(timeout=seconds)])
        return state

    return solve


@solver
def agentic(seconds: int = SECONDS, protocol: str = "agentic") -> Solver:
    """Let the agent run programs with a tool, and ask for the answer if it has not given it."""
    rules, packages = PROTOCOLS[protocol], PackageCheck()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        workspace = await _open_workspace(state, seconds, packages)
        attempts: list[Attempt | None] = []
        tools = [_python_tool(workspace, attempts, rules, seconds)]
        for _ in range(TURNS_PER_PROGRAM * rules.programs):
            output = await _ask(state, tools)
            if not output.message.tool_calls:
                if not rules.asked:
                    await _go_on(state, tools)
                    return state
                break
            before = len(attempts)
            results, _ = await execute_tools(state.messages, tools)
            state.messages.extend(_add_outcomes(results, attempts[before:]))
            if _count_runs(attempts) >= rules.programs:
                break
        # Who ran nothing is recorded with no runs, as under the other protocols.
        state.messages.append(
            _user_message(
                _open_episode(state).request, None if _count_runs(attempts) else Attempt("no_code")
            )
        )
        await _ask(state, tools, answering=True)
        await _go_on(state, tools)
        return state

    return solve


def _open_episode(state: TaskState) -> AnalyzeEpisode:
    """Open the episode of the item that a sample asks."""
    episode: Any = get_suite(str(state.metadata["suite"])).open_episode(_find_row(state))
    return cast("AnalyzeEpisode", episode)


async def _go_on(state: TaskState, tools: Sequence[ToolDef] = ()) -> None:
    """Ask for the diagnosis, if there is a report."""
    heard = reply_text(state.output.message)
    said = _open_episode(state).hear(heard, state.output.stop_reason in CUT_OFF)
    if said is not None:
        state.messages.append(ChatMessageUser(content=said, metadata={GOES_ON: True}))
        await _ask(state, tools, answering=True)


async def _ask(
    state: TaskState, tools: Sequence[ToolDef] = (), answering: bool = False
) -> ModelOutput:
    """Ask the model under test; tools stay known to it when it answers, but may not be called."""
    choice: ToolChoice = "none" if answering or not tools else "auto"
    generate = get_model().generate
    state.output = await ask(generate, state.messages, tools, tool_choice=choice)
    state.messages.append(keep_stop_reason(state.output))
    return state.output


def _user_message(text: str, attempt: Attempt | None) -> ChatMessageUser:
    metadata = None if attempt is None else {ATTEMPT: attempt.outcome}
    return ChatMessageUser(content=text, metadata=metadata)


async def _open_workspace(state: TaskState, seconds: int, packages: PackageCheck) -> _Workspace:
    """Return the workspace with the rows of the item that a sample asks.

    Raises:
        RefusedError: Its sandbox lacks a package that programs are promised.
    """
    if VERSIONS not in state.store:
        state.store.set(VERSIONS, dict(await packages.versions()))
    episode = _open_episode(state)
    return _Workspace(rows_csv(episode.instance, episode.label), seconds)


class SandboxLostError(RuntimeError):
    """The sandbox ended, and not by a program's doing; no tool's error, but one of the sample."""


class _Workspace:
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
            return await self._execute(program.blocks)
        except SandboxUnavailableError as error:
            if not getattr(error, "caused_by_program", False):
                raise SandboxLostError(str(error)) from error
            return Attempt("gone", blocks=program.blocks)
        except (PermissionError, FileNotFoundError, IsADirectoryError) as error:
            if not self._used:
                raise SandboxLostError(str(error)) from error
            return Attempt("gone", blocks=program.blocks)
        finally:
            self._used = True

    async def _execute(self, blocks: int) -> Attempt:
        command = ["python3", PROGRAM_FILE]
        try:
            result = await sandbox().exec(command, timeout=self._seconds, timeout_retry=False)
        except TimeoutError:
            return Attempt("time", blocks=blocks)
        except OutputLimitExceededError as error:
            return Attempt("flood", output=error.truncated_output or "", blocks=blocks)
        except UnicodeDecodeError:
            return Attempt("not_text", blocks=blocks)
        return classify_exit(result.returncode, result.stdout, result.stderr, blocks)


def _python_tool(
    workspace: _Workspace, attempts: list[Attempt | None], protocol: Protocol, seconds: int
) -> ToolDef:
    """Return the tool of one conversation; each call that reaches it adds to the attempts."""

    async def execute(code: str) -> str:
        """Run a Python program on the rows and see what it prints.

        Args:
            code: The whole program. Each run is a new process: files are kept, variables are not.
        """
        if _count_runs(attempts) >= protocol.programs:
            attempts.append(None)
            return NO_RUNS_LEFT
        attempt = await workspace.run(check_program(code))
        attempts.append(attempt)
        left = protocol.programs - _count_runs(attempts)
        return f"{describe_attempt(attempt, seconds)}\n\nRuns left: {left}."

    # Not parallel: one sandbox, one set of files, and runs that are counted.
    return ToolDef(execute, name="python", parallel=False, max_output=0)


def _count_runs(attempts: Sequence[Attempt | None]) -> int:
    return sum(attempt is not None for attempt in attempts)


def _add_outcomes(
    results: Sequence[ChatMessage], attempts: Sequence[Attempt | None]
) -> Sequence[ChatMessage]:
    """Put outcomes to the messages that tell of them; a call that was refused has none."""
    remaining = iter(attempts)
    for message in results:
        if isinstance(message, ChatMessageTool) and message.error is None:
            attempt = next(remaining, None)
            if attempt is not None:
                message.metadata = {**(message.metadata or {}), ATTEMPT: attempt.outcome}
    return results
