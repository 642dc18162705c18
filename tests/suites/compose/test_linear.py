from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import prod

import networkx
import numpy as np
import pytest
from evidence.compositions import LINEAR_PAIRS, linear_cycles, random_blocks

from whybench.scm import InvalidParameter
from whybench.scm.linear import NaturalEffects
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.linear import (
    LinearWorld,
    draw_linear_world,
    draw_noise,
    linear_values,
    natural_effects,
    product_effect,
    superposed_values,
    total_effect,
)

CYCLE, BRIDGE = Block("cycle", 3), Block("bridge", 2)
TRIANGLE = LinearWorld((CYCLE, BRIDGE), (2, 3, 5, 1))


def test_three_cycles() -> None:
    world = linear_cycles()
    assert tuple(world.edges) == (
        (0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 6)
    )  # fmt: skip
    for pair, effect in LINEAR_PAIRS.items():
        certificate = total_effect(world, *pair)
        assert certificate.value == product_effect(world, *pair).value == effect
        assert all(isinstance(value, Fraction) for _, value in certificate.derivations)


def test_the_triangle() -> None:
    assert natural_effects(TRIANGLE, 0, 2, through=1) == NaturalEffects(13, 3, 10)
    # A cutpoint takes all: nothing is left to be direct.
    assert natural_effects(TRIANGLE, 0, 3, through=2) == NaturalEffects(13, 0, 13)


@pytest.mark.parametrize("number", range(8))
def test_effects_are_sums_over_listed_paths_and_products_over_blocks(number: int) -> None:
    world = draw_linear_world(random_blocks("paths", number)[:3], number)
    weight = dict(zip(world.edges, world.weights, strict=True))
    graph = networkx.DiGraph(list(world.edges))
    for cause, effect in world.pairs:
        paths = list(networkx.all_simple_paths(graph, cause, effect))
        listed = sum(prod(weight[edge] for edge in pairwise(path)) for path in paths)
        assert listed != 0
        assert total_effect(world, cause, effect).value == listed
        assert product_effect(world, cause, effect).value == listed
        for through in world.mediators(cause, effect)[:2]:
            parts = natural_effects(world, cause, effect, through)
            carried = sum(
                prod(weight[edge] for edge in pairwise(path)) for path in paths if through in path
            )
            assert (parts.total, parts.indirect) == (listed, carried)
            assert parts.total == parts.direct + parts.indirect


@pytest.mark.parametrize("number", range(5))
def test_units_by_two_derivations(number: int) -> None:
    world = draw_linear_world(random_blocks("values", number)[:3], number)
    noise = draw_noise(world, 20, number)
    for made in (None, (world.root, 3), (world.cutpoints[0], -2)):
        values = linear_values(world, noise, made)
        assert (values == superposed_values(world, noise, made)).all()
    # On every unit, one more of the root is one total effect more of the leaf.
    up, down = (linear_values(world, noise, (world.root, x))[:, -1] for x in (5, 4))
    assert set(up - down) == {total_effect(world, world.root, world.leaf).value}


def test_a_unit_by_hand() -> None:
    # Noise 1, 2, 3, 4: node 1 = 2 + 2·1, node 2 = 3 + 3·1 + 5·4, node 3 = 4 + 26.
    noise = np.array([[1, 2, 3, 4]])
    assert linear_values(TRIANGLE, noise).tolist() == [[1, 4, 26, 30]]
    assert linear_values(TRIANGLE, noise, (1, 0)).tolist() == [[1, 0, 6, 10]]


def test_draws_belong_to_their_keys() -> None:
    assert draw_linear_world((CYCLE, BRIDGE), 1) == draw_linear_world((CYCLE, BRIDGE), 1)
    drawn = {draw_linear_world((CYCLE, BRIDGE), n).weights for n in range(40)}
    assert len(drawn) > 30
    assert {weight for weights in drawn for weight in weights} == {-3, -2, -1, 1, 2, 3}
    few, many = draw_noise(TRIANGLE, 10, "a"), draw_noise(TRIANGLE, 1000, "a")
    assert np.array_equal(few, many[:10])
    assert (many.min(), many.max()) == (-5, 5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ((2, -10, 5, 1), "total effect of 0 on 2 must be other than 0"),
        ((2, 3, 0, 1), "weights must be other than 0"),
        ((2, 3, 5), "weights must be one for each of 4 edges"),
    ],
)
def test_what_is_no_linear_world_is_refused(weights, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        LinearWorld((CYCLE, BRIDGE), weights)
