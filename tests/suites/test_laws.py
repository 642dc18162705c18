"""Laws of headlines: kept by our suites, and broken by suites made to break them."""

from __future__ import annotations

from dataclasses import replace

import pyarrow.compute as pc
import pytest
from tests.altered import altered

from whybench.suites.contract import Budget
from whybench.suites.laws import (
    LAWS,
    RATES,
    STYLE_LAWS,
    LawCase,
    judge_lapses,
    judge_separation,
    try_lapses,
)
from whybench.suites.registry import get_suite

SILENCE, LOSS, ENDS = LAWS
NO_STYLE, SAME_STYLE = STYLE_LAWS
SMALL = {
    "compose": {"design": "long", "kinds": "bridge+bridge", "worlds": 2, "units": 8},
    "intervene": {"design": "limited", "graphs": 1},
    "judge": {"design": "core"},
    "analyze": {"challenge": ["simpson"], "seeds": 2},
}


def broken(name: str, law: str, **parts) -> list[str]:
    suite = get_suite(name)
    design = suite.make_design(SMALL[name])
    laws = STYLE_LAWS if suite.styles else LAWS
    return list(laws[law](LawCase(altered(suite, **parts), design, list(suite.items(design)))))


@pytest.mark.parametrize(
    ("name", "law"),
    [(name, law) for name in SMALL for law in (STYLE_LAWS if name == "judge" else LAWS)],
)
def test_our_suites_keep_the_laws(name: str, law: str) -> None:
    assert not broken(name, law)


def test_a_headline_of_the_answers_alone_pays_for_silence() -> None:
    measures = get_suite("intervene").measures

    def of_answers(records):
        return measures(records.filter(pc.equal(records["outcome"], "scored")))

    (line,) = broken("intervene", SILENCE, measures=of_answers)
    assert line == "justified_accuracy of an agent that says nothing must have a value, got none"


def test_a_headline_that_silence_leaves_as_it_is_breaks_the_law() -> None:
    measures = get_suite("compose").measures

    def unmoved(records):
        found = measures(records)
        return [
            replace(one, estimate=0.5) if one.name == "compositional_agreement" else one
            for one in found
        ]

    line, *_ = broken("compose", SILENCE, measures=unmoved)
    assert line.startswith(
        "compositional_agreement must fall if every other answer is not given, got 0.5"
    )


def test_a_headline_that_counts_what_was_lost_breaks_the_law() -> None:
    measures = get_suite("intervene").measures

    def counting(records):
        place = records.column_names.index("outcome")
        words = pc.replace_substring(records["outcome"], "error", "no_answer")
        return measures(records.set_column(place, "outcome", words))

    (line,) = broken("intervene", LOSS, measures=counting)
    assert line.startswith(
        "justified_accuracy of an exact agent must be 1 whatever is lost, got 0."
    )


def with_outcome(old: str, new: str):
    """Return judge's quick measures of records in which one outcome is replaced."""
    measures = get_suite("judge").pooled_measures

    def of_changed(records, _names):
        place = records.column_names.index("outcome")
        words = pc.replace_substring(records["outcome"], old, new)
        values = pc.fill_null(records["value"], 50.0)
        records = records.set_column(place, "outcome", words)
        return measures(records.set_column(records.column_names.index("value"), "value", values))

    return of_changed


def test_style_laws_silence_counted_as_an_answer_is_found() -> None:
    counted = with_outcome("no_answer", "scored")
    lines = broken("judge", NO_STYLE, named_measures=counted)
    assert any("noisy-or, half silent, must be as before" in line for line in lines)
    assert any("heedless, without any answer, must have none" in line for line in lines)


def test_style_laws_lost_answer_counted_as_an_answer_is_found() -> None:
    lines = broken("judge", SAME_STYLE, named_measures=with_outcome("error", "scored"))
    assert any(line.startswith("shift_ratio of noisy-or must be as before") for line in lines)


def test_a_scale_that_is_moved_breaks_the_law() -> None:
    measures = get_suite("compose").measures

    def shifted(records):
        def shift(value):
            return None if value is None else value + 0.2

        return [
            replace(one, estimate=shift(one.estimate), low=shift(one.low), high=shift(one.high))
            if one.name == "skill_score"
            else one
            for one in measures(records)
        ]

    lines = broken("compose", ENDS, measures=shifted)
    assert any(line.startswith("skill_score of exact must be 1, got 1.2") for line in lines)


def test_a_headline_that_does_not_fall_with_lapses_breaks_the_law() -> None:
    falling = {rate: [1 - rate + (seed % 2) / 50 for seed in range(200)] for rate in RATES}
    falling[0.0] = [1.0]
    assert judge_lapses(falling).passed
    # A step that is too small to show, with seeds enough, and one upwards with few.
    flat = falling | {0.02: falling[0.01]}
    assert judge_lapses(flat).misses[0].startswith("from 0.01 to 0.02 lapses it must fall by 0.0")
    rising = {rate: values[:20] for rate, values in falling.items()} | {0.2: [0.99, 0.98] * 10}
    assert len(judge_lapses(rising).misses) == 1
    assert judge_lapses({rate: values[:20] for rate, values in flat.items()}).passed
    assert judge_lapses({rate: values[:2] for rate, values in rising.items()}).passed


def test_lapses_of_an_agent_are_tried_where_a_suite_names_one() -> None:
    suite = get_suite("intervene")
    design = suite.make_design(SMALL["intervene"])
    found, apart = try_lapses(suite, design, 15)
    assert found.passed
    assert apart.passed
    assert apart.figures["runs"] == 3
    assert list(found.figures) == ["0", "0.01", "0.02", "0.05", "0.1", "0.2", "0.35", "0.5"]
    assert found.figures["0"] == 1.0 > found.figures["0.5"]
    analyze = get_suite("analyze")
    assert not list(try_lapses(analyze, analyze.make_design(SMALL["analyze"]), 3))


def test_two_agents_must_be_told_apart_where_it_is_promised() -> None:
    told = [True] * 160 + [False] * 40
    assert judge_separation(told, promised=True).passed  # 85% less two standard errors
    few = [True] * 159 + [False] * 41
    assert judge_separation(few, promised=True).misses == (
        "it must be 0.80 or more at the standard budget, got 0.80",
    )
    assert judge_separation(few, promised=False).passed


def test_the_standard_budget_is_held_to_telling_agents_apart() -> None:
    suite = get_suite("intervene")
    design = suite.make_design(SMALL["intervene"])
    budget = Budget(SMALL["intervene"], "too small to tell them apart")
    costs = replace(suite.costs, budgets={**suite.costs.budgets, "standard": budget})
    _, apart = try_lapses(altered(suite, costs=costs), design, 60)
    assert not apart.passed
    assert apart.figures["share"] < 0.5
