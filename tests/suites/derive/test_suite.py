"""The suite derive: prompts, items, agents and measures."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from whybench.records.table import record_table
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import Answer, UserError
from whybench.suites.derive.prompts import parse_prompt
from whybench.suites.derive.world import Terms
from whybench.suites.registry import get_suite
from whybench.suites.sentences import AgentMeasures, find

if TYPE_CHECKING:
    import pyarrow as pa

SUITE = get_suite("derive")


def answered(agent: str, design=None, **settings) -> pa.Table:
    asked = design or SUITE.designs["core"]
    rows = simulate_rows(
        SUITE, asked, list(SUITE.items(asked)), SUITE.agent(agent), settings, "a", {}
    )
    return record_table(list(rows), SUITE.record_columns)


def measured(agent: str, design=None, **settings) -> dict[str, object]:
    table = answered(agent, design, **settings)
    return {one.name: one for one in SUITE.measures(table) if not one.at}


def test_the_control_states_the_same_numbers_and_has_the_same_truth() -> None:
    effects, products = (
        list(SUITE.items(SUITE.make_design({"query": query, "worlds": 2})))
        for query in ("do", "product")
    )
    for effect, product in zip(effects, products, strict=True):
        assert parse_prompt(effect.prompt).find_terms() == parse_prompt(product.prompt)
        assert effect.truth == product.truth


def test_the_answer_follows_from_the_prompt_alone() -> None:
    for item in SUITE.items(SUITE.make_design({"worlds": 3})):
        told = parse_prompt(item.prompt)
        terms = told if isinstance(told, Terms) else told.find_terms()
        assert float(terms.effect) == item.truth
        assert len(terms.factors) == item.factors["depth"]


def test_no_lamp_outside_affects_the_chain_and_some_are_affected_by_it() -> None:
    affected = 0
    for item in SUITE.items(SUITE.make_design({"depth": "6", "query": "do", "worlds": 10})):
        structure = item.question.structure
        inside = {structure.confounder, *structure.chain}
        for lamp, causes in enumerate(structure.causes):
            assert lamp not in inside or inside >= set(causes)
            affected += lamp not in inside and bool(inside & set(causes))
    assert affected >= 20


def test_prompts_of_others_are_refused() -> None:
    prompt = next(iter(SUITE.items(SUITE.designs["core"]))).prompt
    for broken in ("", prompt.replace("Question:", ""), prompt.replace("- ", "* ")):
        with pytest.raises(ValueError, match="must state rules and a question, or a product"):
            SUITE.parse_prompt(broken)
    with pytest.raises(ValueError, match="got '12% if it rains, always'"):
        SUITE.parse_prompt("- A2: on with probability 12% if it rains, always.")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"depth": "0"}, "depth must be from 1 to 10, got 0"),
        ({"depth": "11"}, "depth must be from 1 to 10, got 11"),
        ({"worlds": 0}, "worlds must be 1 or more, got 0"),
        ({"lamps": "few"}, "lamps must be among growing, equal, got 'few'"),
        ({"query": "observe"}, "query must be among do, product, got 'observe'"),
    ],
)
def test_designs_that_there_are_not_are_refused(settings, told) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        SUITE.make_design(settings)


def test_a_training_design_of_any_size_yields_at_once() -> None:
    design = SUITE.make_design({"split": "train", "worlds": 2 * 10**9})
    keys = {item.question.structure for item in islice(SUITE.items(design), 16)}
    assert len(keys) == 8


def test_rewards_have_the_tolerance_of_the_suite() -> None:
    reward = SUITE.training.reward
    assert reward({}, 12.0, Answer(12.2)) == 1.0
    assert reward({}, -12.0, Answer(-12.3)) == 0.0
    assert reward({}, -12.0, Answer(12.0)) == 0.0


def test_an_exact_agent_is_above_the_deepest_question() -> None:
    found = measured("exact")
    assert found["horizon"].estimate == found["control_horizon"].estimate == 10
    assert "above_deepest" in found["horizon"].flags


@pytest.mark.parametrize("agent", ["sees-only", "wrong-weights"])
def test_an_agent_that_conditions_reaches_nothing_but_the_control(agent: str) -> None:
    found = measured(agent)
    assert "below_shallowest" in found["horizon"].flags
    assert found["accuracy"].estimate == 0
    assert found["control_horizon"].estimate == 10
    assert found["horizon_ratio"].high < -2


@pytest.mark.parametrize("rules", [2, 4, 6])
def test_a_reader_of_so_many_rules_has_that_horizon(rules: int) -> None:
    depths = SUITE.designs["core"].depth
    following = depths[depths.index(rules) + 1]
    found = measured("reader", rules=rules)
    for name in ("horizon", "control_horizon"):
        assert found[name].low <= following
        assert found[name].high >= rules
    assert found["horizon_ratio"].low <= 0 <= found["horizon_ratio"].high


def test_slips_cost_answers_with_each_rule() -> None:
    found = measured("slips", error=0.2)
    expected = sum(0.8**depth for depth in SUITE.designs["core"].depth) / 8
    for name in ("accuracy", "control_accuracy"):
        # Four standard errors of 88 answers, and replacements that happen to be right.
        assert found[name].estimate == pytest.approx(expected, abs=4 * (0.25 / 88) ** 0.5 + 0.02)


def test_rounding_to_whole_points_ends_at_some_depth_and_to_tenths_later() -> None:
    whole, tenths = (measured("rounds", decimals=decimals) for decimals in (0, 1))
    assert whole["horizon"].high < tenths["horizon"].low
    assert measured("rounds", decimals=6)["accuracy"].estimate == 1


def test_guesses_are_hardly_ever_right() -> None:
    assert measured("guesser")["accuracy"].estimate < 0.05


def test_one_query_alone_has_no_ratio() -> None:
    found = measured("exact", SUITE.make_design({"query": "do", "worlds": 2}))
    assert "horizon" in found
    assert not {"control_horizon", "horizon_ratio", "control_accuracy"} & found.keys()


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Answer: 12.3 percentage points", 12.3),
        ("Answer: −12.3%", -12.3),
        ("Answer: 12.3", 12.3),
        ("37% of 0.5 is 0.185.\nAnswer: 0.642 percentage points", 0.642),
        ("Answer: 0.123 (12.3%)", 12.3),
        ("Answer: 0.642", None),
        ("Answer: 101%", None),
        ("between 10% and 12%", None),
        ("", None),
    ],
)
@pytest.mark.parametrize("query", ["do", "product"])
def test_replies(reply: str, value: float | None, query: str) -> None:
    factors = {"style": "cot", "query": query}
    assert SUITE.parse_reply(factors, reply, False).value == value


def test_a_change_in_words_answers_the_effect_only() -> None:
    reply = "Answer: 12.3 percentage points lower"
    found = [
        SUITE.parse_reply({"style": "cot", "query": query}, reply, False).value
        for query in ("do", "product")
    ]
    assert found == [-12.3, None]


def test_answers_have_three_significant_digits() -> None:
    for item in islice(SUITE.items(SUITE.make_design({"style": "cot,direct"})), 64):
        answer = SUITE.parse_reply(item.factors, SUITE.oracle(item), False)
        assert SUITE.is_correct(item, answer)
        assert answer.value == pytest.approx(item.truth, rel=0.005)


@pytest.mark.parametrize(
    ("agent", "settings", "findings"),
    [
        (
            "exact",
            {},
            ["Derives the effects of every depth: half of its answers are correct at more than 10 "
             "rules."],
        ),
        (
            "sees-only",
            {},
            ["Fails at causal effects, but not at the products behind them: half of the products "
             "are correct at a depth of more than 10."],
        ),
        ("guesser", {}, ["Does not derive causal effects from probabilities."]),
        ("reader", {"rules": 5}, ["Half of its answers are correct at a depth of 5.4."]),
    ],
)  # fmt: skip
def test_findings_are_true_of_the_agent(agent, settings, findings) -> None:
    measures = AgentMeasures(SUITE.measures(answered(agent, **settings)))
    assert [one.text for one in find(SUITE.sentences, measures)] == findings
