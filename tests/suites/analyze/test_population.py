from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.grading import WRONG_CAP, grade_values, number_passes

CHALLENGE = CHALLENGES["population"]
SEEDS = range(8)
NUMBERS = ("coef_a", "estimate", "difference")


@cache
def twins(seed: int):
    return CHALLENGE.generate_twins("test", seed)


def instances(variant: str, seeds=SEEDS):
    return [twins(seed)[variant] for seed in seeds]


def slope(instance, population: int, *beside: str) -> float:
    here = instance.rows["population"] == population
    columns = [instance.rows[role][here] for role in ("exposure", *beside)]
    matrix = np.column_stack([np.ones(here.sum()), *columns])
    return np.linalg.lstsq(matrix, instance.rows["outcome"][here], rcond=None)[0][1]


def fit_together(instance, *, crossed: bool):
    """Fit all rows at once: exposure, times population, population, covariate, perhaps crossed."""
    exposure, other, covariate = (
        instance.rows[role] for role in ("exposure", "population", "covariate")
    )
    columns = [exposure, other * exposure, other, covariate]
    matrix = np.column_stack([*columns, other * covariate] if crossed else columns)
    return sm.OLS(instance.rows["outcome"], sm.add_constant(matrix)).fit()


def test_truths_are_the_coefficients() -> None:
    for instance in instances("trap"):
        at, unit = instance.parameters, instance.telling.unit
        truths = [instance.number(name).value / unit for name in NUMBERS]
        gap = at["effect_1"] - at["effect_0"]
        np.testing.assert_allclose(truths, [at["effect_0"], at["effect_1"], gap])


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_references_are_fits_within_each_population_and_of_all_rows(variant: str) -> None:
    for instance in instances(variant):
        a, b = (slope(instance, population, "covariate") for population in (0, 1))
        fit = fit_together(instance, crossed=False).params
        for how, expected in {
            "each group by itself": [a, b, b - a],
            "all rows, two slopes": [fit[1], fit[1] + fit[2], fit[2]],
        }.items():
            found = [instance.number(name).panel[how] for name in NUMBERS]
            # Rows are told to three digits or so, references found before.
            off = np.array(expected) - [entry.value for entry in found]
            assert np.all(np.abs(off) < 0.05 * np.array([entry.se for entry in found]))


@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_who_fits_all_rows_with_two_slopes_is_right(variant: str, crossed: bool) -> None:
    for instance in instances(variant):
        fit = fit_together(instance, crossed=crossed)
        b = fit.t_test([0, 1, 1, *[0] * (len(fit.params) - 3)])
        said = CHALLENGE.complete(
            {
                "coef_a": fit.params[1],
                "estimate": Coefficient(b.effect.item(), b.sd.item()),
                "difference": fit.params[2],
                "ci": tuple(fit.conf_int()[2]),
            },
        )
        assert grade_values(CHALLENGE.fields, instance, said).score == 1


def test_effects_differ_in_traps_and_only_slopes_in_controls() -> None:
    for instance in instances("trap"):
        gap = instance.number("difference")
        assert abs(gap.panel["each group by itself"].value) >= 6 * gap.se
        for name in NUMBERS:
            assert instance.number(name).apart(5)
    for instance in instances("equal"):
        gap = instance.number("difference")
        assert gap.value == 0
        assert abs(gap.panel["each group by itself"].value) < 1.96 * gap.se
        assert abs(slope(instance, 1) - slope(instance, 0)) > 5 * gap.se


def test_the_raw_slope_is_off_by_what_the_covariate_carries() -> None:
    for instance in instances("equal"):
        at = instance.parameters
        # In a population both exposure and covariate vary by 1, together by steer.
        for population in (0, 1):
            expected = at[f"effect_{population}"] + at["covariate"] * at[f"steer_{population}"]
            found = slope(instance, population) / instance.telling.unit
            assert found == pytest.approx(expected, abs=0.2)


def test_effects_are_of_either_sign_and_size() -> None:
    drawn = instances("trap", range(40))
    for name in ("coef_a", "estimate"):
        off = [truth.value / truth.se for truth in (one.number(name) for one in drawn)]
        assert min(off) < -10
        assert max(off) > 10
        assert min(map(abs, off)) < 5
    assert 8 <= sum(one.number("difference").value > 0 for one in drawn) <= 32
    assert 8 <= sum(one.parameters["steer_1"] > 0 for one in drawn) <= 32


def test_who_takes_slopes_for_effects_is_wrong_where_exposures_were_steered() -> None:
    for instance in [*instances("trap"), *instances("equal")]:
        said = CHALLENGE.answer("always_trap", instance)
        steered = "estimate" if instance.parameters["steer_1"] else "coef_a"
        for name in (steered, "difference"):
            assert not number_passes(said[name], instance.number(name))


def test_who_pools_falls_for_it() -> None:
    for instance in instances("trap"):
        graded = grade_values(CHALLENGE.fields, instance, CHALLENGE.answer("naive", instance))
        assert graded.fell_for
        # The sign may be right by luck, and no number is.
        passed = [verdict.field for verdict in graded.verdicts if verdict.passed]
        assert passed in (["estimand"], ["recommendation", "estimand"])
        assert graded.score <= WRONG_CAP
