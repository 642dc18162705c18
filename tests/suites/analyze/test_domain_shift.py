from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import NumericTruth
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.grading import WRONG_CAP, grade_values
from whybench.suites.analyze.prompts import column_names, render_description

CHALLENGE = CHALLENGES["domain_shift"]
SEEDS = range(12)
NEEDED = frozenset({"modifier"})


@cache
def twins(seed: int):
    return CHALLENGE.generate_twins("test", seed)


def instances(variant: str, seeds=SEEDS):
    return [twins(seed)[variant] for seed in seeds]


def traps(identified: bool):
    return [
        instance
        for instance in instances("trap")
        if isinstance(instance.truths["estimate"], NumericTruth) == identified
    ]


def graded(instance, effect, missing, **changed):
    """Grade both forms at once: an effect with its error, or None, and what goes with it."""
    said = CHALLENGE.complete({"estimate": effect, "missing": frozenset(missing)})
    return grade_values(CHALLENGE.fields, instance, {**said, **changed})


def report_of(instance, effect, **changed):
    said = CHALLENGE.complete({"estimate": effect})
    return grade_values(CHALLENGE.report, instance, {**said, **changed})


def diagnosis_of(instance, missing):
    return grade_values(CHALLENGE.diagnosis, instance, {"missing": frozenset(missing)})


def at_case(instance, here, *beside) -> Coefficient:
    """Read the effect at the case off a fit with the product, in some rows."""
    x, z = instance.rows["exposure"][here], instance.rows["modifier"][here]
    columns = [np.ones(here.sum()), x, x * z, z, *(values[here] for values in beside)]
    fit = sm.OLS(instance.rows["outcome"][here], np.column_stack(columns)).fit()
    case = instance.parameters["case_modifier"]
    found = fit.t_test([0, 1, case, 0, *[0] * len(beside)])
    return Coefficient(found.effect.item(), found.sd.item())


def test_truths_by_hand() -> None:
    for instance in [*traps(True), *instances("z_given")]:
        at, unit = instance.parameters, instance.telling.unit
        expected = at["effect_1"] + at["product_1"] * at["case_modifier"]
        assert instance.number("estimate").value / unit == pytest.approx(expected, abs=1e-12)
        assert instance.truths["missing"].value == frozenset()
    for instance in instances("z_irrelevant"):
        expected = instance.parameters["effect_1"] * instance.telling.unit
        assert instance.number("estimate").value == pytest.approx(expected)
        assert instance.truths["missing"].value == frozenset()
    for instance in traps(False):
        assert instance.truths["estimate"].value is None
        assert instance.truths["missing"].value == NEEDED


def test_half_of_the_traps_are_identified_and_all_controls() -> None:
    drawn = instances("trap", range(40))
    assert 10 <= sum(isinstance(each.truths["estimate"], NumericTruth) for each in drawn) <= 30
    for variant in CHALLENGE.controls:
        assert all(isinstance(each.truths["estimate"], NumericTruth) for each in instances(variant))


def test_the_reference_is_read_off_the_old_rows() -> None:
    for instance in [*traps(True), *instances("z_given")]:
        found = instance.number("estimate").panel["old rows"]
        # Rows are told to three digits or so, references found before.
        expected = at_case(instance, instance.rows["age"] >= 25)
        assert found.value == pytest.approx(expected.value, abs=0.05 * found.se)


def test_who_holds_the_age_or_takes_all_rows_where_that_does_no_harm_is_right() -> None:
    for instance in [*traps(True), *instances("z_given")]:
        age = instance.rows["age"]
        assert graded(instance, at_case(instance, age >= 25, age), ()).score == 1
        everybody = at_case(instance, age > 0, age >= 25)
        assert (graded(instance, everybody, ()).score == 1) == (instance.variant == "z_given")


def test_the_effect_is_of_either_sign_and_size() -> None:
    for variant in CHALLENGE.controls:
        truths = [one.number("estimate") for one in instances(variant, range(40))]
        off = [truth.value / truth.se for truth in truths]
        assert min(off) < -10
        assert max(off) > 10
        assert min(map(abs, off)) < 5


