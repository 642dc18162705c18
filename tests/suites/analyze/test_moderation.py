from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.grading import grade_values, number_passes
from whybench.suites.analyze.prompts import render_description

CHALLENGE = CHALLENGES["moderation"]
SEEDS = range(8)
LOADED = ("covariate", "moderator", "exposure")


@cache
def twins(seed: int):
    return CHALLENGE.generate_twins("test", seed)


def instances(variant: str, seeds=SEEDS):
    return [twins(seed)[variant] for seed in seeds]


def fitted(instance, *beside) -> dict[str, Coefficient]:
    """Fit exposure, moderator, product and others; return the five numbers."""
    m, x = instance.rows["moderator"], instance.rows["exposure"]
    matrix = np.column_stack([np.ones(instance.size), x, m, x * m, *beside])
    fit = sm.OLS(instance.rows["outcome"], matrix).fit()
    weights = {
        "main": (1, 0, 0),
        "moderator": (0, 1, 0),
        "interaction": (0, 0, 1),
        "effect_q10": (1, 0, instance.facts["low"]),
        "estimate": (1, 0, instance.facts["high"]),
    }
    found = {name: fit.t_test([0, *weight, *[0] * len(beside)]) for name, weight in weights.items()}
    return {name: Coefficient(each.effect.item(), each.sd.item()) for name, each in found.items()}


def centred(instance):
    return [instance.rows[role] - instance.rows[role].mean() for role in LOADED]


def test_truths_by_hand() -> None:
    for instance in instances("trap"):
        at, unit = instance.parameters, instance.telling.unit
        truths = {name: truth.value / unit for name, truth in instance.numbers().items()}
        assert truths["main"] == pytest.approx(at["main"])
        assert truths["moderator"] == pytest.approx(at["moderator"])
        assert truths["interaction"] == pytest.approx(at["product"])
        span = at["high"] - at["low"]
        rise = truths["estimate"] - truths["effect_q10"]
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
def test_every_reference_is_read_off_one_fit(variant: str) -> None:
    for instance in instances(variant):
        w, m, x = centred(instance)
        curve = [w, w**2]
        for how, beside in {
            "curve": curve,
            "every square and product": [*curve, w * m, w * x, m**2, x**2],
        }.items():
            found = fitted(instance, *beside)
            assert set(found) == set(instance.numbers())
            for name, truth in instance.numbers().items():
                # Rows are told to three digits or so, references found before.
                known = truth.panel[how]
                assert found[name].value == pytest.approx(known.value, abs=0.05 * known.se)


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_who_fits_a_square_or_a_whole_surface_is_right(variant: str) -> None:
    for instance in instances(variant):
        w, m, x = centred(instance)
        for beside in ([w, w**2], [w, w**2, w**3], [w, w**2, w * m, w * x, m**2, x**2]):
            found = fitted(instance, *beside)
            said = {name: each.value for name, each in found.items()}
            said = CHALLENGE.complete({**said, "estimate": found["estimate"]})
            assert grade_values(CHALLENGE.fields, instance, said).score == 1


def test_the_product_matters_in_traps_and_only_seems_to_in_controls() -> None:
    for instance in instances("trap"):
        product = instance.number("interaction")
        assert abs(product.panel["curve"].value) >= 6 * product.se
        assert all(truth.apart(5) for truth in instance.numbers().values())
    for instance in instances("none"):
        product = instance.number("interaction")
        assert product.value == 0
        assert abs(product.panel["curve"].value) < 1.96 * product.se
        effects = {instance.number(name).value for name in ("main", "effect_q10", "estimate")}
        assert len(effects) == 1


def test_a_curve_that_is_left_out_turns_up_as_a_product() -> None:
    for instance in instances("none"):
        at, w = instance.parameters, centred(instance)[0]
        found = fitted(instance, w)["interaction"].value / instance.telling.unit
        # With loads a and b of unit normals, cov(w², xm) = 2ab and var(xm) = 1 + a²b², both beside
        # the straight terms, with which centred squares and products do not go together.
        both = at["moderator_load"] * at["exposure_load"]
        expected = at["bend"] * 2 * both / (1 + both**2)
        assert found == pytest.approx(expected, abs=0.15)


@pytest.mark.parametrize("setting", CHALLENGE.read_settings().values(), ids=lambda one: one.name)
def test_that_the_covariate_may_bend_is_said(setting) -> None:
    drawn = CHALLENGE.generate("trap", "test", 0, split=setting.split, setting=setting)
    assert " may be nonlinear. " in render_description(drawn, "neutral", 5)


def test_numbers_are_of_either_sign_and_size() -> None:
    drawn = instances("trap", range(40))
    for name in ("main", "moderator", "effect_q10", "estimate"):
        off = [truth.value / truth.se for truth in (one.number(name) for one in drawn)]
        assert min(off) < -10
        assert max(off) > 10
        assert min(map(abs, off)) < 5
    flips = sum(
        instance.number("effect_q10").value * instance.number("estimate").value < 0
        for instance in drawn
    )
    assert 8 <= flips <= 32


def test_twins_differ_in_the_product_alone() -> None:
    for seed in SEEDS:
        trap, control = twins(seed).values()
        one, other = trap.parameters, control.parameters
        assert {name for name in one if one[name] != other[name]} == {
            "main",
            "moderator",
            "product",
        }
        # In the middle the slopes are the same.
        for slope, beside in (("main", "moderator"), ("moderator", "exposure")):
            middle = one[slope] + one["product"] * one[f"{beside}_mean"]
            assert middle == pytest.approx(other[slope])
        for role in LOADED:
            np.testing.assert_array_equal(trap.rows[role], control.rows[role])


def test_who_believes_every_product_is_wrong() -> None:
    for instance in [*instances("trap"), *instances("none")]:
        said = CHALLENGE.answer("always_trap", instance)
        assert not number_passes(said["interaction"], instance.number("interaction"))


def test_one_slope_is_right_for_everybody_in_controls_alone() -> None:
    for variant in CHALLENGE.variants:
        for instance in instances(variant):
            said = CHALLENGE.answer("naive", instance)
            passed = {number_passes(said[n], truth) for n, truth in instance.numbers().items()}
            assert passed == {variant == "none"}
