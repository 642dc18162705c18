from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from evidence.compositions import THIRTY, cycles, random_blocks, weighted_estimates
from hypothesis import example, given, settings
from hypothesis import strategies as st

from whybench.scm import InvalidParameter, TooManyStates
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.truth import make_answer_key, population_pns
from whybench.suites.compose.units import BATCH, Units, draw_units, list_segments, round_size
from whybench.suites.compose.world import ComposeWorld, draw_world, make_block_table

MIXED = draw_world((Block("cycle", 3), Block("wheel", 4), Block("bridge", 2)), "mixed", 1)
LONG = draw_world(THIRTY, "mixed", 5)


def same(one: Units, other: Units) -> bool:
    names = ("bits", "counts", "strata", "weights", "factual_weights")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@given(start=st.integers(0, 2000), count=st.integers(0, 600))
@example(start=256, count=0)  # none, from the first of a batch
@settings(max_examples=settings.default.max_examples // 4)
def test_unit_i_is_the_same_however_many_are_drawn(start: int, count: int) -> None:
    every = draw_units(MIXED, 2600, "same")
    some = draw_units(MIXED, count, "same", start=start)
    part = slice(start, start + count)
    assert same(
        some,
        Units(
            MIXED,
            every.bits[part],
            every.counts[part],
            every.strata[part],
            every.weights[part],
            every.factual_weights[part],
        ),
    )


def test_units_belong_to_world_and_keys() -> None:
    assert same(draw_units(MIXED, 300, 1), draw_units(MIXED, 300, 1))
    assert not same(draw_units(MIXED, 300, 1), draw_units(MIXED, 300, 2))


@pytest.mark.parametrize("world", [MIXED, LONG, cycles("or"), cycles("and")])
def test_counts_say_the_bits(world: ComposeWorld) -> None:
    drawn = draw_units(world, 600, "counts")
    assert np.array_equal(drawn.counts >= np.array(world.thresholds), drawn.bits)
    assert drawn.counts.min() >= 1
    assert drawn.counts.max() <= 10
    for node, threshold in enumerate(world.thresholds):
        assert set(drawn.counts[:, node].tolist()) == set(range(1, 11)), (node, threshold)


@pytest.mark.parametrize("number", range(12))
def test_strata_tell_which_blocks_transmit_each_once_a_round(number: int) -> None:
    world = draw_world(random_blocks(number), "mixed", number)
    drawn = draw_units(world, BATCH, number)
    transmits = make_answer_key(world, drawn.bits).transmits
    size = round_size(world)
    assert size == 2 ** len(world.blocks)
    assert np.array_equal(transmits @ (1 << np.arange(len(world.blocks))), drawn.strata)
    rounds = drawn.strata.reshape(-1, size)
    assert (np.sort(rounds, axis=1) == np.arange(size)).all()
    # Two rounds together have each stratum with the root true and with the root false.
    code = (2 * drawn.strata + drawn.bits[:, 0]).reshape(-1, 2 * size)
    assert (np.sort(code, axis=1) == np.arange(2 * size)).all()


@pytest.mark.parametrize("number", range(12))
def test_in_whole_rounds_the_weighted_effects_are_those_of_the_population(number: int) -> None:
    world = draw_world(random_blocks("exact", number), ("or", "and", "mixed")[number % 3], number)
    drawn = draw_units(world, 3 * round_size(world), number)
    key = make_answer_key(world, drawn.bits)
    truths = [float(population_pns(world, *pair).value) for pair in world.pairs]
    assert drawn.weights.mean() == pytest.approx(1, abs=1e-12)
    assert drawn.weights @ key.indicators / len(drawn.bits) == pytest.approx(truths, abs=1e-12)
    effects = key.if_true.astype(int) - key.if_false
    assert drawn.weights @ effects / len(drawn.bits) == pytest.approx(truths, abs=1e-12)


@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_weighted_estimates_are_unbiased_at_any_number_of_units(gates) -> None:
    world = draw_world((Block("cycle", 3), Block("wheel", 4), Block("bridge", 2)), gates, 1)
    found = weighted_estimates(world, 53, 300)
    assert found.effects <= 3
    assert found.others <= found.bound


def test_bits_within_a_stratum_have_their_exact_conditional_chances() -> None:
    # All patterns of a block's bits, given that it does or does not transmit, against chi-square:
    # the 99.9% quantile of 7 degrees of freedom is 24.3.
    drawn = draw_units(MIXED, 40_000, "patterns")
    table = make_block_table(MIXED, 1)
    own = drawn.bits[:, 3:6] @ (1 << np.arange(3))
    for transmits in (True, False):
        rows = (drawn.strata >> 1 & 1 == 1) == transmits
        found = np.bincount(own[rows], minlength=8)
        weight = table.weight * (table.transmits == transmits)
        expected = weight / weight.sum() * rows.sum()
        assert (found[weight == 0] == 0).all()
        possible = weight > 0
        assert ((found - expected)[possible] ** 2 / expected[possible]).sum() < 24.3


def test_many_blocks_are_tied_to_five_stretches() -> None:
    assert [len(part) for part in list_segments(LONG)] == [2, 2, 3, 2, 3]
    assert [block for part in list_segments(LONG) for block in part] == list(range(12))
    assert round_size(LONG) == 32
    drawn = draw_units(LONG, 2 * BATCH, "long")
    transmits = make_answer_key(LONG, drawn.bits).transmits
    for place, part in enumerate(list_segments(LONG)):
        assert np.array_equal(transmits[:, list(part)].all(axis=1), drawn.strata >> place & 1 == 1)
    # One unit in 32 shows the effect of root on leaf, and the weights make it as rare as it is.
    whole = transmits.all(axis=1)
    assert whole.sum() == 2 * BATCH // 32
    truth = float(population_pns(LONG, LONG.root, LONG.leaf).value)
    assert drawn.weights[whole].sum() / len(whole) == pytest.approx(truth, rel=1e-12)


def test_blocks_of_a_failing_stretch_fail_as_often_as_they_should() -> None:
    drawn = draw_units(LONG, 200 * BATCH, "failing")
    part = list_segments(LONG)[2]
    transmits = make_answer_key(LONG, drawn.bits).transmits[:, list(part)]
    failing = drawn.strata >> 2 & 1 == 0
    chances = [
        float(table.probability(table.transmits))
        for table in (make_block_table(LONG, block) for block in part)
    ]
    states = list(product((False, True), repeat=3))[:-1]
    weight = np.array(
        [
            np.prod([c if s else 1 - c for c, s in zip(chances, state, strict=True)])
            for state in states
        ]
    )
    expected = weight / weight.sum() * failing.sum()
    found = [(transmits[failing] == state).all(axis=1).sum() for state in states]
    # The 99.9% quantile of chi-square with 6 degrees of freedom.
    assert ((found - expected) ** 2 / expected).sum() < 22.5


@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_a_constant_answer_has_half_the_balanced_accuracy(gates) -> None:
    for number in range(30):
        world = draw_world(random_blocks("balance", number), gates, number)
        key = make_answer_key(world, draw_units(world, 2 * round_size(world), number).bits)
        made = np.concatenate([key.if_true, key.if_false], axis=1)
        for truth in (key.factual, made):
            for answer in (True, False):
                right = [(truth[truth == label] == answer).mean() for label in (True, False)]
                assert np.mean(right) == 0.5


def test_refusals() -> None:
    with pytest.raises(InvalidParameter, match="count and start must be 0 or more, got -1 and 0"):
        draw_units(MIXED, -1, 0)
    blocks = (Block("cycle", 8),) * 15
    size = 15 * 7 + 1
    world = ComposeWorld(blocks, ("or",) * size, (8,) * size)
    with pytest.raises(TooManyStates, match="a segment must have at most 19 nodes, got the blocks"):
        draw_units(world, 1, 0)
    assert draw_units(MIXED, 0, 0).bits.shape == (0, MIXED.size)
