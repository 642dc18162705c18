"""The suite trace: prompts, items, agents and measures."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from whybench.records.table import record_table
from whybench.results.comparison_words import difference_row
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError
from whybench.suites.pairs import stack_sides
from whybench.suites.registry import get_suite
from whybench.suites.sentences import AgentMeasures, find
from whybench.suites.trace.prompts import parse_prompt

if TYPE_CHECKING:
    import pyarrow as pa

SUITE = get_suite("trace")


def answered(agent: str, design=None, name: str = "a", **settings) -> pa.Table:
    asked = design or SUITE.designs["core"]
    rows = simulate_rows(
        SUITE, asked, list(SUITE.items(asked)), SUITE.agent(agent), settings, name, {}
    )
    return record_table(list(rows), SUITE.record_columns)


def measured(agent: str, design=None, **settings) -> dict[str, object]:
    table = answered(agent, design, **settings)
    return {one.name: one for one in SUITE.measures(table) if not one.at}


def test_a_prompt_states_no_number_that_a_dial_shows_except_the_cause() -> None:
    for item in islice(SUITE.items(SUITE.designs["core"]), 44):
        rest = item.prompt.split("Rules:")[1]
        stated = re.findall(r"(\w\d) shows \d|sets (\w\d) to \d|(\w\d) to \d", rest)
        told = parse_prompt(item.prompt)
        assert {name for names in stated for name in names if name} <= {told.cause}


def test_the_control_has_the_same_world_and_asks_for_the_same_dial() -> None:
    items = list(SUITE.items(SUITE.make_design({"depth": "3", "worlds": 4})))
    for one, two in zip(items[::2], items[1::2], strict=True):
        first, second = (parse_prompt(item.prompt) for item in (one, two))
        assert (first.rules, first.switches) == (second.rules, second.switches)
        assert (first.cause, first.effect) == (second.cause, second.effect)
        assert {first.query, second.query} == {"do", "observe"}


def test_the_answer_follows_from_the_prompt_alone() -> None:
    for item in islice(SUITE.items(SUITE.designs["core"]), 44):
        told = parse_prompt(item.prompt)
        dial, total = told.effect, 0
        while dial != told.cause:
            dial, shift = told.rules[dial][0 if told.switches[dial] else 1]
            total += shift
        assert (told.number + total) % 8 == item.truth


def test_prompts_of_others_are_refused() -> None:
    prompt = next(iter(SUITE.items(SUITE.designs["core"]))).prompt
    for broken in ("", prompt.replace("Rules:", "").replace("switch is up", "switch is on")):
        with pytest.raises(ValueError, match="must"):
            SUITE.parse_prompt(broken)
    with pytest.raises(ValueError, match="got 'the number on A2 minus 3'"):
        SUITE.parse_prompt("- B3: if its switch is up, the number on A2 minus 3; if it is down, 2.")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"depth": "0"}, "depth must be from 1 to 48, got 0"),
        ({"depth": "49"}, "depth must be from 1 to 48, got 49"),
        ({"worlds": 0}, "worlds must be 1 or more, got 0"),
        ({"dials": "few"}, "dials must be among growing, equal, got 'few'"),
        ({"query": "see"}, "query must be among do, observe, got 'see'"),
    ],
)
def test_designs_that_there_are_not_are_refused(settings, told) -> None:
    with pytest.raises(UserError, match=re.escape(told)):
        SUITE.make_design(settings)


def test_worlds_of_equal_size_have_prompts_of_equal_length() -> None:
    items = list(SUITE.items(SUITE.make_design({"dials": "equal", "worlds": 1})))
    lengths = [len(item.prompt) for item in items]
    assert max(lengths) < 1.05 * min(lengths)


def test_a_training_design_of_any_size_yields_at_once() -> None:
    design = SUITE.make_design({"split": "train", "worlds": 2 * 10**9})
    keys = {item.question.structure for item in islice(SUITE.items(design), 22)}
    assert len(keys) == 11


def test_an_exact_agent_is_above_the_deepest_question() -> None:
    found = measured("exact")
    assert found["horizon"].estimate == found["control_horizon"].estimate == 48
    assert "above_deepest" in found["horizon"].flags


def test_an_agent_that_ignores_interventions_reaches_nothing_but_the_control() -> None:
    found = measured("sees-only")
    assert "below_shallowest" in found["horizon"].flags
    assert found["horizon"].estimate == 1
    assert found["control_horizon"].estimate == 48
    assert found["horizon_ratio"].high < -3


@pytest.mark.parametrize("rules", [2, 4, 8, 16])
def test_a_reader_of_so_many_rules_has_that_horizon(rules: int) -> None:
    depths = SUITE.designs["core"].depth
    following = depths[depths.index(rules) + 1]
    found = measured("reader", rules=rules)
    for name in ("horizon", "control_horizon"):
        assert found[name].low <= following
        assert found[name].high >= rules
    assert found["horizon_ratio"].low < 0 < found["horizon_ratio"].high


@pytest.mark.parametrize(
    ("agent", "settings", "findings"),
    [
        ("exact", {}, ["Reaches no limit: half of its answers are correct at more than 48 rules."]),
        (
            "reader",
            {"rules": 5},
            [
                "Half of its answers are correct at a depth of 5.",
                "Gets about as far with interventions as with observations: half of its answers "
                "are correct at a depth of 5, compared with 5.",
            ],
        ),
        (
            "sees-only",
            {},
            [
                "Fails if the cause is set, like an agent that ignores interventions. If the cause "
                "is observed, half of its answers are correct at a depth of more than 48."
            ],
        ),
        ("guesser", {}, ["Does not combine rules to predict an intervention."]),
        ("lapses", {"error": 0.4}, ["The intervals are too wide for a finding."]),
    ],
)
def test_findings_are_true_of_the_agent(agent, settings, findings) -> None:
    measures = AgentMeasures(SUITE.measures(answered(agent, **settings)))
    assert [one.text for one in find(SUITE.sentences, measures)] == findings


def test_an_agent_that_succeeds_at_depth_only_has_no_finding_about_its_horizon() -> None:
    rows = [
        {**row, "value": row["truth"] if row["depth"] > 8 else None}
        for row in answered("exact").to_pylist()
    ]
    measures = AgentMeasures(SUITE.measures(record_table(rows, SUITE.record_columns)))
    [first, *others] = [one.text for one in find(SUITE.sentences, measures)]
    assert (
        first
        == "More of its answers are correct at greater depths, so the horizon doesn't describe it."
    )
    assert not any("correct at" in text for text in others)


def test_a_comparison_shows_a_horizon_beyond_the_depths_as_a_bound() -> None:
    sides = [answered(agent, name=agent) for agent in ("exact", "sees-only")]
    differences = SUITE.comparison.pairs(stack_sides(*sides))
    [horizon] = [one for one in differences if one.measure == "horizon"]
    cells = difference_row(horizon, [horizon], lambda measure, *_: measure)
    assert {cells["A"], cells["B"]} == {"> 48", "< 1"}


def test_one_query_alone_has_no_ratio() -> None:
    found = measured("exact", SUITE.make_design({"query": "do", "worlds": 2}))
    assert "horizon" in found
    assert not {"control_horizon", "horizon_ratio", "control_accuracy"} & found.keys()


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Answer: 3", 3),
        ("K7 shows 2, so 2 plus 4 is 6.\nAnswer: 6", 6),
        ("Answer: 8", None),
        ("", None),
    ],
)
def test_replies(reply: str, value: float | None) -> None:
    assert SUITE.parse_reply({"style": "cot"}, reply, False).value == value
