"""The attacks on calculate."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import pytest

from whybench.suites.attack_runs import run_attack
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.attacks import ATTACKS, estimate
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calculate.quantities import NOT_COMPUTABLE, Quantity
from whybench.suites.calculate.world import StatedRule, StatedWorld, fill_in


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


def test_one_rule_takes_every_other_variable_for_a_coin() -> None:
    asked = Quantity("do", "the lamp", "the bell")
    assert estimate(chain(), asked, 1) == pytest.approx(50)
    assert estimate(chain(), replace(asked, cause="the fan"), 1) == pytest.approx(90)


def test_two_rules_give_the_effect_along_a_chain_by_hand() -> None:
    # The fan is on in 60% of cases: 0.6 x 0.9 + 0.4 x 0.1.
    asked = Quantity("do", "the lamp", "the bell")
    assert estimate(chain(), asked, 2) == pytest.approx(58)
    assert estimate(chain(), replace(asked, set_to=0), 2) == pytest.approx(26)
    # By Bayes' rule the lamp is on in 0.6 / 0.8 of the cases with the fan on, to one who takes it
    # for a coin.
    back = Quantity("observe", "the fan", "the lamp")
    assert estimate(chain(), back, 1) == pytest.approx(30)
    assert estimate(replace(chain(), rules=chain().rules[:2]), back, 2) == pytest.approx(
        100 * 0.3 * 0.6 / (0.3 * 0.6 + 0.7 * 0.2)
    )


def test_all_rules_give_the_truth() -> None:
    numbers = [
        item
        for item in islice(SUITE.items(SUITE.designs["core"]), 120)
        if item.factors["form"] == "number" and item.truth != NOT_COMPUTABLE
    ]
    assert len(numbers) > 70
    for item in numbers:
        question = parse_stated_prompt(item.prompt)
        (world,) = fill_in(question.world, 50)
        (asked,) = question.asked
        assert estimate(world, asked, len(world.rules)) == pytest.approx(item.truth, abs=1e-6)


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
