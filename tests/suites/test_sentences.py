"""Sentences by rule: said where intervals bear them, and not otherwise."""

from __future__ import annotations

import re
from string import Formatter
from typing import Any

import pytest
from evidence.sentences import BORNE, is_borne
from hypothesis import given
from hypothesis import strategies as st

from whybench.stats import Measure
from whybench.suites.registry import get_suite, suite_names
from whybench.suites.sentences import (
    COMMON,
    UNSURE,
    AgainstPeople,
    AgentMeasures,
    Contrast,
    PeoplesValue,
    Says,
    find,
)


def measure(name: str, low: float, high: float, **at: Any) -> Measure:
    return Measure(
        name=name, estimate=(low + high) / 2, low=low, high=high, n=80, units=8, scored=80,
        no_answer=0, error=0, method="t", labels={"agent": "a"}, at=at,
    )  # fmt: skip


RULE = Says("Right in {share:.0%}.", above={"share": 0.5}, below={"luck": 0.1})


@pytest.mark.parametrize(
    ("share", "luck", "said"),
    [
        ((0.6, 0.8), (0.0, 0.05), True),
        ((0.5, 0.8), (0.0, 0.05), False),  # the interval touches the value
        ((0.6, 0.8), (0.0, 0.1), False),
        ((0.4, 0.9), (0.0, 0.05), False),
    ],
)
def test_every_interval_must_lie_beyond_its_value(share, luck, said) -> None:
    found = list(RULE.find(AgentMeasures([measure("share", *share), measure("luck", *luck)])))
    assert [one.text for one in found] == (["Right in 70%."] if said else [])


def test_a_measure_without_an_interval_bears_nothing() -> None:
    lone = Measure(
        name="share", estimate=0.9, low=None, high=None, n=1, units=1, scored=1, no_answer=0,
        error=0, method="", labels={"agent": "a"},
    )  # fmt: skip
    assert not list(RULE.find(AgentMeasures([lone, measure("luck", 0.0, 0.05)])))
    assert not list(RULE.find(AgentMeasures([measure("share", 0.6, 0.8)])))


def test_levels_are_told_apart_only_where_their_intervals_are() -> None:
    rule = Contrast("{best} {most:.1f}, {worst} {least:.1f}", "skill", "rung", {1: "seeing"})
    apart = [measure("skill", 0.7, 0.9, rung=1), measure("skill", 0.0, 0.6, rung=2)]
    [found] = rule.find(AgentMeasures(apart))
    assert (found.text, found.answer) == ("seeing 0.8, 2 0.3", {"rung": 2})
    near = [measure("skill", 0.5, 0.9, rung=1), measure("skill", 0.0, 0.6, rung=2)]
    assert not list(rule.find(AgentMeasures(near)))
    assert not list(rule.find(AgentMeasures(apart[:1])))


@pytest.mark.parametrize(
    ("verdict", "text"),
    [("rose", "more, 0.3 and 0.1"), ("fell", "less"), ("no change shown", None)],
)
def test_people_are_spoken_of_where_a_difference_is_shown(verdict, text) -> None:
    rule = AgainstPeople("ea", "more, {own:.1f} and {people:.1f}", "less")
    people = {"ea": PeoplesValue(0.1, verdict)}
    found = list(rule.find(AgentMeasures([measure("ea", 0.2, 0.4)], people)))
    assert [one.text for one in found] == ([text] if text else [])
    assert not list(rule.find(AgentMeasures([measure("ea", 0.2, 0.4)])))


def test_nothing_is_said_twice_and_something_always() -> None:
    twice = (RULE, Says("Once more {share:.1f}.", above={"share": 0.5}))
    found = find(twice, AgentMeasures([measure("share", 0.6, 0.8), measure("luck", 0.0, 0.05)]))
    assert [one.text for one in found] == ["Right in 70%."]
    assert find(twice, AgentMeasures([])) == [UNSURE]


RULES = [(name, rule) for name in suite_names() for rule in get_suite(name).sentences]


def test_every_suite_of_ours_has_sentences_and_each_is_borne_out_elsewhere() -> None:
    assert {name for name, _ in RULES} >= {"judge", "intervene", "compose", "calculate", "analyze"}
    texts = [text for _, rule in RULES for text in _templates(rule)]
    texts += [text for rule in COMMON for text in _templates(rule)]
    for text in texts:
        said = re.sub(r"\{[^}]*\}", "0.5", text)
        assert sum(bool(re.match(pattern, said)) for pattern in BORNE) == 1, text


def _templates(rule: Any) -> list[str]:
    return [rule.above, rule.below] if isinstance(rule, AgainstPeople) else [rule.text]


ends = st.tuples(st.floats(-1, 1.5), st.floats(0, 0.6)).map(lambda pair: (pair[0], sum(pair)))


@given(st.data())
def test_whatever_the_intervals_what_is_said_is_borne_out(data) -> None:
    """A second reading of every sentence, written apart from the rules, agrees."""
    name = data.draw(st.sampled_from(["judge", "intervene", "compose", "calculate", "analyze"]))
    rules = get_suite(name).sentences
    names = sorted({field for rule in (*rules, *COMMON) for field in _fields(rule)})
    measures = [measure(one, *data.draw(ends)) for one in names]
    for rule in rules:
        if isinstance(rule, Contrast):
            levels = list(rule.words) or ["confounding", "selection"]
            measures += [
                measure(rule.measure, *data.draw(ends), **{rule.factor: x}) for x in levels
            ]
    for found in find(rules, AgentMeasures(measures)):
        assert is_borne(found.text, measures), found.text


def _fields(rule: Any) -> set[str]:
    if isinstance(rule, Says):
        shown = {field for _, field, _, _ in Formatter().parse(rule.text) if field}
        return {*rule.above, *rule.below, *shown}
    return {rule.measure} if isinstance(rule, AgainstPeople) else set()
