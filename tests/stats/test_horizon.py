"""The horizon: the curve, its posterior, and recovery of known agents."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.numerals import ABOVE, BELOW, MEDIAN_ABOVE, MEDIAN_BELOW
from whybench.stats.horizon import RISES, HorizonFit

DEPTHS = np.array([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48], dtype=float)
GUESS = 1 / 8


def fit(chances: np.ndarray, each: int, seed: int = 0) -> HorizonFit:
    rng = np.random.default_rng(seed)
    depths = np.repeat(DEPTHS, each)
    return HorizonFit(depths, rng.random(depths.size) < np.repeat(chances, each), GUESS)


def readers(rules: int) -> np.ndarray:
    return np.where(rules >= DEPTHS, 1.0, GUESS)


def slips(rate: float) -> np.ndarray:
    return GUESS + (1 - GUESS) * (1 - rate) ** DEPTHS


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_slips_have_the_horizon_that_follows_from_their_rate(rate: float) -> None:
    true = np.log(0.5) / np.log(1 - rate)
    found = fit(slips(rate), 100, seed=1).estimate()
    assert found.low < true < found.high
    assert found.estimate == pytest.approx(true, rel=0.2)


@pytest.mark.parametrize("place", range(len(DEPTHS) - 1))
def test_readers_lie_between_what_they_know_and_the_next_depth(place: int) -> None:
    found = fit(readers(int(DEPTHS[place])), 40).estimate()
    assert DEPTHS[place] * 0.95 <= found.estimate <= DEPTHS[place + 1]


def test_lapses_count_towards_the_horizon() -> None:
    steady = fit(slips(0.1), 100).estimate().estimate
    lapsing = fit(0.7 * slips(0.1) + 0.3 * GUESS, 100)
    # 0.7 * 0.9^d = 0.5
    true = np.log(0.5 / 0.7) / np.log(0.9)
    assert lapsing.estimate().low < true < lapsing.estimate().high < steady
    assert lapsing.estimate_lapses().low <= 0.3 <= lapsing.estimate_lapses().high


def test_horizons_beyond_the_depths_are_flagged_and_not_made_up() -> None:
    exact, guesser = fit(np.ones(DEPTHS.size), 8), fit(np.full(DEPTHS.size, GUESS), 8)
    assert exact.estimate().estimate == DEPTHS[-1]
    assert exact.estimate().flags == (ABOVE,)
    assert guesser.estimate().estimate == DEPTHS[0]
    assert guesser.estimate().flags == (BELOW,)


def test_an_agent_that_is_wrong_half_of_the_time_has_no_horizon() -> None:
    assert fit(np.full(DEPTHS.size, 0.4), 100).estimate().flags == (BELOW,)


def test_success_that_rises_with_depth_is_flagged() -> None:
    rising = np.where(DEPTHS > 6, 0.9, GUESS)
    gap = np.where((DEPTHS > 2) & (DEPTHS < 16), GUESS, 0.95)
    for chances in (rising, gap):
        assert RISES in fit(chances, 8).estimate().flags


@pytest.mark.parametrize("chances", [np.ones(11), np.full(11, GUESS), slips(0.1), readers(4)])
def test_success_that_does_not_rise_is_rarely_flagged(chances) -> None:
    flagged = [RISES in fit(chances, 8, seed).estimate().flags for seed in range(40)]
    assert sum(flagged) <= 2


def test_nothing_asked_is_undefined() -> None:
    nothing = HorizonFit(np.array([]), np.array([], dtype=bool), GUESS)
    assert nothing.estimate().estimate is None
    assert nothing.estimate_lapses().flags == ("undefined",)
    assert nothing.compare(fit(readers(3), 4)).estimate is None


def test_the_posterior_is_that_of_a_sum_in_the_open() -> None:
    from whybench.stats import horizon

    found = fit(readers(4), 3, seed=5)
    points = [
        (scale, steep, lapse, 0.8**number)
        for scale in horizon.SCALES
        for steep in horizon.STEEPNESSES
        for number, lapse in enumerate(horizon.LAPSES)
    ]
    weights = []
    for scale, steep, lapse, prior in points:
        weight = prior
        for depth, right in zip(found.depths, found.right, strict=True):
            chance = GUESS + (1 - GUESS) * (1 - lapse) * 2 ** -((depth / scale) ** steep)
            weight *= max(chance, 1e-6) if right else max(1 - chance, 1e-6)
        weights.append(weight)
    assert found.posterior == pytest.approx(np.array(weights) / sum(weights), rel=1e-4, abs=1e-12)


answers = st.lists(
    st.tuples(st.sampled_from(DEPTHS.tolist()), st.booleans()), min_size=1, max_size=40
)


def of_answers(given_: list[tuple[float, bool]]) -> HorizonFit:
    depths, right = zip(*given_, strict=True)
    return HorizonFit(np.array(depths), np.array(right), GUESS)


@given(answers, answers)
def test_comparisons_are_antisymmetric(first, second) -> None:
    one, two = of_answers(first), of_answers(second)
    forth, back = one.compare(two), two.compare(one)
    assert forth.estimate == pytest.approx(-back.estimate, abs=0.021)
    assert forth.low == pytest.approx(-back.high, abs=0.021)
    gap, opposite = one.subtract(two), two.subtract(one)
    assert gap.p == pytest.approx(opposite.p)
    assert gap.estimate.estimate == pytest.approx(-opposite.estimate.estimate, abs=0.5)
    assert (gap.p < 0.05) == (gap.estimate.low > 0 or gap.estimate.high < 0)
    assert one.subtract(one).p > 0.9


def test_a_median_beyond_the_depths_is_flagged_if_the_interval_reaches_into_them() -> None:
    found = {share: fit(np.full(DEPTHS.size, share), 8).estimate() for share in (0.74, 0.47)}
    assert found[0.74].flags == (MEDIAN_ABOVE,)
    assert found[0.74].low < found[0.74].estimate == DEPTHS[-1]
    assert found[0.47].flags == (MEDIAN_BELOW,)
    assert found[0.47].high > found[0.47].estimate == DEPTHS[0]


@given(answers)
def test_the_order_of_answers_does_not_matter(given_) -> None:
    assert of_answers(given_).estimate() == of_answers(given_[::-1]).estimate()


@given(answers)
def test_the_fitted_curve_falls_with_depth(given_) -> None:
    curve = of_answers(given_).curve(DEPTHS.tolist())
    for ends in zip(*(point[1:] for point in curve), strict=True):
        assert all(one >= other - 1e-12 for one, other in pairwise(ends))
        assert GUESS <= min(ends) <= max(ends) <= 1
    assert all(point.low <= point.high for point in curve)


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.2])
def test_the_fitted_curve_contains_the_shares_of_slips(rate: float) -> None:
    curve = fit(slips(rate), 100, seed=1).curve(DEPTHS.tolist())
    for point, share in zip(curve, slips(rate), strict=True):
        assert point.low - 0.02 < share < point.high + 0.02
        assert point.share == pytest.approx(share, abs=0.06)
