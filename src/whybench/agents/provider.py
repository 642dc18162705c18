"""The Inspect provider `reference/…`: `<suite>.<agent>`, or a mind, which answers all suites.

A reference agent runs through the same pipeline as any model. It learns from the messages only
which item it is asked and what was replied so far, finds the item by its id and answers by its
strategy. Each epoch gets fresh noise; everything follows from seed, item and epoch.

Under a scaffold that offers tools it works as a model would: where the tools of the suite's worlds
are among them it calls these, and where there is `submit` it hands in its answer by that.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from inspect_ai.hooks import Hooks, SampleAttemptStart, hooks
from inspect_ai.model import (
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolCall
from inspect_ai.util import store

from whybench.errors import RefusedError, UserError
from whybench.seeds import split_digest
from whybench.suites.contract import reply_generator
from whybench.suites.references import REFERENCE, find_reference
from whybench.suites.registry import find_item, get_suite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolChoice, ToolInfo

    from whybench.suites.contract import Episode, Item
    from whybench.suites.registry import AnySuite

_SAMPLE: ContextVar[tuple[str, int] | None] = ContextVar("sample", default=None)
"""Id and epoch of the sample that is being asked."""


class _Follows:
    """Whether Inspect tells this process which sample begins."""

    yes = False


def follow_samples() -> None:
    """Have Inspect tell which sample begins; once in a process, when a provider of ours is opened.

    Not when the module is imported: Inspect's command names the hooks that are there at its start,
    also to those who ask none of our agents.
    """
    if _Follows.yes:
        return
    _Follows.yes = True

    @hooks(name="whybench_samples", description="Tells our agents which sample they are asked")
    class _Samples(Hooks):  # Inspect registers the class when it is defined
        async def on_sample_attempt_start(self, data: SampleAttemptStart) -> None:
            _SAMPLE.set((str(data.summary.id), data.summary.epoch))


SUBMIT = "submit"
"""What scaffolds call the tool by which an answer is handed in."""

DONE = "done"
"""What is handed in where the answer was given before."""


def find_current_item(messages: list[ChatMessage]) -> tuple[str, Item | None]:
    """Return the id of the item that is asked, and the item if this process asks it.

    The last message about an item names it, or else the sample does.
    """
    named = (str((message.metadata or {}).get("item", "")) for message in reversed(messages))
    item_id = next(filter(None, named), "")
    asked = _SAMPLE.get()
    if not item_id and asked is not None:
        item_id, _ = asked
    return item_id, find_item(item_id)


def replay_episode(suite: AnySuite, item: Item, messages: list[ChatMessage]) -> tuple[Episode, int]:
    """Return the episode after all replies so far, and how many there were."""
    episode = suite.open_episode(item.factors)
    replies = suite.find_heard(messages, ended=False)
    for reply in replies:
        episode.hear(reply.text, truncated=False)
    return episode, len(replies)


class ReferenceAPI(ModelAPI):
    """Answers as a reference agent does."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008  (Inspect's own signature)
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        follow_samples()
        try:
            self.reference = find_reference(f"{REFERENCE}{model_name}")
            self.answerers = {
                suite: self.reference.agent_for(suite, model_args)
                for suite in self.reference.suites
            }
        except UserError as error:
            raise RefusedError(str(error)) from None

    def max_connections(self) -> int:
        """Answer as many at once as Inspect asks; there is no service to spare."""
        return 1000

    def _open_kept(self, suite: AnySuite, item: Item, offered: set[str]) -> Episode | None:
        """Return the episode by the calls that the sample keeps.

        None where the tools of the suite's worlds are not offered.
        """
        use = suite.tool_use
        if use is None or _SAMPLE.get() is None or not offered.issuperset(use.names):
            return None
        return use.replay({**item.factors, "item": item.id}, dict(store().items()))

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        """Reply to the item that the conversation is about."""
        item_id, item = find_current_item(input)
        name = split_digest(item.digest)[0] if item is not None else ""
        if item is None or name not in self.answerers:
            raise UserError(
                f"{self.reference.name} answers items of the suite "
                f"{' or '.join(self.answerers)}, got {item_id or 'a message without an item'}; "
                f"use an agent of the suite that asks (`whybench list` shows them)"
            )
        suite = get_suite(name)
        agent, settings = self.answerers[name]
        _, epoch = _SAMPLE.get() or ("", 1)
        context: Any = item
        turn = 0
        offered = {tool.name for tool in tools}
        use = suite.tool_use
        kept = self._open_kept(suite, item, offered)
        if use is not None and kept is not None:
            context, turn = kept, _count_calls(use.names, input)
        elif suite.multi_turn:
            context, turn = replay_episode(suite, item, input)
        reply, call = DONE, None
        if kept is None or not kept.over:
            rng = reply_generator(agent.name, settings, item.digest, epoch, turn)
            reply = agent.reply(context, settings, rng)
        if use is not None and kept is not None and not kept.over:
            call = use.call(context, reply)
        if call is None and SUBMIT in offered:
            call = SUBMIT, {"answer": reply}
        output = _make_output(self.model_name, reply, call, len(input))
        # Words stand for tokens; with usage set, nothing is downloaded to count them.
        sent = sum(len(message.text.split()) for message in input)
        received = len(reply.split())
        output.usage = ModelUsage(
            input_tokens=sent, output_tokens=received, total_tokens=sent + received
        )
        return output


def _count_calls(names: Sequence[str], messages: list[ChatMessage]) -> int:
    """Return how many replies called one of these tools."""
    return sum(
        any(call.function in names for call in message.tool_calls or ())
        for message in messages
        if isinstance(message, ChatMessageAssistant)
    )


def _make_output(
    model: str, reply: str, call: tuple[str, Mapping[str, str]] | None, number: int
) -> ModelOutput:
    """Return a reply, or the call of a tool that takes its place."""
    if call is None:
        return ModelOutput.from_content(model, reply)
    made = ToolCall(id=f"call-{number}", function=call[0], arguments=dict(call[1]))
    return ModelOutput.from_message(
        ChatMessageAssistant(content="", model=model, source="generate", tool_calls=[made]),
        stop_reason="tool_calls",
    )


@modelapi(name="reference")
def reference() -> type[ModelAPI]:
    """Register the provider with Inspect."""
    return ReferenceAPI
