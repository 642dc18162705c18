"""What is particular to sequential, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.seeds import generator
from whybench.suites.analyze.analysts import analyst_reply
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.grading import GradedAnswer, grade, grade_values
from whybench.suites.analyze.prompts import column_names, render_description
from whybench.suites.analyze.replies import parse_reply

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

CHALLENGE = CHALLENGES["sequential"]
WAYS = ("direct", "through_a", "estimate", "through_both")
A, B = "mediator_a", "mediator_b"


def instances(variant: str, count: int = 8) -> list[Instance]:
    return [CHALLENGE.generate(variant, "tests", seed) for seed in range(count)]


def graded(analyst: str, drawn: Instance) -> GradedAnswer:
    names = column_names(drawn, "neutral")
    reply = analyst_reply(analyst, drawn, names, CHALLENGE.fields)
    said = parse_reply(reply, CHALLENGE.fields, names)
    return grade(CHALLENGE.fields, drawn, said.fields)


@pytest.mark.parametrize("variant", ["trap", "parallel"])
def test_a_way_is_worth_the_product_of_its_arrows(variant: str) -> None:
    for drawn in instances(variant):
        at = drawn.parameters
        expected = {
            "direct": at["direct"],
            "through_a": at["onto_a"] * at["from_a"],
            "estimate": at["onto_b"] * at["from_b"],
            "through_both": at["onto_a"] * at["chain"] * at["from_b"],
        }
        for name, value in expected.items():
            assert drawn.number(name).value / drawn.telling.unit == pytest.approx(value, abs=1e-12)


def test_twins_differ_in_the_chain_alone() -> None:
    for trap, control in zip(instances("trap"), instances("parallel"), strict=True):
        assert 0.5 <= abs(trap.parameters["chain"]) <= 1.2
        assert control.parameters == {**trap.parameters, "chain": 0.0}


def test_effects_are_of_either_sign() -> None:
    worlds = [CHALLENGE.parameters("trap", generator("range", seed)) for seed in range(300)]
    found = {way: [CHALLENGE.closed_form("trap", at)[way] for at in worlds] for way in WAYS}
    for way, effects in found.items():
        # About a twentieth is a standard error.
        assert min(effects) < -0.7
        assert max(effects) > 0.7
        if way != "through_both":
            assert np.mean(np.abs(effects) < 0.25) > 0.15


def test_reversed_has_the_rows_of_its_trap_and_another_order() -> None:
    for trap, control in zip(instances("trap"), instances("reversed"), strict=True):
        assert trap.parameters == control.parameters
        assert all(np.array_equal(trap.rows[role], control.rows[role]) for role in trap.rows)
        assert trap.truths["order"].value == (A, B)
        assert control.truths["order"].value == (B, A)


def test_the_effects_of_the_turned_order_are_regressions_in_the_population() -> None:
    """From the covariance of both mediators and treatment, written down from the arrows."""
    for drawn in instances("reversed"):
        at = drawn.parameters
        # Of a and b among equally treated rows, and what treatment does to each on the whole.
        spread_a = at["noise_a"] ** 2
        shared = at["chain"] * spread_a
        spread_b = at["chain"] * shared + at["noise_b"] ** 2
        onto = {A: at["onto_a"], B: at["onto_b"] + at["chain"] * at["onto_a"]}
        slope = shared / spread_b
        expected = {
            "direct": at["direct"],
            "estimate": onto[B] * at["from_b"],
            "through_a": (onto[A] - slope * onto[B]) * at["from_a"],
            "through_both": onto[B] * slope * at["from_a"],
        }
        for name, value in expected.items():
            assert drawn.number(name).value / drawn.telling.unit == pytest.approx(value, abs=1e-12)


def test_the_ways_make_the_same_total_in_either_order() -> None:
    for trap, control in zip(instances("trap"), instances("reversed"), strict=True):
        one, other = (sum(drawn.number(way).value for way in WAYS) for drawn in (trap, control))
        assert one == pytest.approx(other, abs=1e-9)


def test_references_are_products_of_ordinary_regressions() -> None:
    for drawn in instances("trap", 3):
        rows = drawn.rows
        x, a, b = rows["treatment"], rows[A], rows[B]
        onto_a = sm.OLS(a, sm.add_constant(x)).fit().params[1]
        onto_b = sm.OLS(b, sm.add_constant(np.column_stack([x, a]))).fit().params
        upon = sm.OLS(rows["outcome"], sm.add_constant(np.column_stack([x, a, b, rows["decoy"]])))
        from_b = upon.fit().params[3]
        truth = drawn.number("through_both")
        found = truth.panel["products of regressions"].value
        assert abs(found - onto_a * onto_b[2] * from_b) < 0.01 * truth.se
        booked = (onto_b[1] + onto_b[2] * onto_a) * from_b
        side = drawn.number("estimate")
        assert abs(side.naive["mediators side by side"] - booked) < 0.01 * side.se
        assert drawn.number("through_both").naive["mediators side by side"] == 0


def test_the_standard_error_of_three_arrows_is_that_of_repeated_draws() -> None:
    """Redraw one world many times; SE_eff is what the references scatter by."""
    drawn = instances("trap", 1)[0]
    at, rng = drawn.parameters, generator("test", "sequential")
    found = []
    for _ in range(300):
        x = np.arange(drawn.size) % 2
        noise = rng.standard_normal((3, drawn.size))
        a = at["onto_a"] * x + at["noise_a"] * noise[0]
        b = at["onto_b"] * x + at["chain"] * a + at["noise_b"] * noise[1]
        y = at["direct"] * x + at["from_a"] * a + at["from_b"] * b + noise[2]
        ones = np.ones(drawn.size)
        onto_a = np.linalg.lstsq(np.column_stack([ones, x]), a, rcond=None)[0][1]
        chain = np.linalg.lstsq(np.column_stack([ones, x, a]), b, rcond=None)[0][2]
        from_b = np.linalg.lstsq(np.column_stack([ones, x, a, b]), y, rcond=None)[0][3]
        found.append(onto_a * chain * from_b)
    se = drawn.number("through_both").se / drawn.telling.unit
    assert np.std(found) == pytest.approx(se, rel=0.15)


def test_leaving_the_decoy_out_passes() -> None:
    for drawn in instances("trap", 4):
        rows = drawn.rows
        x, a, b = rows["treatment"], rows[A], rows[B]
        onto_a = sm.OLS(a, sm.add_constant(x)).fit().params[1]
        first = sm.OLS(b, sm.add_constant(np.column_stack([x, a]))).fit()
        second = sm.OLS(rows["outcome"], sm.add_constant(np.column_stack([x, a, b]))).fit()
        onto_b, upon = first.params, second.params
        # Of a product of two estimates, by the delta method.
        error = np.hypot(first.bse[1] * upon[3], onto_b[1] * second.bse[3])
        answer = CHALLENGE.complete(
            {
                "order": (A, B),
                "direct": upon[1],
                "through_a": onto_a * upon[2],
                "estimate": Coefficient(onto_b[1] * upon[3], error),
                "through_both": onto_a * onto_b[2] * upon[3],
            },
        )
        assert grade_values(CHALLENGE.fields, drawn, answer).score == 1


def test_who_has_the_order_wrong_has_a_key_number_wrong() -> None:
    for drawn in instances("reversed"):
        marks = graded("always-trap", drawn)
        assert marks.false_alarm
        assert not marks.passed("estimate")
        assert marks.score <= 0.3


def test_a_fit_side_by_side_falls_in_the_trap_and_is_right_when_parallel() -> None:
    for trap, control in zip(instances("trap"), instances("parallel"), strict=True):
        fallen = graded("naive", trap)
        assert fallen.fell_for
        assert not fallen.passed("estimate")
        assert not fallen.passed("through_both")
        assert graded("naive", control).score == 1


def test_only_the_steps_tell_the_order() -> None:
    trap, control = instances("trap", 1)[0], instances("reversed", 1)[0]
    one, other = (render_description(drawn, "neutral", 1).splitlines() for drawn in (trap, control))
    differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    assert len(differing) == 2
    names = column_names(trap, "neutral")
    assert {line.split()[1].strip(":,") for line, _ in differing} == {names[A], names[B]}
