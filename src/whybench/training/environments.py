"""Suites as environments of the library verifiers, whose reward is the suite's own scorer.

The library loads an environment by its name: `vf-eval whybench-compose` imports the module
`whybench_compose`. Those modules have three lines each; what they export is made here:

- a task set (`make_taskset`): items of the train split, without end, one task for each;
- `ConversationEnv`, how a task becomes a rollout: one reply, or an episode that goes on until the
  suite's state machine says that it is over;
- `Chat`, how the model is called: in this process, once a turn. The library's own chat program
  starts an interpreter for each turn, which takes seconds and installs packages.

A reply without an answer has the reward 0: the metric `no_answer` is 1, and `info` of the trace has
the reason. A call that failed is neither: the trace has an error and no reward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import verifiers.v1 as vf
from openai import APIError, AsyncOpenAI
from pydantic import Field, model_validator
from verifiers.v1.dialects.chat import message_to_wire

from whybench.errors import UserError
from whybench.suites.contract import TRAINING_WORLDS
from whybench.suites.registry import get_suite
from whybench.suites.replies import parse_conversation
from whybench.training.canary import canary
from whybench.training.items import answer_reward, get_training, training_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.contract import Answer, Item
    from whybench.suites.registry import AnySuite
    from whybench.training.items import SplitItems


class ItemTaskData(vf.TaskData):
    """The data of a task: as much of its item as it takes to converse about it and to score it."""

    suite: str
    version: int
    factors: dict[str, bool | int | float | str]
    truth: bool | int | float | str
    canary: str = canary("train")


class ItemTask(vf.Task[ItemTaskData]):
    """One item as a task.

    Attributes:
        item: The item itself, where this process made it; checking the task needs it.
    """

    item: Item | None = None

    @property
    def key(self) -> str:
        """The item's id: it stays the same wherever among the items it comes."""
        return str(self.data.id)

    def answer(self, trace: Any) -> Answer:
        """Return the answer of the replies of a rollout."""
        return parse_conversation(
            get_suite(self.data.suite), self.data.factors, list_replies(trace)
        )

    @vf.reward
    async def reward(self, trace: vf.Trace) -> float:
        """Return the reward of the answer, by the suite's scorer."""
        suite, data = get_suite(self.data.suite), self.data
        return answer_reward(suite, data.factors, data.truth, self.answer(trace))

    @vf.metric
    async def no_answer(self, trace: vf.Trace) -> float:
        """Return 1 if the replies have no answer in them, and keep the reason."""
        reason = self.answer(trace).reason
        trace.info["reason"] = reason
        return float(bool(reason))

    async def validate(self, runtime: vf.Runtime) -> bool | None:  # noqa: ARG002
        """Return whether the true answer, in the words of an agent, gets full marks."""
        if self.item is None:
            return None
        suite = get_suite(self.data.suite)
        answer = suite.converse(self.item, lambda context, _: suite.oracle(context))
        return answer_reward(suite, self.data.factors, self.data.truth, answer) == 1


def make_taskset(name: str, **fixed: object) -> type[vf.Taskset]:
    """Return the task set of a suite: its items to train on, without end.

    Args:
        name: The suite.
        fixed: Settings that no user may change, since replies are words and nothing else.
    """
    suite = get_suite(name)

    class Config(vf.TasksetConfig):
        settings: dict[str, Any] = Field(default_factory=dict)
        """Changes to the design, as `whybench list SUITE` names its factors: {"style": "cot"}."""

        @model_validator(mode="after")
        def _check_settings(self) -> Self:
            _training_items(suite, self.settings, fixed)
            return self

    class Questions(vf.Taskset[ItemTask, Config]):
        INFINITE = True

        def load(self) -> Iterator[ItemTask]:
            for item in _training_items(suite, self.config.settings, fixed).take(TRAINING_WORLDS):
                yield _task(suite, item, self.config.task)

    return Questions


def _training_items(
    suite: AnySuite, settings: Mapping[str, Any], fixed: Mapping[str, object]
) -> SplitItems:
    """Return the items to train on, with what a user changed about their design."""
    kept = {**get_training(suite).settings, **fixed}
    if changed := sorted(kept.keys() & settings.keys()):
        raise UserError(
            f"settings must leave {', '.join(sorted(kept))} alone, which keep items apart from "
            f"those of tests and replies in words, got {', '.join(changed)}; leave it out"
        )
    return training_items(suite, {**settings, **fixed})


def _task(suite: AnySuite, item: Item, config: vf.TaskConfig) -> ItemTask:
    data = ItemTaskData(
        id=item.id,
        prompt=suite.render(item),
        suite=suite.name,
        version=suite.version,
        factors=dict(item.factors),
        truth=item.truth,
    )
    task = ItemTask(data, config)
    task.item = item
    return task


class ConversationEnvConfig(vf.SingleAgentEnvConfig):
    """Who speaks, and where: by default the run's model, called from this process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ConversationEnv(vf.SingleAgentEnv, vf.Env[ConversationEnvConfig]):
    """One task to one rollout, of one turn or many."""

    async def run(self, task: ItemTask, agents: vf.Agents) -> None:
        """Hold the conversation about a task's item to its end."""
        suite = get_suite(task.data.suite)
        if not suite.multi_turn:
            await agents.agent.run(task)
            return
        episode = suite.open_episode(task.data.factors)
        async with agents.agent.interaction(task) as talk:
            turn = await talk.turn()
            while not turn.terminated:
                message = episode.hear(*list_replies(talk.trace)[-1])
                if message is None or episode.over:
                    break
                turn = await talk.turn(message)


class Chat(vf.Harness[vf.HarnessConfig]):
    """Asks the model once for each turn, with all that was said before."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,  # noqa: ARG002
        runtime: vf.Runtime,  # noqa: ARG002
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],  # noqa: ARG002
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Call the model; the library keeps the reply, and says what went wrong if it did."""
        system, prompt = self.resolve_prompt(data)
        messages: list[Any] = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        else:
            messages += [message_to_wire(message) for message in prompt]
        # How long a rollout may take is for the library to say, so there is no limit here.
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
            try:
                await client.chat.completions.create(model=ctx.model, messages=messages)
            except APIError as error:
                return vf.ProgramResult(1, "", str(error))
        return vf.ProgramResult(0, "", "")


def list_replies(trace: Any) -> list[tuple[str, bool]]:
    """Return the replies of a rollout, and of each whether the token limit cut it off.

    A message that calls tools is not a reply: the harness goes on with the results.
    """
    cut_off = {call.node for call in trace.calls if call.finish_reason == "length"}
    return [
        (node.message.content or "", number in cut_off)
        for number, node in enumerate(trace.nodes)
        if node.sampled and not node.message.tool_calls
    ]
