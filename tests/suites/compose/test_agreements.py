"""The headline of compose: by hand, and the laws that it must keep."""

from __future__ import annotations

import numpy as np
import pytest
from tests.suites.compose.test_measures import measured, rows, whole_follows_the_first_block

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.stats import Estimate
from whybench.suites.compose import SUITE
from whybench.suites.compose.agents import AGENTS
from whybench.suites.compose.agreements import combine_lesser, sum_agreements
from whybench.suites.compose.design import DESIGNS
from whybench.suites.compose.expected import expect_coin, expect_constant, expect_copy
from whybench.suites.compose.groups import compose_groups, group_by_world
from whybench.suites.compose.measures import ZEROS, compose_pairs
from whybench.suites.pairs import stack_sides


def worlds_of(given):
    (group,) = compose_groups(record_table(given, SUITE.record_columns))
    return group_by_world(group)


def flipped(error: float, seed: int, epochs: int = 1, each: int = 24, draws: int = 1):
    """Yield the answers of an agent that errs at a rate, about worlds that are alike."""
    rng = generator("test", "flipped", error, seed)
    for draw in range(draws):
        for row in rows(each=each, epochs=epochs, draw=draw):
            yield row | {"value": abs(row["value"] - float(rng.random() < error))}


def test_the_lesser_of_the_two_agreements_is_the_headline() -> None:
    found = measured(rows(whole_follows_the_first_block, each=40))
    assert found["valid_agreement"].estimate == 1.0
    assert found["consistent_agreement"].estimate == pytest.approx(0.1 / 0.5)
    assert found["compositional_agreement"].estimate == found["consistent_agreement"].estimate
    assert ZEROS.of({"design": "core"}).solved
    assert found["skill_score"].estimate is None


def test_an_agent_that_copies_the_setting_agrees_with_itself_and_not_with_the_truth() -> None:
    found = measured(rows(lambda _stratum, _cause, _effect, made: made))
    assert found["consistent_agreement"].estimate == 1.0
    assert found["compositional_agreement"].estimate == pytest.approx(0.1)


def with_facts(given, right) -> list[dict]:
    """Return answers with factual ones: `right` gives an answer's outcome for unit and anchor."""
    given = list(given)
    facts = []
    for unit in dict.fromkeys(row["unit"] for row in given):
        own = next(row for row in given if row["unit"] == unit)
        for anchor in (1, 2):
            outcome = right(unit, anchor)
            value = {"right": 1.0, "wrong": 0.0}.get(outcome)
            facts.append(
                own
                | {"rung": "factual", "setting": "", "effect": anchor, "distance": 0, "truth": 1.0}
                | {"outcome": "scored" if value is not None else outcome, "value": value}
            )
    return [*given, *facts]


