"""A plan comes to units that do not overlap, leave nothing out and are never too large."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.planning.asks import Ask
from whybench.suites.catalog import split_into_samples, take_shard
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite
from whybench.sweep.plan import SweepPlan, list_units, read_plan

NOISY = "reference/judge.noisy-or"


def plan(*asks, models=((NOISY, {}),), **settings):
    return SweepPlan("out", tuple(models), asks or (Ask("judge"),), **settings)


def test_units_cover_the_design_once():
    units = list(list_units(plan(samples=70)))
    judge = get_suite("judge")
    items = list(judge.items(judge.designs["core"]))
    asked = [item.id for unit in units for item in take_shard(items, unit.shard)]
    assert sorted(asked) == sorted(item.id for item in items)
    assert [unit.samples for unit in units] == [60, 60, 60, 60]


@cache
def core_items():
    judge = get_suite("judge")
    return list(judge.items(judge.designs["core"]))


@settings(max_examples=settings.default.max_examples // 4)
@given(most=st.integers(7, 300), group=st.sampled_from([None, 2, 7, 20]))
def test_no_unit_is_larger_than_wished(most, group):
    units = list(list_units(plan(Ask("judge", group=group), samples=most)))
    for unit in units:
        samples = split_into_samples(take_shard(core_items(), unit.shard), group)
        assert unit.samples == len(samples) <= most


def test_cases_of_compose_stay_together():
    compose = get_suite("compose")
    items = list(compose.items(compose.designs["core"]))
    cases = len(split_into_samples(items, group_key=compose.grouping))
    units = list(list_units(plan(Ask("compose"), models=[("mockllm/model", {})], samples=50)))
    assert sum(unit.samples for unit in units) == cases
    assert max(unit.samples for unit in units) <= 50


def test_names_tell_units_apart_and_do_not_change():
    settings = [{}, {"epochs": 2}, {"group": 2}, {"design": {"design": "abstract"}}, {"limit": 10}]
    asks = [Ask("judge", **setting) for setting in settings]
    models = [(NOISY, {}), (NOISY, {"b": 0.2}), ("openai/gpt-4o", {})]
    units = [unit for ask in asks for unit in list_units(plan(ask, models=models))]
    assert len({unit.name for unit in units}) == len(units) == 15
    assert [unit.name for unit in units] == [
        unit.name for ask in asks for unit in list_units(plan(ask, models=models))
    ]
    assert all(set(unit.name) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-") for unit in units)


def test_reference_agents_are_asked_about_their_own_suite():
    units = list(list_units(plan(Ask("judge"), Ask("compose", limit=3))))
    assert {unit.ask.suite for unit in units} == {"judge"}


def test_a_limit_makes_one_unit():
    (unit,) = list_units(plan(Ask("judge", limit=30), samples=50))
    assert (unit.shard, unit.samples) == ("1/1", 30)
    with pytest.raises(UserError, match="limit must be at most the 50 samples"):
        list(list_units(plan(Ask("judge", limit=60), samples=50)))


def test_a_plan_is_read(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(
        "output: out\n"
        "models: [openai/gpt-4o, {model: reference/judge.noisy-or, args: {b: 0.2}}]\n"
        "suites: [judge, {suite: compose, design: core, epochs: 3}]\n"
        "quotas: {openai: 20}\n"
    )
    read = read_plan(file)
    assert read.models == (("openai/gpt-4o", {}), (NOISY, {"b": 0.2}))
    assert read.asks == (Ask("judge"), Ask("compose", {"design": "core"}, epochs=3))
    assert read.quotas == {"openai": 20}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- judge", "must have output, models and suites"),
        ("output: [", "must be a YAML file"),
        ("output: out\nmodels: [m]", "must have suites, got none"),
        ("output: out\nmodels: m\nsuites: [judge]", "models must be a list, got 'm'"),
        ("output: out\nmodels: [m]\nsuites: [judge]\nquota: 3", "got 'quota'"),
        ("output: out\nmodels: [{name: m}]\nsuites: [judge]", "a mapping of model and args"),
        ("output: out\nmodels: [m]\nsuites: [{desing: core}]", "a suite must be a name"),
        ("output: out\nmodels: [m]\nsuites: [judge]\nsamples: 20000", "from 1 to 10000"),
        ("output: out\nmodels: [m]\nsuites: [judge]\nquotas: {m: 0}", "calls a second above 0"),
    ],
)
def test_a_wrong_plan_is_told(tmp_path, text, told):
    file = tmp_path / "plan.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=told):
        read_plan(file)
