"""The number of units a verdict takes: closed forms, simulation, and wrong worlds."""

from __future__ import annotations

from itertools import pairwise
from math import prod

import numpy as np
import pytest
from evidence.compose_classes import make_queries
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import InvalidParameter
from whybench.seeds import generator
from whybench.suites.compose.agents import make_flip
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.comparisons import resolution
from whybench.suites.compose.estimators import Sample, unit_effects
from whybench.suites.compose.power import plan_units, units_needed, units_to_resolve
from whybench.suites.compose.profiles import (
    EffectProfile,
    anchor_pairs,
    coin_profile,
    composition_positions,
    flip_profile,
    majority_error,
    transmission_strata,
)
from whybench.suites.compose.truth import make_answer_key, population_pns
from whybench.suites.compose.units import draw_units
from whybench.suites.compose.world import ComposeWorld, draw_world
from whybench.suites.compose.wrong_worlds import (
    find_wrong_world,
    swap_gate,
    transmission_probabilities,
    wrong_world_profile,
)

PARTY = ComposeWorld(
    (Block("wheel", 4), Block("bridge", 2), Block("wheel", 4)), ("or",) * 8, (7,) * 8
)
MIXED = draw_world((Block("cycle", 3),) * 3, "mixed", "power")
BLOCKS = st.lists(st.floats(0.05, 0.95), min_size=2, max_size=4)


def test_strata_by_hand() -> None:
    weights, passes, follows = transmission_strata((0.5, 0.2))
    assert passes.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]
    assert weights == pytest.approx([0.4, 0.4, 0.1, 0.1])
    assert follows.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 1], [1, 1, 1]]


def test_strata_are_those_of_units() -> None:
    units = draw_units(MIXED, 64, "test")
    weights, _, follows = transmission_strata(transmission_probabilities(MIXED))
    assert (make_answer_key(MIXED, units.bits).indicators == follows[units.strata]).all()
    assert units.weights / len(weights) == pytest.approx(weights[units.strata])


def test_places_are_those_of_the_world() -> None:
    found = composition_positions(3)
    for (steps, whole), path in zip(found, MIXED.compositions, strict=True):
        assert [MIXED.pairs[step] for step in steps] == list(pairwise(path))
        assert MIXED.pairs[whole] == (MIXED.root, MIXED.leaf)


def test_the_majority_errs_less_from_three_epochs_on() -> None:
    for error in (0.01, 0.2):
        assert majority_error(error, 1) == pytest.approx(error)
        assert majority_error(error, 2) == pytest.approx(error)
        assert majority_error(error, 3) == pytest.approx(3 * error**2 - 2 * error**3)
    assert majority_error(0.5, 5) == pytest.approx(0.5)


def test_one_percent_of_flips_adds_a_third_to_the_party() -> None:
    # .99·(.99·q + .01·(1 - q)) for the whole q = 2187/78125, whose y1 is always true.
    whole = 2187 / 78125
    chances = transmission_probabilities(PARTY)
    assert chances == pytest.approx((27 / 125, 3 / 5, 27 / 125))
    profile = flip_profile(chances, 0.01)
    place = anchor_pairs(3).index((0, 3))
    assert profile.estimates[place] == pytest.approx(0.99 * (0.99 * whole + 0.01 * (1 - whole)))
    assert profile.estimates[place] / whole - 1 == pytest.approx(0.324, abs=0.001)


@given(BLOCKS)
def test_a_coin_has_a_quarter_of_everything(transmit: list[float]) -> None:
    profile = coin_profile(transmit)
    assert profile.estimates == pytest.approx(0.25)
    # Independent coins: variance 3/16 each, over 1/16; third moment 3/32 over 1/64.
    steps, place = composition_positions(len(transmit))[0]
    needed = units_needed(profile, steps, place)
    weights, _, _ = transmission_strata(transmit)
    assert needed.variance == pytest.approx(3 * 3 * len(weights) * np.sum(weights**2))
    assert needed.ratio == pytest.approx(-0.75)
    assert needed.verdict == "no"


@given(BLOCKS, st.floats(0.001, 0.01))
def test_a_narrower_margin_takes_more_units(transmit: list[float], error: float) -> None:
    steps, place = composition_positions(len(transmit))[-1]
    profile = flip_profile(transmit, error, 3)
    margins = (0.5, 0.25, 0.1, 0.05)
    needed = [units_needed(profile, steps, place, delta) for delta in margins]
    # Where the whole is tiny, even rare errors move it by more than the widest margin.
    verdicts = ["yes" if abs(needed[0].ratio) < delta else "no" for delta in margins]
    assert [each.verdict for each in needed] == verdicts
    units = [each.units for each in needed]
    assert all(number is None or number > 0 for number in units)  # None: just at the margin
    yes = [number or np.inf for number in units[: verdicts.count("yes")]]
    no = [number or np.inf for number in units[verdicts.count("yes") :]]
    assert yes == sorted(yes)
    assert no == sorted(no, reverse=True)


