"""Measures of compose: by hand on a small world, and what rows in any order and holes do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.compose import SUITE
from whybench.suites.compose.measures import compose_measures
from whybench.suites.compose.tables import compositions_table

ROW = {
    "agent": "a",
    "design": "mine",
    "design_hash": "0",
    "outcome": "scored",
    "reason": "",
    "epoch": 1,
    "kinds": "bridge+bridge",
    "gates": "or",
    "blocks": 2,
    "theme": "feast",
    "detail": "none",
    "style": "direct",
    "split": "test",
    "rung": "interventional",
    "world": "bridge 2, bridge 2; or or or; 6 6 9",
    "draw": 0,
    "factual_weight": 1.0,
}
PAIRS = ((0, 1), (0, 2), (1, 2))
# Blocks transmit with probability .5 and .2; a stratum has its probability over a quarter.
WEIGHTS = (1.6, 1.6, 0.4, 0.4)


def follows(stratum: int, cause: int, effect: int) -> bool:
    return all(stratum >> block & 1 for block in range(cause, effect))


def rows(says=None, each: int = 24, epochs: int = 1, **more):
    """Yield the answers about `each` units of every stratum.

    Gates are or: an effect holds with its cause, and without it unless it follows the cause.
    `says` gives the answer for (stratum, cause, effect, made) in place of the truth, or None.
    """
    for unit in range(4 * each):
        stratum = unit % 4
        for cause, effect in PAIRS:
            for made in (True, False):
                truth = made or not follows(stratum, cause, effect)
                answer = says(stratum, cause, effect, made) if says else None
                for epoch in range(1, epochs + 1):
                    yield {
                        **ROW,
                        "epoch": epoch,
                        "unit": unit,
                        "stratum": stratum,
                        "weight": WEIGHTS[stratum],
                        "cause": cause,
                        "effect": effect,
                        "distance": effect - cause,
                        "setting": str(made).lower(),
                        "truth": float(truth),
                        "value": float(truth if answer is None else answer),
                        **more,
                    }


def measured(given) -> dict:
    table = record_table(given, SUITE.record_columns)
    found = compose_measures(table)
    assert len({measure.key for measure in found}) == len(found)
    return {measure.title: measure for measure in found}


def tabled(given) -> list[dict]:
    return compositions_table(record_table(given, SUITE.record_columns)).to_pylist()


def whole_follows_the_first_block(stratum, cause, effect, made):
    """Answer rightly about blocks, and of the whole what is true of the first block."""
    if (cause, effect) == (0, 2) and not made:
        return not follows(stratum, 0, 1)
    return None


def test_an_inconsistent_agent_by_hand() -> None:
    found = measured(rows(whole_follows_the_first_block, each=40))
    # Product .5 · .2 = .1, the true whole; the answered whole is .4 + .1 = .5.
    assert found["valid_inconsistent"].estimate == 1.0
    assert found["valid_and_consistent"].estimate == 0.0
    assert (found["valid"].estimate, found["consistent"].estimate) == (1.0, 0.0)
    (row,) = tabled(rows(whole_follows_the_first_block, each=40))
    assert (row["valid_ratio"], row["valid_verdict"]) == (pytest.approx(0.0), "yes")
    assert row["consistent_ratio"] == pytest.approx((0.1 - 0.5) / 0.5)
    assert row["consistent_verdict"] == "no"
    # Of the weight .5 on which the whole is said to follow, the steps do on .1.
    assert found["valid_agreement"].estimate == pytest.approx(1.0)
    assert found["consistent_agreement"].estimate == pytest.approx(0.1 / 0.5)


def test_by_the_average_effect_answers_the_wrong_way_round_take_away() -> None:
    def whole_is_turned(_stratum, cause, effect, made):
        return not made if (cause, effect) == (0, 2) else None

    table = record_table(rows(whole_is_turned, each=40), SUITE.record_columns)
    (by_pns,), (by_ate,) = (
        compositions_table(table, quantity).to_pylist() for quantity in ("pns", "ate")
    )
    assert by_pns["consistent_target"] == 0.0
    assert by_ate["consistent_target"] == pytest.approx(-1.0)
    for row in (by_pns, by_ate):
        assert row["product"] == pytest.approx(row["valid_target"])
        assert (row["valid_verdict"], row["consistent_verdict"]) == ("yes", "no")


def test_accuracies_and_errors_by_hand() -> None:
    found = measured(rows(whole_follows_the_first_block))
    # One wrong answer of six on each of the 24 units of stratum 1, about the whole made false.
    assert found["error"].estimate == pytest.approx(24 / 576)
    assert found["error (distance 1)"].estimate == 0.0
    assert found["error (distance 2)"].estimate == pytest.approx(24 / 192)
    assert found["error (mediators 1)"].estimate == pytest.approx(24 / 192)
    assert found["error_per_block"].estimate == pytest.approx(24 / 192)
    assert found["error_per_mediator"].estimate == pytest.approx(24 / 192)
    # Yes is true of 288 made true, and of 48 + 48 + 72 made false; no of the other 120.
    interventional = found["balanced_accuracy_interventional"]
    assert interventional.estimate == pytest.approx((432 / 456 + 1) / 2)
    assert (interventional.n, interventional.units) == (576, 96)
    assert found["yes_share"].estimate == pytest.approx(432 / 576)
    assert found["balanced_accuracy_factual"].estimate is None
    assert found["reasoning_gap"].estimate is None
    assert found["precision_interventional"].estimate == 1.0
    assert found["recall_interventional"].estimate == pytest.approx(432 / 456)
    assert found["answered"].estimate == 1.0


def test_the_gap_is_what_is_lost_beyond_the_facts() -> None:
    facts = [{**row, "rung": "factual"} for row in rows()]
    causal = list(rows(whole_follows_the_first_block))
    found = measured([*facts, *causal])
    lost = 1 - found["balanced_accuracy_interventional"].estimate
    gap = found["reasoning_gap"]
    assert gap.estimate == pytest.approx(lost)
    # Facts do not vary, so the interval is that of the accuracy, by t.
    assert 0 < gap.low < gap.estimate < gap.high
    assert (gap.n, gap.units) == (1152, 96)
    turned = [
        {**row, "rung": "interventional" if row["rung"] == "factual" else "factual"}
        for row in (*facts, *causal)
    ]
    assert measured(turned)["reasoning_gap"].estimate == pytest.approx(-lost)
    assert found["precision_factual"].estimate == found["recall_factual"].estimate == 1.0


def test_the_truth_is_valid_and_consistent_if_there_are_units_enough() -> None:
    # 3/n of the quantities .1 and .2: 12·9·4/3 = 144 units for the whole.
    for each, expected in ((36, "valid_and_consistent"), (35, "inconclusive")):
        found = measured(rows(each=each))
        assert found[expected].estimate == 1.0
    # In 96 units none of it shows, but an answer that differs clearly does.
    assert measured(rows())["inconclusive"].estimate == 1.0


def test_what_is_undecided_is_a_band_of_the_classes() -> None:
    decided, undecided = list(rows(each=40)), list(rows(each=20, gates="and", draw=3))
    found = measured([*decided, *undecided])
    assert found["inconclusive"].estimate == 0.5
    told = {name: (m.estimate, m.low, m.high) for name, m in found.items()}
    assert told["valid_and_consistent"] == told["valid"] == (0.5, 0.5, 1.0)
    assert told["invalid_inconsistent"] == (0.0, 0.0, 0.5)
    assert told["undefined"] == (0.0, None, None)
    assert told["source_valid_and_consistent"] == (1.0, None, None)
    whole = measured(decided)["valid_and_consistent"]
    assert (whole.estimate, whole.low, whole.high) == (1.0, None, None)


def test_a_constant_answer_is_undefined() -> None:
    for value in (0.0, 1.0):
        found = measured(rows(value=value))
        assert found["undefined"].estimate == 1.0
        assert found["balanced_accuracy_interventional"].estimate == 0.5
        assert found["consistent_agreement"].estimate is None


def test_three_epochs_outvote_one_error() -> None:
    every = list(rows(each=40, epochs=3))
    for row in every:
        if row["epoch"] == 2:
            row["value"] = 1 - row["truth"]
    found = measured(every)
    assert found["valid_and_consistent"].estimate == 1.0
    assert "noise_biased" not in found["valid_and_consistent"].flags
    assert found["error"].estimate == pytest.approx(1 / 3)
    alone = measured(row for row in every if row["epoch"] == 1)
    assert "noise_biased" in alone["valid_and_consistent"].flags


def test_classes_are_shares_of_the_compositions_of_all_worlds() -> None:
    right = list(rows(each=40))
    wrong = list(rows(whole_follows_the_first_block, each=40, gates="and", draw=3))
    found = measured([*right, *wrong])
    assert found["valid_and_consistent"].estimate == 0.5
    assert found["valid_inconsistent"].estimate == 0.5
    assert found["compositional_agreement (gates or)"].estimate == 1.0
    assert found["compositional_agreement (gates and)"].estimate == pytest.approx(0.1 / 0.5)
    assert found["balanced_accuracy_interventional (gates or)"].estimate == 1.0
    told = [(row["gates"], row["draw"], row["path"]) for row in tabled([*right, *wrong])]
    assert told == [("or", 0, "0-1-2"), ("and", 3, "0-1-2")]


def test_units_asked_about_in_part_are_left_out_of_compositions() -> None:
    every = list(rows(each=40))
    cut = measured(every[:-3])
    assert [row["units"] for row in tabled(every[:-3])] == [159]
    assert cut["balanced_accuracy_interventional"].n == len(every) - 3


def test_missing_answers_and_errors_are_counted_and_not_guessed() -> None:
    every = list(rows(each=40))
    for place, row in enumerate(every):
        if place % 10 == 0:
            row |= {"outcome": "no_answer", "reason": "refusal", "value": None}
        elif place % 10 == 1:
            row |= {"outcome": "error", "reason": "lost", "value": None}
    found = measured(every)
    headline = found["valid_and_consistent"]
    assert (headline.scored, headline.no_answer, headline.error) == (768, 96, 96)
    assert headline.estimate == 1.0
    assert found["answered"].estimate == pytest.approx(768 / 864)
    assert found["error"].estimate == 0.0


def test_nothing_answered_is_nothing_measured() -> None:
    every = [{**row, "outcome": "error", "value": None} for row in rows(each=5)]
    found = measured(every)
    assert found["valid_and_consistent"].estimate == 0.0
    assert found["undefined"].estimate == 1.0
    assert found["balanced_accuracy_interventional"].estimate is None
    assert (
        measured([{**row, "rung": "factual"} for row in rows(each=5)])[
            "valid_and_consistent"
        ].estimate
        is None
    )


@given(st.integers(0, 1000))
@settings(max_examples=settings.default.max_examples // 20)
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    every = list(rows(whole_follows_the_first_block, each=12))
    rng = generator("test", "order", seed)
    for row in every:
        if rng.random() < 0.1:
            row["value"] = 1 - row["value"]
    shuffled = [every[place] for place in rng.permutation(len(every))]
    one, two = measured(every), measured(shuffled)
    assert one.keys() == two.keys()
    for name, measure in one.items():
        for end in ("estimate", "low", "high"):
            assert getattr(measure, end) == pytest.approx(getattr(two[name], end))


def test_each_agent_and_condition_is_measured_by_itself() -> None:
    both = [*rows(each=40), *rows(value=1.0, each=40, agent="b"), *rows(each=40, style="x")]
    table = record_table(both, SUITE.record_columns)
    found = {
        (measure.labels["agent"], measure.labels["style"]): measure.estimate
        for measure in compose_measures(table)
        if measure.title == "valid_and_consistent"
    }
    assert found == {("a", "direct"): 1.0, ("b", "direct"): 0.0, ("a", "x"): 1.0}


def test_tables_have_a_row_for_each_composition_and_each_pair() -> None:
    table = record_table(rows(whole_follows_the_first_block, each=40), SUITE.record_columns)
    (row,) = SUITE.tables["compositions"](table).to_pylist()
    assert (row["path"], row["class"], row["units"], row["epochs"]) == ("0-1-2", "VI", 160, 1)
    assert (row["valid_verdict"], row["consistent_verdict"]) == ("yes", "no")
    assert row["product"] == pytest.approx(0.1)
    assert (row["valid_target"], row["consistent_target"]) == pytest.approx((0.1, 0.5))
    pairs = {(r["cause"], r["effect"]): r for r in SUITE.tables["pairs"](table).to_pylist()}
    assert {pair: r["true"] for pair, r in pairs.items()} == pytest.approx(
        {(0, 1): 0.5, (0, 2): 0.1, (1, 2): 0.2}
    )
    whole = pairs[0, 2]
    assert (whole["pns"], whole["ate"]) == pytest.approx((0.5, 0.5))
    assert (whole["pns_error"], whole["distance"], whole["mediators"]) == pytest.approx((4, 2, 1))
    assert np.isclose(pairs[1, 2]["ate_error"], 0)
