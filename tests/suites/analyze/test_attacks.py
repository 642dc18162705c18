"""The attacks on analyze."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.seeds import generator
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.attacks import ATTACKS, RecipeInput, read_table, regress
from whybench.suites.attack_runs import converse, run_attack, see
from whybench.suites.attacks import Seen

BY_NAME = {attack.name: attack for attack in ATTACKS}
RECIPES = [attack for attack in ATTACKS if attack.reply is not None and attack.name != "silent"]
CORE = SUITE.designs["core"]
ITEMS = list(islice(SUITE.items(CORE), CORE.block))

ADVICE = (
    "advice for somebody who wants outcome to be higher, based on this number alone. "
    "increase: use (more of) cause; decrease: use less of cause or none"
)
FORM = {"type": "object", "properties": {"recommendation": {"description": ADVICE}, "estimate": {}}}
PROMPT = f"""A story. It was decided at random.

The data have 4 rows and these columns. Steps give the order of measurement.
- early (0 or 1; step 1): 1 if early
- label (category; step 1): its kind
- cause (0 or 1; step 2): 1 if done (or not; either)
- also (number; step 2): a size
- late (number; step 3): a size
- outcome (number; step 3): a size

Question: Does it?

{json.dumps(FORM)}

The rows follow.

early,label,cause,also,late,outcome
0,a,0,1.5,0.1,3
1,b,1,2.5,0.2,5
1,a,0,,0.3,4
0,b,1,0.5,0.4,6"""


class TestTable:
    table = read_table(Seen((PROMPT,)))

    def test_cause_outcome_and_order_are_read_from_the_prompt(self) -> None:
        assert (self.table.cause, self.table.outcome) == ("cause", "outcome")
        assert self.table.earlier() == ["early"]
        assert self.table.earlier(same=True) == ["early", "also"]
        assert self.table.others == ["early", "also", "late"]

    def test_rows_with_an_empty_cell_and_columns_of_words_are_left_out(self) -> None:
        assert list(self.table.columns["outcome"]) == [3, 5, 6]
        assert "label" not in self.table.columns

    @pytest.mark.parametrize("design", ["core", "direct"])
    def test_rows_are_found_in_the_file_or_in_the_prompt(self, design: str) -> None:
        item = next(iter(SUITE.items(SUITE.designs[design])))
        table = read_table(see(SUITE, item))
        shown = {SUITE.open_episode(item.factors).names[role] for role in item.instance.rows}
        assert {*table.columns} == shown
        assert table.columns[table.cause].size == item.instance.size


@pytest.mark.parametrize("crossed", [False, True])
def test_a_regression_is_that_of_another_library(crossed: bool) -> None:
    rng = generator("test")
    first, *others = rng.normal(size=(4, 50))
    outcome = first * (2 + others[0]) + others[1] + rng.normal(size=50)
    centered = [column - column.mean() for column in others]
    products = [first * column for column in centered] if crossed else []
    design = sm.add_constant(np.column_stack([first, *centered, *products]))
    expected = sm.OLS(outcome, design).fit(cov_type="HC1")
    found = regress(outcome, first, others, crossed=crossed)
    assert (found.value, found.se) == pytest.approx((expected.params[1], expected.bse[1]))


@pytest.mark.parametrize("attack", RECIPES, ids=lambda attack: attack.name)
def test_every_recipe_answers_every_challenge(attack) -> None:
    for item in ITEMS:
        answer = converse(SUITE, item, attack.reply, generator("test"))
        assert answer.value is not None, item.challenge
        # The empty form claims nothing.
        assert answer.parts["diagnosis_reason"]


def test_words_decide_between_two_recipes() -> None:
    for text, twin in (("at random", "adjusts-for-none"), ("by hand", "adjusts-for-earlier")):
        # More rows than coefficients.
        rows = "\n1,a,0,2.0,0.5,4\n0,b,1,1.0,0.6,5"
        seen = Seen((PROMPT.replace("at random", text) + rows,))
        replies = [
            json.loads(BY_NAME[name].reply(seen, generator("test")))
            for name in ("words-decide", twin)
        ]
        assert replies[0] == replies[1]


def test_a_recipe_is_sound_without_a_trap_and_falls_for_traps() -> None:
    simpson = list(SUITE.items(SUITE.make_design({"design": "core", "challenge": "simpson"})))
    sound = {
        name: run_attack(SUITE, CORE, simpson, BY_NAME[name]).value("sound_pairs")
        for name in ("adjusts-for-none", "adjusts-for-earlier")
    }
    assert sound["adjusts-for-none"] == 0
    assert sound["adjusts-for-earlier"] >= 0.8


def test_a_table_without_a_recommendation_has_no_cause() -> None:
    assert RecipeInput("", {"edge": {}}, {}, {}).cause == ""