def test_rare_errors_move_a_whole_that_is_rarer_still() -> None:
    # A whole of 1/16³ is 1/4096; 0.0098 of errors, by a majority of three, add more than a half.
    steps, place = composition_positions(3)[-1]
    found = units_needed(flip_profile((1 / 16,) * 3, 0.0098, 3), steps, place, 0.5)
    assert majority_error(0.0098, 3) > 1 / 4096
    assert found.verdict == "no"
    assert units_needed(flip_profile((1 / 4,) * 3, 0.0098, 3), steps, place, 0.5).verdict == "yes"


def test_without_skewness_the_formula_is_the_textbooks() -> None:
    # Means of ½ have no third moment: two steps and the whole, each of variance ¼ over ¼.
    coin = coin_profile((0.5, 0.5))
    half = EffectProfile(
        coin.weights, 0 * coin.means + 0.5, coin.covariances * 4 / 3, 0 * coin.thirds
    )
    needed = units_needed(half, (0, 2), 1, delta=0.25, power=0.95)
    assert needed.variance == pytest.approx(3.0)
    # log(¼ / ½) is beyond the margin of log ¾, by log 3/2: 3·(2·1.959964 / log 3/2)².
    assert needed.units == int(np.ceil(3 * (2 * 1.959964 / np.log(1.5)) ** 2))
    # At a margin of 0.8 it is a yes, and log 5/2 away.
    assert units_needed(half, (0, 2), 1, delta=0.8, power=0.95).units == int(
        np.ceil(3 * (2 * 1.959964 / np.log(2.5)) ** 2)
    )
    # At a margin of one half it lies on the margin, and no number of units is enough.
    assert units_needed(half, (0, 2), 1, delta=0.5).units is None


def observed_profile(effects, sample: Sample) -> EffectProfile:
    """Return the profile of a run, from its effects, units x pairs."""
    weights, means, covariances, thirds = [], [], [], []
    for stratum in np.unique(sample.strata):
        rows = sample.strata == stratum
        mean = effects[rows].mean(axis=0)
        off = effects[rows] - mean
        weights.append(sample.weights[rows].sum())
        means.append(mean)
        covariances.append(np.cov(effects[rows].T))
        thirds.append(np.einsum("ni,nj,nk->ijk", off, off, off) / rows.sum())
    shares = np.array(weights) / np.sum(weights)
    return EffectProfile(shares, np.array(means), np.array(covariances), np.array(thirds))


def test_the_observed_profile_is_the_closed_one() -> None:
    units = draw_units(MIXED, 65_536, "pilot")
    key = make_answer_key(MIXED, units.bits)
    rng = generator("test", "pilot")
    y1, y0 = (
        make_flip(0.1)(asked, rng)
        for asked in make_queries(key.if_true, key.if_false, key.factual)[:2]
    )
    sample = Sample.of(units.weights, units.strata)
    seen = observed_profile(unit_effects(y1, y0, "pns"), sample)
    closed = flip_profile(transmission_probabilities(MIXED), 0.1)
    assert seen.weights == pytest.approx(closed.weights)
    for name in ("means", "covariances", "thirds"):
        assert getattr(seen, name) == pytest.approx(getattr(closed, name), abs=0.02)


def test_the_profile_of_another_world_is_that_of_its_answers() -> None:
    other = find_wrong_world(MIXED)
    units = draw_units(MIXED, 65_536, "pilot")
    sample = Sample.of(units.weights, units.strata)
    seen = observed_profile(make_answer_key(other, units.bits).indicators, sample)
    closed = wrong_world_profile(MIXED, other)
    for name in ("means", "covariances", "thirds"):
        assert getattr(seen, name) == pytest.approx(getattr(closed, name), abs=0.02)
    # In the population it is the truth of the other world.
    truths = [float(population_pns(other, *pair).value) for pair in MIXED.pairs]
    assert closed.estimates == pytest.approx(truths)


def test_its_own_world_is_no_other_world() -> None:
    closed = wrong_world_profile(MIXED, MIXED)
    assert closed.covariances == pytest.approx(0)
    assert closed.thirds == pytest.approx(0)
    with pytest.raises(InvalidParameter, match="other must have the blocks and thresholds"):
        wrong_world_profile(MIXED, PARTY)


