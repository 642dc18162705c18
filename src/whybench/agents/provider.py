"""The Inspect provider `reference/<suite>.<agent>`.

A reference agent runs through the same pipeline as any model. It learns from the messages only
which item it is asked and what was replied so far, finds the item by its id and answers by its
strategy. Each epoch gets fresh noise; everything follows from seed, item and epoch.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from inspect_ai.hooks import Hooks, SampleAttemptStart, hooks
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

from whybench.errors import RefusedError, UserError
from whybench.suites.contract import reply_generator
from whybench.suites.registry import find_item, get_suite, suite_names

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolChoice, ToolInfo

    from whybench.suites.contract import Episode, Item
    from whybench.suites.registry import AnySuite

__all__ = [
    "ReferenceAPI",
    "find_current_item",
    "follow_samples",
    "reference",
    "replay_episode",
]

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
    replies = [message.text for message in messages if message.role == "assistant"]
    for reply in replies:
        episode.hear(reply, truncated=False)
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
        suite_name, _, agent_name = model_name.partition(".")
        try:
            if not agent_name:
                raise UserError(
                    f"a reference agent must be named reference/<suite>.<agent>, such as "
                    f"reference/judge.noisy-or, got reference/{model_name}; "
                    f"installed suites are {', '.join(suite_names())}"
                )
            self.suite = get_suite(suite_name)
            self.agent = self.suite.agent(agent_name)
            self.settings = self.agent.settings(model_args)
        except UserError as error:
            raise RefusedError(str(error)) from None

    def max_connections(self) -> int:
        """Answer as many at once as Inspect asks; there is no service to spare."""
        return 1000

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],  # noqa: ARG002
        tool_choice: ToolChoice,  # noqa: ARG002
        config: GenerateConfig,  # noqa: ARG002
    ) -> ModelOutput:
        """Reply to the item that the conversation is about."""
        item_id, item = find_current_item(input)
        if item is None or item.digest.rpartition("-")[0] != self.suite.name:
            raise UserError(
                f"reference/{self.model_name} answers items of the suite {self.suite.name}, "
                f"got {item_id or 'a message without an item'}; use an agent of the suite that "
                f"asks (`whybench list` shows them)"
            )
        _, epoch = _SAMPLE.get() or ("", 1)
        context: Any = item
        turn = 0
        if self.suite.multi_turn:
            context, turn = replay_episode(self.suite, item, input)
        rng = reply_generator(self.agent.name, self.settings, item.digest, epoch, turn)
        reply = self.agent.reply(context, self.settings, rng)
        output = ModelOutput.from_content(self.model_name, reply)
        # Words stand for tokens; with usage set, nothing is downloaded to count them.
        sent = sum(len(message.text.split()) for message in input)
        received = len(reply.split())
        output.usage = ModelUsage(
            input_tokens=sent, output_tokens=received, total_tokens=sent + received
        )
        return output


@modelapi(name="reference")
def reference() -> type[ModelAPI]:
    """Register the provider with Inspect."""
    return ReferenceAPI
