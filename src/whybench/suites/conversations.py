"""Conversations in Inspect: how a question is asked, and what of a reply is kept.

Most suites ask an item in one turn. A reply in which no answer can be read is asked for once more,
in the same words for every model; one that the token limit cut off is not, since the limit would
cut off another. The last reply counts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from whybench.records.rows import unpack_sample
from whybench.suites.asking import ask
from whybench.suites.registry import get_suite
from whybench.suites.replies import REASK

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspect_ai.model import ChatMessage, ModelOutput

__all__ = ["CUT_OFF", "ask_each", "keep_stop_reason", "reply_text"]

CUT_OFF = ("max_tokens", "model_length")
"""Stop reasons of a reply that the token limit cut off."""

IN_THE_FORM = "Reply once more, in the form that was asked for."


@solver
def ask_each() -> Solver:
    """Open a conversation of its own with the model for each message of the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        talks = [[question] for question in state.messages]
        readers = _make_readers(state, len(talks))
        calls = [_converse(talk, reads) for talk, reads in zip(talks, readers, strict=True)]
        # A single conversation needs no task of its own.
        outputs = [await calls[0]] if len(calls) == 1 else await collect(*calls)
        state.messages = [message for talk in talks for message in talk]
        state.output = outputs[-1]
        return state

    return solve


def _make_readers(state: TaskState, count: int) -> list[Callable[[str], bool]]:
    """Return for each question of a sample whether an answer can be read in a reply to it."""
    if "suite" not in state.metadata:
        return [lambda _: True] * count
    suite = get_suite(str(state.metadata["suite"]))

    def make(row: dict[str, Any]) -> Callable[[str], bool]:
        return lambda text: suite.parse_reply(row, text, truncated=False).value is not None

    return [make(row) for row in unpack_sample(str(state.sample_id), state.metadata, None)]


async def _converse(talk: list[ChatMessage], reads: Callable[[str], bool]) -> ModelOutput:
    """Ask the question that a talk begins with, once more if need be; replies are added to it."""
    generate = get_model().generate
    output = await ask(generate, list(talk))
    reply = keep_stop_reason(output)
    talk.append(reply)
    if output.stop_reason in CUT_OFF or reads(reply_text(reply)):
        return output
    talk.append(ChatMessageUser(content=f"{REASK} {IN_THE_FORM}", metadata=talk[0].metadata))
    output = await ask(generate, list(talk))
    talk.append(keep_stop_reason(output))
    return output


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
