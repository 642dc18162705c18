"""Suites as environments of the library verifiers, whose reward is the suite's own scorer.

The library loads an environment by its name: `vf-eval whybench-judge` imports the module
`whybench_judge`. Those modules have three lines each; what they export is made here:

- a task set (`questions`): items of the train side, without end, one task for each;
- `Conversation`, how a task becomes a rollout: one reply, or an episode that goes on until the
  suite's state machine says that it is over;
- `Chat`, how the model is called: in this process, once a turn. The library's own chat program
  starts an interpreter for each turn, which takes seconds and installs packages.

A reply without an answer is worth 0, and says why: the metric `no_answer` is 1, and `info` of the
trace has the reason. A call that failed is neither: the trace has an error and no reward.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import verifiers.v1 as vf
from openai import APIError, AsyncOpenAI
from pydantic import Field, model_validator
from verifiers.v1.dialects.chat import message_to_wire

from whybench.suites.content import read_talk
from whybench.suites.contract import ENDLESS, UserError
from whybench.suites.designs import with_design_key
from whybench.suites.registry import get_suite
from whybench.training.canary import canary
from whybench.training.rewards import worth_of
from whybench.training.series import training_of, training_series

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.contract import Answer, Item
    from whybench.suites.registry import AnySuite
    from whybench.training.series import Series

__all__ = ["Chat", "Conversation", "Question", "questions"]


class QuestionData(vf.TaskData):
    """What a task says of its item: as much as it takes to go on with it and to score it."""

    suite: str
    version: int
    factors: dict[str, bool | int | float | str]
    truth: bool | int | float | str
    canary: str = canary("train")


class Question(vf.Task[QuestionData]):
    """One item as a task.

    Attributes:
        item: The item itself, where this process made it; checking the task needs it.
    """

    item: Item | None = None

    @property
    def key(self) -> str:
        """The item's id: it stays the same wherever in a stream the item comes."""
        return str(self.data.id)

    def answer(self, trace: Any) -> Answer:
        """Return what the replies of a rollout come to."""
        return read_talk(get_suite(self.data.suite), self.data.factors, replies_of(trace))

    @vf.reward
    async def worth(self, trace: vf.Trace) -> float:
        """Return what the answer is worth to the suite's scorer."""
        return worth_of(get_suite(self.data.suite), self.data.truth, self.answer(trace))

    @vf.metric
    async def no_answer(self, trace: vf.Trace) -> float:
        """Return 1 if the replies have no answer in them, and keep the reason."""
        reason = self.answer(trace).reason
        trace.info["reason"] = reason
        return float(bool(reason))

    async def validate(self, runtime: vf.Runtime) -> bool | None:  # noqa: ARG002
        """Say whether the true answer, worded as an agent would, gets full marks."""
        if self.item is None:
            return None
        asked = get_suite(self.data.suite)
        answer = asked.converse(self.item, lambda about, _: asked.oracle(about))
        return worth_of(asked, self.data.truth, answer) == 1


def questions(name: str, **fixed: object) -> type[vf.Taskset]:
    """Return the task set of a suite: its items to train on, without end.

    Args:
        name: The suite.
        fixed: Settings that no user may change, since replies are words and nothing else.
    """
    asked = get_suite(name)

    class Config(vf.TasksetConfig):
        settings: dict[str, Any] = Field(default_factory=dict)
        """Changes to the design, as `whybench list SUITE` names its factors: {"style": "cot"}."""

        @model_validator(mode="after")
        def _settings_make_a_series(self) -> Self:
            _series(asked, self.settings, fixed)
            return self

    class Questions(vf.Taskset[Question, Config]):
        INFINITE = True

        def load(self) -> Iterator[Question]:
            for item in _series(asked, self.config.settings, fixed).take(ENDLESS):
                yield _task(asked, item, self.config.task)

    return Questions


def _series(asked: AnySuite, settings: Mapping[str, Any], fixed: Mapping[str, object]) -> Series:
    """Return the series to train on, with what a user changed about its design."""
    kept = {**training_of(asked).settings, **fixed}
    if changed := sorted(kept.keys() & with_design_key(settings).keys()):
        raise UserError(
            f"settings must leave {', '.join(sorted(kept))} alone, which keep items apart from "
            f"those of tests and replies in words, got {', '.join(changed)}; leave it out"
        )
    return training_series(asked, {**settings, **fixed})


def _task(asked: AnySuite, item: Item, config: vf.TaskConfig) -> Question:
    data = QuestionData(
        id=item.id,
        prompt=asked.render(item),
        suite=asked.name,
        version=asked.version,
        factors=dict(item.factors),
        truth=item.truth,
    )
    task = Question(data, config)
    task.item = item
    return task


class ConversationConfig(vf.SingleAgentEnvConfig):
    """Who speaks, and where: by default the run's model, called from this process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class Conversation(vf.SingleAgentEnv, vf.Env[ConversationConfig]):
    """One task to one rollout, of one turn or many."""

    async def run(self, task: Question, agents: vf.Agents) -> None:
        """Hold the conversation about a task's item to its end."""
        asked = get_suite(task.data.suite)
        if not asked.multi_turn:
            await agents.agent.run(task)
            return
        episode = asked.open_episode(task.data.factors)
        async with agents.agent.interaction(task) as talk:
            turn = await talk.turn()
            while not turn.terminated:
                said = episode.hear(*replies_of(talk.trace)[-1])
                if said is None or episode.over:
                    break
                turn = await talk.turn(said)


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


def replies_of(trace: Any) -> list[tuple[str, bool]]:
    """Return the replies of a rollout, and of each whether the token limit cut it off.

    A message that calls tools is not a reply: the harness goes on with the results.
    """
    cut_off = {call.node for call in trace.calls if call.finish_reason == "length"}
    return [
        (node.message.content or "", place in cut_off)
        for place, node in enumerate(trace.nodes)
        if node.sampled and not node.message.tool_calls
    ]
