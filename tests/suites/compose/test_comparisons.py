"""Compositions against the truth and against the answered whole, by hand and on known agents."""

from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.compose.answer_arrays import AnswerArrays
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.comparisons import compare_compositions, resolution
from whybench.suites.compose.estimators import Sample
from whybench.suites.compose.truth import make_answer_key
from whybench.suites.compose.units import draw_units
from whybench.suites.compose.world import draw_world

PAIRS = ((0, 1), (0, 2), (1, 2))
PATH = (0, 1, 2)


def answered(said, true, weights=None, strata=None) -> AnswerArrays:
    """Answers whose effects are the lines of `said`: y0 is always no."""
    said, true = np.array(said, dtype=float), np.array(true, dtype=bool)
    sample = Sample.of(np.ones(len(said)) if weights is None else weights, strata)
    none = np.zeros_like(true)
    return AnswerArrays(PAIRS, said[None], np.zeros_like(said)[None], true, none, sample)


def compared(*args, **settings):
    (found,) = compare_compositions(answered(*args), [PATH], ("test",), resamples=200, **settings)
    return found


TRUE = [(1, 1, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0)] * 5
"""Half of the units follow in each step, a quarter in both: ¼ is the whole, and the product."""


def test_truth_is_valid_and_consistent() -> None:
    found = compared(TRUE, TRUE, None, [0, 1, 2, 3] * 5, delta=0.65)
    assert found.product.estimate == 0.25
    assert found.kind == "VC"
    for side in (found.valid, found.consistent):
        assert (side.ratio.low, side.ratio.high) == (0.0, 0.0)
        assert (side.agreement.estimate, side.agreement.low) == (1.0, 1.0)


def test_numbers_by_hand() -> None:
    # Said: steps as they are, the whole on twice as many units as is true.
    said = [(1, 1, 1), (1, 1, 0), (0, 0, 1), (0, 0, 0)] * 5
    found = compared(said, TRUE, None, [0, 1, 2, 3] * 5, delta=0.65)
    assert found.product.estimate == 0.25
    assert (found.valid.target, found.consistent.target) == (0.25, 0.5)
    assert found.consistent.difference.estimate == pytest.approx(-0.25)
    assert found.consistent.ratio.estimate == pytest.approx(-0.5)
    assert found.consistent.agreement.estimate == pytest.approx(0.5)
    assert found.valid.agreement.estimate == 1.0


def test_weights_count() -> None:
    # The stratum in which the whole is said too often has half of the population.
    said = [(1, 1, 1), (1, 1, 0), (0, 0, 1), (0, 0, 0)] * 5
    found = compared(said, TRUE, [1, 3, 1, 1] * 5, [0, 1, 2, 3] * 5, delta=0.65)
    assert found.consistent.target == pytest.approx(4 / 6)
    assert found.product.estimate == pytest.approx(4 / 6 * 2 / 6)
    assert found.consistent.agreement.estimate == pytest.approx(1 / 4)


def test_no_effect_is_not_consistent_but_undefined() -> None:
    found = compared(np.zeros((20, 3)), TRUE)
    assert found.valid.verdict == "no"
    assert found.consistent.verdict == "undefined"
    assert found.consistent.agreement.estimate is None
    assert found.kind == "undefined"


def test_few_epochs_are_flagged_where_they_bias() -> None:
    assert compared(TRUE, TRUE).flags == ("noise_biased",)
    assert compared(TRUE, TRUE, quantity="ate").flags == ()
    data = answered(TRUE, TRUE)
    thrice = AnswerArrays(
        PAIRS,
        np.repeat(data.y1, 3, 0),
        np.repeat(data.y0, 3, 0),
        data.true1,
        data.true0,
        data.sample,
    )
    (found,) = compare_compositions(thrice, [PATH], ("test",), resamples=20)
    assert found.flags == ()


def test_a_missing_answer_leaves_its_unit_out() -> None:
    said = np.array(TRUE, dtype=float)
    said[0] = np.nan
    found = compared(said, TRUE, None, [0, 1, 2, 3] * 5, delta=0.65)
    assert found.product.estimate == pytest.approx(0.25)
    assert found.consistent.ratio.estimate == 0.0


def test_resolution_by_hand() -> None:
    # 5 units with the whole, 15 without: an unseen rate of 3/15 adds 0.2·¾ to ¼, 60%; on the
    # units with it, 3/5 would take 60% away. A step has 10 and 10: 3/10.
    sample = Sample.of(np.ones(20))
    assert resolution(np.array(TRUE)[:, 1:2], sample) == pytest.approx(0.6)
    assert resolution(np.array(TRUE)[:, :1], sample) == pytest.approx(0.3)
    assert resolution(np.array(TRUE), sample) == pytest.approx(0.6)
    assert resolution(np.zeros((20, 1)), sample) == float("inf")


def test_too_few_units_leave_even_the_truth_open() -> None:
    found = compared(TRUE, TRUE, None, [0, 1, 2, 3] * 5)
    assert found.valid.resolution == pytest.approx(0.6)
    assert found.kind == "inconclusive"


def test_truths_of_whole_rounds_compose_without_error() -> None:
    world = draw_world((Block("cycle", 3),) * 3, "mixed", "test")
    units = draw_units(world, 64, "test")
    key = make_answer_key(world, units.bits)
    data = AnswerArrays(
        world.pairs,
        key.if_true[None].astype(float),
        key.if_false[None].astype(float),
        key.if_true,
        key.if_false,
        Sample.of(units.weights, units.strata),
    )
    for quantity in ("ate", "pns"):
        for found in compare_compositions(data, world.compositions, ("t",), quantity, resamples=50):
            assert (found.valid.ratio.low, found.valid.ratio.high) == (0.0, 0.0)
            assert (found.consistent.ratio.low, found.consistent.ratio.high) == (0.0, 0.0)


def test_shapes_are_checked() -> None:
    data = answered(TRUE, TRUE)
    with pytest.raises(ValueError, match=r"y1 must be epochs x 20 x 3, got \(20, 3\)"):
        AnswerArrays(PAIRS, data.y1[0], data.y0, data.true1, data.true0, data.sample)
    with pytest.raises(ValueError, match=r"true0 must be 20 x 3, got \(19, 3\)"):
        AnswerArrays(PAIRS, data.y1, data.y0, data.true1, data.true0[1:], data.sample)
