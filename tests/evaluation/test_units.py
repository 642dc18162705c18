"""A plan comes to units that do not overlap, leave nothing out and are never too large."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.errors import UserError
from whybench.evaluation.statements import Experiment
from whybench.planning.asks import Ask
from whybench.suites.catalog import list_samples, take_shard
from whybench.suites.registry import get_suite

NOISY = "reference/judge.noisy-or"


def state(*asks: Ask, models: Any = ((NOISY, {}),), **changes: Any) -> Experiment:
    return Experiment("units", tuple(models), asks or (Ask("judge"),), **changes)


def test_units_cover_the_design_once() -> None:
    units = state(unit_size=70).list_units()
    judge = get_suite("judge")
    items = list(judge.items(judge.designs["core"]))
    asked = [item.id for unit in units for item in take_shard(items, unit.shard)]
    assert sorted(asked) == sorted(item.id for item in items)
    assert [unit.samples for unit in units] == [60, 60, 60, 60]
    assert [unit.number for unit in units] == [1, 2, 3, 4]


@cache
def core_items() -> list[Any]:
    judge = get_suite("judge")
    return list(judge.items(judge.designs["core"]))


@settings(max_examples=settings.default.max_examples // 4)
@given(most=st.integers(7, 300), group=st.sampled_from([None, 2, 7, 20]))
def test_no_unit_is_larger_than_stated(most: int, group: int | None) -> None:
    for unit in state(Ask("judge", group=group), unit_size=most).list_units():
        samples = list_samples(get_suite("judge"), core_items(), shard=unit.shard, group=group)
        assert unit.samples == len(samples) <= most


def test_items_of_one_case_of_compose_stay_in_one_unit() -> None:
    compose = get_suite("compose")
    cases = len(list_samples(compose, compose.items(compose.designs["core"])))
    units = state(Ask("compose"), models=[("mockllm/model", {})], unit_size=50).list_units()
    assert sum(unit.samples for unit in units) == cases
    assert max(unit.samples for unit in units) <= 50


def test_digests_and_places_of_units_differ_and_do_not_change() -> None:
    changes = [{}, {"epochs": 2}, {"group": 2}, {"design": {"design": "abstract"}}, {"limit": 10}]
    models = [(NOISY, {}), (NOISY, {"b": 0.2}), ("openai/gpt-4o", {})]
    stated = [
        state(Ask("judge", **change), models=models, settings={"temperature": [0, 1]})
        for change in changes
    ]
    units = [unit for one in stated for unit in one.list_units()]
    assert len({unit.digest for unit in units}) == len(units) == 30
    assert [u.digest for u in units] == [u.digest for one in stated for u in one.list_units()]
    for one in stated:
        assert len({unit.place for unit in one.list_units()}) == 6
    allowed = set("abcdefghijklmnopqrstuvwxyz0123456789._-=,/")
    assert all(set(unit.place) <= allowed for unit in units)


def test_a_reference_agent_is_asked_only_its_own_suite() -> None:
    units = state(Ask("judge"), Ask("compose", limit=3)).list_units()
    assert {unit.ask.suite for unit in units} == {"judge"}


def test_a_limit_makes_one_unit_of_whole_conditions() -> None:
    (unit,) = state(Ask("judge", limit=30), unit_size=50).list_units()
    assert (unit.shard, unit.samples) == ("1/1", 30)
    with pytest.raises(UserError, match="limit and shard must leave at most the 50 samples"):
        state(Ask("judge", limit=60), unit_size=50).list_units()
    (unit,) = state(Ask("judge", {"style": ["direct", "cot"]}, limit=31)).list_units()
    assert (unit.ask.limit, unit.samples) == (30, 30)


def test_a_design_that_is_asked_twice_is_refused() -> None:
    with pytest.raises(UserError, match="must be asked once of a model, got logs/judge"):
        state(Ask("judge", limit=3), Ask("judge", epochs=2)).list_units()
