"""The attacks on calculate."""

from __future__ import annotations

from itertools import islice

import pytest

from whybench.suites.attack_runs import run_attack
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.attacks import ATTACKS, read_rules
from whybench.suites.calculate.world import StatedRule, StatedWorld


def chain() -> StatedWorld:
    """Return a chain: the lamp acts on the fan, and the fan on the bell."""
    return StatedWorld(
        ("on", "off"),
        (
            ("the lamp", StatedRule("table", (), (30,))),
            ("the fan", StatedRule("table", ("the lamp",), (20, 60))),
            ("the bell", StatedRule("table", ("the fan",), (10, 90))),
        ),
    )


def test_one_rule_gives_the_mean_of_its_rows_unless_the_cause_is_named() -> None:
    world = chain()
    assert read_rules(world, "the bell", ("the lamp", 1), 1) == pytest.approx(0.5)
    assert read_rules(world, "the bell", ("the fan", 1), 1) == pytest.approx(0.9)


def test_two_rules_give_the_effect_along_a_chain_by_hand() -> None:
    # The fan is on in 60% of cases: 0.6 x 0.9 + 0.4 x 0.1.
    assert read_rules(chain(), "the bell", ("the lamp", 1), 2) == pytest.approx(0.58)
    assert read_rules(chain(), "the bell", ("the lamp", 0), 2) == pytest.approx(0.26)


def test_gates_are_read_as_chances() -> None:
    rule = StatedRule("or", ("the lamp",), (50, 20), (1,))
    world = StatedWorld(
        ("on", "off"), (("the lamp", StatedRule("table", (), (30,))), ("the fan", rule))
    )
    # Its own coin or the last one: 1 - 0.5 x 0.8.
    assert read_rules(world, "the fan", ("the lamp", 1), 1) == pytest.approx(0.6)
    assert read_rules(world, "the fan", ("the lamp", 0), 1) == pytest.approx(0.2)


@pytest.mark.parametrize("name", ["own-rule", "two-rules", "own-rule-doubts"])
def test_scripts_answer_every_item_of_both_forms(name: str) -> None:
    (attack,) = (one for one in ATTACKS if one.name == name)
    for design in (SUITE.designs["core"], SUITE.designs["greater"]):
        items = list(islice(SUITE.items(design), 120))
        assert run_attack(SUITE, design, items, attack).measures["answered"].estimate == 1.0


def test_no_skill_score_is_expected_where_the_best_attack_is_exact() -> None:
    for name, having in (("trivial", False), ("core", True)):
        agent = SUITE.agent("exact")
        expected = agent.expected(agent.settings({}), SUITE.designs[name])
        assert ("skill_score" in expected) == having
        assert expected["number_skill"] == 1
