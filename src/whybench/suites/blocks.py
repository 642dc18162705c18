"""An order of a factorial design in which every prefix of whole blocks is balanced.

`--limit 60` takes the first sixty items, and a run may end early: whatever was asked by then
should not be all weather and no economy. Number the levels of each factor from zero, so that a
cell of the design is an element of the product of cyclic groups Z_n1 x ... x Z_nk. The diagonal
(0,0,...), (1,1,...), (2,2,...) is a subgroup; it has lcm(n1, ..., nk) elements and visits the
levels of each factor equally often. Its cosets have the same property and tile the whole design:
they are the blocks. With 20 questions, 3 stories and 4 polarities a block is 60 items long, with
each question three times, each story twenty times and each polarity fifteen times.
"""

from __future__ import annotations

from itertools import product
from math import lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["block_length", "cells_in_blocks"]


def block_length(sizes: Sequence[int]) -> int:
    """Return how many cells a block of a design with these numbers of levels has."""
    return lcm(*sizes)


def cells_in_blocks(sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every cell of the design once, block after block."""
    seen: set[tuple[int, ...]] = set()
    for start in product(*(range(size) for size in sizes)):
        if start in seen:
            continue
        for step in range(block_length(sizes)):
            cell = tuple((level + step) % size for level, size in zip(start, sizes, strict=True))
            seen.add(cell)
            yield cell
