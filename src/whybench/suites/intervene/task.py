"""The solver of intervene: it holds the episodes, which the scorer reads again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai.model import ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo, ToolParam, ToolParams
from inspect_ai.util import collect

from whybench.records.rows import unpack_sample
from whybench.suites.asking import ask
from whybench.suites.intervene.episode import InterveneCase, InterveneEpisode, parse_case
from whybench.suites.intervene.verdicts import ANSWERS
from whybench.suites.task import CUT_OFF, keep_stop_reason, reply_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput

__all__ = ["episodes"]

PASSED_OVER = "Not carried out: of several calls only the last one counts."


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
    model = get_model()
    item = str(row["item"])
    episode = InterveneEpisode(parse_case(row))
    tools = _make_tools(episode.case)
    while True:
        # A tool is not forced on the model: those that think before they call refuse that.
        output = await ask(model.generate, talk, tools=tools)
        reply = keep_stop_reason(output)
        talk.append(reply)
        response = episode.hear(reply_text(reply), output.stop_reason in CUT_OFF)
        state.store.set(f"intervene:{item}", {"steps": len(episode.path), "end": episode.end})
        if response is None:
            return output
        talk.extend(_list_responses(reply, response, talk[0].metadata))


def _list_responses(
    reply: ChatMessageAssistant, text: str, about: dict[str, Any] | None
) -> Iterator[ChatMessage]:
    """Yield what is said to a reply, about the same; every call of a tool gets its own."""
    calls = reply.tool_calls or []
    if not calls:
        yield ChatMessageUser(content=text, metadata=about)
    for call in calls:
        yield ChatMessageTool(
            content=text if call is calls[-1] else PASSED_OVER,
            tool_call_id=call.id,
            function=call.function,
        )


def _make_tools(case: InterveneCase) -> list[ToolInfo]:
    """Return the tools of an episode; none where the agent replies in text."""
    if not case.tools:
        return []
    move, hold, _, _ = case.words
    return [
        _make_tool(
            "intervene",
            "Act on one entity, and see what happens.",
            entity=("The entity to act on.", case.names),
            action=("What to do to it.", (move, hold)),
        ),
        _make_tool("answer", "Answer the question. This ends it.", answer=("The answer.", ANSWERS)),
    ]


def _make_tool(name: str, description: str, **choices: tuple[str, tuple[str, ...]]) -> ToolInfo:
    parameters = {
        key: ToolParam(type="string", description=meaning, enum=list(levels))
        for key, (meaning, levels) in choices.items()
    }
    return ToolInfo(
        name=name,
        description=description,
        parameters=ToolParams(properties=parameters, required=list(parameters)),
    )
