from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges.bent_response import certify_difference, parameters
from whybench.suites.analyze.challenges.outcome import CHALLENGE
from whybench.suites.analyze.estimators.regression import fit_curve, local_mean
from whybench.suites.analyze.fields import FieldValue
from whybench.suites.analyze.grading import grade
from whybench.suites.analyze.prompts import render_description

SEEDS = range(4)

# A unit of dose is 8 minutes about 40, a unit of outcome 4: from 0 to 1 in the world.
BY_HAND = {
    "low": 40.0,
    "high": 48.0,
    "slope": 0.5,
    "bend": 0.25,
    "pull_confounder": 0.6,
    "push_confounder": 1.0,
    "pull_marker": 0.0,
    "push_marker": 0.0,
    "noise": 1.0,
    "echo": 0.5,
}


def test_truths_by_hand() -> None:
    # 4 * (0.5 + 0.25); seen, those with 1 more have 0.6 more of the confounder.
    assert CHALLENGE.certify("trap", BY_HAND)["ate"].value == pytest.approx(3.0)
    assert certify_difference(BY_HAND).value == pytest.approx(5.4)
    both = BY_HAND | {"pull_marker": 0.5, "push_marker": -1.0}
    assert CHALLENGE.certify("upstream", both)["ate"].value == pytest.approx(3.0)
    assert certify_difference(both).value == pytest.approx(3.4)


def test_a_line_misses_the_curve_by_hand() -> None:
    # Doses -1, 0, 1, 2 and their squares: the line has slope 1, the parabola rises by 4 - 1 = 3.
    dose = np.tile([-1.0, 0.0, 1.0, 2.0], 5)
    assert fit_curve(dose**2, dose, 1).change(0, 2).value == pytest.approx(2.0)
    assert fit_curve(dose**2, dose, 2).change(1, 2).value == pytest.approx(3.0)


def test_holding_a_column_takes_it_out() -> None:
    rng = generator("test", "held")
    held = rng.standard_normal(300)
    dose = held + rng.standard_normal(300)
    outcome = 2 * dose - 3 * held
    assert fit_curve(outcome, dose, 3, [held]).change(0, 1).value == pytest.approx(2.0)
    assert fit_curve(outcome, dose, 3).change(0, 1).value < 1.5


def test_rows_near_a_dose() -> None:
    dose = np.array([0.0, 1.0, 2.0, 3.0, 9.0])
    # Through (1, 2), (2, 4), (3, 6): 4 at 2. What is far off does not matter.
    assert local_mean(np.array([7.0, 2.0, 4.0, 6.0, 50.0]), dose, 2.0, 1.0).value == pytest.approx(
        4.0
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    trap = CHALLENGE.generate("trap", "test", seed)
    ate, at, dose = trap.number("ate"), trap.parameters, trap.rows["treatment"]
    for naive in ate.naive.values():
        assert abs(naive - ate.value) >= 5 * ate.se
    for end in ("low", "high"):
        # 2 minutes are a quarter of the spread.
        assert np.sum(np.abs(dose - at[end]) <= 2) >= 60
    seen, effect = trap.number("cond_diff"), ate.value
    # Who gives the one for the other is wrong.
    assert abs(seen.value - effect) > 2.5 * max(seen.se, ate.se)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_controls_lack(seed: int) -> None:
    linear, free, upstream = (
        CHALLENGE.generate(variant, "test", seed) for variant in CHALLENGE.controls
    )
    for instance in (linear, free):
        assert instance.number("ate").value == pytest.approx(instance.number("cond_diff").value)
    slope = fit_curve(linear.rows["outcome"], linear.rows["treatment"], 2)
    assert slope.bend.p > 0.05
    when = {column.role: column.measured for column in upstream.columns}
    assert when["marker"] < when["treatment"]


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_share_the_generator(seed: int) -> None:
    worlds = {}
    for variant in CHALLENGE.variants:
        rng = generator("twins", seed)
        at = parameters(variant, rng)
        worlds[variant] = at, CHALLENGE.draw_rows(variant, at, rng)
    trap, rows = worlds["trap"]
    changed = {
        variant: {key for key in at if at[key] != trap[key]} for variant, (at, _) in worlds.items()
    }
    assert changed == {
        "trap": set(),
        "linear": {"bend", "push_confounder"},
        "unconfounded": {"pull_confounder"},
        "upstream": {"pull_marker", "push_marker"},
    }
    for _, others in worlds.values():
        assert np.array_equal(rows["confounder"], others["confounder"])


def test_adjusting_for_the_marker_is_wrong_where_it_follows() -> None:
    for seed in SEEDS:
        trap = CHALLENGE.generate("trap", "test", seed)
        rows = trap.rows
        held = [rows["confounder"], rows["marker"]]
        wrong = fit_curve(rows["outcome"], rows["treatment"], 3, held).change(
            trap.parameters["low"], trap.parameters["high"]
        )
        graded = grade(CHALLENGE.fields, trap, {"ate": FieldValue(wrong.value)})
        assert not graded.passed("ate")
        assert graded.fell_for


def test_the_doses_are_told_as_whole_minutes() -> None:
    trap = CHALLENGE.generate("trap", "test", 0)
    told = render_description(trap, "neutral", 5)
    assert f"{trap.facts['high']} minutes of holding instead of {trap.facts['low']}?" in told
    assert isinstance(trap.facts["high"], int)
