"""Damaged inputs at a small size, and the claims that are made of them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from evidence.damage import PARTS, Case, Ending, bend, judge_cases, run_command
from evidence.figures import held

WORDS = ("results", "a.eval", "-o", "out")
GOOD = [
    Case("log cut short", Path("a.eval"), WORDS, Ending(0, "", ""), 10, 10),
    Case(
        "log cut short", Path("a.eval"), WORDS, Ending(0, "", ""), 5, 10, 0, ["a.eval is damaged"]
    ),
    Case("YAML: plan", Path("p.yaml"), WORDS, Ending(2, "", "Error: p.yaml must be …\n")),
]


@pytest.mark.parametrize(
    ("changes", "claims"),
    [
        ({}, []),
        ({"ending": Ending(1, "", "Error: X; `whybench --debug …` shows the details")}, [0]),
        ({"ending": Ending(0, "", "Traceback (most recent call last):")}, [0]),
        ({"ending": Ending(2, "", "Error: something must be …\n")}, [0]),
        ({"ending": Ending(2, "", "Usage: a.eval\n")}, [0]),
        ({"changed": 1}, [0, 1]),
        ({"notes": []}, [0, 1]),
        ({"read": 0, "whole": 100}, [1]),
    ],
)
def test_each_claim_fails_where_it_should(changes, claims) -> None:
    cases = [GOOD[0], replace(GOOD[1], **changes), GOOD[2]]
    holds = [figure.holds for figure in judge_cases(cases)]
    assert [place for place, held in enumerate(holds) if not held] == claims


def test_bent_data_are_other_data() -> None:
    chance, data = random.Random(1), {"a": [3, 4], "b": {"c": "d"}}
    bent = [bend(data, chance) for _ in range(50)]
    assert sum(each == data for each in bent) == 0
    assert len({str(each) for each in bent}) > 20


def test_a_command_in_this_process_ends_as_one_by_itself() -> None:
    ended = run_command("show", "juge")
    assert (ended.status, len(ended.errors), ended.unforeseen) == (2, 1, False)
    assert run_command("list").status == 0


def test_the_figures_hold() -> None:
    assert len(held(PARTS["corrupted inputs"])) == 2
