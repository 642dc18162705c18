from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import number_passes

CHALLENGE = CHALLENGES["moderation"]
SEEDS = range(8)
FIT = "fit with product and curve"


def instances(variant: str):
    return [CHALLENGE.generate(variant, "test", seed) for seed in SEEDS]


def fitted(instance, *columns):
    matrix = np.column_stack([np.ones(instance.size), *columns])
    return np.linalg.lstsq(matrix, instance.rows["outcome"], rcond=None)[0]


def test_truths_by_hand() -> None:
    for instance in instances("trap"):
        at = instance.parameters
        truths = {name: truth.value for name, truth in instance.numbers().items()}
        assert truths["main"] == at["main"]
        assert truths["moderator"] == at["moderator"]
        assert truths["interaction"] == at["product"]
        span = at["high"] - at["low"]
        rise = truths["effect_q90"] - truths["effect_q10"]
        assert rise == pytest.approx(at["product"] * span, abs=1e-12)
        at_zero = truths["effect_q10"] - at["low"] * rise / span
        assert at_zero == pytest.approx(at["main"], abs=1e-12)


def test_the_levels_are_the_percentiles_of_the_moderator() -> None:
    for instance in instances("trap"):
        found = np.quantile(instance.rows["moderator"], (0.1, 0.9))
        # The standard error of such a percentile is sqrt(.09 / n) / .175, about 0.035.
        told = [instance.facts["low"], instance.facts["high"]]
        np.testing.assert_allclose(found, told, atol=0.14)


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_references_are_read_off_one_fit(variant: str) -> None:
    for instance in instances(variant):
        w, m, x = (instance.rows[role] for role in ("covariate", "moderator", "exposure"))
        _, main, moderator, product, *_ = fitted(instance, x, m, x * m, w, w**2)
        low, high = instance.facts["low"], instance.facts["high"]
        found = [truth.references[FIT] for truth in instance.numbers().values()]
        expected = [main, moderator, product, main + low * product, main + high * product]
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_the_product_matters_in_traps_and_only_seems_to_in_controls() -> None:
    for instance in instances("trap"):
        product = instance.number("interaction")
        assert abs(product.references[FIT]) >= 6 * product.se
        assert all(truth.apart(5) for truth in instance.numbers().values())
    for instance in instances("none"):
        product = instance.number("interaction")
        assert product.value == 0
        assert abs(product.references[FIT]) < 1.96 * product.se
        effects = {instance.number(name).value for name in ("main", "effect_q10", "effect_q90")}
        assert len(effects) == 1


def test_a_curve_that_is_left_out_turns_up_as_a_product() -> None:
    for instance in instances("none"):
        at = instance.parameters
        w, m, x = (instance.rows[role] for role in ("covariate", "moderator", "exposure"))
        found = fitted(instance, x, m, x * m, w)[3]
        # With loads a and b of unit normals, cov(w², xm) = 2ab and var(xm) = 1 + a²b², both beside
        # the straight terms, with which centred squares and products do not go together.
        both = at["moderator_load"] * at["exposure_load"]
        expected = at["bend"] * 2 * both / (1 + both**2)
        assert found == pytest.approx(expected, abs=0.15)


def test_signs_stay_in_some_traps_and_flip_in_others() -> None:
    drawn = [CHALLENGE.generate("trap", seed) for seed in range(40)]
    flips = sum(
        instance.number("effect_q10").value * instance.number("effect_q90").value < 0
        for instance in drawn
    )
    assert 8 <= flips <= 32


def test_twins_share_what_the_variant_does_not_change() -> None:
    for seed in range(40):
        twins = [CHALLENGE.generate(variant, seed) for variant in CHALLENGE.variants]
        one, other = (dict(twin.parameters) for twin in twins)
        if one["base"] == other["base"]:
            assert {name for name in one if one[name] != other[name]} <= {"main", "product", "bend"}
            for role in ("covariate", "moderator", "exposure"):
                np.testing.assert_array_equal(*(twin.rows[role] for twin in twins))
            break
    else:
        pytest.fail("no twins came of the same attempt")


def test_who_believes_every_product_is_right_in_plain_traps_alone() -> None:
    for instance in [*instances("trap"), *instances("none")]:
        said = CHALLENGE.always_trap(instance)
        plain = instance.parameters["bend"] == 0
        assert number_passes(said["interaction"], instance.number("interaction")) == plain


def test_one_slope_is_right_for_everybody_in_controls_alone() -> None:
    for variant in CHALLENGE.variants:
        for instance in instances(variant):
            said = CHALLENGE.naive(instance)
            passed = {number_passes(said[n], truth) for n, truth in instance.numbers().items()}
            assert passed == {variant == "none"}
