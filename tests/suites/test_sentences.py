"""Sentences by rule: said where intervals bear them, and not otherwise."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
import yaml
from evidence.sentences import BORNE, is_borne
from hypothesis import given
from hypothesis import strategies as st

from whybench.drawing.style import read_table
from whybench.stats import Measure
from whybench.suites.calibration import simulate
from whybench.suites.registry import TEACHING_ORDER, get_suite, suite_names
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

ROOT = Path(__file__).resolve().parents[2]


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


def test_a_bound_is_called_one_and_a_flag_can_be_required() -> None:
    rule = Says("At {reach:.0f}.", flagged={"reach": "above_deepest"})
    inside = measure("reach", 8.0, 12.0)
    beyond = replace(inside, estimate=12.0, flags=("above_deepest",))
    assert not list(rule.find(AgentMeasures([inside])))
    assert [one.text for one in rule.find(AgentMeasures([beyond]))] == ["At more than 12."]
    below = replace(inside, estimate=1.0, flags=("below_shallowest",))
    plain = Says("At {reach:.0f}.")
    perhaps = replace(inside, flags=("median_above_deepest",))
    texts = [one.text for m in (inside, below, perhaps) for one in plain.find(AgentMeasures([m]))]
    assert texts == ["At 10.", "At less than 1.", "At at least 10."]


def test_a_measure_without_an_interval_bears_nothing() -> None:
    lone = Measure(
        name="share", estimate=0.9, low=None, high=None, n=1, units=1, scored=1, no_answer=0,
        error=0, method="", labels={"agent": "a"},
    )  # fmt: skip
    assert not list(RULE.find(AgentMeasures([lone, measure("luck", 0.0, 0.05)])))
    assert not list(RULE.find(AgentMeasures([measure("share", 0.6, 0.8)])))


def test_levels_are_told_apart_only_where_their_intervals_are() -> None:
    rule = Contrast("{best} {most:.1f}, {worst} {least:.1f}", "skill_score", "rung", {1: "seeing"})
    apart = [measure("skill_score", 0.7, 0.9, rung=1), measure("skill_score", 0.0, 0.6, rung=2)]
    [found] = rule.find(AgentMeasures(apart))
    assert (found.text, found.answer) == ("seeing 0.8, 2 0.3", {"rung": 2})
    near = [measure("skill_score", 0.5, 0.9, rung=1), measure("skill_score", 0.0, 0.6, rung=2)]
    assert not list(rule.find(AgentMeasures(near)))
    assert not list(rule.find(AgentMeasures(apart[:1])))


@pytest.mark.parametrize(
    ("verdict", "text"),
    [("higher", "more, 0.3 and 0.1"), ("lower", "less"), ("no change shown", None)],
)
def test_people_are_spoken_of_where_a_difference_is_shown(verdict, text) -> None:
    rule = AgainstPeople("explaining_away", "more, {own:.1f} and {people:.1f}", "less")
    people = {"explaining_away": PeoplesValue(0.1, verdict)}
    found = list(rule.find(AgentMeasures([measure("explaining_away", 0.2, 0.4)], people)))
    assert [one.text for one in found] == ([text] if text else [])
    assert not list(rule.find(AgentMeasures([measure("explaining_away", 0.2, 0.4)])))


def test_nothing_is_said_twice_and_something_always() -> None:
    twice = (RULE, Says("Once more {share:.1f}.", above={"share": 0.5}))
    found = find(twice, AgentMeasures([measure("share", 0.6, 0.8), measure("luck", 0.0, 0.05)]))
    assert [one.text for one in found] == ["Right in 70%."]
    assert find(twice, AgentMeasures([])) == [UNSURE]


def findings(suite: str, *measures: Measure) -> list[str]:
    return [one.text for one in find(get_suite(suite).sentences, AgentMeasures(measures))]


def test_calculate_mistake_on_rung_1_is_not_called_a_mistake_about_counterfactuals() -> None:
    """`does-only` intervenes where it should condition, which is possible on rung 1 alone."""
    suite = get_suite("calculate")
    design = suite.make_design(suite.budget("small").settings)
    items = list(suite.items(design))
    measures = simulate(suite, design, items, suite.agent("does-only"), {})
    wrong = [m for m in measures if m.name == "error_intervening" and not m.at]
    assert [m.estimate for m in wrong] == [1.0]
    named = [text for text in findings("calculate", *measures) if "100%" in text]
    assert named == [
        "Intervenes instead of conditioning: 100% of the wrong answers where this error is "
        "possible."
    ]
    assert not any("imagin" in text for text in named)


def test_judge_reversed_explaining_away_is_not_called_ignoring_the_other_cause() -> None:
    texts = findings(
        "judge", measure("explaining_away", -0.32, -0.27), measure("shift_ratio", -0.9, -0.7)
    )
    assert texts == [
        "Reverses explaining away: a known cause raises the judgment of the other one (-0.30).",
        "Shifts its judgment of a cause backwards, against its own other answers (shift ratio "
        "-0.80; 1 follows from them).",
    ]


@pytest.mark.parametrize(
    ("ends", "begins"),
    [
        ((0.8, 1.2), "Shifts its judgment of a cause about as much as"),
        ((-0.2, 0.2), "Nearly ignores the other cause"),
        ((-0.2, -0.1), "Nearly ignores the other cause"),
        ((0.2, 0.9), "Shifts its judgment of a cause less than"),
        ((1.1, 1.9), "Shifts its judgment of a cause more than"),
        ((-0.2, 0.9), "The intervals are too wide"),
        ((0.7, 1.3), "The intervals are too wide"),
    ],
)
def test_judge_shift_ratio_is_described_as_its_interval_allows(ends, begins) -> None:
    (text,) = findings("judge", measure("shift_ratio", *ends))
    assert text.startswith(begins)


def test_judge_texts_state_no_right_answer_and_no_independence() -> None:
    """No single judgment is right or wrong, and most prompts do not state independence."""
    judge = get_suite("judge")
    texts = [text for rule in judge.sentences for text in _templates(rule)]
    texts += [text for one in judge.measure_table for text in (one.label, one.meaning)]
    texts += [agent.summary for agent in judge.agents.values()]
    texts += read_table("whybench.suites.judge.figures", "style.yaml")["captions"].values()
    texts.append(
        yaml.safe_load(files("whybench.suites.judge").joinpath("eval.yaml").read_text())[
            "description"
        ]
    )
    assert len(texts) > 50
    named = r"\b(right|wrong|correct|exact|exactly|independent|independence|should)\b"
    for text in texts:
        assert not re.search(f"{named}|as they are", text, re.IGNORECASE), text
    # A measure of judgments has no best end, and so neither a baseline nor an exact value.
    judged = [one for one in judge.measure_table if one.name != "answered"]
    assert {(one.baseline, one.exact) for one in judged} == {(None, None)}
    shown = [one for one in judged if one.name in judge.card]
    assert {one.direction for one in shown} == {"neither"}
    assert judge.scale is None


def test_judge_page_of_the_docs_claims_neither_right_answers_nor_independence() -> None:
    page = (ROOT / "docs/judge.md").read_text("utf-8")
    page = re.sub(r"\$\$?[^$]+\$\$?", "", page)
    flowing = re.sub(r"(?<=\S)\n(?![|#>`\n-])", " ", page)
    claims = re.split(r"(?<=\.)\s|\n", flowing)
    assert len(claims) > 300
    conditional = r"if you take|assumed|(un)?state[sd]?\b|do(es)?n't state|(Prompts|they) say|work"
    denied = r"\bno\b|\bnot\b|n't\b|neither|nothing"
    for claim in claims:
        if re.search(r"\bindependen", claim, re.IGNORECASE):
            assert re.search(conditional, claim), claim
        if re.search(r"\b(right|wrong|correct|exact)\b", claim, re.IGNORECASE):
            assert re.search(denied, claim), claim


def test_analyze_share_of_pairs_follows_from_sound_pairs_alone() -> None:
    [text] = findings("analyze", measure("sound_pairs", 0.12, 0.40))
    assert text == "Sound both with and without the trap in only 26% of the pairs."
    # The mean of partial marks isn't a share of pairs.
    assert findings("analyze", measure("paired_score", 0.12, 0.40)) == [UNSURE.text]


RULES = [(name, rule) for name in suite_names() for rule in get_suite(name).sentences]


def test_every_suite_of_ours_has_sentences_and_each_is_borne_out_elsewhere() -> None:
    assert {name for name, _ in RULES} >= {*TEACHING_ORDER}
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
    name = data.draw(st.sampled_from(TEACHING_ORDER))
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
