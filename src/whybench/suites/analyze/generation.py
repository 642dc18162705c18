"""Which item stands at which place of a design."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import TYPE_CHECKING

from whybench.suites.analyze.items import AnalyzeItem, instance_at, split_at
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.samples import require_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.seeds import Split
    from whybench.suites.analyze.design import AnalyzeDesign

__all__ = ["analyze_items", "draw_at", "item_at"]

LOOKED_AT = 240
"""Items of a design whose samples are tried before any is asked: as many as data sets are kept."""


def analyze_items(design: AnalyzeDesign) -> Iterator[AnalyzeItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced.

    Raises:
        UserError: The design shows samples of too few rows, as its first draws tell.
    """
    if design.rows:
        first = [item_at(design, index) for index in range(min(design.size, LOOKED_AT))]
        places = {(item.challenge, item.variant, item.draw) for item in first}
        require_rows((instance_at(*place) for place in sorted(places)), design.rows)
    for index in range(design.size):
        yield item_at(design, index)


def item_at(design: AnalyzeDesign, index: int) -> AnalyzeItem:
    """Return the item at a place in a design, without making those before it."""
    if not 0 <= index < design.size:
        raise IndexError(f"index must be from 0 to {design.size - 1}, got {index}")
    turn, place = divmod(index, design.block)
    cell = design.cells[place]
    return AnalyzeItem(
        challenge=cell.challenge,
        variant=cell.variant_at(turn),
        draw=turn + 1 if cell.variant == PUBLISHED else draw_at(design.split, turn),
        hint=cell.hint,
        label=cell.label,
        protocol=design.protocol,
        rows=design.rows,
    )


def draw_at(split: Split, turn: int) -> int:
    """Return the number of the n-th draw on one side of the train/test divide."""
    found, more = _draws(split)
    while len(found) <= turn:
        found.append(next(more))
    return found[turn]


@cache
def _draws(split: Split) -> tuple[list[int], Iterator[int]]:
    """Return the draws of a side that were looked up so far, and where to find more."""
    return [], (draw for draw in count() if split_at(draw) == split)
