"""What is particular to simpson, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges.contract import CategoricalTruth
from whybench.suites.analyze.challenges.simpson import CHALLENGE
from whybench.suites.analyze.estimators.regression import mean_difference
from whybench.suites.analyze.grading import grade_values, number_passes

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

SEEDS = range(8)


def draw(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("tests", seed)


def share(instance: Instance, **where: int) -> float:
    rows = instance.rows
    chosen = np.all([rows[role] == value for role, value in where.items()], axis=0)
    return float(rows["outcome"][chosen].mean())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_trap_reverses_in_every_stratum(seed: int) -> None:
    trap = draw(seed)["trap"]
    crude = share(trap, treatment=1) - share(trap, treatment=0)
    for level in (0, 1):
        within = share(trap, treatment=1, stratum=level) - share(trap, treatment=0, stratum=level)
        assert within * crude < 0


@pytest.mark.parametrize("seed", SEEDS)
def test_after_the_treatment_the_rows_are_the_same_and_the_truth_is_the_opposite(seed: int) -> None:
    twins = draw(seed)
    trap, control = twins["trap"], twins["post_treatment"]
    assert all(np.array_equal(trap.rows[role], control.rows[role]) for role in trap.rows)
    assert trap.number("estimate").value * control.number("estimate").value < 0


def test_the_effect_after_the_treatment_is_that_of_the_whole_table() -> None:
    """By hand: P(outcome | treated) from the parameters of the table."""
    for seed in range(3):
        drawn = draw(seed)["post_treatment"]
        at = drawn.parameters
        chances = []
        for t in (0, 1):
            weights = [
                p * (at[f"treated_{s}"] if t else 1 - at[f"treated_{s}"])
                for s, p in ((0, 1 - at["stratum"]), (1, at["stratum"]))
            ]
            joint = sum(w * at[f"outcome_{t}{s}"] for s, w in enumerate(weights))
            chances.append(joint / sum(weights))
        assert drawn.number("estimate").value == pytest.approx(chances[1] - chances[0], abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_confounded_controls_do_not_reverse(seed: int) -> None:
    twins = draw(seed)
    for variant in ("agreeing", "null"):
        rows = twins[variant].rows
        assert mean_difference(rows["stratum"], rows["treatment"]).p < 1e-6
        assert twins[variant].truths["adjustment_set"].value == {"stratum"}
    agreeing = twins["agreeing"]
    crude = share(agreeing, treatment=1) - share(agreeing, treatment=0)
    assert crude * agreeing.number("estimate").value > 0
    assert twins["null"].number("estimate").value == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_variants_have_the_same_marginals(seed: int) -> None:
    expected = {}
    for variant in CHALLENGE.variants:
        at = CHALLENGE.parameters(variant, generator("tests", seed))
        strata = np.array([1 - at["stratum"], at["stratum"]])
        treated = np.array([at["treated_0"], at["treated_1"]])
        outcome = [
            at[f"outcome_1{s}"] * treated[s] + at[f"outcome_0{s}"] * (1 - treated[s])
            for s in (0, 1)
        ]
        expected[variant] = (strata @ treated, *outcome)
    for found in expected.values():
        assert found == pytest.approx(expected["trap"])


def test_effects_are_spread_and_no_constant_is_often_near() -> None:
    truths = [draw(seed)["trap"].number("estimate") for seed in range(40)]
    off = [truth.value / truth.se for truth in truths]
    assert min(off) < -10
    assert max(off) > 10
    for constant in np.linspace(-0.35, 0.35, 71):
        assert np.mean([number_passes(constant, truth) for truth in truths]) < 0.5


@pytest.mark.parametrize(
    ("variant", "enough"),
    [
        ("trap", {(): False, ("stratum",): True, ("decoy", "stratum"): True}),
        ("agreeing", {(): False, ("decoy", "stratum"): True}),
        ("randomised", {(): True, ("stratum",): True, ("decoy",): True}),
        ("post_treatment", {(): True, ("stratum",): False, ("decoy",): True}),
    ],
)
def test_every_set_passes_that_is_enough(variant: str, enough: dict[tuple[str, ...], bool]) -> None:
    truth = draw(0)[variant].truths["adjustment_set"]
    assert isinstance(truth, CategoricalTruth)
    assert {chosen: truth.accepts(frozenset(chosen)) for chosen in enough} == enough


def test_who_adjusts_for_all_that_came_before_is_right_where_nothing_had_to_be() -> None:
    control = draw(0)["randomised"]
    said = CHALLENGE.answer("competent", control)
    assert said["adjustment_set"] == {"decoy", "stratum"}
    assert grade_values(CHALLENGE.fields, control, said).score == 1
