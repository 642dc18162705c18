from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import NumericTruth
from whybench.suites.analyze.fields import FieldValue
from whybench.suites.analyze.grading import grade
from whybench.suites.analyze.prompts import render_description

CHALLENGE = CHALLENGES["domain_shift"]
SEEDS = range(12)
WEAR = frozenset({"modifier"})


def instances(variant: str):
    return [CHALLENGE.generate(variant, "test", seed) for seed in SEEDS]


def traps(identified: bool):
    return [
        instance
        for instance in instances("trap")
        if isinstance(instance.truths["effect"], NumericTruth) == identified
    ]


def graded(instance, effect, missing):
    said = {"effect": FieldValue(effect), "missing": FieldValue(frozenset(missing))}
    return grade(CHALLENGE.fields, instance, said)


def at_case(instance, here) -> float:
    """Read the effect at the case off a fit with the product, in some rows."""
    x, z = instance.rows["exposure"][here], instance.rows["modifier"][here]
    columns = [np.ones(here.sum()), x, x * z, z]
    outcome = instance.rows["outcome"][here]
    fit = np.linalg.lstsq(np.column_stack(columns), outcome, rcond=None)[0]
    return fit[1] + fit[2] * instance.parameters["case_modifier"]


def test_truths_by_hand() -> None:
    for instance in [*traps(True), *instances("z_given")]:
        at = instance.parameters
        expected = at["effect_1"] + at["product_1"] * at["case_modifier"]
        assert instance.number("effect").value == pytest.approx(expected, abs=1e-12)
        assert instance.truths["missing"].value == frozenset()
    for instance in instances("z_irrelevant"):
        assert instance.number("effect").value == instance.parameters["effect_1"]
        assert instance.truths["missing"].value == frozenset()
    for instance in traps(False):
        assert instance.truths["effect"].value is None
        assert instance.truths["missing"].value == WEAR


def test_half_of_the_traps_are_identified_and_all_controls() -> None:
    drawn = [CHALLENGE.generate("trap", seed) for seed in range(60)]
    assert 18 <= sum(isinstance(each.truths["effect"], NumericTruth) for each in drawn) <= 42
    for variant in CHALLENGE.controls:
        assert all(isinstance(each.truths["effect"], NumericTruth) for each in instances(variant))


def test_the_reference_is_read_off_the_old_rows() -> None:
    for instance in [*traps(True), *instances("z_given")]:
        found = instance.number("effect").references["old rows"]
        assert found == pytest.approx(at_case(instance, instance.rows["age"] >= 25), rel=1e-7)


def test_the_young_tell_the_effect_of_the_old_in_controls_alone() -> None:
    for instance in traps(True):
        truth = instance.number("effect")
        assert set(truth.naive) == {"pooled slope", "pooled, adjusted", "young rows"}
        assert truth.apart(5)
    for instance in [*instances("z_given"), *instances("z_irrelevant")]:
        at = instance.parameters
        assert (at["effect_0"], at["product_0"]) == (at["effect_1"], at["product_1"])
        # The case lies some two deviations beyond the young, hence the wider margin.
        young = at_case(instance, instance.rows["age"] <= 12)
        truth = instance.number("effect")
        assert young == pytest.approx(truth.value, abs=10 * truth.se)


def test_the_case_is_old_and_its_wear_is_told_only_where_it_is_known() -> None:
    for variant in CHALLENGE.variants:
        for instance in instances(variant):
            at, words = instance.parameters, render_description(instance, "neutral", 5)
            assert 25 < at["case_age"] < 40
            assert f"age = {int(at['case_age'])} and wear = " in words
            known = f"wear = {at['case_modifier']}." in words
            assert known != ("wear = unknown." in words)
            assert known == {"z_given": True, "z_irrelevant": False}.get(variant, at["told"])


def test_twins_share_what_the_variant_does_not_change() -> None:
    differ = {"effect_0", "effect_1", "product_0", "product_1", "told"}
    for seed in range(40):
        twins = [CHALLENGE.generate(variant, seed) for variant in CHALLENGE.variants]
        trap, *others = (dict(twin.parameters) for twin in twins)
        if all(other["share"] == trap["share"] for other in others):
            for other in others:
                assert {name for name in trap if trap[name] != other[name]} <= differ
            for role in ("age", "modifier", "exposure"):
                assert all(np.array_equal(t.rows[role], twins[0].rows[role]) for t in twins)
            break
    else:
        pytest.fail("no twins came of the same attempt")


def test_marks_where_the_effect_cannot_be_had() -> None:
    instance = traps(False)[0]
    assert graded(instance, None, WEAR).score == 1
    assert graded(instance, None, {"age"}).score == 0.5
    at_hand = graded(instance, 0.3, ())
    assert (at_hand.score, at_hand.fell_for) == (0, True)


def test_marks_where_it_can() -> None:
    for instance in [traps(True)[0], instances("z_irrelevant")[0]]:
        truth = instance.number("effect")
        assert graded(instance, truth.value, ()).score == 1
        refused = graded(instance, None, WEAR)
        assert refused.score == 0
        assert refused.false_alarm == (instance.variant != "trap")
        for naive in truth.naive.values():
            assert graded(instance, naive, ()).fell_for


def test_the_competent_analyst_knows_when_to_decline() -> None:
    for variant in CHALLENGE.variants:
        for instance in instances(variant):
            said = CHALLENGE.competent(instance)
            assert said["missing"] == instance.truths["missing"].value
            assert (said["effect"] is None) == (instance.truths["missing"].value == WEAR)
