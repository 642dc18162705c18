"""What replies are taken to say, field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.analyze import fields, replies
from whybench.suites.analyze.column_fields import ColumnOrderField, ColumnSetField, GraphSetField
from whybench.suites.analyze.fields import (
    ChoiceField,
    Field,
    FieldValue,
    FlagField,
    IntervalField,
    NumberField,
    NumberTableField,
)
from whybench.suites.analyze.replies import parse_reply, render_reply

NAMES = {"treatment": "Dose", "outcome": "well", "stratum": "old_town"}

FIELDS: tuple[Field, ...] = (
    NumberField("effect", share=True),
    NumberField("slope"),
    NumberField("maybe", nullable=True),
    IntervalField("ci", of="effect", share=True),
    ChoiceField("direction", ("increases", "no_change")),
    FlagField("reversal"),
    ColumnSetField("adjust"),
    ColumnOrderField("order"),
    NumberTableField("effects", ("low dose", "high dose")),
    GraphSetField("graphs"),
)
BY_NAME = {field.name: field for field in FIELDS}

READINGS: list[tuple[str, str, Any]] = [
    ("effect", "0.12", 0.12),
    ("effect", "-3", -3.0),
    ("effect", '"0.12"', 0.12),
    ("effect", '" −.5e-1 "', -0.05),
    ("effect", '"12%"', 0.12),
    ("effect", '"12 %"', 0.12),
    ("slope", '"12%"', "not_a_number"),
    ("effect", '"0,12"', "not_a_number"),
    ("effect", '"1,234"', "not_a_number"),
    ("effect", '"about 0.1"', "not_a_number"),
    ("effect", '"0.1 to 0.2"', "not_a_number"),
    ("effect", '"1_0"', "not_a_number"),
    ("effect", "true", "not_a_number"),
    ("effect", "[0.1]", "not_a_number"),
    ("effect", '{"value": 0.1}', "not_a_number"),
    ("effect", "NaN", "not_finite"),
    ("effect", "-Infinity", "not_finite"),
    ("effect", '"1e999"', "not_finite"),
    ("effect", "1" + "0" * 400, "not_finite"),
    ("effect", "null", "null"),
    ("maybe", "null", None),
    ("maybe", '"null"', "not_a_number"),
    ("ci", "[0.1, 0.2]", (0.1, 0.2)),
    ("ci", '["10%", "20%"]', (0.1, 0.2)),
    ("ci", '{"low": 0.1, "high": 0.2}', (0.1, 0.2)),
    ("ci", "[0.2, 0.1]", "not_an_interval"),
    ("ci", "[0.1]", "not_an_interval"),
    ("ci", "[0.1, 0.2, 0.3]", "not_an_interval"),
    ("ci", '"0.1 to 0.2"', (0.1, 0.2)),
    ("ci", '"[\N{MINUS SIGN}0.1, +0.2]"', (-0.1, 0.2)),
    ("ci", '"(10%, 20%)"', (0.1, 0.2)),
    ("ci", '{"Upper": 0.2, "lower": 0.1}', (0.1, 0.2)),
    ("ci", '{"lower": 0.1, "high": 0.2}', "not_an_interval"),
    ("ci", '{"low": 0.1, "high": 0.2, "level": 0.95}', "not_an_interval"),
    ("ci", '"0.1-0.2"', "not_an_interval"),
    ("ci", '"0,1, 0,2"', "not_an_interval"),
    ("ci", '"0.1.1 to 0.2"', "not_a_number"),
    ("ci", '{"low": 0.1, "low": 0.2}', "not_an_interval"),
    ("ci", "[0.1, null]", "null"),
    ("direction", '"Increases"', "increases"),
    ("direction", '"increase"', "increases"),
    ("direction", '"increasing"', "not_an_option"),
    ("direction", '"no change"', "no_change"),
    ("effect", "+0.12", 0.12),
    ("effect", "\N{MINUS SIGN}.5", -0.5),
    ("reversal", "True", True),
    ("direction", '"increases|no_change"', "not_an_option"),
    ("direction", "true", "not_an_option"),
    ("reversal", "true", True),
    ("reversal", '"No"', False),
    ("reversal", "1", "not_a_flag"),
    ("reversal", '"probably"', "not_a_flag"),
    ("adjust", "[]", frozenset()),
    ("adjust", '["old_town", "dose"]', frozenset({"stratum", "treatment"})),
    ("adjust", '"OLD_TOWN"', frozenset({"stratum"})),
    ("adjust", '"none"', "unknown_column"),
    ("adjust", '["old town"]', "unknown_column"),
    ("adjust", '["well", "Well"]', "repeated"),
    ("adjust", '{"old_town": true}', "not_columns"),
    ("adjust", "null", "null"),
    ("order", '["well", "Dose"]', ("outcome", "treatment")),
    ("order", '"well"', "not_columns"),
    ("effects", '{"high dose": 2, "low dose": "1"}', {"low dose": 1.0, "high dose": 2.0}),
    ("effects", '{"high dose": 2}', "not_a_table"),
    ("effects", '{"high dose": 2, "low dose": null}', "null"),
    ("effects", "[1, 2]", "not_a_table"),
    (
        "graphs",
        '[[["Dose", "well"]], []]',
        frozenset({frozenset({("treatment", "outcome")}), frozenset()}),
    ),
    ("graphs", "[]", frozenset()),
    ("graphs", '[["Dose", "well"]]', "not_columns"),
    ("graphs", '[[["Dose"]]]', "not_graphs"),
    ("graphs", '[[["Dose", "x"]]]', "unknown_column"),
    ("graphs", '"Dose -> well"', "not_graphs"),
]


@pytest.mark.parametrize(("name", "raw", "expected"), READINGS)
def test_a_field_is_read_as_it_says_or_not_at_all(name: str, raw: str, expected: Any) -> None:
    # The flag is there so that one field can always be read.
    other = "slope" if name == "reversal" else "reversal"
    sure = "1" if other == "slope" else "true"
    said = parse_reply(f'{{"{name}": {raw}, "{other}": {sure}}}', FIELDS, NAMES).fields[name]
    assert said == (
        FieldValue(reason=expected) if expected in list(fields.REASONS) else FieldValue(expected)
    )


REPLIES = {
    "": "empty",
    "  \n": "empty",
    "No idea.": "no_object",
    '{"effect": ': "no_object",
    '<think>{"effect": 1}': "unfinished_thinking",
    '<think>{"effect": 1}</think> Done.': "no_object",
    '{"size": 1}': "no_field",
    '{"effect": "large"}': "no_field",
    '{"a": {"effect": 1}, "b": {"effect": 2}}': "no_field",
}


@pytest.mark.parametrize("text", REPLIES)
def test_where_nothing_is_said_the_reason_is_given(text: str) -> None:
    said = parse_reply(text, FIELDS, NAMES)
    assert said.reason == REPLIES[text]
    assert said.reason in replies.REASONS
    assert not said.fields


def test_a_reply_that_was_cut_off_says_nothing() -> None:
    assert parse_reply('{"effect": 1}', FIELDS, NAMES, truncated=True).reason == "cut_off"


@pytest.mark.parametrize(
    "text",
    [
        'First {"effect": 0.9}, but no: ```json\n{"effect": 0.1}\n```',
        '<think>{"effect": 0.9}</think>{"Effect": 0.1}',
        '{"Effect": 0.1, "because": "of <think>"}',
        '{"answer": {"effect": 0.1}}',
        '{" EFFECT ": 0.1}',
        '{"analysis": "adjusted", "answer": {"effect": 0.1}, "sure": {"level": 0.9}}',
        '{"effect": 0.1} {"confidence": 0.9}',
        "{'effect': 0.1, 'reversal': False,}",
        '{"effect": 0.1, // adjusted\n}',
    ],
)
def test_form_does_not_matter(text: str) -> None:
    assert parse_reply(text, FIELDS, NAMES).fields["effect"] == FieldValue(0.1)


def test_what_is_said_twice_is_not_said() -> None:
    said = parse_reply('{"effect": 1, "EFFECT": 1, "slope": 2}', FIELDS, NAMES).fields
    assert said["effect"].reason == "said_twice"
    assert said["slope"] == FieldValue(2.0)
    assert said["ci"].reason == "missing"


@given(st.text())
def test_reading_never_fails(text: str) -> None:
    reply = parse_reply(text, FIELDS, NAMES)
    assert bool(reply.reason) != bool(reply.fields)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from([*NAMES.values()]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(BY_NAME, _JSON)))
def test_whatever_json_comes_each_field_has_a_value_or_a_known_reason(
    value: dict[str, object],
) -> None:
    said = parse_reply(json.dumps(value), FIELDS, NAMES)
    assert all(entry.has_value or entry.reason in fields.REASONS for entry in said.fields.values())


_number = st.floats(allow_nan=False, allow_infinity=False)
_roles = st.lists(st.sampled_from(list(NAMES)), unique=True)
_edges = st.frozensets(st.sampled_from([("treatment", "outcome"), ("outcome", "stratum")]))


@given(
    st.fixed_dictionaries(
        {
            "effect": _number,
            "slope": _number,
            "maybe": _number | st.none(),
            "ci": st.tuples(_number, _number).map(sorted).map(tuple),
            "direction": st.sampled_from(["increases", "no_change"]),
            "reversal": st.booleans(),
            "adjust": _roles.map(frozenset),
            "order": _roles.map(tuple),
            "effects": st.fixed_dictionaries({"low dose": _number, "high dose": _number}),
            "graphs": st.frozensets(_edges),
        }
    )
)
def test_what_is_worded_is_read_again(values: dict[str, Any]) -> None:
    said = parse_reply(render_reply(values, FIELDS, NAMES), FIELDS, NAMES).fields
    assert {name: entry.value for name, entry in said.items()} == values
    assert all(entry.has_value for entry in said.values())


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)
def test_a_field_describes_itself_in_column_names(field: Field) -> None:
    text = json.dumps(field.schema(NAMES))
    assert text != "{}"
    assert not [role for role in NAMES if f'"{role}"' in text]
