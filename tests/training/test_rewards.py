"""Rewards are what the scorers say, from a row alone."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any

import pytest

from whybench.suites.contract import UserError, reply_generator
from whybench.suites.registry import get_suite
from whybench.training import grade, reward
from whybench.training.items import training_items

NAMES = ("calculate", "intervene", "compose", "analyze")


def rows(name: str, count: int, **settings: object) -> list[tuple[Any, dict[str, Any]]]:
    """Return items to train on, each with its row as JSON has it."""
    series = training_items(get_suite(name), settings)
    made = json.loads(json.dumps(list(series.rows(count))))
    return list(zip(series.take(count), made, strict=True))


def said_by(name: str, item: Any, speak: Any) -> list[str]:
    said: list[str] = []

    def aloud(asked: Any, turn: int) -> str:
        said.append(speak(asked, turn))
        return said[-1]

    get_suite(name).converse(item, aloud)
    return said


@pytest.mark.parametrize("name", NAMES)
def test_gold_is_worth_1_and_silence_0(name: str) -> None:
    for item, row in rows(name, 8):
        assert (
            reward(row, said_by(name, item, lambda asked, _: get_suite(name).oracle(asked))) == 1.0
        )
        for nothing in ("", "I would rather not say.", []):
            worth, answer = grade(row, nothing)
            assert worth == 0.0
            assert answer.outcome == "no_answer"
            assert answer.reason


def test_yes_is_worth_what_the_truth_says() -> None:
    for _, row in rows("compose", 45):
        assert reward(row, "yes") == row["truth"]
        assert reward(row, "No.") == 1 - row["truth"]


@pytest.mark.parametrize("name", ["calculate", "compose"])
def test_the_last_of_several_replies_is_the_answer_as_it_is_in_a_run(name: str) -> None:
    """What is said before the answer to a question of one turn is work on it."""
    for item, row in rows(name, 4):
        gold = get_suite(name).oracle(item)
        assert reward(row, ["Let me see.", gold]) == 1.0
        assert reward(row, [gold, "On second thoughts, I cannot say."]) == 0.0


def test_a_report_is_worth_what_it_is_whatever_is_said_to_explain_it() -> None:
    asked = get_suite("analyze")
    for item, row in rows("analyze", 4):
        report = asked.oracle(asked.open_episode(item.factors))
        assert reward(row, report) == reward(row, [report, "I do not know why."]) == 1.0


def test_an_answer_that_nothing_entails_is_worth_nothing() -> None:
    """A right guess is luck: all entities move, and nothing was done to them."""
    for _, row in rows("intervene", 16):
        guess = json.dumps({"answer": "yes" if row["truth"] else "no"})
        worth, answer = grade(row, guess)
        assert (worth, answer.parts["verdict"]) == (0.0, "lucky")
        assert reward(row, [guess, "and more after the end"]) == 0.0


@pytest.mark.parametrize("name", ["intervene", "analyze"])
def test_agents_get_what_their_answers_are_scored(name: str) -> None:
    asked = get_suite(name)
    for agent in ("guesser", "naive", "always-yes", "null"):
        if agent not in asked.agents:
            continue
        one = asked.agent(agent)
        settings = one.settings({})
        for item, row in rows(name, 12):
            rng = [reply_generator(agent, settings, item.id, 1, turn) for turn in range(30)]
            said = said_by(name, item, lambda a, turn, one=one, rng=rng, s=settings: one.reply(
                a, s, rng[turn]
            ))  # fmt: skip
            replies = iter(said)
            answer = asked.converse(item, lambda *_, replies=replies: next(replies))
            expected = (
                (answer.value or 0.0)
                if name == "analyze"
                else float(answer.parts["verdict"] == "justified")
            )
            assert reward(row, said) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 99}, "version of a row must be 1, that of the installed compose, got 99"),
        ({"suite": "nothing"}, "there is no suite 'nothing'"),
        ({"factors": None}, "got none of the name\\(s\\) factors"),
    ],
)
def test_a_row_that_is_not_ours_is_refused(change: dict[str, Any], message: str) -> None:
    (_, row), *_ = rows("compose", 1)
    changed = {key: value for key, value in {**row, **change}.items() if value is not None}
    with pytest.raises(UserError, match=message):
        reward(changed, "yes")


def test_a_suite_of_others_is_worth_right_or_wrong() -> None:
    from whybench.suites.contract import Answer, Training

    worth = Training({}, world_key=str).reward
    assert worth({}, 1.0, Answer(1.0)) == 1.0
    assert worth({}, 1.0, Answer(0.0)) == 0.0
    assert len(list(islice(rows("compose", 2), 2))) == 2
