"""The worlds of intervene in Inspect: tools that belong to the sample, and our own way to use them.

A world is acted on by three tools, `move`, `hold` and `answer`. They take what they need from the
sample's store, and keep there what was called, so that any agent that is given them can sit the
exam: `react(tools=[move(), hold(), answer()])`. The set-up of the task, which runs whatever the
solver is, puts the world there, and the tools into the state for solvers that take them from it.

`episodes` is the solver that is used unless a run names another. It also holds the conversations of
agents that reply in text, and of samples with several items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task_with
from inspect_ai.model import ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolParam, ToolParams, tool
from inspect_ai.util import Store, collect, store

from whybench.records.rows import unpack_sample
from whybench.suites.asking import ask
from whybench.suites.contract import UserError
from whybench.suites.conversations import CUT_OFF as CUT_OFF_REASONS
from whybench.suites.conversations import keep_stop_reason, reply_text
from whybench.suites.intervene.calls import (
    CALLED,
    CUT_OFF,
    SAID,
    TOOLS,
    find_refusal,
    hear_call,
    replay_calls,
)
from whybench.suites.intervene.case import InterveneCase, parse_case
from whybench.suites.intervene.items import DRAWN
from whybench.suites.intervene.world import ACTIONS
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai.model import ChatMessage, ModelOutput

    from whybench.suites.intervene.design import InterveneDesign

WORLD = "intervene:world"
"""Where a sample keeps the columns from which the world is made."""

_ARGUMENTS = {
    "entity": "The name of the one to act on.",
    "answer": "Your answer to the question.",
}
"""Descriptions of the arguments of tools."""

OVER = {
    "": "The task has ended. This call has no effect.",
    "answered": "Your answer has been recorded. The task has ended.",
    "out_of_steps": (
        "No actions were left, so this one was not carried out. The task has ended without an "
        "answer."
    ),
}
"""What a call is told at the end, by how it ended; by nothing where it had ended before."""


def episode_task(design: InterveneDesign, ask: Callable[..., Task]) -> Task:
    """Return the task of a design, in whose samples there are worlds to act on by tools."""
    task = ask(solver=episodes())
    return task_with(task, setup=open_world()) if "tools" in design.interface else task


@solver
def open_world() -> Solver:
    """Put the world of the item into the sample, and the tools to act on it into the state."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        rows = unpack_sample(str(state.sample_id), state.metadata, None)
        if len(rows) == 1 and rows[0]["interface"] == "tools":
            case = parse_case(rows[0])
            state.store.set(
                WORLD,
                {name: rows[0][name] for name in (*DRAWN, "worlds", "depth", "interface")},
            )
            state.store.set(CALLED, [])
            state.tools.extend(_make_tools(_KeptEpisode(case, state.store)))
        return state

    return solve


@tool(parallel=False)
def move() -> Tool:
    """Return the tool that sets an entity of the sample's world in motion."""

    async def execute(entity: str) -> str:
        """Set one entity in motion, and return the new states.

        In some worlds this has another name, such as light.

        Args:
            entity: The name of the entity.
        """
        return _find_world().call("move", entity)

    return execute


@tool(parallel=False)
def hold() -> Tool:
    """Return the tool that brings an entity of the sample's world to rest."""

    async def execute(entity: str) -> str:
        """Stop one entity, and return the new states.

        In some worlds this has another name, such as darken.

        Args:
            entity: The name of the entity.
        """
        return _find_world().call("hold", entity)

    return execute


@tool(parallel=False)
def answer() -> Tool:
    """Return the tool that answers the sample's question."""

    async def execute(answer: str) -> str:
        """Answer the question and end the task.

        Args:
            answer: The answer, yes or no, or the dotted link that is real.
        """
        return _find_world().call("answer", answer)

    return execute


def _find_world() -> _KeptEpisode:
    """Return the episode of the sample that is being run."""
    kept = store()
    if WORLD not in kept:
        raise UserError(
            "a sample must have one world for tools to act on, got none; the task intervene has "
            "them with interface=tools and group=1"
        )
    return _KeptEpisode(parse_case(kept.get(WORLD)), kept)


