"""Worlds: what follows from columns told once, by hand and as laws of all challenges."""

from __future__ import annotations

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import Event, Query, probability
from whybench.seeds import generator
from whybench.suites.analyze import columns, world
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.columns import assigned, binary, derived, real, spread, within
from whybench.suites.analyze.effects import contrast, increase
from whybench.suites.analyze.world import World

BOTH = [(name, variant) for name, entry in CHALLENGES.items() for variant in entry.variants]
RETOLD = [(name, v) for name, entry in CHALLENGES.items() for v in entry.retold]
MEDIATED = World(
    (
        assigned("treatment", time=0),
        real("mediator", lambda treatment: 2 * treatment, time=1),
        real("outcome", lambda treatment, mediator: 3 * treatment + 5 * mediator, time=2),
    )
)


@pytest.mark.parametrize("module", [columns, world])
def test_the_words_of_the_modules_hold(module: object) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_causes_are_the_arguments_of_a_mechanism() -> None:
    assert MEDIATED.graph.edges == (
        ("treatment", "mediator"),
        ("treatment", "outcome"),
        ("mediator", "outcome"),
    )
    with pytest.raises(ValueError, match="causes of effect must be earlier columns"):
        World((real("effect", lambda cause: cause), real("cause")))


def test_columns_have_the_same_noise_whatever_others_there_are() -> None:
    one, other = real("one", time=0), real("other", time=0)
    noises = [
        World(columns).draw_noise(5, generator("noise"))
        for columns in ((one,), (one, other), (other, one))
    ]
    assert all(np.array_equal(noise["one"], noises[0]["one"]) for noise in noises)
    assert np.array_equal(noises[1]["other"], noises[2]["other"])
    assert not np.array_equal(noises[1]["one"], noises[1]["other"])


def test_there_are_as_many_rows_as_are_asked_for_whoever_is_selected() -> None:
    world = World(
        (real("score", time=0), binary("selected", lambda score: score > 1)), selected="selected"
    )
    rows = world.draw_rows(500, ("score",), generator("few"))
    assert len(rows["score"]) == 500
    assert rows["score"].min() >= 1


def test_units_are_the_same_whatever_is_done_to_them() -> None:
    noise = MEDIATED.draw_noise(50, generator("units"))
    seen, done = MEDIATED.respond(noise), MEDIATED.respond(noise, {"mediator": 7})
    assert np.array_equal(seen["treatment"], done["treatment"])
    assert np.all(done["mediator"] == 7)
    assert np.allclose(seen["outcome"] - 5 * seen["mediator"], done["outcome"] - 35)
    # The mediator as it would be without treatment, in treated units.
    crossed = MEDIATED.respond(noise, {"treatment": 1, "mediator": {"treatment": 0}})
    assert np.allclose(crossed["mediator"], noise["mediator"])
    assert np.all(crossed["treatment"] == 1)


def test_effects_through_and_past_a_mediator_by_hand() -> None:
    past = {"treatment": 1, "mediator": {"treatment": 0}}
    found = {
        "total": increase("treatment"),
        "direct": contrast(past, {"treatment": 0}),
        "indirect": contrast({"treatment": 1}, past),
    }
    values = {name: MEDIATED.find_effect(effect)[1] for name, effect in found.items()}
    assert values == pytest.approx({"total": 13, "direct": 3, "indirect": 10})


def test_an_effect_that_differs_between_units_is_not_read_off_one() -> None:
    world = World((real("age"), real("outcome", lambda age, dose=0: age * dose, causes=("age",))))
    assert world.find_effect(increase("age"))[1] == 0
    mixed = World((real("age"), assigned("dose"), real("outcome", lambda age, dose: age * dose)))
    with pytest.raises(ValueError, match="must be the same for every unit"):
        mixed.find_effect(increase("dose"))


def test_only_selected_units_are_in_the_table_and_only_what_was_measured() -> None:
    world = World(
        (
            within("age", 20, 29, time=0),
            real("hidden"),
            derived("old", lambda age: 1 * (age > 24), "binary"),
        ),
        selected="old",
    )
    rows = world.draw_rows(400, ("age",), generator("selected"))
    assert list(rows) == ["age"]
    assert set(rows["age"].tolist()) == {25, 26, 27, 28, 29}
    assert [column.measured for column in world.data_columns(("age",))] == [0]
    with pytest.raises(ValueError, match="columns shown must be"):
        world.data_columns(("age", "hidden"))


def test_what_is_spread_is_laid_out_evenly() -> None:
    week = World((spread("week", 4, time=0),))
    assert week.draw_rows(12, ("week",), generator())["week"].tolist() == [
        *(1, 1, 1),
        *(2, 2, 2),
        *(3, 3, 3),
        *(4, 4, 4),
    ]


CHANCES = st.floats(0.05, 0.95)


@given(CHANCES, st.tuples(CHANCES, CHANCES), st.lists(CHANCES, min_size=4, max_size=4))
def test_a_world_told_in_another_order_has_the_same_chances(
    start: float, first: tuple[float, float], second: list[float]
) -> None:
    by_start, by_both = np.array(first), np.array(second).reshape(2, 2)
    told = World(
        (
            binary("start", start),
            binary("first", lambda start: by_start[start]),
            binary("second", lambda start, first: by_both[start, first]),
        )
    )
    turned = told.turn("first", "second", time=9)
    assert [column.role for column in turned.columns] == ["start", "second", "first"]
    assert turned.by_role["first"].causes == ("start", "second")
    models = [one.model(tuple(one.by_role)) for one in (told, turned)]
    for values in np.ndindex(2, 2, 2):
        seen = Query(tuple(map(Event, ("start", "first", "second"), values)))
        one, other = (probability(model, seen) for model in models)
        assert one == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_no_cause_is_measured_after_its_effect(name: str, variant: str) -> None:
    challenge = CHALLENGES[name]
    drawn = challenge.generate(variant, "tests", 0)
    told = challenge.world(variant, drawn.parameters)
    for column in told.columns:
        for cause in column.causes:
            times = told.by_role[cause].time, column.time
            assert None in times or times[0] <= times[1], (cause, column.role)


@pytest.mark.parametrize(("name", "variant"), RETOLD)
def test_what_is_retold_would_be_seen_as_often(name: str, variant: str) -> None:
    """Rows of the trap could be rows of the other world: means, spreads and correlations agree."""
    challenge = CHALLENGES[name]
    at = challenge.generate("trap", "tests", 0).parameters
    seen = []
    for which in ("trap", variant):
        told = challenge.world(which, at)
        rows = told.draw_rows(200_000, challenge.shown, generator("retold", which))
        seen.append(np.array([rows[role] for role in challenge.shown], dtype=float))
    spread_of = seen[0].std(axis=1)
    assert np.max(np.abs(seen[0].mean(axis=1) - seen[1].mean(axis=1)) / spread_of) < 0.02
    assert np.max(np.abs(seen[0].std(axis=1) / seen[1].std(axis=1) - 1)) < 0.02
    assert np.max(np.abs(np.corrcoef(seen[0]) - np.corrcoef(seen[1]))) < 0.02
