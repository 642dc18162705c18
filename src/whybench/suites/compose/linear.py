"""The linear variant: the same blocks, with weights on the arrows and numbers at the nodes.

Each node is its noise plus the weighted sum of its parents. Making a cause one larger changes an
effect by the *total effect*: over all directed paths from one to the other, the sum of the products
of weights. Every path from root to leaf passes each cutpoint, so the sum factors, and the total
effect is the product of the blocks' total effects: what PNS is to the worlds of gates.

>>> from whybench.suites.compose.blocks import Block
>>> cycles = (Block("cycle", 3), Block("bridge", 2))
>>> world = LinearWorld(cycles, (2, 3, 5, -1))
>>> world.edges
((0, 1), (0, 2), (1, 2), (2, 3))
>>> total_effect(world, 0, 2).value, total_effect(world, 0, 3).value
(Fraction(13, 1), Fraction(-13, 1))
>>> natural_effects(world, 0, 2, through=1)
NaturalEffects(total=Fraction(13, 1), direct=Fraction(3, 1), indirect=Fraction(10, 1))

An effect of 0 would make every product with it 0 and hide all other errors, so a world in which
paths cancel is refused. All numbers are exact: path sums and the solution of (I - B) x = e must
agree to the last digit, and a unit's numbers are integers wherever its weights and noise are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from whybench import scm
from whybench.scm import Certificate, InvalidParameter, LinearEffect, Model, agreed, certify
from whybench.seeds import generator
from whybench.suites.compose.chain import Chain, node_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.scm.linear import NaturalEffects
    from whybench.suites.compose.blocks import Block

__all__ = [
    "WEIGHTS",
    "LinearWorld",
    "draw_linear_world",
    "draw_noise",
    "linear_values",
    "natural_effects",
    "product_effect",
    "superposed_values",
    "total_effect",
]

WEIGHTS = (-3, -2, -1, 1, 2, 3)
"""The weights of random worlds."""

NOISE = 5
"""Random noise is a whole number from -NOISE to NOISE."""


@dataclass(frozen=True)
class LinearWorld(Chain):
    """Blocks in a row, with a weight on every arrow.

    Attributes:
        weights: One an edge, in the order of `edges`.

    Raises:
        InvalidGraph: Fewer than two blocks, so that there is no cutpoint.
        InvalidParameter: Not one weight an edge, a weight of 0, or a block without total effect.
    """

    weights: tuple[int | Fraction, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.weights) != len(self.edges):
            raise InvalidParameter(
                f"weights must be one for each of {len(self.edges)} edges, got {self.weights}"
            )
        if 0 in self.weights:
            raise InvalidParameter(f"weights must be other than 0, got {self.weights}")
        model = self.model()
        for first, last in pairwise(self.anchors):
            if scm.linear.path_effect(model, node_name(first), node_name(last)) == 0:
                raise InvalidParameter(
                    f"the total effect of {first} on {last} must be other than 0, "
                    f"got weights {self.weights}"
                )

    def incoming(self, node: int) -> tuple[Fraction, ...]:
        """Return the weights of the arrows into a node, in the order of `parents`."""
        return tuple(
            Fraction(weight)
            for (_, effect), weight in zip(self.edges, self.weights, strict=True)
            if effect == node
        )

    def model(self) -> Model:
        """Return the structural causal model, with fractions and no intercepts."""
        nodes = {node_name(v): scm.Linear(Fraction(0), self.incoming(v), 1) for v in self.nodes}
        return Model(self.graph, nodes)


def draw_linear_world(blocks: tuple[Block, ...], *keys: object) -> LinearWorld:
    """Return the world with these blocks that belongs to the keys.

    Weights are drawn evenly from ±1, ±2 and ±3, block by block, until a block has a total effect.
    """
    rng = generator("compose", "linear world", [str(block) for block in blocks], *keys)
    weights: list[int] = []
    for block in blocks:
        while True:
            block_weights = rng.choice(WEIGHTS, len(block.edges)).tolist()
            arriving = [1] + [0] * (block.size - 1)
            for (cause, effect), weight in zip(block.edges, block_weights, strict=True):
                arriving[effect] += weight * arriving[cause]
            if arriving[-1] != 0:
                break
        weights += block_weights
    return LinearWorld(blocks, tuple(weights))


def total_effect(world: LinearWorld, cause: int, effect: int) -> Certificate:
    """Return by how much `effect` changes when `cause` is made one larger: path sum and solve."""
    return certify(world.model(), LinearEffect(node_name(cause), node_name(effect)))


def product_effect(world: LinearWorld, cause: int, effect: int) -> Certificate:
    """Return the total effect between anchors as the product over blocks, against the solution."""
    model = world.model()
    between = world.blocks_between(cause, effect)
    stations = world.anchors[between.start : between.stop + 1]
    factors = [
        scm.linear.path_effect(model, node_name(first), node_name(last))
        for first, last in pairwise(stations)
    ]
    query = LinearEffect(node_name(cause), node_name(effect))
    solved = scm.linear.solved_effect(model, query.cause, query.effect)
    return agreed(
        str(query), ("block product", prod(factors, start=Fraction(1))), ("linear solve", solved)
    )


def natural_effects(world: LinearWorld, cause: int, effect: int, through: int) -> NaturalEffects:
    """Return the total effect and its natural direct and indirect parts, for one mediator.

    Raises:
        Disagreement: The parts do not add up to the total, or path sums differ from solutions.
    """
    pair = (node_name(cause), node_name(effect))
    model = world.model()
    effects = scm.linear.natural_effects(model, *pair, through=node_name(through))
    total = certify(model, LinearEffect(*pair))
    direct = certify(model, LinearEffect(*pair, holding=(node_name(through),)))
    agreed(
        total.query, ("direct + indirect", effects.direct + effects.indirect), total.derivations[1]
    )
    agreed(direct.query, ("direct", effects.direct), direct.derivations[1])
    return effects


def draw_noise(world: LinearWorld, count: int, *keys: object) -> NDArray[np.int64]:
    """Return the noise of `count` units, whole numbers from -5 to 5: units x nodes.

    Drawn unit by unit: the first units are the same however many are drawn.
    """
    rng = generator("compose", "linear noise", [str(block) for block in world.blocks], *keys)
    return rng.integers(-NOISE, NOISE, (count, world.size), endpoint=True)


def linear_values(
    world: LinearWorld, noise: NDArray[np.int64], do: tuple[int, int] | None = None
) -> NDArray[np.object_]:
    """Return the value of every node, node after node in causal order: units x nodes.

    Args:
        world: The world.
        noise: Units x nodes.
        do: A node and the number it is made; None for the actual world.
    """
    values = np.empty(noise.shape, dtype=object)
    for node in world.nodes:
        total = noise[:, node].astype(object)
        for parent, weight in zip(world.parents[node], world.incoming(node), strict=True):
            total = total + weight * values[:, parent]
        values[:, node] = total if do is None or do[0] != node else do[1]
    return values


def superposed_values(
    world: LinearWorld, noise: NDArray[np.int64], do: tuple[int, int] | None = None
) -> NDArray[np.object_]:
    """Return the same by superposition: each node is the sum of all noise times its total effect.

    Making a node some number adds, to whatever it acts on, its total effect times the change. The
    total effects are the entries of I + B + B² + …, a sum that ends, since paths do.
    """
    step = np.zeros((world.size, world.size), dtype=object)
    for (cause, effect), weight in zip(world.edges, world.weights, strict=True):
        step[cause, effect] = weight
    power = np.identity(world.size, dtype=int).astype(object)
    transfer = power
    for _ in world.nodes:
        power = power @ step
        transfer = transfer + power
    values: NDArray[np.object_] = noise.astype(object) @ transfer
    if do is not None:
        node, number = do
        values = values + np.outer(number - values[:, node], transfer[node])
    return values
