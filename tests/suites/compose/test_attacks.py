"""The attacks on compose."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from whybench.suites.compose import SUITE
from whybench.suites.compose.attacks import ATTACKS, nobody_decides, read_rules
from whybench.suites.compose.prompt_parser import parse_prompt

ITEMS = list(islice(SUITE.items(SUITE.designs["core"]), 720))


def test_all_rules_give_the_truth_from_the_prompt_alone() -> None:
    for item in ITEMS:
        question = parse_prompt(item.prompt)
        for follows in (True, False):
            assert read_rules(question, question.effect, None, follows=follows) == item.truth


def test_more_rules_are_right_more_often() -> None:
    asked = [item for item in ITEMS if item.question.intervention]
    right = [
        sum(
            read_rules(item.question, item.question.effect, rules, follows=True) == item.truth
            for item in asked
        )
        / len(asked)
        for rules in (0, 1, 2, 6)
    ]
    assert right == sorted(right)
    assert 0.6 < right[0] < right[1] < right[2] < 1 == right[3]


def test_no_rule_copies_the_intervention() -> None:
    item = next(item for item in ITEMS if item.question.intervention)
    question = item.question
    assert read_rules(question, question.effect, 0, follows=True) == question.intervention[1]


def test_nobody_decides_by_hand() -> None:
    question = next(item.question for item in ITEMS if len(set(item.question.world.gates)) == 1)
    world = question.world
    (root,) = (n for n, parents in enumerate(world.parents) if not parents)
    for decided in range(len(world.parents)):
        # A count that is enough decides an "or", and one that is not decides an "and".
        counts = tuple(
            limit if (gate == "or") == (node == decided) else limit - 1
            for node, (gate, limit) in enumerate(zip(world.gates, world.thresholds, strict=True))
        )
        assert nobody_decides(replace(question, counts=counts), gates=False) == (decided == root)


def test_names_are_distinct() -> None:
    names = [attack.name for attack in ATTACKS]
    assert len({*names}) == len(names)
