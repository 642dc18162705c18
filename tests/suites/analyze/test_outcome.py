from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges.bent_response import certify_difference, parameters
from whybench.suites.analyze.challenges.outcome import CHALLENGE
from whybench.suites.analyze.estimators.regression import (
    design_matrix,
    fit_curve,
    least_squares,
    local_mean,
)
from whybench.suites.analyze.grading import grade_values, number_passes
from whybench.suites.analyze.prompts import render_description

SEEDS = range(4)

# A unit of dose is 8 about 40: from 0 to 1 in the world.
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
    # 0.5 + 0.25; seen, those with 1 more have 0.6 more of the confounder.
    assert CHALLENGE.certify("trap", BY_HAND)["estimate"].value == pytest.approx(0.75)
    assert certify_difference(BY_HAND).value == pytest.approx(1.35)
    # Drawn by lot, the dose does what it is seen with.
    assert CHALLENGE.certify("randomised", BY_HAND)["estimate"].value == pytest.approx(1.35)
    both = BY_HAND | {"pull_marker": 0.5, "push_marker": -1.0}
    assert CHALLENGE.certify("upstream", both)["estimate"].value == pytest.approx(0.75)
    assert certify_difference(both).value == pytest.approx(0.85)


def test_a_line_misses_the_curve_by_hand() -> None:
    # Doses -1, 0, 1, 2 and their squares: the line has slope 1, the parabola rises by 4 - 1 = 3.
    dose = np.tile([-1.0, 0.0, 1.0, 2.0], 5)
    assert fit_curve(dose**2, dose, 1).change(0, 2).value == pytest.approx(2.0)
    assert fit_curve(dose**2, dose, 2).change(1, 2).value == pytest.approx(3.0)


def test_a_spline_follows_what_a_parabola_cannot() -> None:
    dose = np.linspace(0.0, 4.0, 81)
    outcome = np.clip(dose - dose[40], 0, None) ** 3
    spline = fit_curve(outcome, dose, 3, quantiles=(0.25, 0.5, 0.75))
    assert spline.change(1, 4).value == pytest.approx(8.0)
    assert abs(fit_curve(outcome, dose, 2).change(1, 4).value - 8.0) > 0.1


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
    ate, at, dose = trap.number("estimate"), trap.parameters, trap.rows["treatment"]
    for naive in ate.naive.values():
        assert abs(naive - ate.value) >= 5 * ate.se
    for end in ("low", "high"):
        # 2 is a quarter of the spread.
        assert np.sum(np.abs(dose - at[end]) <= 2) >= 60
    seen, effect = trap.number("cond_diff"), ate.value
    # Who gives the one for the other is wrong.
    assert abs(seen.value - effect) > 2.5 * max(seen.se, ate.se)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dose_by_lot_has_the_rows_of_the_trap_and_another_truth(seed: int) -> None:
    twins = CHALLENGE.generate_twins("test", seed)
    trap, lot = twins["trap"], twins["randomised"]
    for role, values in trap.rows.items():
        assert np.array_equal(values, lot.rows[role])
    assert lot.when["treatment"] < lot.when["confounder"] < lot.when["outcome"]
    assert lot.number("estimate").value == pytest.approx(lot.number("cond_diff").value)
    assert not number_passes(trap.number("estimate").value, lot.number("estimate"))


def test_the_two_orders_have_the_same_moments() -> None:
    noise = generator("test", "moments")
    at = parameters("trap", generator("test", "moments"))
    seen = {}
    for variant in ("trap", "randomised"):
        world = CHALLENGE.world(variant, at)
        rows = world.draw_rows(400_000, CHALLENGE.shown, noise)
        rows["square"] = (rows["treatment"] - 40) ** 2 / 64
        table = np.array(list(rows.values()))
        seen[variant] = np.vstack([np.corrcoef(table), table.mean(axis=1), table.std(axis=1)])
    assert np.allclose(seen["trap"], seen["randomised"], atol=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_share_the_generator(seed: int) -> None:
    drawn = {name: parameters(name, generator("twins", seed)) for name in CHALLENGE.variants}
    trap = drawn["trap"]
    changed = {name: {key for key in at if at[key] != trap[key]} for name, at in drawn.items()}
    assert changed == {
        "trap": set(),
        "randomised": set(),
        "upstream": {"pull_marker", "push_marker"},
    }


def test_effects_are_of_either_sign_large_and_small() -> None:
    worlds = [parameters("trap", generator("range", seed)) for seed in range(300)]
    effects = [CHALLENGE.closed_form("trap", at)["estimate"] for at in worlds]
    # About a twentieth is a standard error.
    assert min(effects) < -1
    assert max(effects) > 1
    assert np.mean(np.abs(effects) < 0.25) > 0.05


@pytest.mark.parametrize(
    ("variant", "enough", "wrong"),
    [
        ("trap", [{"confounder"}, {"confounder", "decoy"}], [set(), {"confounder", "marker"}]),
        ("randomised", [set(), {"decoy"}], [{"confounder"}, {"marker"}]),
        ("upstream", [{"confounder", "marker", "decoy"}], [{"confounder"}, {"marker"}]),
    ],
)
def test_every_set_passes_that_is_enough(
    variant: str, enough: list[set[str]], wrong: list[set[str]]
) -> None:
    drawn = CHALLENGE.generate(variant, "test", 0)
    for by, passes in [*((by, True) for by in enough), *((by, False) for by in wrong)]:
        graded = grade_values(CHALLENGE.fields, drawn, {"adjusted_for": frozenset(by)})
        assert graded.passed("adjusted_for") == passes
        assert not graded.false_alarm


@pytest.mark.parametrize("seed", SEEDS)
def test_a_spline_passes_where_the_dose_was_drawn_by_lot(seed: int) -> None:
    drawn = CHALLENGE.generate("randomised", "test", seed)
    dose = drawn.rows["treatment"]
    knots = np.quantile(dose, [0.25, 0.5, 0.75])

    def basis(at: np.ndarray) -> np.ndarray:
        bent = [np.clip(at - knot, 0, None) ** 3 / 1000 for knot in knots]
        return design_matrix(at - 40, (at - 40) ** 2 / 10, (at - 40) ** 3 / 100, *bent)

    ends = basis(np.array([drawn.facts["low"], drawn.facts["high"]], dtype=float))
    found = least_squares(drawn.rows["outcome"], basis(dose)).combination(ends[1] - ends[0])
    answer = CHALLENGE.complete({"estimate": found})
    assert grade_values(CHALLENGE.report, drawn, answer).score == 1


def test_the_doses_are_told_as_whole_numbers() -> None:
    trap = CHALLENGE.generate("trap", "test", 0)
    told = render_description(trap, "neutral", 5)
    assert f"{trap.facts['high']} " in told
    assert isinstance(trap.facts["high"], int)
