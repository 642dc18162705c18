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
all parents of these lie in it (see `world.BlockTable`). Blocks share none of them, so given the
stratum they are independent, and a block's bits are a draw among the patterns on which it does, or
does not, transmit, each with its own probability: a whole number over a power of ten. They are
drawn by whole numbers, without rounding.

*Many blocks.* 2^12 strata would leave one unit in 4096 with an effect of root on leaf. With more
than five blocks, neighbouring ones are tied to five *segments* as even as can be, and strata tell
which segments transmit from end to end: at most 32. In a segment that does not, the first block
that fails is drawn with its exact probability, and the blocks behind it as chance has it.

*Sameness.* Units are drawn in batches of 256, each from a generator of its own: unit i is the same
however many are drawn.

*Worlds.* Which worlds there are to draw units of, a design says by their shape, or by name. A shape
is written as its blocks in a row, `cycle3+bridge+wheel4`; the number is that of nodes, both ends
included, and a bridge needs none. For every shape and kind of gates there is an endless series of
random worlds. Worlds with a name have fixed thresholds, and are therefore for testing only:

| name | blocks | thresholds |
|---|---|---|
| `party` | wheel4+bridge+ladder4 | 7 everywhere, so that a bit is true with probability 0.4 |

Records keep a world as its text (`ComposeWorld.text`), from which `parse_world` makes it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, cast

import numpy as np

from whybench.scm import InvalidParameter, ScmError, TooManyStates
from whybench.seeds import generator
from whybench.suites.compose.blocks import Block, Kind, find_blocks
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.world import (
    COUNTS,
    NAMED,
    BlockTable,
    ComposeWorld,
    Gate,
    Gates,
    draw_world,
    make_block_table,
)
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.seeds import Split

__all__ = [
    "BATCH",
    "NAMED",
    "SEGMENTS",
    "Units",
    "check_kinds",
    "draw_units",
    "list_segments",
    "make_world",
    "parse_shape",
    "parse_world",
    "round_size",
]


SEGMENTS = 5
"""The most parts of a world that strata tell apart."""

BATCH = 256
"""How many units are drawn together; a whole number of pairs of rounds."""

LARGEST_SEGMENT = 18
"""A segment with more nodes behind its first has probabilities beyond 64-bit whole numbers."""


@dataclass(frozen=True, eq=False)
class Units:
    """Units of a world.

    Attributes:
        world: The world.
        bits: Units x nodes.
        counts: Units x nodes, from 1 to 10; the bit is whether the threshold is reached.
        strata: Which segments transmit: the first is the lowest binary digit.
        weights: Probability of the stratum over its share, for questions about made causes.
        factual_weights: The same with the root's bit, for anything.
    """

    world: ComposeWorld
    bits: NDArray[np.bool_]
    counts: NDArray[np.int64]
    strata: NDArray[np.intp]
    weights: NDArray[np.float64]
    factual_weights: NDArray[np.float64]


