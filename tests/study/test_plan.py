from __future__ import annotations

from collections import Counter

import pytest

from whybench.study.plan import make_plan
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

CORE = {"design": "core"}


@pytest.mark.parametrize(
    ("name", "settings", "lists", "sizes", "cycle"),
    [
        # 3 stories in 4 polarities; 20 questions make 20 orders.
        ("judge", CORE, 12, {20}, 240),
        ("judge", {"design": "chain"}, 12, {24}, 288),
        # 3 worlds of 2 units with 15 questions, which make 30 orders.
        ("compose", {"design": "core", "worlds": 1, "units": 2}, 6, {15}, 180),
        # 6 cases of two entities; 78 of three in 7 parts, of which 11 make 22 orders.
        ("intervene", CORE, 8, {6, 11, 12}, 8 * 132),
        # 4 queries with 3 mechanisms make a list; 8 worlds of each.
        ("calculate", {"design": "trivial"}, 8, {12}, 96),
    ],
)
def test_lists_hold_every_item_of_a_design_once(name, settings, lists, sizes, cycle) -> None:
    plan = make_plan(name, settings)
    asked = get_suite(name)
    items = [item.id for entry in plan.lists for item in entry]
    assert sorted(items) == sorted(item.id for item in asked.items(asked.make_design(settings)))
    assert (len(plan.lists), {len(entry) for entry in plan.lists}) == (lists, sizes)
    assert plan.cycle == cycle


def test_items_of_a_list_share_a_lesson() -> None:
    for name in ("judge", "intervene"):
        plan = make_plan(name, CORE)
        for entry in plan.lists:
            assert len({plan.questionnaire.lesson(item) for item in entry}) == 1


def test_a_participant_has_one_list_and_neighbours_have_others() -> None:
    plan = make_plan("judge", CORE)
    for number in (0, 11, 12, 239):
        own = [item.id for item in plan.list_items(number)]
        assert sorted(own) == sorted(item.id for item in plan.lists[number % 12])
    assert plan.list_items(3) == plan.list_items(3 + plan.cycle)
    assert plan.list_items(3) != plan.list_items(15)


def test_fewer_items_make_more_lists_of_equal_lengths() -> None:
    plan = make_plan("judge", CORE, max_items=7)
    assert Counter(len(entry) for entry in plan.lists) == {6: 12, 7: 24}


def test_chosen_lists_are_spread_over_all() -> None:
    every, some = make_plan("judge", CORE), make_plan("judge", CORE, lists=3)
    assert some.lists == (every.lists[0], every.lists[4], every.lists[8])
    assert some.id != every.id


def test_the_id_follows_from_what_is_asked() -> None:
    assert make_plan("judge", CORE).id == make_plan("judge", CORE).id
    assert make_plan("judge", CORE).id != make_plan("judge", {**CORE, "strength": 0.7}).id


@pytest.mark.parametrize(
    ("name", "settings", "lists", "message"),
    [
        ("analyze", {}, None, r"SUITE must be one that people can be asked in a browser \(.*judge"),
        ("judge", CORE, 13, "`lists` must be at most 12, the number of lists there are, got 13"),
    ],
)
def test_what_cannot_be_planned(name, settings, lists, message) -> None:
    with pytest.raises(UserError, match=message):
        make_plan(name, settings, lists=lists)
