"""What is particular to mediator_confounding, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import statsmodels.api as sm

from whybench.seeds import generator
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import grade_values, number_passes

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

CHALLENGE = CHALLENGES["mediator_confounding"]


def instances(variant: str, count: int = 4) -> list[Instance]:
    return [CHALLENGE.generate(variant, "tests", seed) for seed in range(count)]


def test_mediation_is_that_of_statsmodels() -> None:
    """The references of the trap are ordinary regressions with the common cause in them."""
    for drawn in instances("trap"):
        rows = drawn.rows
        x, m, c = rows["treatment"], rows["mediator"], rows["common"]
        upon = sm.OLS(rows["outcome"], np.column_stack([np.ones_like(c), x, m, c])).fit()
        onto = sm.OLS(m, np.column_stack([np.ones_like(c), x, c])).fit()
        expected = {"estimate": upon.params[1], "nie": onto.params[1] * upon.params[2]}
        name = "regression on treatment and mediator and common"
        for number, value in expected.items():
            truth = drawn.number(number)
            assert abs(truth.panel[name].value - value) < 0.01 * truth.se
        assert drawn.number("estimate").panel[name].se == pytest.approx(upon.bse[1], rel=0.1)


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_direct_and_indirect_make_the_total(variant: str) -> None:
    for drawn in instances(variant):
        at, unit = drawn.parameters, drawn.telling.unit
        expected = {
            "estimate": at["d"],
            "nie": at["a"] * at["b"],
            "te": at["d"] + at["a"] * at["b"],
        }
        for name, value in expected.items():
            assert drawn.number(name).value == pytest.approx(unit * value)
        assert (variant == "null") == (at["b"] == at["d"] == 0)


def test_who_adjusts_for_a_descendant_is_led_astray() -> None:
    for drawn in instances("descendant"):
        said = CHALLENGE.answer("always_trap", drawn)
        assert not all(
            number_passes(said[name], drawn.number(name)) for name in ("estimate", "nie")
        )


@pytest.mark.parametrize(
    ("variant", "enough", "wrong"),
    [
        ("trap", [{"common"}, {"common", "decoy"}], [set(), {"decoy"}]),
        ("no_confounding", [set(), {"common"}, {"decoy"}], [{"mediator"}]),
        ("null", [set(), {"common", "decoy"}], [{"treatment", "mediator"}]),
        ("descendant", [set(), {"decoy"}], [{"common"}]),
    ],
)
def test_every_set_passes_that_is_enough(
    variant: str, enough: list[set[str]], wrong: list[set[str]]
) -> None:
    drawn = CHALLENGE.generate(variant, "tests", 0)
    for by, passes in [*((by, True) for by in enough), *((by, False) for by in wrong)]:
        graded = grade_values(CHALLENGE.fields, drawn, {"adjustment_set": frozenset(by)})
        assert graded.passed("adjustment_set") == passes
        assert not graded.false_alarm


def test_an_unadjusted_total_passes_in_the_trap() -> None:
    for drawn in instances("trap"):
        x, y = drawn.rows["treatment"], drawn.rows["outcome"]
        fit = sm.OLS(y, sm.add_constant(x)).fit()
        low, high = fit.conf_int()[1]
        answer = {"te": float(fit.params[1]), "te_ci": (float(low), float(high))}
        graded = grade_values(CHALLENGE.fields, drawn, answer)
        assert graded.passed("te")
        assert graded.passed("te_ci")


def test_an_unadjusted_total_less_the_direct_effect_passes_in_the_trap() -> None:
    """Less precise than a product, and right all the same: the interval is by drawing rows anew."""
    rng = np.random.default_rng(0)
    for drawn in instances("trap"):
        rows = np.column_stack(
            [
                np.asarray(drawn.rows[role])
                for role in ("outcome", "treatment", "mediator", "common")
            ]
        )

        def indirect(rows: np.ndarray) -> float:
            y, x = rows[:, 0], rows[:, 1]
            direct = np.linalg.lstsq(sm.add_constant(rows[:, 1:]), y, rcond=None)[0][1]
            return float(y[x == 1].mean() - y[x == 0].mean() - direct)

        found = indirect(rows)
        again = [indirect(rows[rng.integers(len(rows), size=len(rows))]) for _ in range(100)]
        half = 1.96 * float(np.std(again))
        answer = {"nie": found, "nie_ci": (found - half, found + half)}
        graded = grade_values(CHALLENGE.fields, drawn, answer)
        assert graded.passed("nie")
        assert graded.passed("nie_ci")


def test_who_leaves_the_common_cause_out_still_fails() -> None:
    for drawn in instances("trap", 20):
        said = CHALLENGE.answer("naive", drawn)
        assert not number_passes(said["nie"], drawn.number("nie"))


def test_effects_are_of_either_sign_large_and_small() -> None:
    worlds = [CHALLENGE.parameters("trap", generator("range", seed)) for seed in range(300)]
    for name in ("estimate", "nie"):
        effects = [CHALLENGE.closed_form("trap", at)[name] for at in worlds]
        # About a twentieth is a standard error.
        assert min(effects) < -0.7
        assert max(effects) > 0.7
        assert np.mean(np.abs(effects) < 0.25) > 0.15


def test_controls_differ_from_their_trap_in_few_arrows() -> None:
    drawn = {name: CHALLENGE.parameters(name, generator("twins", 1)) for name in CHALLENGE.variants}
    trap = drawn.pop("trap")
    changed = {name: {key for key in at if at[key] != trap[key]} for name, at in drawn.items()}
    assert changed["no_confounding"] in ({"c"}, {"e"})
    assert changed["null"] == changed["no_confounding"] | {"b", "d"}
    assert changed["descendant"] == set()
