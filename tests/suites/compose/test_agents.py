"""Reference agents: words and arrays follow the same rule, and known values are those counted."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.compose_classes import EXPECTED, make_queries

from whybench.seeds import generator
from whybench.suites.calibration import calibrate, simulate
from whybench.suites.compose import SUITE
from whybench.suites.compose.agents import (
    AGENTS,
    answer_exact,
    make_constant,
    make_local_only,
    oracle,
)
from whybench.suites.compose.design import DESIGNS
from whybench.suites.compose.generation import compose_items, draw_batch
from whybench.suites.compose.measures import CLASSES
from whybench.suites.compose.planning import list_worlds
from whybench.suites.compose.truth import list_queries, make_answer_key
from whybench.suites.compose.world import Block, ComposeWorld
from whybench.suites.compose.wrong_worlds import assumed_answers, assumed_world

SMALL = SUITE.make_design({"worlds": 1, "units": 16, "style": "direct,cot"})


@pytest.fixture(scope="module")
def items():
    return list(compose_items(SMALL))


def said(agent: str, item, **given) -> bool:
    settings = AGENTS[agent].settings(given)
    reply = AGENTS[agent].reply(item, settings, generator("test", item.id))
    answer = SUITE.converse(item, lambda _, __: reply)
    assert answer.outcome == "scored"
    return answer.value == 1


def test_words_say_what_the_rules_say_of_arrays(items) -> None:
    rules = {
        "exact": (answer_exact, {}),
        "local-only": (make_local_only(), {}),
        "always-yes": (make_constant(True), {}),
        "always-no": (make_constant(False), {}),
    }
    for number, world in list_worlds(SMALL):
        key = draw_batch(world, number, 0)[1]
        parts = make_queries(key.if_true, key.if_false, key.factual)
        for name, (rule, given) in rules.items():
            made_true, made_false, factual = (rule(part, generator("test"))[0] for part in parts)
            for item in items:
                if item.question.world != world or item.question.style != "direct":
                    continue
                made = item.question.intervention
                if made is None:
                    place = world.anchors.index(item.question.effect) - 1
                    expected = factual[item.unit, place]
                else:
                    place = world.pairs.index((made[0], item.question.effect))
                    expected = (made_true if made[1] else made_false)[item.unit, place]
                assert said(name, item, **given) == expected


def test_the_wrong_world_agent_is_exact_about_another_world(items) -> None:
    for number, world in list_worlds(SMALL):
        units, _ = draw_batch(world, number, 0)
        other = assumed_world(world)
        assert sum(a != b for a, b in zip(world.gates, other.gates, strict=True)) == 1
        key = make_answer_key(other, units.bits)
        for unit in range(4):
            answers = assumed_answers(world, tuple(units.counts[unit].tolist()))
            assert list(answers.values()) == key.yes[unit].tolist()
            assert list(answers) == list(list_queries(world))


def test_a_mistake_is_found_also_where_none_is_clear_and_in_long_worlds() -> None:
    even = ComposeWorld((Block("bridge", 2),) * 2, ("or", "or", "or"), (6, 6, 6))
    assert assumed_world(even).gates.count("and") == 1
    long = SUITE.make_design({"kinds": "+".join(["bridge"] * 6), "gates": "mixed", "worlds": 1})
    ((_, world),) = list_worlds(long)
    assert sum(a != b for a, b in zip(world.gates, assumed_world(world).gates, strict=True)) == 1


def test_gold_is_the_truth_in_every_style(items) -> None:
    for item in items[:90]:
        answer = SUITE.converse(item, lambda asked, _: oracle(asked))
        assert answer.value == item.truth


def test_chance_and_errors_come_as_often_as_they_should(items) -> None:
    coins = [said("coin", item) for item in items]
    assert np.mean(coins) == pytest.approx(0.5, abs=0.05)
    wrong = [said("flip", item, error=0.2) != (item.truth == 1) for item in items]
    assert np.mean(wrong) == pytest.approx(0.2, abs=0.04)


@pytest.mark.parametrize("agent", ["exact", "local-only", "wrong-world", "coin"])
def test_every_agent_is_of_its_class_where_units_suffice_for_verdicts(agent: str) -> None:
    design = DESIGNS["verdicts"]
    core = list(compose_items(design))
    found = {
        measure.title: measure.estimate
        for measure in simulate(SUITE, design, core, AGENTS[agent], {})
    }
    # A coin agrees with itself by chance in some compositions.
    surely = 0.75 if AGENTS[agent].noisy({}) else 1.0
    assert found[CLASSES[EXPECTED[agent]][0]] >= surely


@pytest.mark.slow
def test_calibration_recovers_what_is_known() -> None:
    rows = list(calibrate(SUITE, SUITE.make_design({"worlds": 2, "gates": "or,mixed"}), 20))
    assert not [row for row in rows if not row.passed]
    agents = {row.agent for row in rows}
    assert agents == {
        *("exact", "local-only", "local-only[reach=1]", "wrong-world", "coin", "flip"),
        *("flip[error=0.2]", "copy", "always-yes", "always-no"),
    }
    # With 16 units errors of one in ten would not show, and an exact agent is not told apart.
    unresolved = {row.agent: row.expected for row in rows if row.measure == "inconclusive"}
    assert unresolved == {"exact": 1.0, "local-only": 1.0}


def test_what_is_known_of_broken_rounds_and_long_worlds_leaves_out_classes() -> None:
    known = AGENTS["exact"].expected
    for changed in ({"units": 100}, {"kinds": "+".join(["bridge"] * 6), "units": 128}):
        found = known({}, SUITE.make_design(changed))
        assert "valid_and_consistent" not in found
        assert found["balanced_accuracy_factual"] == 1.0
    settled = known({}, SUITE.make_design({"kinds": "bridge+bridge", "units": 8}))
    assert settled["inconclusive"] == 1.0  # fewer than ten units settle nothing
