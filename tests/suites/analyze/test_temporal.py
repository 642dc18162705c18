from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.estimators.slopes import scan_changes
from whybench.suites.analyze.fields import FieldValue
from whybench.suites.analyze.grading import grade, grade_values, number_passes

CHALLENGE = CHALLENGES["temporal"]
SEEDS = range(8)
NUMBERS = ("coef_early", "estimate", "difference")


@cache
def twins(seed: int):
    return CHALLENGE.generate_twins("test", seed)


def instances(variant: str, seeds=SEEDS):
    return [twins(seed)[variant] for seed in seeds]


def slope(instance, here, *beside: str) -> float:
    columns = [instance.rows[role][here] for role in ("exposure", *beside)]
    matrix = np.column_stack([np.ones(here.sum()), *columns])
    return np.linalg.lstsq(matrix, instance.rows["outcome"][here], rcond=None)[0][1]


def sides(instance, *beside: str) -> tuple[float, float]:
    before = instance.rows["week"] < instance.parameters["change"]
    return slope(instance, before, *beside), slope(instance, ~before, *beside)


def two_slopes(instance, change: float, *, level: bool):
    """Fit all weeks at once: exposure, its change, week, covariate; perhaps a change of level."""
    rows = instance.rows
    late = rows["week"] >= change
    columns = [rows["exposure"], late * rows["exposure"], rows["week"], rows["covariate"]]
    matrix = np.column_stack([*columns, late] if level else columns)
    return sm.OLS(rows["outcome"], sm.add_constant(matrix)).fit()


def test_truths_are_the_coefficients_and_the_week() -> None:
    for instance in instances("trap"):
        at, unit = instance.parameters, instance.telling.unit
        truths = [instance.number(name).value / unit for name in NUMBERS]
        gap = at["effect_1"] - at["effect_0"]
        np.testing.assert_allclose(truths, [at["effect_0"], at["effect_1"], gap])
        assert instance.truths["change_point"].value == at["change"]


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_references_are_fits_on_either_side_and_of_all_weeks(variant: str) -> None:
    for instance in instances(variant):
        early, late = sides(instance, "covariate", "week")
        fit = two_slopes(instance, instance.parameters["change"], level=False).params
        for how, expected in {
            "each group by itself": [early, late, late - early],
            "all rows, two slopes": [fit[1], fit[1] + fit[2], fit[2]],
        }.items():
            found = [instance.number(name).panel[how] for name in NUMBERS]
            # Rows are told to three digits or so, references found before.
            off = np.array(expected) - [entry.value for entry in found]
            assert np.all(np.abs(off) < 0.05 * np.array([entry.se for entry in found]))


@pytest.mark.parametrize("level", [False, True])
def test_who_lets_the_slope_alone_change_is_right_and_so_is_who_lets_the_level(level: bool) -> None:
    for instance in instances("trap"):
        fit = two_slopes(instance, instance.parameters["change"], level=level)
        late = fit.t_test([0, 1, 1, *[0] * (len(fit.params) - 3)])
        said = CHALLENGE.complete(
            {
                "coef_early": fit.params[1],
                "estimate": Coefficient(late.effect.item(), late.sd.item()),
                "difference": fit.params[2],
                "ci": tuple(fit.conf_int()[2]),
                "change_point": instance.truths["change_point"].value,
            },
        )
        assert grade_values(CHALLENGE.fields, instance, said).score == 1


def test_who_finds_no_change_may_give_one_slope_for_all_weeks() -> None:
    for instance in instances("stable"):
        columns = [instance.rows[role] for role in ("exposure", "covariate", "week")]
        fit = sm.OLS(instance.rows["outcome"], sm.add_constant(np.column_stack(columns))).fit()
        reach = 1.96 * instance.number("difference").se
        said = CHALLENGE.complete(
            {
                "coef_early": fit.params[1],
                "estimate": Coefficient(fit.params[1], fit.bse[1]),
                "difference": 0.0,
                "ci": (-reach, reach),
                "change_point": None,
            },
        )
        assert grade_values(CHALLENGE.fields, instance, said).score == 1


def test_the_scan_is_a_fit_at_each_week() -> None:
    instance = instances("trap")[0]
    columns = [instance.rows[role] for role in ("outcome", "exposure", "week", "covariate")]
    scan = scan_changes(*columns)
    for week in list(scan)[::5]:
        assert scan[week] == pytest.approx(
            abs(two_slopes(instance, week, level=True).tvalues[2]), rel=1e-6
        )


def test_the_effect_changes_in_traps_and_only_the_slope_in_controls() -> None:
    for instance in instances("trap"):
        assert all(truth.apart(5) for truth in instance.numbers().values())
    for instance in instances("stable"):
        gap = instance.number("difference")
        assert gap.value == 0
        assert instance.truths["change_point"].value is None
        assert abs(gap.panel["each group by itself"].value) < 3.2 * gap.se
        early, late = sides(instance)
        assert abs(late - early) > 5 * gap.se


def test_the_raw_slope_is_off_by_what_the_covariate_carries() -> None:
    for instance in instances("stable"):
        at = instance.parameters
        # Exposure and covariate have a variance of 1, and a covariance of steer.
        for found, time in zip(sides(instance, "week"), "01", strict=True):
            carried = at["covariate"] * at[f"steer_{time}"]
            expected = at[f"effect_{time}"] + carried
            assert found / instance.telling.unit == pytest.approx(expected, abs=0.2)


def test_drift_goes_either_way_and_the_week_varies() -> None:
    drawn = instances("trap", range(40))
    rises = sum(instance.number("difference").value > 0 for instance in drawn)
    assert 8 <= rises <= 32
    places = [instance.parameters["change"] / instance.parameters["weeks"] for instance in drawn]
    assert min(places) < 0.4
    assert max(places) > 0.65
    for name in ("coef_early", "estimate"):
        off = [truth.value / truth.se for truth in (one.number(name) for one in drawn)]
        assert min(off) < -10
        assert max(off) > 10
        assert min(map(abs, off)) < 5


def test_a_week_off_is_near_enough_and_two_are_not() -> None:
    instance = instances("trap")[0]
    change = instance.truths["change_point"].value
    for said, passes in ((change - 1, True), (change + 1.0, True), (change + 2, False)):
        graded = grade(CHALLENGE.fields, instance, {"change_point": FieldValue(said)})
        assert graded.passed("change_point") == passes
        assert not graded.fell_for
    assert grade(CHALLENGE.fields, instance, {"change_point": FieldValue(None)}).fell_for


def test_a_week_of_change_is_a_false_alarm_where_nothing_changes() -> None:
    instance = instances("stable")[0]
    for said, alarm in ((None, False), (1, True), (instance.parameters["weeks"], True)):
        graded = grade(CHALLENGE.fields, instance, {"change_point": FieldValue(said)})
        assert graded.false_alarm == alarm
        assert graded.passed("change_point") != alarm


def test_who_takes_slopes_for_effects_is_wrong_where_exposures_were_steered() -> None:
    for instance in [*instances("trap"), *instances("stable")]:
        said, at = CHALLENGE.answer("always_trap", instance), instance.parameters
        steered = "estimate" if at["steer_1"] else "coef_early"
        assert not number_passes(said[steered], instance.number(steered))
        assert isinstance(said["change_point"], int)


def test_the_competent_analyst_finds_the_week_and_finds_none_where_there_is_none() -> None:
    for instance in [*instances("trap"), *instances("stable")]:
        said = {
            name: FieldValue(value)
            for name, value in CHALLENGE.answer("competent", instance).items()
        }
        assert grade(CHALLENGE.fields, instance, said).passed("change_point")
