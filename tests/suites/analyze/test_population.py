from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.fields import FieldValue
from whybench.suites.analyze.grading import grade, number_passes

CHALLENGE = CHALLENGES["population"]
SEEDS = range(8)


def instances(variant: str):
    return [CHALLENGE.generate(variant, "test", seed) for seed in SEEDS]


def slope(instance, population: int, *beside: str) -> float:
    here = instance.rows["population"] == population
    columns = [instance.rows[role][here] for role in ("exposure", *beside)]
    matrix = np.column_stack([np.ones(here.sum()), *columns])
    return np.linalg.lstsq(matrix, instance.rows["outcome"][here], rcond=None)[0][1]


def test_truths_are_the_coefficients() -> None:
    for instance in instances("trap"):
        at = instance.parameters
        truths = {name: truth.value for name, truth in instance.numbers().items()}
        assert truths == {
            "coef_a": at["effect_0"],
            "coef_b": at["effect_1"],
            "difference": at["effect_1"] - at["effect_0"],
        }


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_references_are_fits_within_each_population(variant: str) -> None:
    for instance in instances(variant):
        a, b = (slope(instance, population, "covariate") for population in (0, 1))
        found = [list(truth.references.values()) for truth in instance.numbers().values()]
        np.testing.assert_allclose(found, [[a], [b], [b - a]], rtol=1e-8)


def test_effects_differ_in_traps_and_only_slopes_in_controls() -> None:
    for instance in instances("trap"):
        gap = instance.number("difference")
        assert abs(gap.references["fit within each population"]) >= 6 * gap.se
        for name in ("coef_a", "coef_b", "difference"):
            assert instance.number(name).apart(5)
    for instance in instances("equal"):
        gap = instance.number("difference")
        assert gap.value == 0
        assert abs(gap.references["fit within each population"]) < 1.96 * gap.se
        assert abs(slope(instance, 1) - slope(instance, 0)) > 5 * gap.se


def test_the_raw_slope_is_off_by_what_the_covariate_carries() -> None:
    for instance in instances("equal"):
        at = instance.parameters
        # The exposure has a variance of steer² + 1, and a covariance of steer with the covariate.
        carried = at["covariate"] * at["steer_1"] / (at["steer_1"] ** 2 + 1)
        assert slope(instance, 1) == pytest.approx(at["effect_1"] + carried, abs=0.15)
        assert slope(instance, 0) == pytest.approx(at["effect_0"], abs=0.2)


def test_twins_share_what_the_variant_does_not_change() -> None:
    differ = {"effect_1", "steer_1"}
    for seed in range(40):
        twins = [CHALLENGE.generate(variant, seed) for variant in CHALLENGE.variants]
        one, other = (dict(twin.parameters) for twin in twins)
        if one["share"] == other["share"]:
            assert {name for name in one if one[name] != other[name]} <= differ
            np.testing.assert_array_equal(*(twin.rows["covariate"] for twin in twins))
            break
    else:
        pytest.fail("no twins came of the same attempt")


def test_half_of_the_traps_are_steered_too() -> None:
    steered = [CHALLENGE.generate("trap", seed).parameters["steer_1"] != 0 for seed in range(60)]
    assert 15 <= sum(steered) <= 45


def test_who_takes_slopes_for_effects_is_right_in_plain_traps_alone() -> None:
    for instance in [*instances("trap"), *instances("equal")]:
        said = CHALLENGE.always_trap(instance)
        plain = instance.parameters["steer_1"] == 0
        assert number_passes(said["coef_b"], instance.number("coef_b")) == plain
        assert number_passes(said["difference"], instance.number("difference")) == plain


def test_who_pools_falls_for_it() -> None:
    for instance in instances("trap"):
        said = {name: FieldValue(value) for name, value in CHALLENGE.naive(instance).items()}
        graded = grade(CHALLENGE.fields, instance, said)
        assert graded.score == 0
        assert graded.fell_for
