"""What population and temporal share: a world with two effects, which are one in its control."""

from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.analyze.challenges import CHALLENGES

SEEDS = range(8)


@pytest.mark.parametrize("name", ["population", "temporal"])
def test_twins_differ_in_the_effects_alone(name: str) -> None:
    challenge = CHALLENGES[name]
    for seed in SEEDS:
        trap, control = challenge.generate_twins("test", seed).values()
        one, other = trap.parameters, control.parameters
        assert {key for key in one if one[key] != other[key]} == {"effect_0", "effect_1"}
        assert one["effect_0"] + one["effect_1"] == pytest.approx(2 * other["effect_1"])
        for role in {*challenge.shown} - {"outcome"}:
            np.testing.assert_array_equal(trap.rows[role], control.rows[role])
        # Exposures are told from what is usual, so that outcomes are as high on average.
        means = [twin.rows["outcome"].mean() / trap.telling.unit for twin in (trap, control)]
        assert means[0] == pytest.approx(means[1], abs=0.1)
