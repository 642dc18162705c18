"""The last object of a text."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.replies import Pairs, find_last_object


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


@given(st.text())
def test_any_text_is_looked_through(text: str) -> None:
    found = find_last_object(text)
    assert found is None or isinstance(found, Pairs)


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()), st.text("xyz \n.,}]"))
def test_an_object_is_found_among_words(value: dict[str, object], words: str) -> None:
    assert dict(find_last_object(f"{words}{json.dumps(value)}{words}") or []) == value
