from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.fields import FieldValue
from whybench.suites.analyze.grading import grade, number_passes

CHALLENGE = CHALLENGES["temporal"]
SEEDS = range(8)
FIT = "fit on either side of the change"


def instances(variant: str):
    return [CHALLENGE.generate(variant, "test", seed) for seed in SEEDS]


def slope(instance, here, *beside: str) -> float:
    columns = [instance.rows[role][here] for role in ("exposure", *beside)]
    matrix = np.column_stack([np.ones(here.sum()), *columns])
    return np.linalg.lstsq(matrix, instance.rows["outcome"][here], rcond=None)[0][1]


def sides(instance, *beside: str) -> tuple[float, float]:
    before = instance.rows["week"] < instance.parameters["change"]
    return slope(instance, before, *beside), slope(instance, ~before, *beside)


def test_truths_are_the_coefficients_and_the_week() -> None:
    for instance in instances("trap"):
        at = instance.parameters
        truths = {name: truth.value for name, truth in instance.truths.items()}
        assert truths == {
            "coef_early": at["effect_0"],
            "coef_late": at["effect_1"],
            "difference": at["effect_1"] - at["effect_0"],
            "change_point": at["change"],
        }


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_references_are_fits_on_either_side(variant: str) -> None:
    for instance in instances(variant):
        early, late = sides(instance, "covariate", "week")
        found = [truth.references[FIT] for truth in instance.numbers().values()]
        np.testing.assert_allclose(found, [early, late, late - early], rtol=1e-7)


def test_the_effect_changes_in_traps_and_only_the_slope_in_controls() -> None:
    for instance in instances("trap"):
        assert all(truth.apart(5) for truth in instance.numbers().values())
        assert abs(instance.number("difference").value) >= 0.6
    for instance in instances("stable"):
        gap = instance.number("difference")
        assert gap.value == 0
        assert instance.truths["change_point"].value is None
        assert abs(gap.references[FIT]) < 3.2 * gap.se
        early, late = sides(instance)
        assert abs(late - early) > 5 * gap.se


def test_the_raw_slope_is_off_by_what_the_covariate_carries() -> None:
    for instance in instances("stable"):
        at = instance.parameters
        # The exposure has a variance of steer² + 1, and a covariance of steer with the covariate.
        carried = at["covariate"] * at["steer_1"] / (at["steer_1"] ** 2 + 1)
        early, late = sides(instance, "week")
        assert late == pytest.approx(at["effect_1"] + carried, abs=0.15)
        assert early == pytest.approx(at["effect_0"], abs=0.2)


def test_drift_goes_either_way_and_the_week_varies() -> None:
    drawn = [CHALLENGE.generate("trap", seed) for seed in range(40)]
    rises = sum(instance.number("difference").value > 0 for instance in drawn)
    assert 8 <= rises <= 32
    places = [instance.parameters["change"] / instance.parameters["weeks"] for instance in drawn]
    assert min(places) < 0.4
    assert max(places) > 0.65


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


def test_twins_share_what_the_variant_does_not_change() -> None:
    for seed in range(40):
        twins = [CHALLENGE.generate(variant, seed) for variant in CHALLENGE.variants]
        one, other = (dict(twin.parameters) for twin in twins)
        if one["base"] == other["base"]:
            assert {name for name in one if one[name] != other[name]} <= {"effect_1", "steer_1"}
            np.testing.assert_array_equal(*(twin.rows["covariate"] for twin in twins))
            break
    else:
        pytest.fail("no twins came of the same attempt")


def test_who_takes_slopes_for_effects_is_right_in_plain_traps_alone() -> None:
    for instance in [*instances("trap"), *instances("stable")]:
        said = CHALLENGE.always_trap(instance)
        plain = instance.parameters["steer_1"] == 0
        assert number_passes(said["coef_late"], instance.number("coef_late")) == plain
        assert isinstance(said["change_point"], int)


def test_the_competent_analyst_finds_the_week_and_finds_none_where_there_is_none() -> None:
    for instance in [*instances("trap"), *instances("stable")]:
        said = {name: FieldValue(value) for name, value in CHALLENGE.competent(instance).items()}
        assert grade(CHALLENGE.fields, instance, said).passed("change_point")