def test_a_wrong_world_differs_in_one_gate_and_clearly() -> None:
    for world in (MIXED, PARTY):
        other = find_wrong_world(world)
        assert sum(a != b for a, b in zip(world.gates, other.gates, strict=True)) == 1
        one, two = prod(transmission_probabilities(world)), prod(transmission_probabilities(other))
        assert abs(one - two) / max(one, two) >= 0.25 * 1.5
    even = ComposeWorld((Block("bridge", 2),) * 2, ("or", "or", "or"), (6, 6, 6))
    with pytest.raises(InvalidParameter, match="must change the whole by 0.375 or more"):
        find_wrong_world(even)
    with pytest.raises(InvalidParameter, match="node must be from 1 to 2, got 0"):
        swap_gate(even, 0)


def test_of_the_clear_swaps_it_is_the_cheapest() -> None:
    # By hand: bridges of chances .6 and .9, whose swaps make them .4 and .1. The whole of .54 is
    # then .36 or .06; less 1/3 is not clear, and less 8/9 is.
    world = ComposeWorld((Block("bridge", 2),) * 2, ("or", "or", "or"), (6, 7, 10))
    assert transmission_probabilities(world) == pytest.approx((0.6, 0.9))
    assert find_wrong_world(world) == swap_gate(world, 2)
    # At a delta of 0.2 both are clear and take no units; then it is the clearer one.
    assert find_wrong_world(world, delta=0.2) == swap_gate(world, 2)

    def most(other: ComposeWorld) -> int:
        profile, whole = wrong_world_profile(MIXED, other), prod(transmission_probabilities(MIXED))
        return max(
            units_needed(profile, steps, target).units
            for steps, place in composition_positions(3)
            for target in (whole, place)
        )

    chosen = find_wrong_world(MIXED)
    others = [swap_gate(MIXED, node) for node in MIXED.nodes[1:]]
    one = prod(transmission_probabilities(MIXED))
    clear = [
        o
        for o in others
        if 1 - min(one, t := prod(transmission_probabilities(o))) / max(one, t) > 0.37
    ]
    assert len(clear) > 1
    assert most(chosen) == min(map(most, clear))


def test_an_exact_agent_needs_what_resolves() -> None:
    chances = transmission_probabilities(MIXED)
    steps, place = composition_positions(3)[0]
    assert units_needed(flip_profile(chances, 0.0), steps, place).units == 0
    least = -(-units_to_resolve(chances) // 8) * 8
    for units, fine in ((least, True), (least - 16, False)):
        drawn = draw_units(MIXED, units, "test")
        sample = Sample.of(drawn.weights, drawn.strata)
        shift = resolution(make_answer_key(MIXED, drawn.bits).indicators, sample)
        assert (shift <= 0.25) == fine


def test_no_effect_is_undefined_or_clearly_wrong() -> None:
    profile = flip_profile((0.5, 0.5), 0.0)
    silent = EffectProfile(profile.weights, 0 * profile.means, profile.covariances, profile.thirds)
    steps, place = composition_positions(2)[0]
    assert units_needed(silent, steps, place).verdict == "undefined"
    found = units_needed(silent, steps, 0.25)
    assert (found.units, found.ratio, found.verdict) == (0, -1.0, "no")


def test_a_plan_names_who_needs_most() -> None:
    found = plan_units(
        transmission_probabilities(MIXED), others={"other": wrong_world_profile(MIXED, MIXED)}
    )
    assert set(found.needs) == {"exact", "flip(0.05)", "coin", "other"}
    assert found.units == max(found.needs.values())
    # A narrower margin makes a yes dearer and a no cheaper.
    narrow = plan_units(transmission_probabilities(MIXED), delta=0.1)
    assert narrow.needs["exact"] > found.needs["exact"]
    assert narrow.needs["flip(0.05)"] > found.needs["flip(0.05)"]
    assert narrow.needs["coin"] < found.needs["coin"]
    # Two blocks of a quarter each: a coin's product is the true whole, a sixteenth.
    assert plan_units((0.25, 0.25)).flags == ("met_by_chance",)
    assert plan_units((0.7, 0.7)).flags == ()


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match=r"transmit must lie between 0 and 1, got \[0.5, 1.0\]"):
        transmission_strata((0.5, 1.0))
    with pytest.raises(ValueError, match="transmit must be for at most 5 blocks, got 6"):
        transmission_strata((0.5,) * 6)
    with pytest.raises(ValueError, match="epochs must be odd, so that there is no tie, got 2"):
        flip_profile((0.5, 0.5), 0.1, 2)
