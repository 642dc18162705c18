"""The last object of a text."""

from __future__ import annotations

import json

import pytest
from evidence.reading import HOSTILE_OBJECTS
from hypothesis import given
from hypothesis import strategies as st

from whybench.replies.objects import Pairs, find_last_object


def test_the_last_complete_object_counts() -> None:
    assert find_last_object('{"a": 1} then {"b": 2} and {"c": ') == [("b", 2)]


def test_the_object_around_counts_and_not_one_inside_it() -> None:
    found = find_last_object('so {"a": {"b": 2}}')
    assert found == [("a", [("b", 2)])]
    assert found is not None
    assert isinstance(found[0][1], Pairs)


def test_a_key_given_twice_is_kept_twice() -> None:
    assert find_last_object('{"a": 1, "a": 2}') == [("a", 1), ("a", 2)]


def test_a_number_of_too_many_digits_is_no_object() -> None:
    assert find_last_object('{"a": ' + "9" * 5000 + "}") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'effect': 0.12, 'reversal': True, 'missing': None}", [0.12, True, None]),
        ('{"effect": +0.12, "ci": [\N{MINUS SIGN}0.05, .19,],}', [0.12, [-0.05, 0.19]]),
        ('{"effect": 0.12, // as fitted\n "n": 5 # rows\n}', [0.12, 5]),
        ("{'says': 'it\\'s \"so\"'}", ['it\'s "so"']),
        ('{"url": "http://a#b", "word": "True, None,}",}', ["http://a#b", "True, None,}"]),
        ('{"deep": {"a": [1, {"b": False,},],},}', [[("a", [1, [("b", False)]])]]),
    ],
)
def test_what_can_mean_one_thing_only_is_taken(text: str, value: list[object]) -> None:
    found = find_last_object(f"So: {text} That is it.")
    assert [entry for _, entry in found or []] == value


@pytest.mark.parametrize(
    "text",
    [
        '{"effect": about 0.12}', '{"effect": 0,12}', '{"effect": 0.12', "{'effect': 'it's'}",
        '{"effect" 0.12}', '{"effect": 1/3}', "{effect: 0.12}", '{"ci": (0.1, 0.2)}',
        '{"effect": 0.1.2}', '{"a": 1,,}', '{"a": [1, 2}]', "{,}",
    ],
)  # fmt: skip
def test_what_can_mean_two_things_is_not(text: str) -> None:
    assert find_last_object(text) is None


def test_an_object_that_has_what_was_asked_for_counts_before_later_ones() -> None:
    text = '{"effect": 1} then {"effect": 2} and {"confidence": 0.9}'
    assert find_last_object(text, lambda pairs: pairs[0][0] == "effect") == [("effect", 2)]
    assert find_last_object(text, lambda pairs: pairs[0][0] == "ate") == [("confidence", 0.9)]


@pytest.mark.parametrize("text", HOSTILE_OBJECTS, ids=lambda text: text[:6])
def test_long_hostile_texts_hold_no_object(text: str) -> None:
    assert find_last_object(text) is None


@given(st.text())
def test_any_text_is_looked_through(text: str) -> None:
    found = find_last_object(text)
    assert found is None or isinstance(found, Pairs)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()), st.text("xyz \n.,}]"))
def test_an_object_is_found_among_words(value: dict[str, object], words: str) -> None:
    assert dict(find_last_object(f"{words}{json.dumps(value)}{words}") or []) == value
