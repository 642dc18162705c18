"""Designs that are unions of crossings.

A source's experiment is seldom one crossing: it asks about stories and about words without meaning,
and adds distracting text to the one here and to the other there. Such a design lists *cells*, which
differ in some factors and share all others. In a file:

    graph: collider
    style: [direct, cot]
    union:
      - {story: [economy, sociology, weather]}
      - {story: [alnum, mixed, symbols], overload: d, overload_source: filler}

A block of a union holds a share of every cell, in proportion to their sizes and in whole blocks of
each, so that a prefix of whole blocks is as balanced as the whole.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import combinations, islice
from math import gcd
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")
UnitedT = TypeVar("UnitedT", bound="United")

UNION = "union"
"""The setting of a design that lists cells, each a mapping of factors to levels."""

Cell = tuple[tuple[str, Any], ...]
"""The factors in which a cell of a union differs from the design, and their levels there."""


class United(Protocol):
    """A design that may be a union."""

    @property
    def union(self) -> tuple[Cell, ...]:
        """Its cells; none where it is one crossing."""

    @property
    def size(self) -> int:
        """The number of items."""

    @property
    def block(self) -> int:
        """The number of items in a block."""


def union_field() -> tuple[Cell, ...]:
    """Return the field of a design that may be a union: no cells."""
    result: tuple[Cell, ...] = field(default=(), kw_only=True)
    return result


def split_union(design: UnitedT) -> tuple[UnitedT, ...]:
    """Return a design for each cell of a union; of one crossing, itself."""
    original: Any = design
    parts = [replace(original, **{UNION: (), **dict(cell)}) for cell in design.union]
    return tuple(parts) or (design,)


def check_union(parts: Sequence[Iterable[object]]) -> None:
    """Refuse cells of a union that share items.

    Args:
        parts: For each cell its settings, levels as tuples; cells share items where all settings
            agree, or have a level in common.
    """
    spans = [[{*v} if isinstance(v, tuple) else {v} for v in part] for part in parts]
    for first, second in combinations(range(len(spans)), 2):
        if all(one & other for one, other in zip(spans[first], spans[second], strict=True)):
            raise UserError(
                f"cells of a {UNION} must share no items, got some in both {first + 1} and "
                f"{second + 1}"
            )


def union_block(parts: Sequence[United]) -> int:
    """Return the number of items in a block of the union of some designs."""
    return sum(_shares(parts))


def _shares(parts: Sequence[United]) -> list[int]:
    """Return how many items of each part a block of their union holds: whole blocks of each."""
    blocks = gcd(*(part.size // part.block for part in parts))
    return [part.size // blocks for part in parts]


def unite_items(design: UnitedT, generate: Callable[[UnitedT], Iterable[T]]) -> Iterator[T]:
    """Yield the items of a design, those of a union block by block.

    Args:
        design: The design.
        generate: The items of one crossing.
    """
    parts = split_union(design)
    if len(parts) == 1:
        yield from generate(parts[0])
        return
    shares = _shares(parts)
    rest = [iter(generate(part)) for part in parts]
    for _ in range(parts[0].size // shares[0]):
        for items, share in zip(rest, shares, strict=True):
            yield from islice(items, share)