@lru_cache(maxsize=4096)
def list_segments(world: ComposeWorld) -> tuple[range, ...]:
    """Return the blocks of each segment: one, unless there are more than five blocks."""
    blocks, parts = len(world.blocks), min(len(world.blocks), SEGMENTS)
    ends = [blocks * part // parts for part in range(parts + 1)]
    return tuple(range(ends[part], ends[part + 1]) for part in range(parts))


def round_size(world: ComposeWorld) -> int:
    """Return the number of units in a round, which is that of strata."""
    return 1 << len(list_segments(world))


def draw_units(world: ComposeWorld, count: int, *keys: object, start: int = 0) -> Units:
    """Return units of a world, from the one numbered `start`.

    Args:
        world: The world.
        count: How many.
        *keys: What the draw belongs to, as in `seeds.generator`.
        start: The number of the first.

    Raises:
        InvalidParameter: `count` or `start` is negative.
        TooManyStates: A block has more than 17 nodes, or a segment more than 19.
    """
    if count < 0 or start < 0:
        raise InvalidParameter(f"count and start must be 0 or more, got {count} and {start}")
    first, last = start // BATCH, max(start + count - 1, start) // BATCH
    batches = [_draw_batch(world, number, keys) for number in range(first, last + 1)]
    rows = slice(start - first * BATCH, start - first * BATCH + count)
    bits, counts, strata = (np.concatenate(parts)[rows] for parts in zip(*batches, strict=True))
    weights = _stratum_weights(world)[strata]
    root = float(world.chance(world.root))
    factual = weights * np.where(bits[:, world.root], 2 * root, 2 * (1 - root))
    return Units(world, bits, counts, strata, weights, factual)


def _draw_batch(
    world: ComposeWorld, number: int, keys: tuple[object, ...]
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.intp]]:
    """Draw the bits, counts and strata of 256 units."""
    rng = generator("compose", "units", world.text, *keys, number)
    size = round_size(world)
    rounds = BATCH // size
    order = rng.permuted(np.tile(np.arange(size), (rounds, 1)), axis=1)
    root = rng.integers(0, 2, (rounds // 2, size)) == 1
    both = np.stack([root, ~root], axis=1).reshape(rounds, size)
    strata = order.ravel()
    bits = np.empty((BATCH, world.size), dtype=np.bool_)
    bits[:, world.root] = np.take_along_axis(both, order, axis=1).ravel()
    for digit, segment in enumerate(list_segments(world)):
        passing = (strata >> digit & 1) == 1
        transmits = _draw_states(world, segment, passing, rng)
        for block, state in zip(segment, transmits.T, strict=True):
            inside = slice(world.anchors[block] + 1, world.anchors[block + 1] + 1)
            bits[:, inside] = _draw_patterns(make_block_table(world, block), state, rng)
    thresholds = np.array(world.thresholds)
    low, high = np.where(bits, thresholds, 1), np.where(bits, COUNTS, thresholds - 1)
    return bits, rng.integers(low, high, endpoint=True), strata


FREE = -1
"""The state of a block whose bits chance decides alone; else 1 if it transmits, 0 if not."""


def _draw_states(
    world: ComposeWorld, segment: range, passing: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int8]:
    """Draw the states of the blocks of a segment, given whether it transmits: units x blocks."""
    states = np.ones((len(passing), len(segment)), dtype=np.int8)
    # Weight of "the first block that fails is this one", in units of the product of all totals.
    tables = [make_block_table(world, block) for block in segment]
    if sum(len(table.weight).bit_length() - 1 for table in tables) > LARGEST_SEGMENT:
        raise TooManyStates(
            f"a segment must have at most {LARGEST_SEGMENT + 1} nodes, got the blocks "
            f"{', '.join(str(world.blocks[block]) for block in segment)}"
        )
    yes = [int(table.weight[table.transmits].sum()) for table in tables]
    totals = [table.total for table in tables]
    failing = [
        prod(yes[:position]) * (totals[position] - yes[position]) * prod(totals[position + 1 :])
        for position in range(len(tables))
    ]
    edges = np.array(list(accumulate(failing)), dtype=np.int64)
    rows = np.flatnonzero(~passing)
    first = np.searchsorted(edges, rng.integers(0, edges[-1], len(rows)), side="right")
    behind = np.arange(len(segment)) - first[:, None]
    states[rows] = np.select([behind < 0, behind == 0], [1, 0], FREE)
    return states


def _draw_patterns(
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
def _stratum_weights(world: ComposeWorld) -> NDArray[np.float64]:
    """Return the probability of each stratum over its share, which is the same for all."""
    chances = [
        prod((make_block_table(world, block).transmission for block in part), start=Fraction(1))
        for part in list_segments(world)
    ]

    def weight(stratum: int) -> float:
        factors = [p if stratum >> digit & 1 else 1 - p for digit, p in enumerate(chances)]
        return float(prod(2 * factor for factor in factors))

    return np.array([weight(stratum) for stratum in range(round_size(world))])


CACHED = 4096
"""How many worlds are remembered: all questions about a world need it."""


@lru_cache(maxsize=CACHED)
def parse_shape(kinds: str) -> tuple[Block, ...]:
    """Return the blocks that a word such as `cycle3+bridge`, or the name of a world, stands for."""
    if kinds in NAMED:
        return NAMED[kinds][0]
    try:
        blocks = tuple(block for word in kinds.split("+") for block in _parse_blocks(word.strip()))
        Chain(blocks)
    except ScmError as error:
        raise UserError(f"kinds={kinds}: {error}") from None
    return blocks


def _parse_blocks(word: str) -> tuple[Block, ...]:
    """Return the block of a word, or all blocks of the graph whose edges it is."""
    if part := re.fullmatch(r"(cycle|wheel|ladder)(\d+)|(bridge)2?", word):
        return (Block(cast("Kind", part[1] or part[3]), int(part[2] or 2)),)
    if re.fullmatch(r"[A-Z]{2}(\.[A-Z]{2})*", word):
        blocks, _ = find_blocks([(edge[0], edge[1]) for edge in word.split(".")])
        return blocks
    raise UserError(
        "kinds must be blocks such as cycle3+bridge+wheel4, edges such as XA.XB.AY.BY, or a world "
        f"by name ({', '.join(NAMED)}), got {word!r}"
    )


def check_kinds(kinds: str, gates: tuple[str, ...], worlds: int, split: str) -> None:
    """Refuse a shape that is too large, and a named world asked for as if it were random."""
    blocks = parse_shape(kinds)
    if kinds in NAMED and ("mixed" in gates or worlds != 1 or split != "test"):
        raise UserError(
            f"{kinds} is one world, with gates or, and one with gates and, both for testing; "
            f"got gates={','.join(gates)}, worlds={worlds}, split={split}"
        )
    if sum(block.size - 1 for block in blocks) > LARGEST_SEGMENT:  # else it is small enough
        try:
            draw_units(draw_world(blocks, "or", "size"), 1)
        except ScmError as error:
            raise UserError(f"kinds={kinds}: {error}") from None


@lru_cache(maxsize=CACHED)
def make_world(kinds: str, gates: Gates, number: int, split: Split) -> ComposeWorld:
    """Return the world of this number in the series of its shape, gates and split."""
    blocks = parse_shape(kinds)
    if kinds not in NAMED:
        return draw_world(blocks, gates, number, split=split)
    size = Chain(blocks).size
    others = cast("tuple[Gate, ...]", (gates,) * (size - 1))
    return ComposeWorld(blocks, ("or", *others), (NAMED[kinds][1],) * size)


@lru_cache(maxsize=CACHED)
def parse_world(text: str) -> ComposeWorld:
    """Return the world that `ComposeWorld.text` describes."""
    blocks, gates, thresholds = (part.split() for part in text.replace(",", "").split(";"))
    return ComposeWorld(
        tuple(
            block
            for kind, size in zip(blocks[::2], blocks[1::2], strict=True)
            for block in _parse_blocks(size if kind == "graph" else f"{kind}{size}")
        ),
        tuple(cast("list[Gate]", gates)),
        tuple(map(int, thresholds)),
    )
