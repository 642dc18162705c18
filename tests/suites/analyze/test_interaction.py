"""What is particular to interaction, by a second way."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.seeds import generator
from whybench.suites.analyze.analysts import analyst_reply
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import WRONG_CAP, GradedAnswer, grade
from whybench.suites.analyze.prompts import column_names, render_description, render_diagnosis
from whybench.suites.analyze.replies import parse_reply

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

CHALLENGE = CHALLENGES["interaction"]
VARIANTS = CHALLENGE.variants


def instances(variant: str, count: int = 8) -> list[Instance]:
    return [CHALLENGE.generate(variant, "tests", seed) for seed in range(count)]


def graded(analyst: str, drawn: Instance) -> GradedAnswer:
    names = column_names(drawn, "neutral")
    reply = analyst_reply(analyst, drawn, names, CHALLENGE.fields)
    said = parse_reply(reply, CHALLENGE.fields, names)
    return grade(CHALLENGE.fields, drawn, said.fields)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_direct_effect_is_a_straight_line_in_the_mediator(variant: str) -> None:
    for drawn in instances(variant):
        at, unit = drawn.parameters, drawn.telling.unit
        assert drawn.number("interaction").value == pytest.approx(unit * at["interaction"])
        for name, end in (("cde_low", "low"), ("estimate", "high")):
            expected = unit * (at["direct"] + at["interaction"] * at[end])
            assert drawn.number(name).value == pytest.approx(expected)


def test_the_sign_changes_between_the_two_values_in_the_trap_alone() -> None:
    for drawn in instances("trap"):
        at = drawn.parameters
        assert at["low"] < -at["direct"] / at["interaction"] < at["high"]
        assert drawn.truths["sign_change"].value is True
    for drawn in instances("no_interaction"):
        assert drawn.parameters["interaction"] == 0
        assert drawn.number("cde_low").value == drawn.number("estimate").value != 0
        assert drawn.truths["sign_change"].value is False


def test_the_sign_changes_either_way() -> None:
    assert {drawn.number("cde_low").value > 0 for drawn in instances("trap")} == {True, False}


@pytest.mark.parametrize("variant", VARIANTS)
def test_both_values_lie_within_the_range_of_both_arms(variant: str) -> None:
    for drawn in instances(variant):
        for arm in (0, 1):
            seen = drawn.rows["mediator"][drawn.rows["treatment"] == arm]
            low, high = np.quantile(seen, (0.05, 0.95))
            assert low <= drawn.parameters["low"] < drawn.parameters["high"] <= high
            # Nothing was seen near 0, where the treatment's own coefficient would be the effect.
            assert seen.min() > 0


def test_twins_differ_in_the_direct_effect_alone() -> None:
    for trap, control in zip(instances("trap"), instances("no_interaction"), strict=True):
        differing = {name for name, at in trap.parameters.items() if at != control.parameters[name]}
        assert differing == {"direct", "interaction"}
        assert np.array_equal(trap.rows["mediator"], control.rows["mediator"])


def test_effects_are_of_either_sign_and_of_many_sizes() -> None:
    for variant in VARIANTS:
        worlds = [CHALLENGE.parameters(variant, generator("range", seed)) for seed in range(300)]
        for name in ("cde_low", "estimate"):
            effects = [CHALLENGE.closed_form(variant, at)[name] for at in worlds]
            # About a twentieth is a standard error.
            assert min(effects) < -1.2
            assert max(effects) > 1.2
            assert np.mean(np.abs(effects) < 0.4) > 0.1


def test_references_and_naive_values_are_those_of_statsmodels() -> None:
    for drawn in instances("trap", 3):
        rows, at = drawn.rows, drawn.parameters
        x, m, w, y = (rows[role] for role in ("treatment", "mediator", "baseline", "outcome"))
        full = sm.OLS(y, sm.add_constant(np.column_stack([x, m, x * m, w]))).fit(cov_type="HC1")
        contrast = full.t_test([0, 1, 0, at["high"], 0])
        truth = drawn.number("estimate")
        found = truth.panel["regression with the product"]
        assert abs(found.value - contrast.effect.item()) < 0.01 * truth.se
        assert truth.se == pytest.approx(contrast.sd.item(), rel=0.001)
        plain = sm.OLS(y, sm.add_constant(np.column_stack([x, m, w]))).fit().params[1]
        for name in ("cde_low", "estimate"):
            naive = drawn.number(name).naive["regression without the product"]
            assert abs(naive - plain) < 0.01 * truth.se
        assert drawn.number("interaction").naive == {"regression without the product": 0}


def test_the_additive_effect_is_right_at_neither_value() -> None:
    for drawn in instances("trap"):
        for name in ("interaction", "cde_low", "estimate"):
            assert drawn.number(name).apart(5)
        marks = graded("naive", drawn)
        assert marks.fell_for
        # Its sign may be right by luck.
        passed = [verdict.field for verdict in marks.verdicts if verdict.passed]
        assert passed in (["estimand"], ["recommendation", "estimand"])
        assert marks.score <= WRONG_CAP


def test_the_additive_effect_is_right_without_interaction() -> None:
    assert all(graded("naive", drawn).score == 1 for drawn in instances("no_interaction"))


def test_who_always_sees_the_sign_change_gives_a_false_alarm() -> None:
    for drawn in instances("no_interaction"):
        marks = graded("always-trap", drawn)
        assert marks.false_alarm
        passed = [verdict.field for verdict in marks.verdicts if verdict.passed]
        assert passed in (["estimand"], ["estimand", "cde_low"])


def test_the_coefficient_of_treatment_is_no_answer() -> None:
    """It is the direct effect at a mediator of 0, and wrong by many standard errors."""
    for drawn in instances("trap"):
        truth = drawn.number("cde_low")
        coefficient = drawn.telling.unit * drawn.parameters["direct"]
        assert abs(coefficient - truth.value) > 10 * truth.se


def test_the_question_names_one_value_and_the_diagnosis_both() -> None:
    for drawn in instances("trap", 3):
        low, high = (
            rf" {re.escape(str(drawn.parameters[end]))}[ ,.;\"]" for end in ("low", "high")
        )
        question = render_description(drawn, "neutral", 5)
        assert re.search(high, question)
        assert not re.search(low, question)
        diagnosis = render_diagnosis(drawn, "neutral")
        assert re.search(low, diagnosis)
