"""What is particular to selection, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.challenges import selection
from whybench.suites.analyze.challenges.selection import CHALLENGE
from whybench.suites.analyze.estimators.regression import mean_difference, weighted_difference

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

SEEDS = range(6)


def draw(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("tests", seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_have_the_same_effect_and_the_selected_the_same_marginals(seed: int) -> None:
    found = []
    for variant in CHALLENGE.variants:
        at = CHALLENGE.parameters(variant, generator("tests", seed))
        world = CHALLENGE.world(variant, at)
        rows = world.draw_rows(200_000, CHALLENGE.shown, generator("rows", seed))
        effect = at["outcome_1"] - at["outcome_0"]
        found.append([effect, *(rows[role].mean() for role in CHALLENGE.shown)])
    assert np.ptp(found, axis=0)[0] < 1e-12
    # Six standard errors of a difference of two shares.
    assert np.ptp(found, axis=0)[1:].max() < 0.01


@pytest.mark.parametrize("seed", SEEDS)
def test_weighting_matters_in_the_trap_alone(seed: int) -> None:
    for variant, drawn in draw(seed).items():
        rows = drawn.rows
        plain = mean_difference(rows["outcome"], rows["treatment"])
        weighted = weighted_difference(rows["outcome"], rows["treatment"], 1 / rows["inclusion"])
        gap = selection._gap(rows)
        assert gap.value == pytest.approx(weighted.value - plain.value)
        assert (abs(gap.value) > 4 * weighted.se) == (variant == "trap")
        assert len(np.unique(rows["inclusion"])) == 2


def test_the_error_of_the_gap_is_that_of_repeated_draws() -> None:
    at = CHALLENGE.parameters("one_cause", generator("tests", 0))
    gaps = [
        selection._gap(CHALLENGE.draw_rows("one_cause", at, generator("gap", seed)))
        for seed in range(150)
    ]
    assert np.std([gap.z for gap in gaps]) == pytest.approx(1, abs=0.2)


def test_effects_are_spread_and_selection_bends_either_way() -> None:
    truths = [draw(seed)["trap"].number("estimate") for seed in range(40)]
    off = [truth.value / truth.se for truth in truths]
    assert min(off) < -8
    assert max(off) > 8
    assert 0 in off
    bends = [next(iter(truth.naive.values())) - truth.value for truth in truths]
    assert min(bends) < 0 < max(bends)
    # The effect itself does not tell whether the selected show more of it or less.
    assert {bend * truth.value > 0 for bend, truth in zip(bends, truths, strict=True)} == {
        True,
        False,
    }


def test_a_difference_among_the_selected_by_hand() -> None:
    # Selected chances of 0.4 and 0.6 become 0.6 + 0.5 * 0.24 and 0.4 - 0.5 * 0.24.
    assert selection._find_difference(0.44, 0.5, 0.5, 0.5) == pytest.approx(0.2)
    assert selection._find_difference(0.3, 0.5, 0.5, 0.0) == pytest.approx(0.3)
