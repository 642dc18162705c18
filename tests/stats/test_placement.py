"""Placement: rounds within their limits, and an end once the horizon is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.stats.horizon import HorizonFit
from whybench.stats.placement import END_LEAST, FIRST_EACH, ROUND, Placement, expect_questions

DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
PLACEMENT = Placement(DEPTHS, 1 / 8, most=96, each=24)


def ask(chances: np.ndarray, seed: int = 0, placement: Placement = PLACEMENT) -> HorizonFit:
    """Return the fit of an agent that was asked to the end."""
    rng = np.random.default_rng(seed)
    asked, right = (np.zeros(len(DEPTHS), dtype=int) for _ in range(2))
    while any(number := placement.next_round(asked.tolist(), right.tolist())):
        right += rng.binomial(number, chances)
        asked += number
    return HorizonFit.of_counts(DEPTHS, asked.tolist(), right.tolist(), placement.guess)


def test_the_first_round_asks_every_depth_alike() -> None:
    none = [0] * len(DEPTHS)
    assert PLACEMENT.next_round(none, none) == [FIRST_EACH] * len(DEPTHS)
    few = replace(PLACEMENT, most=5).next_round(none, none)
    assert few == [1] * 5 + [0] * 6


counts = st.lists(
    st.integers(0, 24).flatmap(lambda asked: st.tuples(st.just(asked), st.integers(0, asked))),
    min_size=len(DEPTHS),
    max_size=len(DEPTHS),
)


@given(counts, st.integers(0, 300))
def test_rounds_keep_their_limits(answers: list[tuple[int, int]], most: int) -> None:
    asked, right = ([one[place] for one in answers] for place in (0, 1))
    number = replace(PLACEMENT, most=most).next_round(asked, right)
    first = not any(asked)
    assert min(number) >= 0
    assert sum(number) <= max(0, min(most - sum(asked), FIRST_EACH * 11 if first else ROUND))
    assert all(old + new <= 24 for old, new in zip(asked, number, strict=True))
    assert number == replace(PLACEMENT, most=most).next_round(asked, right)


@pytest.mark.parametrize("place", range(2, 10))
def test_later_rounds_go_to_the_depths_at_which_a_reader_fails(place: int) -> None:
    asked = [FIRST_EACH] * len(DEPTHS)
    right = [FIRST_EACH if number <= place else 0 for number in range(len(DEPTHS))]
    number = PLACEMENT.next_round(asked, right)
    assert sum(number[place - 1 : place + 3]) >= 0.6 * sum(number) > 0


@pytest.mark.parametrize("chances", [np.ones(11), np.full(11, 1 / 8)])
def test_an_end_of_the_depths_is_asked_before_the_horizon_is_placed_beyond_it(chances) -> None:
    fit = ask(chances)
    end = DEPTHS[-1] if chances[0] == 1 else DEPTHS[0]
    assert np.sum(fit.depths == end) >= END_LEAST
    assert fit.depths.size < 60


def test_a_reader_is_asked_few_questions_and_an_agent_that_slips_all() -> None:
    depths = np.array(DEPTHS)
    reader = ask(np.where(depths <= 6, 1.0, 1 / 8))
    assert 6 <= reader.estimate().estimate <= 8
    assert reader.depths.size < 60
    slips = ask(1 / 8 + 7 / 8 * 0.9**depths)
    assert slips.depths.size == PLACEMENT.most


def test_without_free_questions_at_a_depth_others_are_asked() -> None:
    fit = ask(np.full(11, 0.6), placement=replace(PLACEMENT, each=3))
    assert np.bincount(fit.depths.astype(int)).max() <= 3


def test_information_is_largest_where_success_is_uncertain() -> None:
    fit = HorizonFit.of_counts(DEPTHS, [6] * 11, [6] * 5 + [0] * 6, 1 / 8)
    gains = fit.information(DEPTHS)
    assert DEPTHS[int(np.argmax(gains))] in (6, 8)
    assert gains[0] < 0.1 * gains.max()
    assert np.all(gains > -1e-9)


def test_the_expected_number_of_questions_lies_between_two_rounds_and_the_most() -> None:
    assert 22 < expect_questions(PLACEMENT) < 96
    assert expect_questions(replace(PLACEMENT, most=22)) == 22
