"""Which worlds a design speaks of: shapes in words, worlds by name, and worlds by number.

A shape is written as its blocks in a row, `cycle3+bridge+wheel4`; the number is that of nodes, both
ends included, and a bridge needs none. For every shape and kind of gates there is an endless
series of random worlds. Beside these there are worlds with a name, whose thresholds are fixed and
which are therefore for testing only:

| name | blocks | thresholds |
|---|---|---|
| `party` | wheel4+bridge+wheel4 | 7 everywhere, so that a bit is true with probability 0.4 |

Records keep a world as its text (`World.text`), from which `world_of` makes it again.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from whybench.scm import ScmError
from whybench.suites.compose.chain import Block, Chain, Kind
from whybench.suites.compose.units import LARGEST_STRETCH, units_of
from whybench.suites.compose.world import NAMED, Gate, Gates, World, random_world
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from whybench.seeds import Split

__all__ = ["check_kinds", "shape_of", "world_at", "world_of"]

CACHED = 4096
"""So many worlds are remembered: all questions about a world need it."""


@lru_cache(maxsize=CACHED)
def shape_of(kinds: str) -> tuple[Block, ...]:
    """Return the blocks that a word such as `cycle3+bridge`, or the name of a world, stands for."""
    if kinds in NAMED:
        return NAMED[kinds][0]
    words = kinds.split("+")
    parts = [re.fullmatch(r"(cycle|wheel)(\d+)|(bridge)2?", word.strip()) for word in words]
    try:
        blocks = tuple(
            Block(cast("Kind", part[1] or part[3]), int(part[2] or 2)) for part in parts if part
        )
        Chain(blocks)
    except ScmError as error:
        raise UserError(f"kinds={kinds}: {error}") from None
    if not all(parts):
        raise UserError(
            "kinds must be blocks such as cycle3+bridge+wheel4, or a world by name "
            f"({', '.join(NAMED)}), got {kinds!r}"
        )
    return blocks


def check_kinds(kinds: str, gates: tuple[str, ...], worlds: int, split: str) -> None:
    """Refuse a shape that is too large, and a named world asked for as if it were random."""
    blocks = shape_of(kinds)
    if kinds in NAMED and ("mixed" in gates or worlds != 1 or split != "test"):
        raise UserError(
            f"{kinds} is one world, with gates or, and one with gates and, both for testing; "
            f"got gates={','.join(gates)}, worlds={worlds}, split={split}"
        )
    if sum(block.size - 1 for block in blocks) > LARGEST_STRETCH:  # else it is small enough
        try:
            units_of(random_world(blocks, "or", "size"), 1)
        except ScmError as error:
            raise UserError(f"kinds={kinds}: {error}") from None


@lru_cache(maxsize=CACHED)
def world_at(kinds: str, gates: Gates, number: int, split: Split) -> World:
    """Return the world of this number in the series of its shape, gates and split."""
    blocks = shape_of(kinds)
    if kinds not in NAMED:
        return random_world(blocks, gates, number, split=split)
    size = Chain(blocks).size
    others = cast("tuple[Gate, ...]", (gates,) * (size - 1))
    return World(blocks, ("or", *others), (NAMED[kinds][1],) * size)


@lru_cache(maxsize=CACHED)
def world_of(text: str) -> World:
    """Return the world that `World.text` describes."""
    blocks, gates, thresholds = (part.split() for part in text.replace(",", "").split(";"))
    return World(
        tuple(
            Block(cast("Kind", kind), int(size))
            for kind, size in zip(blocks[::2], blocks[1::2], strict=True)
        ),
        tuple(cast("list[Gate]", gates)),
        tuple(map(int, thresholds)),
    )
