from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from whybench.suites.analyze.column_fields import GraphField, PValues, PValueTableField
from whybench.suites.analyze.fields import ConfidenceField, FieldValue
from whybench.suites.analyze.replies import parse_reply, render_reply

FIELD = PValueTableField("p_values", ("there", "back"))
PROBABILITIES = st.floats(0, 1)


def read(there: object, back: object = 0.5) -> FieldValue:
    reply = json.dumps({"p_values": {"there": there, "back": back}, "note": "as asked"})
    return parse_reply(reply, [FIELD], {}).fields.get("p_values", FieldValue(reason="no_field"))


@given(PROBABILITIES, PROBABILITIES)
def test_what_is_written_is_read(there: float, back: float) -> None:
    said = render_reply({"p_values": PValues({"there": there, "back": back})}, [FIELD], {})
    assert parse_reply(said, [FIELD], {}).fields["p_values"].value.rows == {
        "there": there,
        "back": back,
    }


@given(PROBABILITIES, PROBABILITIES)
def test_tables_are_equal_when_their_verdicts_are(one: float, other: float) -> None:
    tables = [PValues({"there": p, "back": 0.3}) for p in (one, other)]
    same = (one <= 0.05) == (other <= 0.05)
    assert (tables[0] == tables[1]) == same
    if same:
        assert hash(tables[0]) == hash(tables[1])
    assert tables[0] != {"there": one, "back": 0.3}


@pytest.mark.parametrize(
    ("said", "p"),
    [
        (0.0, 0.0),
        (1, 1.0),
        (1e-30, 1e-30),
        ("0.03", 0.03),
        ("3%", 0.03),
        ("<0.001", 0.001),
        ("< .05", 0.05),
        ("p < 0.001", 0.001),
        ("P<=0.01", 0.01),
        ("p<1e-16", 1e-16),
    ],
)
def test_forms_with_one_meaning_are_read(said: object, p: float) -> None:
    assert read(said).value.rows["there"] == p


@pytest.mark.parametrize(
    "said", [None, True, "significant", ">0.05", "n.s.", "0.01-0.05", [0.1], -0.1, 1.2, "<"]
)
def test_other_forms_are_left_unread(said: object) -> None:
    assert not read(said).has_value


@pytest.mark.parametrize("raw", ['{"there": 0.1}', '{"there": 0.1, "back": 0.2, "up": 0.3}', "[]"])
def test_a_table_has_exactly_the_rows_asked_for(raw: str) -> None:
    reply = f'{{"p_values": {raw}}}'
    assert parse_reply(reply, [FIELD], {}).reason == "no_field"


def test_the_schema_asks_for_numbers_from_0_to_1() -> None:
    number = {"type": "number", "minimum": 0, "maximum": 1}
    assert FIELD.schema({}) == {
        "type": "object",
        "properties": {"there": number, "back": number},
        "required": ["there", "back"],
    }


GRAPH = GraphField("graph")
GRAPH_NAMES = {"one": "tea", "two": "sleep", "three": "mood"}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ([], frozenset()),
        ([["tea", "sleep"]], frozenset({("one", "two")})),
        ([["Sleep", "`tea`"], ["mood", "tea"]], frozenset({("two", "one"), ("three", "one")})),
    ],
)
def test_a_graph_is_read_as_its_edges_and_written_so(raw, value) -> None:
    assert GRAPH.read(raw, GRAPH_NAMES).value == value
    assert GRAPH.read(GRAPH.write(value, GRAPH_NAMES), GRAPH_NAMES).value == value
    assert Draft202012Validator(GRAPH.schema(GRAPH_NAMES)).is_valid(GRAPH.write(value, GRAPH_NAMES))


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (None, "null"),
        ("tea -> sleep", "not_graphs"),
        (["tea", "sleep"], "not_columns"),
        ([["tea"]], "not_graphs"),
        ([["tea", "sleep", "mood"]], "not_graphs"),
        ([["tea", "coffee"]], "unknown_column"),
        ([["tea", "tea"]], "repeated"),
    ],
)
def test_what_is_no_graph_has_a_reason(raw, reason: str) -> None:
    assert GRAPH.read(raw, GRAPH_NAMES).reason == reason


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (0, 0.0),
        (1, 1.0),
        ("0.9", 0.9),
        ("90%", 0.9),
        (1.1, "not_a_chance"),
        (-0.1, "not_a_chance"),
        (90, "not_a_chance"),
        ("high", "not_a_number"),
        (None, "null"),
    ],
)
def test_a_confidence_is_from_0_to_1(raw, expected) -> None:
    found = ConfidenceField("confidence").read(raw, {})
    assert found == (
        FieldValue(reason=expected) if isinstance(expected, str) else FieldValue(expected)
    )
