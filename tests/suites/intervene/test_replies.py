"""What replies are taken to say."""

from __future__ import annotations

import json

import pytest
from evidence.reading import HOSTILE_TURNS
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.intervene.replies import ActionReply, Decision, parse_reply

READINGS = {
    '{"entity": "circle", "action": "hold"}': ActionReply("circle", "hold"),
    ' {"ENTITY": " Red Circle ", "Action": "HOLD"} ': ActionReply("red circle", "hold"),
    '```json\n{"entity": "circle", "action": "hold"}\n```': ActionReply("circle", "hold"),
    'I hold it. {"entity": "circle", "action": "hold", "reason": "to see"}': ActionReply(
        "circle", "hold"
    ),
    '{"entity": "circle"}': ActionReply("circle", ""),
    '{"entity": 3, "action": null}': ActionReply("", ""),
    '{"next": "Continue"}': Decision("next", "continue"),
    '{"next": "answer"}': Decision("next", "answer"),
    '{"answer": "YES"}': Decision("answer", "yes"),
    '{"answer": "Yes."}': Decision("answer", "yes"),
    '{"answer": true}': Decision("answer", "yes"),
    '{"answer": False}': Decision("answer", "no"),
    '{"answer": 1}': Decision("answer", ""),
    '{"next": true}': Decision("next", ""),
    '{"entity": "circle", "action": "hold", "next": "continue"}': ActionReply("circle", "hold"),
    '{"entity": "circle", "action": "hold", "next": "answer"}': None,
    '{"entity": "circle", "next": "continue"}': None,
    '{"answer": "yes"} {"confidence": 0.9}': Decision("answer", "yes"),
    '{"answer": "maybe"}': Decision("answer", "maybe"),
    # The last complete object counts.
    '{"answer": "yes"} no, {"answer": "no"}': Decision("answer", "no"),
    '{"answer": "yes"} {"answer": "n': Decision("answer", "yes"),
    'so {x} means {"answer": "yes"}, } as I said': Decision("answer", "yes"),
    # The object around counts, not one inside it.
    '{"answer": "yes", "why": {"answer": "no"}}': Decision("answer", "yes"),
    '{"reply": {"answer": "yes"}}': None,
    '[{"answer": "yes"}]': Decision("answer", "yes"),
    # What could be taken in two ways is not taken at all.
    '{"answer": "yes", "answer": "no"}': None,
    '{"answer": "yes", "ANSWER": "yes"}': None,
    '{"answer": "yes", "next": "answer"}': None,
    '{"entity": "circle", "action": "hold", "answer": "yes"}': None,
    # The form that was asked for is no reply.
    '{"answer": "yes|no"}': None,
    '{"next": "continue|answer"}': None,
    '{"entity": "NAME", "action": "move|hold"}': None,
    # Thinking is not saying.
    '<think>{"answer": "no"}</think>{"answer": "yes"}': Decision("answer", "yes"),
    '<think>{"answer": "no"}</think>': None,
    '<think>so {"answer": "no"}': None,
    # Nothing there.
    "": None,
    "yes": None,
    "{}": None,
    "{{{{": None,
    '{"thought": "hm"}': None,
    "{'answer': 'yes'}": Decision("answer", "yes"),
    "{answer: yes}": None,
}


@pytest.mark.parametrize("text", READINGS)
def test_a_reply_is_read_as_it_says(text: str) -> None:
    assert parse_reply(text) == READINGS[text]


@given(st.text())
def test_reading_never_fails(text: str) -> None:
    parse_reply(text)


@given(
    st.recursive(
        st.text() | st.none() | st.integers(), lambda inner: st.dictionaries(st.text(), inner)
    )
)
def test_whatever_json_comes_is_read_or_left(value: object) -> None:
    parse_reply(json.dumps(value))


@given(
    st.text().filter(lambda text: "{" not in text and "}" not in text),
    st.sampled_from(["yes", "no"]),
)
def test_prose_around_an_answer_does_not_matter(prose: str, said: str) -> None:
    assert parse_reply(f'{prose}{{"answer": "{said}"}}{prose}') == Decision("answer", said)


@pytest.mark.parametrize("text", HOSTILE_TURNS, ids=lambda text: text[:7])
def test_long_hostile_replies_are_not_read(text: str) -> None:
    assert parse_reply(text) is None
