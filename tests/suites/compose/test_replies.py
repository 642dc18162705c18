"""The reader of yes and no: exact on a table of awkward replies, lawful on any text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from evidence.reading import HOSTILE_CHOICES
from hypothesis import example, given
from hypothesis import strategies as st

from whybench.suites.compose.prompts import REPLY_FORM, render_reply
from whybench.suites.compose.replies import parse_reply
from whybench.suites.contract import Answer

TABLE = yaml.safe_load((Path(__file__).parent / "awkward_replies.yaml").read_text("utf-8"))
ENTRIES = [
    pytest.param(style.replace("steps", "cot"), text, expected, id=f"{kind} {number}")
    for kind, rows in TABLE.items()
    for number, (style, text, expected) in enumerate(rows)
]
REASONS = {
    *("ambiguous", "cut_off", "empty", "no_answer_found"),
    *("refusal", "retracted", "unfinished_thinking"),
}
VALUES = {"yes": 1.0, "no": 0.0}

# Pieces of which awkward replies are made: arbitrary text alone hardly ever holds an answer.
PIECES = """yes;no;Yes;NO;Answer: ;Final answer: ;The answer is ;answer;**;`;```;. ;, ; ;(;);";{;}
{"answer": ";\\boxed{;$;<answer>;</answer>;<think>;</think>;<reasoning>;Wait;because ;one ;/; or
<|channel|>final<|message|>;<|channel|>;Question: ;→;—;-;：;\u200b;👍;Ada comes;<b>;&lt;;#;?"""
JOINED = st.lists(st.sampled_from([*re.split("[;\n]", PIECES), "\n", "\n\n"]), max_size=14)
REPLIES = st.one_of(st.text(), JOINED.map("".join))
STYLES = tuple(REPLY_FORM)


def outcome(answer: Answer) -> str:
    return answer.reason or {1.0: "yes", 0.0: "no"}[answer.value]


@pytest.mark.parametrize(("style", "text", "expected"), ENTRIES)
def test_awkward_reply(style: str, text: str, expected: str) -> None:
    assert outcome(parse_reply(text, style)) == expected


def test_table_is_large_and_reaches_every_reason() -> None:
    replies = [(style, text) for rows in TABLE.values() for style, text, _ in rows]
    assert len(replies) >= 80
    assert len(set(replies)) == len(replies)
    expected = {row[2] for rows in TABLE.values() for row in rows}
    assert expected | {"cut_off"} == {*REASONS, "yes", "no"}


@given(REPLIES, st.one_of(st.sampled_from(STYLES), st.text(max_size=5)))
@example('{"a":' * 5000 + "}", "direct")
@example('{"answer": ' + "9" * 5000 + "}", "direct")
@example("\ud800 yes", "direct")
def test_any_text_is_read_lawfully(text: str, style: str) -> None:
    answer = parse_reply(text, style)
    assert answer == parse_reply(text, style)
    assert answer == parse_reply(f" \n{text}\t\n ", style)
    if answer.value is None:
        assert answer.outcome == "no_answer"
        assert answer.reason in REASONS
    else:
        assert answer.outcome == "scored"
        assert answer.value in VALUES.values()


@given(REPLIES, st.sampled_from(STYLES))
def test_what_is_cut_off_is_no_answer(text: str, style: str) -> None:
    assert parse_reply(text, style, truncated=True) == Answer(None, "cut_off")


@given(
    REPLIES.filter(lambda text: not re.search(r"[<\[◁]|&lt;|[＜［]|question", text.casefold())),
    st.sampled_from(["Answer: {}", "Final answer: **{}**", "**Answer:** {}.", "The answer is {}."]),
    st.sampled_from(["yes", "no"]),
    st.sampled_from(["cot", "worked-example"]),
)
def test_a_marked_final_answer_is_read_whatever_goes_before(
    before: str, form: str, verdict: str, style: str
) -> None:
    reply = f"{before}\n\n{form.format(verdict)}"
    assert parse_reply(reply, style).value == VALUES[verdict]


@given(st.text().filter(lambda text: not re.search(r"[<\[◁＜［&]", text)))
def test_what_is_thought_does_not_matter(thought: str) -> None:
    assert parse_reply(f"<think>{thought}</think>\nno").value == 0.0
    assert parse_reply(f"<think>{thought}").reason == "unfinished_thinking"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("value", [True, False])
def test_a_true_answer_in_our_words_is_read(style: str, value: bool) -> None:
    assert parse_reply(render_reply(value, style), style) == Answer(float(value))


def test_long_hostile_replies_are_yes_or_have_a_reason() -> None:
    for text in HOSTILE_CHOICES:
        reply = parse_reply(f"{text}yes", "cot")
        assert reply == Answer(1.0) or (reply.value is None and reply.reason in REASONS), text[:20]
