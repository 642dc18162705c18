"""Replies of calculate: numbers, one of two, and that something cannot be computed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.replies.words import REASONS
from whybench.suites.calculate.prompts import StatedQuestion, render_answer
from whybench.suites.calculate.quantities import NOT_COMPUTABLE, Quantity
from whybench.suites.calculate.replies import parse_stated_reply
from whybench.suites.calculate.world import StatedWorld


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("12.3%", 12.3),
        ("Answer: 12.3%", 12.3),
        ("**Answer: -4.5 percentage points**", -4.5),
        ("The final answer is 40 percent.", 40.0),
        ("The number is -12.3 percentage points.", -12.3),
        ("P = 0.3 x 0.4\nAnswer: 12%", 12.0),
        ("so 0.3 x 0.4 = 12%", 12.0),
        ("\\boxed{12.3\\%}", 12.3),
        ("<answer>\u22123.5%</answer>", -3.5),
        ('{"answer": "7.5%"}', 7.5),
        ("<think>Answer: 1%</think>Answer: 2%", 2.0),
        ("First I got Answer: 3%. In the end:\nAnswer: 4%", 4.0),
        ("0.3%", 0.3),
        ("0", 0.0),
        ("Answer: cannot be determined", NOT_COMPUTABLE),
        ("It cannot be determined.", NOT_COMPUTABLE),
        ("Answer: It can't be computed.", NOT_COMPUTABLE),
        ("\\boxed{\\text{cannot be determined}}", NOT_COMPUTABLE),
    ],
)
def test_numbers_that_are_read(reply: str, value: float) -> None:
    assert parse_stated_reply(reply, "number", "cot", False).value == value


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("0.3", "ambiguous_scale"),
        ("Answer: -.3", "ambiguous_scale"),
        ("12,3%", "ambiguous_number"),
        ("Answer: 120%", "out_of_scale"),
        ("<think>12%", "unfinished_thinking"),
        ("Answer: 12%. Wait, I was wrong.", "retracted"),
        ("Answer: first", "other_form"),
        ("I would rather not say.", "refusal"),
        ("between 10% and 20%", "range"),
        ('{"answer": 12, "Answer": 13}', "several_answers"),
    ],
)
def test_numbers_that_are_not_read(reply: str, reason: str) -> None:
    answer = parse_stated_reply(reply, "number", "cot", False)
    assert (answer.value, answer.reason) == (None, reason)
    assert reason in REASONS


def test_one_of_two() -> None:
    assert parse_stated_reply("Answer: first", "greater", "cot", False).value == 1
    assert parse_stated_reply("The second is greater.", "greater", "direct", False).value == 2
    assert parse_stated_reply("cannot be computed", "greater", "direct", False).value == 1000
    assert parse_stated_reply("12%", "greater", "cot", False).reason == "other_form"


def test_two_answers_where_one_was_asked_for_are_none() -> None:
    reply = "Answer: 12%\nAnswer: 13%"
    assert parse_stated_reply(reply, "number", "direct", False).reason == "several_answers"
    assert parse_stated_reply(reply, "number", "cot", False).value == 13


def test_a_reply_that_was_cut_off_is_no_answer() -> None:
    assert parse_stated_reply("Answer: 12%", "number", "cot", True).reason == "cut_off"


@given(st.floats(-100, 100), st.sampled_from(["cot", "direct"]), st.sampled_from(["do", "ate"]))
def test_a_number_as_agents_word_it_is_read(value: float, style: str, query: Any) -> None:
    asked = StatedQuestion(StatedWorld(("on", "off"), ()), (Quantity(query, "the a", "the b"),))
    reply = render_answer(value, asked, style)
    assert reply.endswith(" percentage points" if query == "ate" else "%")
    found = parse_stated_reply(reply, "number", style, False, query)
    assert found.value == pytest.approx(value, abs=1e-11)


@given(st.text(max_size=200), st.sampled_from(["number", "greater"]))
def test_nothing_raises(text: str, form: str) -> None:
    answer = parse_stated_reply(text, form, "cot", False)
    assert (answer.value is None) == bool(answer.reason)