def test_the_young_tell_the_effect_of_the_old_in_controls_alone() -> None:
    for instance in traps(True):
        truth = instance.number("estimate")
        assert set(truth.naive) == {"pooled slope", "pooled, adjusted", "young rows"}
        assert truth.apart(5)
    for instance in [*instances("z_given"), *instances("z_irrelevant")]:
        at = instance.parameters
        assert (at["effect_0"], at["product_0"]) == (at["effect_1"], at["product_1"])
        # The case lies some two deviations beyond the young, hence the wider margin.
        young = at_case(instance, instance.rows["age"] <= 12)
        truth = instance.number("estimate")
        assert young.value == pytest.approx(truth.value, abs=10 * truth.se)


def test_the_case_is_old_and_its_modifier_is_told_only_where_it_is_known() -> None:
    for variant in CHALLENGE.variants:
        for instance in instances(variant):
            at, words = instance.parameters, render_description(instance, "neutral", 5)
            names = column_names(instance, "neutral")
            assert 25 < at["case_age"] < 40
            assert f"{names['age']} = {int(at['case_age'])} and {names['modifier']} = " in words
            known = f"{names['modifier']} = {at['case_modifier']}." in words
            assert known != (f"{names['modifier']} = unknown." in words)
            assert known == {"z_given": True, "z_irrelevant": False}.get(variant, at["told"])


def test_twins_differ_in_effects_and_in_what_is_told_alone() -> None:
    differ = {"effect_0", "effect_1", "product_0", "product_1", "told"}
    for seed in SEEDS:
        trap, *others = twins(seed).values()
        for other in others:
            one, two = trap.parameters, other.parameters
            assert {name for name in one if one[name] != two[name]} <= differ
            for role in ("age", "modifier", "exposure"):
                np.testing.assert_array_equal(trap.rows[role], other.rows[role])
            means = [twin.rows["outcome"].mean() / trap.telling.unit for twin in (trap, other)]
            assert means[0] == pytest.approx(means[1], abs=1.5)


def test_marks_where_the_effect_cannot_be_had() -> None:
    instance = traps(False)[0]
    assert report_of(instance, None).score == 1
    assert diagnosis_of(instance, NEEDED).score == 1
    assert diagnosis_of(instance, {"age"}).score == 0
    at_hand = report_of(instance, Coefficient(0.3, 0.02))
    assert at_hand.fell_for
    assert at_hand.score <= WRONG_CAP
    content = diagnosis_of(instance, ())
    assert (content.score, content.fell_for) == (0, True)
    advised = report_of(instance, None, recommendation="increase")
    assert not advised.passed("recommendation")
    assert advised.passed("estimate")


def test_bounds_may_stand_where_the_effect_cannot_be_had() -> None:
    """The form asks for them or null; who gives them claims no number."""
    for instance in traps(False):
        bounded = report_of(instance, None, interval=(-2.0, 2.0))
        assert (bounded.score, bounded.fell_for) == (1, False)
        claimed = report_of(instance, Coefficient(0.3, 0.02), recommendation="not_identifiable")
        assert claimed.fell_for
        assert claimed.score <= WRONG_CAP


def test_marks_where_it_can() -> None:
    for instance in [traps(True)[0], instances("z_irrelevant")[0]]:
        truth = instance.number("estimate")
        assert graded(instance, Coefficient(truth.value, truth.se), ()).score == 1
        refused = graded(instance, None, NEEDED)
        assert refused.score == 0
        assert refused.false_alarm == (instance.variant != "trap")
        for naive in truth.naive.values():
            assert report_of(instance, Coefficient(naive, truth.se)).fell_for


def test_the_competent_analyst_knows_when_to_decline() -> None:
    for variant in CHALLENGE.variants:
        for instance in instances(variant):
            said = CHALLENGE.answer("competent", instance)
            assert said["missing"] == instance.truths["missing"].value
            assert (said["estimate"] is None) == (instance.truths["missing"].value == NEEDED)
