"""The attacks on intervene: fixed lists of actions."""

from __future__ import annotations

import json

import pytest

from whybench.seeds import generator
from whybench.suites.attack_runs import converse
from whybench.suites.attacks import Seen
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.attacks import ActionList, list_action_lists, search_lists
from whybench.suites.intervene.items import Situation
from whybench.training.items import training_lessons

LIMITED = SUITE.designs["limited"]


def situation(moving: str) -> Situation:
    names = ("circle", "heart", "star", "moon")
    return Situation(
        names=names,
        moving=frozenset(moving.split()),
        cause="heart",
        effect="star",
        words=("move", "hold", "moving", "static"),
        limit=4,
        style="direct",
        interface="text",
        wording="plain",
    )


@pytest.mark.parametrize(
    ("steps", "moving", "expected"),
    [
        (("hold others", "hold cause"), "circle heart star", "hold circle, hold heart"),
        (("hold others",), "circle moon", "hold circle, hold moon"),
        (("move others",), "circle heart", "move moon"),
        (("toggle cause", "toggle effect"), "heart", "hold heart, move star"),
        ((), "circle", ""),
    ],
)
def test_steps_are_actions_by_role(steps, moving, expected) -> None:
    now = {name: name in moving.split() for name in situation(moving).names}
    actions = ActionList(steps, "yes").actions(situation(moving), now)
    assert ", ".join(f"{verb} {name}" for name, verb in actions) == expected


@pytest.mark.parametrize(("step", "depends"), [("hold cause", False), ("toggle cause", True)])
def test_only_a_toggle_depends_on_what_is_observed(step: str, depends: bool) -> None:
    item = next(iter(SUITE.items(LIMITED)))
    plan = ActionList((step, step), "effect changed")
    prompt, said = SUITE.render(item), []
    for shown in ("moving", "static"):
        states = "; ".join(f"{name}: {shown}" for name in item.names)
        messages = (prompt, plan.reply(Seen((prompt,))), f"You see: {states}.")
        said.append(plan.reply(Seen(messages)))
    assert (said[0] != said[1]) == depends


def test_the_answer_follows_from_the_states() -> None:
    item = next(iter(SUITE.items(LIMITED)))
    prompt = SUITE.render(item)
    for rule, expected in (("yes", "yes"), ("no", "no"), ("effect changed", "no")):
        assert json.loads(ActionList((), rule).reply(Seen((prompt,)))) == {"answer": expected}


def test_every_plan_ends_with_an_answer() -> None:
    items = list(SUITE.items(LIMITED))[::40]
    for plan in list_action_lists()[::37]:
        for item in items:
            answer = converse(SUITE, item, plan.reply, generator("test"))
            assert answer.value is not None, (plan, answer.reason)


def test_the_search_finds_a_plan_with_a_known_reward() -> None:
    lessons = training_lessons(SUITE, LIMITED, 24)
    known = ActionList(("hold others", "hold cause"), "effect changed at last")
    few = [known, ActionList((), "yes"), ActionList(("toggle cause",), "effect changed")]
    best = search_lists(lessons, few)
    rewards = [sum(lesson.score(plan.reply) for lesson in lessons) for plan in few]
    assert rewards[0] == max(rewards) > min(rewards)
    assert best == known
