from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.catalog import list_samples, take_shard
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.task import inspect_task


@given(st.integers(0, 50), st.integers(1, 9))
def test_shards_are_disjoint_complete_equal_and_in_order(count: int, shards: int) -> None:
    items = [SimpleNamespace(digest=f"judge-{place}", place=place) for place in range(count)]
    parts = [take_shard(items, f"{index}/{shards}") for index in range(1, shards + 1)]
    places = [[item.place for item in part] for part in parts]
    assert sorted(place for part in places for place in part) == list(range(count))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert all(part == sorted(part) for part in places)


@pytest.mark.parametrize("shards", [2, 3, 4, 5, 12])
def test_no_shard_lacks_a_story_or_a_polarity(shards: int) -> None:
    items = list(SUITE.items(SUITE.designs["core"]))
    for index in range(1, shards + 1):
        part = take_shard(items, f"{index}/{shards}")
        stories = Counter(item.story.name for item in part)
        assert min(stories[name] for name in ("economy", "sociology", "weather")) > 0
        assert len({item.polarity for item in part}) == 4


@pytest.mark.parametrize("wrong", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", "1/2/3", ""])
def test_a_wrong_shard_says_what_it_must_be(wrong: str) -> None:
    with pytest.raises(UserError, match="i/n with i from 1 to n, such as 2/7, got"):
        take_shard([], wrong)


CROSSED = {"style": ["direct", "cot"]}
"""Settings of a design whose items are manipulated, each asked in two styles."""


@pytest.mark.parametrize(("limit", "asked"), [(60, 60), (61, 60), (1, 1)])
def test_a_limit_leaves_no_item_without_its_other_conditions(limit: int, asked: int) -> None:
    design = SUITE.make_design(CROSSED)
    samples = list_samples(SUITE, SUITE.items(design), limit=limit)
    styles: dict[str, set[str]] = {}
    for (item,) in samples:
        styles.setdefault(item.case, set()).add(str(item.factors["style"]))
    assert len(samples) == asked
    assert asked == 1 or all(met == {"direct", "cot"} for met in styles.values())


@pytest.mark.parametrize("group", [None, 7])
def test_samples_are_all_items_once_in_the_order_of_the_task(group: int | None) -> None:
    design = SUITE.make_design(CROSSED)
    samples = list_samples(SUITE, SUITE.items(design), group=group)
    ids = [item.id for members in samples for item in members]
    assert sorted(ids) == sorted(item.id for item in SUITE.items(design))
    task = inspect_task(SUITE)(**CROSSED, **({"group": group} if group else {}))
    assert [sample.id.split("-and-")[0] for sample in task.dataset] == [
        members[0].id for members in samples
    ]
    assert max(map(len, samples)) == (group or 1)


def test_samples_keep_their_order_where_nothing_is_manipulated() -> None:
    items = list(SUITE.items(SUITE.designs["core"]))
    assert [item for (item,) in list_samples(SUITE, items)] == items
    assert [item for (item,) in list_samples(SUITE, items, limit=61)] == items[:61]
