"""Words of older versions are read, wherever they were stored."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whybench as wb
from whybench.aliases import (
    ADDED,
    FACTORS,
    LEVELS,
    current_row,
    current_settings,
    current_table,
    first_words,
)

SUITES = sorted({*FACTORS, *LEVELS})


@pytest.mark.parametrize(
    ("suite", "old", "new"),
    [
        ("judge", {"base": "core", "style": "numeric"}, {"design": "core", "style": "direct"}),
        ("judge", {"style": ["numeric", "cot"]}, {"style": ["direct", "cot"]}),
        ("compose", {"style": "direct,step-by-step"}, {"style": "direct,cot"}),
        ("intervene", {"n": 4, "style": ("basic",)}, {"entities": 4, "style": ("direct",)}),
        ("another", {"n": 4, "style": "basic"}, {"n": 4, "style": "basic"}),
    ],
)
def test_settings_are_put_into_the_words_of_today(
    suite: str, old: dict[str, object], new: dict[str, object]
) -> None:
    assert current_settings(suite, old) == new
    assert current_settings(suite, new) == new


def test_a_setting_that_is_made_twice_is_refused() -> None:
    with pytest.raises(wb.UserError, match="one value for entities, got 5 and 4 for n"):
        current_settings("intervene", {"n": 4, "entities": 5})
    with pytest.raises(wb.UserError, match="leave base out"):
        current_settings("judge", {"base": "core", "design": "styles"})


@pytest.mark.parametrize("suite", SUITES)
def test_rows_and_tables_are_translated_alike(suite: str) -> None:
    factors = {new: old for old, new in FACTORS.get(suite, {}).items()}
    row = {factors.get(name, name): next(iter(words)) for name, words in LEVELS[suite].items()}
    row |= dict.fromkeys(FACTORS.get(suite, {}), 3)
    expected = current_row(suite, row)
    assert expected != row
    assert current_table(suite, pa.Table.from_pylist([row])).to_pylist() == [expected]
    assert current_row(suite, expected) == expected


@given(st.data())
def test_first_words_and_back_changes_nothing(data: st.DataObject) -> None:
    suite = data.draw(st.sampled_from(SUITES))
    levels = {
        name: st.lists(st.sampled_from([*words.values(), "recipe"]), min_size=1).map(tuple)
        for name, words in LEVELS[suite].items()
    }
    settings = data.draw(
        st.fixed_dictionaries(
            {
                **levels,
                **dict.fromkeys(FACTORS.get(suite, {}).values(), st.integers(2, 9)),
                **{
                    name: st.sampled_from([level, "another"])
                    for name, level in ADDED.get(suite, {}).items()
                },
            }
        )
    )
    first = first_words(suite, settings)
    assert current_row(suite, first) == settings
    assert not set(first) & set(FACTORS.get(suite, {}).values())


@pytest.mark.parametrize("suite", ADDED)
def test_a_factor_that_was_added_is_read_at_its_level_and_hashed_only_at_others(suite: str) -> None:
    for factor, level in ADDED[suite].items():
        assert current_row(suite, {})[factor] == level
        assert current_row(suite, {factor: "another"})[factor] == "another"
        table = pa.table({"item": ["a", "b"], factor: pa.array([None, "another"], pa.string())})
        assert current_table(suite, table)[factor].to_pylist() == [level, "another"]
        added = current_table(suite, table.drop_columns([factor]))
        assert added[factor].to_pylist() == [level, level]
        for value in (level, (level,), [level]) if level else ():  # a part of answers, else
            assert first_words(suite, {factor: value}) == {}
        for value in ("another", (level, "another")):
            assert first_words(suite, {factor: value}) == {factor: value}
        assert current_settings(suite, {}) == {}


@pytest.mark.parametrize(
    ("suite", "old", "new"),
    [
        ("judge", {"style": "numeric"}, {"style": "direct"}),
        ("compose", {"style": "step-by-step"}, {"style": "cot"}),
        (
            "intervene",
            {"base": "advanced", "n": 4, "style": "basic"},
            {"design": "advanced", "entities": 4, "style": "direct"},
        ),
    ],
)
def test_a_design_in_old_words_is_the_same_design(
    suite: str, old: dict[str, object], new: dict[str, object]
) -> None:
    make = wb.get_suite(suite).make_design
    assert make(old) == make(new)
    assert make(old).hash == make(new).hash


def test_published_filler_in_descriptions_is_called_so() -> None:
    rows = [
        {"stimuli": "published", "content": "abstract", "overload": "de"},
        {"stimuli": "own", "content": "abstract", "overload": "de"},
        {"stimuli": "published", "content": "story", "overload": "e"},
    ]
    told = [current_row("judge", row)["overload"] for row in rows]
    assert told == ["d", "de", "e"]
    table = current_table("judge", pa.Table.from_pylist(rows))
    assert table["overload"].to_pylist() == told
    settings = current_settings("judge", {"design": "published-abstract-overload-de"})
    assert wb.get_suite("judge").make_design(settings).overload == ("d",)
