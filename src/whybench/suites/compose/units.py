"""Units: cases of a world, drawn so that effects are not rare, with weights that undo it.

Drawn as chance has it, most units of a long world show no effect of the root on the leaf, and a
thousand questions about it would be one question asked a thousand times. So units are *stratified*:
by which blocks transmit (2^k strata for k blocks, all equally frequent in the sample) and by the
bit of the root, which is the label of all factual questions as far as blocks transmit. A unit's
weight is the probability of its stratum over the share of the stratum in the sample. So weighted
means are unbiased for the population.

*Both labels.* In every round there is a unit on which all blocks transmit. On it the answer is yes
to every "if made true" and no to every "if made false"; over two rounds its factual answers are all
yes once and all no once. So both labels occur in both kinds of question, whatever the gates, and a
constant answer has a balanced accuracy of 50%. (The share of yes is another matter: where all gates
are or, "if made true" can only be answered with yes.)

*Rounds.* A round has each stratum of blocks once, in random order; the root's bit is random in the
first of two rounds and the opposite in the second. Whole rounds hold each stratum exactly as often
as they should: as the unit identity ties effects to strata, the weighted PNS of the units *is* that
of the population, without sampling error. Any other number of units is unbiased still, since the
order within a round is random.

*Weights.* No intervention on an anchor leaves the root's bit a say in what comes after. So
`weights` leave it out, and are constant within strata of blocks: they are for everything asked
about made causes. Factual answers depend on the bit, and have `factual_weights`, which are right
for all else too but vary more.

*Exactness.* What a block makes of its first node depends on the bits of its other nodes alone, as
all parents of these lie in it (see `block_tables`). Blocks share none of them, so given the stratum
they are independent, and a block's bits are a draw among the patterns on which it does, or does
not, transmit, each with its own probability: a whole number over a power of ten. They are drawn by
whole numbers, without rounding.

*Many blocks.* 2^12 strata would leave one unit in 4096 with an effect of root on leaf. With more
than five blocks, neighbouring ones are tied to five *stretches* as even as can be, and strata tell
which stretches transmit from end to end: at most 32. In a stretch that does not, the first block
that fails is drawn with its exact probability, and the blocks behind it as chance has it.

*Sameness.* Units are made in sheets of 256, each from a generator of its own: unit i is the same
however many are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import InvalidParameter, TooManyStates
from whybench.seeds import generator
from whybench.suites.compose.block_tables import BlockTable, block_table
from whybench.suites.compose.world import COUNTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.compose.world import World

__all__ = ["SHEET", "STRETCHES", "Units", "round_size", "stretches", "units_of"]

STRETCHES = 5
"""The most parts of a world that strata tell apart."""

SHEET = 256
"""How many units are drawn together; a whole number of pairs of rounds."""

LARGEST_STRETCH = 18
"""A stretch with more nodes behind its first has probabilities beyond 64-bit whole numbers."""


@dataclass(frozen=True, eq=False)
class Units:
    """Units of a world.

    Attributes:
        world: The world.
        bits: Units x nodes.
        counts: Units x nodes, from 1 to 10; the bit is whether the threshold is reached.
        strata: Which stretches transmit: the first is the lowest binary digit.
        weights: Probability of the stratum over its share, for questions about made causes.
        factual_weights: The same with the root's bit, for anything.
    """

    world: World
    bits: NDArray[np.bool_]
    counts: NDArray[np.int64]
    strata: NDArray[np.intp]
    weights: NDArray[np.float64]
    factual_weights: NDArray[np.float64]


@lru_cache(maxsize=4096)
def stretches(world: World) -> tuple[range, ...]:
    """Return the blocks of each stretch: one, unless there are more than five blocks."""
    blocks, parts = len(world.blocks), min(len(world.blocks), STRETCHES)
    ends = [blocks * part // parts for part in range(parts + 1)]
    return tuple(range(ends[part], ends[part + 1]) for part in range(parts))


def round_size(world: World) -> int:
    """Return the number of units in a round, which is that of strata."""
    return 1 << len(stretches(world))


def units_of(world: World, count: int, *keys: object, start: int = 0) -> Units:
    """Return so many units of a world, from the one numbered `start`.

    Args:
        world: The world.
        count: How many.
        *keys: What the draw belongs to, as in `seeds.generator`.
        start: The number of the first.

    Raises:
        InvalidParameter: `count` or `start` is negative.
        TooManyStates: A block has more than 17 nodes, or a stretch more than 19.
    """
    if count < 0 or start < 0:
        raise InvalidParameter(f"count and start must be 0 or more, got {count} and {start}")
    first, last = start // SHEET, max(start + count - 1, 0) // SHEET
    sheets = [_sheet(world, number, keys) for number in range(first, last + 1)]
    kept = slice(start - first * SHEET, start - first * SHEET + count)
    bits, counts, strata = (np.concatenate(parts)[kept] for parts in zip(*sheets, strict=True))
    weights = _stratum_weights(world)[strata]
    root = float(world.chance(world.root))
    factual = weights * np.where(bits[:, world.root], 2 * root, 2 * (1 - root))
    return Units(world, bits, counts, strata, weights, factual)


def _sheet(
    world: World, number: int, keys: tuple[object, ...]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.intp]]:
    """Draw the bits, counts and strata of 256 units."""
    rng = generator("compose", "units", world.text, *keys, number)
    size = round_size(world)
    rounds = SHEET // size
    order = rng.permuted(np.tile(np.arange(size), (rounds, 1)), axis=1)
    root = rng.integers(0, 2, (rounds // 2, size)) == 1
    both = np.stack([root, ~root], axis=1).reshape(rounds, size)
    strata = order.ravel()
    bits = np.empty((SHEET, world.size), dtype=np.bool_)
    bits[:, world.root] = np.take_along_axis(both, order, axis=1).ravel()
    for place, stretch in enumerate(stretches(world)):
        passing = (strata >> place & 1) == 1
        transmits = _transmitting(world, stretch, passing, rng)
        for block, state in zip(stretch, transmits.T, strict=True):
            inside = slice(world.anchors[block] + 1, world.anchors[block + 1] + 1)
            bits[:, inside] = _patterns(block_table(world, block), state, rng)
    thresholds = np.array(world.thresholds)
    low, high = np.where(bits, thresholds, 1), np.where(bits, COUNTS, thresholds - 1)
    return bits, rng.integers(low, high, endpoint=True), strata


FREE = -1
"""The state of a block whose bits chance decides alone; else 1 if it transmits, 0 if not."""


def _transmitting(
    world: World, stretch: range, passing: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int8]:
    """Draw the states of the blocks of a stretch, given whether it transmits: units x blocks."""
    states = np.ones((len(passing), len(stretch)), dtype=np.int8)
    # Weight of "the first block that fails is this one", in units of the product of all totals.
    tables = [block_table(world, block) for block in stretch]
    if sum(len(table.weight).bit_length() - 1 for table in tables) > LARGEST_STRETCH:
        raise TooManyStates(
            f"a stretch must have at most {LARGEST_STRETCH + 1} nodes, got the blocks "
            f"{', '.join(str(world.blocks[block]) for block in stretch)}"
        )
    yes = [int(table.weight[table.transmits].sum()) for table in tables]
    totals = [table.total for table in tables]
    failing = [
        prod(yes[:place]) * (totals[place] - yes[place]) * prod(totals[place + 1 :])
        for place in range(len(tables))
    ]
    edges = np.array(list(accumulate(failing)), dtype=np.int64)
    rows = np.flatnonzero(~passing)
    first = np.searchsorted(edges, rng.integers(0, edges[-1], len(rows)), side="right")
    behind = np.arange(len(stretch)) - first[:, None]
    states[rows] = np.select([behind < 0, behind == 0], [1, 0], FREE)
    return states


def _patterns(
    table: BlockTable, state: NDArray[np.int8], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draw the bits of a block given its state: units x nodes behind its first."""
    pattern = np.empty(len(state), dtype=np.intp)
    for value, among in ((1, table.transmits), (0, ~table.transmits), (FREE, None)):
        rows = np.flatnonzero(state == value)
        if rows.size:
            edges = np.cumsum(table.weight if among is None else table.weight * among)
            drawn = rng.integers(0, edges[-1], rows.size)
            pattern[rows] = np.searchsorted(edges, drawn, side="right")
    digits = np.arange(len(table.weight).bit_length() - 1)
    bits: NDArray[np.bool_] = (pattern[:, None] >> digits & 1) == 1
    return bits


@lru_cache(maxsize=4096)
def _stratum_weights(world: World) -> NDArray[np.float64]:
    """Return the probability of each stratum over its share, which is the same for all."""
    chances = [
        prod((table.probability(table.transmits) for table in tables), start=Fraction(1))
        for tables in ([block_table(world, block) for block in part] for part in stretches(world))
    ]
    return np.array(
        [
            float(
                prod(
                    2 * (chance if stratum >> place & 1 else 1 - chance)
                    for place, chance in enumerate(chances)
                )
            )
            for stratum in range(round_size(world))
        ]
    )
