"""The environments for verifiers, through the library's own loader, loop and scoring."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from evidence.agent_server import AgentServer
from evidence.environments import SUITES, items_of, rollouts
from evidence.fault_server import FaultServer, Plan

from whybench.errors import UserError
from whybench.suites.registry import get_suite
from whybench.training import reward

if TYPE_CHECKING:
    from collections.abc import Callable

# Importing the library takes seconds: one process does it, and only once it runs these tests.
pytestmark = pytest.mark.xdist_group("verifiers")


def environment(name: str, **settings: Any) -> Any:
    import verifiers.v1 as vf

    return vf.load_environment(
        vf.resolve_env_config({"taskset": {"id": f"whybench-{name}"}, **settings})
    )


def tasks(name: str, count: int) -> list[Any]:
    return list(environment(name).taskset.take(count))


def replying(name: str, *replies: str) -> list[Any]:
    """Return the traces of rollouts on the first items, in each of which one thing is said."""
    asked = get_suite(name)
    items = items_of(asked, len(replies))
    says = {item.id: reply for item, reply in zip(items, replies, strict=True)}
    with AgentServer(asked, items, lambda item, _about, _turn: says[item.id]) as server:
        return rollouts(name, len(replies), server.address)


@pytest.mark.parametrize("name", SUITES)
def test_tasks_are_the_items_of_the_train_stream(name: str) -> None:
    items, made = items_of(get_suite(name), 4), tasks(name, 4)
    assert [task.key for task in made] == [item.id for item in items]
    assert [task.data.prompt for task in made] == [get_suite(name).render(item) for item in items]
    assert {task.data.canary.rsplit(":", 1)[1] for task in made} == {"train"}
    for task, item in zip(made, items, strict=True):
        told = json.loads(task.data.model_dump_json())
        assert told["factors"] == dict(item.factors)
        assert told["truth"] == item.truth


@pytest.mark.parametrize("name", SUITES)
def test_gold_passes_its_own_check(name: str) -> None:
    assert [asyncio.run(task.validate(None)) for task in tasks(name, 3)] == [True] * 3


@pytest.mark.parametrize(
    ("name", "other"), [("calculate", lambda t: t + 2), ("compose", lambda t: 1 - t)]
)
def test_gold_of_another_truth_does_not_pass(name: str, other: Callable[[Any], Any]) -> None:
    (task,) = tasks(name, 1)
    assert asyncio.run(task.with_data(truth=other(task.data.truth)).validate(None)) is False


def test_a_task_without_its_item_cannot_be_checked() -> None:
    (task,) = tasks("calculate", 1)
    assert asyncio.run(type(task)(task.data).validate(None)) is None


def test_the_reward_is_that_of_an_exported_row_with_the_same_reply() -> None:
    said = ["50%", "Answer: cannot be computed", "I cannot say.", "<think>20%</think>80%"]
    traces = replying("calculate", *said)
    rows = [
        {"suite": "calculate", "version": 1, "factors": item.factors, "truth": item.truth}
        for item in items_of(get_suite("calculate"), 4)
    ]
    assert [trace.reward for trace in traces] == [
        reward(row, s) for row, s in zip(rows, said, strict=True)
    ]
    assert traces[1].reward == -1.0  # it can be
    assert [bool(trace.info["reason"]) for trace in traces] == [False, False, True, False]
    assert [trace.metrics["no_answer"] for trace in traces] == [0, 0, 1, 0]


def test_a_reply_without_an_answer_is_worth_nothing_and_says_why() -> None:
    (trace,) = replying("analyze", "The data do not say.")
    assert (trace.ok, trace.reward, trace.info["reason"]) == (True, 0.0, "no_object")


def test_an_episode_is_held_as_the_suite_holds_it() -> None:
    asked = get_suite("intervene")
    (item,) = items_of(asked, 1)
    agent = asked.agent("recipe")
    settings = agent.settings({})

    def speak(_item: Any, about: Any, _turn: int) -> str:
        return agent.reply(about, settings, None)

    with AgentServer(asked, [item], speak) as server:
        (trace,) = rollouts("intervene", 1, server.address)
    episode, said = asked.open_episode(item.factors), [asked.render(item)]
    while not episode.over:
        reply = agent.reply(episode, settings, None)
        said += [reply, episode.hear(reply, truncated=False)]
    heard = [message.content for message in trace.messages]
    assert heard == [text for text in said if text is not None][: len(heard)]
    assert len(heard) == 2 * trace.num_turns
    assert trace.num_turns > 2
    assert trace.reward == float(episode.answer.parts["verdict"] == "justified") == 1


def test_an_episode_that_a_limit_ends_is_unfinished() -> None:
    asked = get_suite("intervene")
    (item,) = items_of(asked, 1)
    env = environment("intervene", agent={"max_turns": 1})
    with AgentServer(asked, [item], lambda _i, about, _t: asked.oracle(about)) as server:
        (trace,) = run(env, server.address)
    assert (trace.num_turns, trace.reward, trace.info["reason"]) == (1, 0.0, "unfinished")


def run(env: Any, address: str, change: Callable[[Any], Any] = lambda task: task) -> list[Any]:
    """Return the traces of the first task."""
    import verifiers.v1 as vf

    async def one() -> list[Any]:
        context = vf.ModelContext(
            client=vf.EvalClientConfig(base_url=address, api_key_var="WHYBENCH_NO_KEY"),
            model="agent",
            sampling=vf.SamplingConfig(),
        )
        (task,) = env.taskset.take(1)
        async with env.serving():
            return list((await env.run_episode(change(task), context)).traces)

    return asyncio.run(one())


def test_a_reply_that_the_token_limit_cut_off_is_no_answer() -> None:
    with FaultServer(Plan({"long": 1.0})) as server:
        (trace,) = run(environment("calculate"), f"{server.address}/v1")
    assert trace.messages[-1].content.startswith("77 77")
    assert (trace.ok, trace.reward, trace.info["reason"]) == (True, 0.0, "cut_off")


def test_a_failed_call_is_an_error_and_not_a_reward() -> None:
    with FaultServer(Plan({"server_error": 1.0})) as server:
        (trace,) = run(environment("calculate"), f"{server.address}/v1")
    assert not trace.ok
    assert trace.errors[-1].type == "ProviderError"
    assert "something broke" in trace.errors[-1].message
    assert trace.rewards == {}


def test_a_system_prompt_goes_before_the_question() -> None:
    with FaultServer() as server:
        (trace,) = run(
            environment("calculate"),
            f"{server.address}/v1",
            lambda task: task.with_system_prompt("You are a statistician."),
        )
    assert [message.role for message in trace.messages] == ["system", "user", "assistant"]
    assert trace.messages[0].content == "You are a statistician."


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("calculate", {"split": "test"}, "alone"),
        ("analyze", {"protocol": "code"}, "alone"),
        ("intervene", {"interface": "tools"}, "alone"),
        ("calculate", {"colour": "red"}, "colour"),
    ],
)
def test_settings_that_do_not_fit_are_told(name: str, settings: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        environment(name, taskset={"id": f"whybench-{name}", "settings": settings})


def test_settings_change_what_is_asked() -> None:
    settings = {"style": "direct", "query": "do"}
    env = environment("calculate", taskset={"id": "whybench-calculate", "settings": settings})
    factors = [task.data.factors for task in islice(env.taskset.take(3), 3)]
    assert {(one["style"], one["query"]) for one in factors} == {("direct", "do")}


def test_the_environment_that_was_judges_says_where_it_went() -> None:
    with pytest.raises(UserError, match="judge is for testing alone: it has no `training`"):
        environment("judge")


def test_training_does_not_import_the_library() -> None:
    code = "import sys, whybench.training; print('verifiers' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
