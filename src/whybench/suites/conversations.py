"""Conversations in Inspect: how a question is asked, and what of a reply is kept.

Most suites ask an item in one turn. A reply in which no answer can be read is asked for once more,
in the same words for every model; one that the token limit cut off is not, since the limit would
cut off another. The last reply counts. Where a conversation goes on, the message by which it does
is marked, and the reply before it counts too (`find_heard`).
"""

from __future__ import annotations

import json
from copy import copy
from typing import TYPE_CHECKING

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from whybench.records.rows import unpack_sample
from whybench.suites.asking import ask
from whybench.suites.items import GOES_ON, Answer, OneTurn
from whybench.suites.registry import get_suite
from whybench.suites.replies import REASK

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from whybench.suites.items import Episode

CUT_OFF = ("max_tokens", "model_length")
"""Stop reasons of a reply that the token limit cut off."""

IN_THE_FORM = "Please answer again, using exactly the requested format."


@solver
def ask_each() -> Solver:
    """Open a conversation of its own with the model for each message of the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        talks = [[question] for question in state.messages]
        episodes = _open_episodes(state, len(talks))
        calls = [_converse(talk, episode) for talk, episode in zip(talks, episodes, strict=True)]
        # A single conversation needs no task of its own.
        outputs = [await calls[0]] if len(calls) == 1 else await collect(*calls)
        state.messages = [message for talk in talks for message in talk]
        state.output = outputs[-1]
        return state

    return solve


def _open_episodes(state: TaskState, count: int) -> list[Episode]:
    """Return the episode of each question of a sample."""
    if "suite" not in state.metadata:
        return [OneTurn(lambda *_: Answer(0.0)) for _ in range(count)]
    suite = get_suite(str(state.metadata["suite"]))
    rows = unpack_sample(str(state.sample_id), state.metadata, None)
    return [suite.open_episode(row) for row in rows]


async def _converse(talk: list[ChatMessage], episode: Episode) -> ModelOutput:
    """Ask what a talk begins with, and go on as the episode does; all that is said is added."""
    about = talk[0].metadata
    output, episode, said = await _ask(talk, episode)
    while said is not None:
        talk.append(ChatMessageUser(content=said, metadata={**(about or {}), GOES_ON: True}))
        output, episode, said = await _ask(talk, episode)
    return output


async def _ask(
    talk: list[ChatMessage], episode: Episode
) -> tuple[ModelOutput, Episode, str | None]:
    """Ask what was said last, and once more if no answer can be read in the reply.

    Returns:
        What came back, the episode that has heard it, and what is said to it.
    """
    output, heard, said = await _ask_once(talk, episode)
    if output.stop_reason in CUT_OFF or not heard.over or heard.answer.value is not None:
        return output, heard, said
    talk.append(ChatMessageUser(content=f"{REASK} {IN_THE_FORM}", metadata=talk[0].metadata))
    return await _ask_once(talk, episode)


async def _ask_once(
    talk: list[ChatMessage], episode: Episode
) -> tuple[ModelOutput, Episode, str | None]:
    output = await ask(get_model().generate, list(talk))
    reply = keep_stop_reason(output)
    talk.append(reply)
    heard = copy(episode)
    return output, heard, heard.hear(reply_text(reply), output.stop_reason in CUT_OFF)


def keep_stop_reason(output: ModelOutput) -> ChatMessageAssistant:
    """Return the reply; one that was cut off says so, which the log would otherwise not keep."""
    if output.stop_reason not in CUT_OFF:
        return output.message
    reply = output.message.model_copy()
    reply.metadata = {**(reply.metadata or {}), "stop_reason": output.stop_reason}
    return reply


def reply_text(message: ChatMessageAssistant) -> str:
    """Return a reply as text: of tool calls, the arguments of the last one."""
    calls = message.tool_calls
    return json.dumps(calls[-1].arguments) if calls else message.text
