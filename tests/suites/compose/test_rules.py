"""The rules of the reference agents, on single questions and on arrays."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.compose_classes import make_queries

from whybench.scm import InvalidParameter
from whybench.seeds import generator
from whybench.suites.compose.agents import (
    Queries,
    answer_coin,
    answer_exact,
    make_constant,
    make_flip,
    make_local_only,
)
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.profiles import anchor_pairs
from whybench.suites.compose.truth import make_answer_key
from whybench.suites.compose.units import draw_units
from whybench.suites.compose.world import draw_world

WORLD = draw_world((Block("cycle", 3),) * 3, "mixed", "strategies")


def one(rule, truth, actual, span, blocks=3) -> bool:
    return bool(rule(Queries.of(truth, actual, span, blocks), generator("test", "one")))


def test_single_questions() -> None:
    for truth in (False, True):
        assert one(answer_exact, truth, not truth, 3) == truth
        assert one(make_flip(1), truth, truth, 1) == (not truth)
        assert one(make_flip(0), truth, truth, 1) == truth
        assert one(make_constant(truth), not truth, not truth, 2) == truth
        # All but the whole is right by default; with reach 1 single blocks only.
        assert one(make_local_only(), truth, not truth, 2) == truth
        assert one(make_local_only(), truth, not truth, 3) == (not truth)
        assert one(make_local_only(1), truth, not truth, 2) == (not truth)
        assert one(make_local_only(1), truth, not truth, 0) == truth


def test_chance_has_the_rate_it_should() -> None:
    asked = Queries.of(np.zeros(20_000), True, 1, 2)
    rng = generator("test", "rates")
    assert answer_coin(asked, rng).mean() == pytest.approx(0.5, abs=0.015)
    assert make_flip(0.1)(asked, rng).mean() == pytest.approx(0.1, abs=0.01)


def test_all_questions_about_units() -> None:
    key = make_answer_key(WORLD, draw_units(WORLD, 40, "test").bits)
    y1, y0, factual = make_queries(key.if_true, key.if_false, key.factual, epochs=3)
    assert y1.truth.shape == (3, 40, 6)
    assert factual.truth.shape == (3, 40, 3)
    assert (y0.truth[1] == key.if_false).all()
    assert (factual.span == 0).all()
    for place, (cause, effect) in enumerate(anchor_pairs(3)):
        assert WORLD.pairs[place] == (WORLD.anchors[cause], WORLD.anchors[effect])
        assert (y1.span[..., place] == effect - cause).all()
        assert (y1.actual[0, :, place] == key.factual[:, effect - 1]).all()


def test_arrays_and_single_questions_follow_the_same_rule() -> None:
    key = make_answer_key(WORLD, draw_units(WORLD, 10, "test").bits)
    asked, _, _ = make_queries(key.if_true, key.if_false, key.factual)
    for rule in (answer_exact, make_local_only(), make_local_only(1), make_constant(True)):
        found = rule(asked, generator("test"))
        for place in np.ndindex(found.shape):
            parts = (asked.truth[place], asked.actual[place], asked.span[place])
            assert found[place] == one(rule, *parts)


def test_beyond_its_reach_local_only_sees_no_effect() -> None:
    key = make_answer_key(WORLD, draw_units(WORLD, 64, "test").bits)
    made_true, made_false, _ = make_queries(key.if_true, key.if_false, key.factual)
    rule = make_local_only()
    y1, y0 = (rule(asked, generator("test")) for asked in (made_true, made_false))
    far = made_true.span[0, 0] == 3
    assert (y1 == y0)[..., far].all()
    assert (y1[0] == key.if_true)[:, ~far].all()


def test_parameters_are_checked() -> None:
    with pytest.raises(InvalidParameter, match=r"error must lie between 0 and 1, got 1.5"):
        make_flip(1.5)
    with pytest.raises(InvalidParameter, match="reach must be at least 1, got 0"):
        make_local_only(0)
