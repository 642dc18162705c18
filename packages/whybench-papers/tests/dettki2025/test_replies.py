from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest
from evidence.replies import recipe

from whybench_papers.dettki2025.design import DESIGNS
from whybench_papers.dettki2025.items import generate_items
from whybench_papers.dettki2025.replies import (
    CONDITIONS,
    _files,
    _questions,
    _stories,
    parse_by_recipe,
    printed_name,
    published_records,
)

if TYPE_CHECKING:
    import pyarrow as pa

pytestmark = pytest.mark.usefixtures("mirror")


@cache
def records(design: str, parser: str = "recipe") -> pa.Table:
    return published_records(design, parser=parser)


@cache
def rows(design: str) -> list[dict[str, object]]:
    return records(design).to_pylist()


def test_every_file_is_taken_once() -> None:
    files = _files()
    assert len(files) == 185
    assert Counter(file.design for file in files) == {
        "core": 60, "abstract": 56, "overload-e": 41, "abstract-overload-d": 28,
    }  # fmt: skip
    single = next(file for file in files if "2_single_" in file.path)
    assert (single.model, single.style) == ("gpt-4o", "direct")


@pytest.mark.parametrize(
    ("design", "replies", "agents"),
    [
        # 19 models, 11 settings of three GPT-5 models, and three models again at 0.7.
        ("core", 23_040, 33),
        ("abstract", 13_440, 20 + 10),
        ("overload-e", 19_680, 14 + 7),
        ("abstract-overload-d", 6_720, 11 + 3),
    ],
)
def test_a_row_for_every_reply(design: str, replies: int, agents: int) -> None:
    table = rows(design)
    assert len(table) == replies
    assert len({row["agent"] for row in table}) == agents
    names = [(row["agent"], row["item"], row["epoch"]) for row in table]
    assert len(set(names)) == replies, "agent, item and epoch name a row"
    assert all((row["value"] is None) == (row["outcome"] != "scored") for row in table)


@pytest.mark.parametrize("design", list(CONDITIONS))
def test_rows_pair_with_our_design(design: str) -> None:
    items = {item.id: item for item in generate_items(DESIGNS[design])}
    plain = [row for row in rows(design) if row["style"] == "direct"]
    assert {row["item"] for row in plain} == set(items)
    for row in plain[::97]:
        item = items[row["item"]]
        assert {name: row[name] for name in item.factors} == item.factors
        assert (row["truth"], row["design_hash"]) == (item.truth, DESIGNS[design].hash)


def test_agents_carry_their_settings() -> None:
    agents = {row["agent"] for row in rows("core")}
    assert {
        "published/claude-3-opus",
        "published/gpt-5-mini-v_low-r_minimal",
        "published/gpt-4o[temperature=0.7]",
    } <= agents
    assert printed_name("published/gpt-4o[temperature=0.7]") == "gpt-4o"
    assert printed_name("human/rw17.mean") == "humans"
    hot = [row for row in rows("core") if row["agent"] == "published/gpt-4o[temperature=0.7]"]
    assert Counter(row["epoch"] for row in hot) == dict.fromkeys(range(1, 11), 240)
    # A second run that broke off after 43 replies.
    twice = [
        row
        for row in rows("core")
        if row["agent"] == "published/claude-sonnet-4-20250514" and row["epoch"] == 2
    ]
    assert Counter(row["outcome"] for row in twice) == {"scored": 43, "error": 197}


def test_failed_calls_keep_their_place() -> None:
    for design in CONDITIONS:
        questions = defaultdict(set)
        for row in rows(design):
            name = (row["story"], row["overload_source"], row["polarity"])
            questions[row["agent"], row["style"], *name].add((row["letter"], row["cause"]))
        assert all(len(asked) == 20 for asked in questions.values())
    lost = [r for r in rows("overload-e") if r["agent"] == "published/gpt-4"]
    assert Counter(row["outcome"] for row in lost if row["style"] == "cot") == {
        "scored": 225, "error": 255,
    }  # fmt: skip


def test_ids_count_questions_in_order() -> None:
    letters = "".join(letter for letter, _ in _questions())
    assert letters == "aabbccddeeffgghhijjk"
    assert [cause for letter, cause in _questions() if letter in "aij"] == [
        "C1", "C2", "both", "C1", "C2",
    ]  # fmt: skip


def test_the_story_comes_from_the_row_not_from_the_id() -> None:
    file = next(file for file in _files() if "numeric_random_abstract_gpt-4_" in file.path)
    names = {1: "abs_alnum_10", 161: "abs_num_symb_10", 321: ""}
    replies = [{"id": str(number), "domain": name} for number, name in names.items()]
    # The third stretch failed as a whole: what is left is the third alphabet.
    assert _stories(file, replies) == {
        0: ("alnum", "none"), 1: ("symbols", "none"), 2: ("mixed", "none"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("<response><explanation>60</explanation><likelihood>85</likelihood></response>", 85),
        ("<likelihood>85</likelihood>", 85),
        ("  70  ", 70),
        ("between 60 and 80", 60),
        ("850 or 85", 85),
        ("x" * 51 + " 85", None),
        ("Error: 85", None),
        ("An error of 5", None),
        ("none", None),
    ],
)
def test_the_recipe(reply: str, value: float | None) -> None:
    assert parse_by_recipe(reply) == value
    assert recipe(reply) == value, "the second statement of the recipe"


def test_both_readings_agree_where_both_read() -> None:
    table = published_records("abstract-overload-d", ("direct",))
    own = published_records("abstract-overload-d", ("direct",), parser="own")
    assert own.num_rows == table.num_rows
    pairs = list(zip(table["value"].to_pylist(), own["value"].to_pylist(), strict=True))
    both = [(theirs, ours) for theirs, ours in pairs if theirs is not None and ours is not None]
    assert all(theirs == ours for theirs, ours in both)
    assert len(both) > 2900
    reasons = set(table["reason"].to_pylist())
    assert reasons <= {"", "call failed", "the recipe reads no number"}


def test_confidences_that_models_stated_are_kept() -> None:
    cot, direct = (published_records(style=(style,)) for style in ("cot", "direct"))
    stated = cot["confidence"].drop_null().to_pylist()
    assert len(stated) > 0.9 * cot.num_rows
    assert 0 <= min(stated) < max(stated) <= 100
    assert direct["confidence"].null_count == direct.num_rows


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="design must be one of core, .*, got 'published'"):
        published_records("published")
    with pytest.raises(ValueError, match="parser must be recipe or own, got 'other'"):
        published_records(parser="other")
    with pytest.raises(ValueError, match=r"style must be among direct, cot, got \['verse'\]"):
        published_records(style=("verse",))