def test_an_agreement_counts_only_with_right_factual_answers() -> None:
    """By hand: the whole follows on the units of one stratum, a tenth of the weight."""

    def agreement(right) -> float | None:
        found = measured(with_facts(rows(each=40), right))
        assert found["valid_agreement"].estimate == found["consistent_agreement"].estimate
        return found["compositional_agreement"].estimate

    assert agreement(lambda _unit, _anchor: "right") == 1.0
    assert agreement(lambda _unit, _anchor: "wrong") == 0.0
    assert agreement(lambda _unit, _anchor: "no_answer") == 0.0
    assert agreement(lambda _unit, anchor: "wrong" if anchor == 2 else "right") == 0.0
    # Units come in turn from four strata, so that every other unit of a stratum is unit // 4 odd.
    half = agreement(lambda unit, _anchor: "wrong" if unit // 4 % 2 else "right")
    assert half == pytest.approx(0.5)
    lost = agreement(lambda unit, _anchor: "error" if unit // 4 % 2 else "right")
    assert lost == 1.0


def test_what_is_not_answered_is_disagreement_and_what_is_lost_is_left_out() -> None:
    every = list(rows(each=40))
    whole = measured(every)["compositional_agreement"]
    assert whole.estimate == 1.0
    lost, silent = [dict(row) for row in every], [dict(row) for row in every]
    for one, other in zip(lost, silent, strict=True):
        if one["unit"] % 5 == 0:
            one |= {"outcome": "error", "reason": "lost", "value": None}
            other |= {"outcome": "no_answer", "reason": "refusal", "value": None}
    assert measured(lost)["compositional_agreement"].estimate == 1.0
    # A fifth of the weight is said to follow by one side and not by the other.
    assert measured(silent)["compositional_agreement"].estimate == pytest.approx(
        0.8 * 0.1 / (0.8 * 0.1 + 0.2)
    )


def test_an_agent_that_says_nothing_has_nothing() -> None:
    silent = [
        row | {"outcome": "no_answer", "reason": "refusal", "value": None} for row in rows(each=10)
    ]
    found = measured(silent)
    assert found["compositional_agreement"].estimate == 0.0
    lost = [row | {"outcome": "error", "reason": "lost", "value": None} for row in silent]
    assert measured(lost)["compositional_agreement"].estimate is None


def test_the_same_agent_has_the_same_value_at_any_number_of_epochs() -> None:
    means = {
        epochs: np.mean(
            [
                sum_agreements(worlds_of(flipped(0.1, seed, epochs))).estimate().lesser.estimate
                for seed in range(24)
            ]
        )
        for epochs in (1, 3)
    }
    assert means[1] == pytest.approx(means[3], abs=0.05)
    # A vote is another agent: three epochs outvote most errors.
    voted = sum_agreements(worlds_of(flipped(0.1, 0, 3)), by_vote=True).estimate().lesser.estimate
    assert voted > means[3] + 0.1
    assert measured(flipped(0.1, 0, 3))["compositional_agreement_vote"].estimate == pytest.approx(
        voted
    )
    assert "compositional_agreement_vote" not in measured(flipped(0.1, 0, 2))


def test_epochs_that_repeat_an_error_outvote_nothing() -> None:
    once = list(flipped(0.1, 0))
    again = [row | {"epoch": epoch} for row in once for epoch in (1, 2, 3)]
    found = measured(again)["compositional_agreement_vote"]
    assert found.estimate == pytest.approx(measured(once)["compositional_agreement"].estimate)
    assert "noise_biased" in found.flags
    assert "noise_biased" not in measured(flipped(0.1, 0, 3))["compositional_agreement_vote"].flags


def test_the_interval_is_clustered_by_world_where_there_are_several() -> None:
    alone, several = measured(flipped(0.1, 1)), measured(flipped(0.1, 1, each=4, draws=6))
    assert (alone["compositional_agreement"].units, several["compositional_agreement"].units) == (
        96,
        6,
    )
    assert "one_world" in alone["compositional_agreement"].flags
    assert alone["compositional_agreement"].method.endswith("by unit")
    assert several["compositional_agreement"].method.endswith("by world")
    for found in (alone, several):
        headline = found["compositional_agreement"]
        assert headline.low < headline.estimate < headline.high


def test_the_lesser_of_two_has_the_lesser_ends_and_the_other_where_one_is_none() -> None:
    high = Estimate(0.8, 0.5, 0.9, 10, 5, "agreement; x")
    low = Estimate(0.7, 0.6, 0.85, 10, 5, "agreement; x")
    found = combine_lesser(high, low)
    assert (found.estimate, found.low, found.high) == (0.7, 0.5, 0.85)
    none = Estimate(None, None, None, 10, 5, "agreement; x", ("undefined",))
    assert combine_lesser(high, none) is high
    assert combine_lesser(none, high) is high


def test_a_comparison_leaves_out_what_either_side_lost() -> None:
    right = list(flipped(0.0, 0, each=4, draws=6))
    wrong = [dict(row) for row in flipped(0.3, 0, each=4, draws=6)]
    for row in wrong:
        row["item"] = f"{row['draw']}-{row['unit']}-{row['cause']}-{row['effect']}-{row['setting']}"
    right = [row | {"item": other["item"]} for row, other in zip(right, wrong, strict=True)]
    for row in wrong:
        if row["unit"] == 0:
            row |= {"outcome": "error", "reason": "lost", "value": None}
    tables = (record_table(side, SUITE.record_columns) for side in (right, wrong))
    pair = next(iter(compose_pairs(stack_sides(*tables))))
    assert (pair.measure, pair.b.estimate) == ("compositional_agreement", 1.0)
    assert pair.a.estimate < 0.7
    assert pair.p < 0.05
    assert pair.high < 0


@pytest.mark.parametrize("name", ["core", "shapes", "full"])
def test_no_agent_that_does_not_reason_does_better_than_the_one_that_copies(name: str) -> None:
    design = DESIGNS[name]
    best = expect_copy({}, design)["compositional_agreement"]
    assert expect_coin({}, design)["compositional_agreement"] < best
    assert expect_constant({}, design)["compositional_agreement"] < best
    assert AGENTS["exact"].expected({}, design)["compositional_agreement"] == 1.0
