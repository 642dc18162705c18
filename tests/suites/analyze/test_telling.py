"""How a data set is told changes nothing of what is true in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import CategoricalTruth
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.prompts import column_names
from whybench.suites.analyze.telling import Telling, tell_rows, untell_rows

NAMES = list(CHALLENGES)


@given(st.integers(0, 50), st.sampled_from((0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)))
def test_told_rows_give_the_world_back(zero: int, factor: float) -> None:
    rows = {
        "stratum": np.array([0, 1, 1, 0]),
        "treatment": np.array([1, 1, 0, 0]),
        "outcome": np.array([1.234, -0.5, 0.001, 33.25]),
    }
    telling = Telling(
        "here",
        {},
        frozenset({"stratum"}),
        {"outcome": (factor, float(zero))},
        ("outcome", "after_1", "stratum", "before_1", "treatment"),
    )
    told = tell_rows(rows, telling, "keys")
    assert list(told) == list(telling.order)
    assert told["stratum"].tolist() == [1, 0, 0, 1]
    assert {*told["before_1"].tolist(), *told["after_1"].tolist()} <= {0, 1}
    back = untell_rows(told, telling)
    assert set(back) == set(rows)
    for role, values in rows.items():
        np.testing.assert_allclose(back[role], values, atol=6e-4)


def test_a_decoy_that_comes_after_follows_the_outcome_and_one_before_nothing() -> None:
    outcome = np.repeat([0, 1], 4000)
    telling = Telling("here", {}, order=("outcome", "after_1", "before_1"))
    for seed in range(5):
        told = tell_rows({"outcome": outcome}, telling, seed)
        after, before = (np.corrcoef(outcome, told[role])[0, 1] for role in ("after_1", "before_1"))
        assert abs(after) > 0.4
        assert abs(before) < 0.06


@pytest.mark.parametrize("name", NAMES)
def test_twins_are_told_alike_and_have_as_many_rows(name: str) -> None:
    twins = CHALLENGES[name].generate_twins("telling", 3)
    trap = twins["trap"]
    for twin in twins.values():
        assert twin.telling == trap.telling
        assert twin.size == trap.size
        assert column_names(twin, "neutral") == column_names(trap, "neutral")


@pytest.mark.parametrize("name", NAMES)
def test_names_order_and_settings_differ_from_draw_to_draw(name: str) -> None:
    challenge = CHALLENGES[name]
    drawn = [challenge.generate("trap", "telling", seed) for seed in range(12)]
    assert len({one.telling.setting for one in drawn}) > 2
    assert len({one.telling.order for one in drawn}) > 3
    for role in challenge.opposite:
        assert {role in one.telling.opposite for one in drawn} == {True, False}
    train = [challenge.generate("trap", "telling", seed, split="train") for seed in range(12)]
    heads = [
        {frozenset(column_names(one, "neutral").values()) for one in side}
        for side in (drawn, train)
    ]
    assert not heads[0] & heads[1]
    assert not {one.telling.setting for one in drawn} & {one.telling.setting for one in train}


@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_in_the_units_that_are_told(name: str) -> None:
    """A competent analyst, who sees told rows alone, has the same marks in any units."""
    challenge = CHALLENGES[name]
    for seed in range(3):
        twin = challenge.generate("trap", "telling", seed)
        world = untell_rows(twin.rows, twin.telling)
        plain = challenge.ground_truth("trap", twin.parameters, world)
        unit = twin.telling.unit
        for key, truth in plain.numbers().items():
            told = twin.numbers()[key]
            assert told.value == pytest.approx(unit * truth.value)
            assert told.se == pytest.approx(unit * truth.se, rel=0.01)
        for key, kept in plain.truths.items():
            if isinstance(kept, CategoricalTruth):
                assert twin.truths[key].value == kept.value
        assert grade_values(challenge.fields, twin, challenge.answer("competent", twin)).score > 0.2