class _KeptEpisode:
    """An episode that is a sample's: what was called is kept in its store, and nowhere else."""

    def __init__(self, case: InterveneCase, kept: Store, item: str = "") -> None:
        self.case = case
        self._store = kept
        self._item = item

    @property
    def calls(self) -> list[list[str]]:
        found: Any = self._store.get(CALLED, {})
        return list(found.get(self._item, []) if self._item else found)

    @property
    def over(self) -> bool:
        return replay_calls(self.case, self.calls).over

    def hear(self, tool: str, argument: str) -> str | None:
        calls = self.calls
        episode = replay_calls(self.case, calls)
        if episode.over:
            return OVER[""]
        said = hear_call(episode, tool, argument)
        calls.append([tool, argument])
        others = {**self._store.get(CALLED, {}), self._item: calls} if self._item else calls
        self._store.set(CALLED, others)
        return OVER.get(episode.end, OVER[""]) if said is None else said

    def call(self, tool: str, argument: str) -> str:
        if refusal := find_refusal(self.case, tool, argument):
            raise ToolError(refusal)
        return self.hear(tool, argument) or ""


def _make_tools(world: _KeptEpisode) -> list[Tool]:
    """Return the tools of one episode, described in the words of its rules."""
    case = world.case
    descriptions = {
        tool: f'Perform the action "{verb}" of the rules, and return the new states.'
        for tool, verb in zip(ACTIONS, case.words, strict=False)
    } | {"answer": "Answer the question and end the task."}
    made = []
    for name, argument in TOOLS.items():
        levels = case.answers if name == "answer" else case.names
        parameter = ToolParam(type="string", description=_ARGUMENTS[argument], enum=list(levels))
        parameters = ToolParams(properties={argument: parameter}, required=[argument])
        definition = ToolDef(
            _make_execute(world, name),
            name=name,
            description=descriptions[name],
            parameters=parameters,
            parallel=False,
        )
        made.append(definition.as_tool())
    return made


def _make_execute(world: _KeptEpisode, name: str) -> Callable[..., Any]:
    async def act(entity: str) -> str:
        return world.call(name, entity)

    async def conclude(answer: str) -> str:
        return world.call(name, answer)

    return conclude if name == "answer" else act


@solver
def episodes() -> Solver:
    """Hold an episode for each opening of the sample, those of a group side by side."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        rows = unpack_sample(str(state.sample_id), state.metadata, None)
        if len(rows) == 1:
            state.output = await _hold_episode(state, rows[0], state.messages)
            return state
        opened = [[opening] for opening in state.messages]
        outputs = await collect(
            *(_hold_episode(state, row, talk) for row, talk in zip(rows, opened, strict=True))
        )
        state.messages = [message for talk in opened for message in talk]
        state.output = outputs[-1]
        return state

    return solve


async def _hold_episode(
    state: TaskState, row: dict[str, Any], talk: list[ChatMessage]
) -> ModelOutput:
    """Hold one episode; what is said is added to the talk."""
    episode: Any = get_suite(str(state.metadata["suite"])).open_episode(row)
    case, item = episode.case, str(row["item"])
    if case.tools:
        alone = CALLED in state.store and isinstance(state.store.get(CALLED), list)
        world = _KeptEpisode(case, state.store, "" if alone else item)
        return await _hold_with_tools(world, state.tools if alone else _make_tools(world), talk)
    generate = get_model().generate
    while True:
        output = await ask(generate, talk)
        reply = keep_stop_reason(output)
        talk.append(reply)
        response = episode.hear(reply_text(reply), output.stop_reason in CUT_OFF_REASONS)
        state.store.set(f"intervene:{item}", {"steps": len(episode.path), "end": episode.end})
        if response is None:
            return output
        talk.append(ChatMessageUser(content=response, metadata=talk[0].metadata))


async def _hold_with_tools(
    world: _KeptEpisode, tools: list[Tool], talk: list[ChatMessage]
) -> ModelOutput:
    """Let the model call tools until the episode is over; what it says in text is heard too."""
    generate = get_model().generate
    while True:
        # A tool is not forced on the model: those that think before they call refuse that.
        output = await ask(generate, talk, tools=tools)
        reply = keep_stop_reason(output)
        talk.append(reply)
        heard = len(world.calls)
        if reply.tool_calls:
            results, _ = await execute_tools(talk, tools)
            talk.extend(results)
            if len(world.calls) == heard:  # nothing but calls that were refused
                world.hear(SAID, "")
        else:
            is_cut_off = output.stop_reason in CUT_OFF_REASONS
            said = world.hear(CUT_OFF, "") if is_cut_off else world.hear(SAID, reply.text)
            if not world.over:
                talk.append(ChatMessageUser(content=said or "", metadata=talk[0].metadata))
        if world.over:
            return output
