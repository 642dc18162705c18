"""Which item stands at which place of a design.

Worlds come first, then units, then the cells of the crossing, then the questions about the unit:
the first worlds of all shapes and gates are done with before the second ones begin. What is drawn
belongs to the world and the unit and not to their place in a design, so that a unit is the same in
every design, and is told with the same names and in the same order in every style. As units are
drawn in sheets, so are their tellings.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from whybench.seeds import generator
from whybench.suites.compose.examples import EXAMPLES
from whybench.suites.compose.items import ComposeItem
from whybench.suites.compose.questions import Question
from whybench.suites.compose.truth import AnswerKey, answer_key, askings
from whybench.suites.compose.units import SHEET, Units, units_of
from whybench.suites.compose.worlds import world_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.seeds import Split
    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.questions import Style
    from whybench.suites.compose.themes import Theme
    from whybench.suites.compose.world import Gates, World

__all__ = ["compose_items", "item_at", "units_at"]

SHEETS_KEPT = 256
"""So many sheets are remembered; a design goes through as many worlds as it has shapes and gates
side by side, each in all of its themes."""

Telling = tuple[tuple[str, ...], tuple[int, ...], int]
"""The names of the nodes, their order in lists, and which example is shown."""


def compose_items(design: ComposeDesign) -> Iterator[ComposeItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for number in range(design.worlds):
        for unit in range(design.units):
            for cell in design.cells:
                yield from _unit_items(design, cell, number, unit)


def item_at(design: ComposeDesign, index: int) -> ComposeItem:
    """Return the item at a place in a design, without making those before it."""
    if not 0 <= index < design.size:
        raise IndexError(f"index must be from 0 to {design.size - 1}, got {index}")
    block, place = divmod(index, design.block)
    number, unit = divmod(block, design.units)
    cell = bisect_right(design.ends, place)
    question = place - (design.ends[cell - 1] if cell else 0)
    return _unit_items(design, design.cells[cell], number, unit)[question]


def _unit_items(
    design: ComposeDesign, cell: tuple[int, ...], number: int, unit: int
) -> list[ComposeItem]:
    """Return all questions about one unit."""
    kinds, gates = design.kinds[cell[0]], design.gates[cell[1]]
    told, detail, style = design.themes[cell[2]], design.detail[cell[3]], design.style[cell[4]]
    world = world_at(kinds, cast("Gates", gates), number, cast("Split", design.split))
    drawn, key = units_at(world, number, unit // SHEET)
    row = unit % SHEET
    names, order, example = _tellings(told, world, number, unit // SHEET)[row]
    details: tuple[str, ...] = ()
    if detail == "some":
        details = _details(told, world, number, unit // SHEET)[row]
    counts = tuple(drawn.counts[row].tolist())
    holds = dict(zip(world.anchors[1:], key.factual[row].tolist(), strict=True))
    stratum, weight = int(drawn.strata[row]), float(drawn.weights[row])
    factual_weight = float(drawn.factual_weights[row])
    return [
        ComposeItem(
            question=Question(
                world=world,
                counts=counts,
                names=names,
                theme=told,
                order=order,
                effect=asking.effect,
                intervention=asking.intervention,
                style=cast("Style", style),
                details=details,
                example=example,
            ),
            kinds=kinds,
            gates=gates,
            detail=detail,
            split=design.split,
            draw=number,
            unit=unit,
            stratum=stratum,
            weight=weight,
            factual_weight=factual_weight,
            actual=holds[asking.effect],
            certificate=certificate,
        )
        for asking, certificate in zip(askings(world), key.certificates(row), strict=True)
    ]


@lru_cache(maxsize=SHEETS_KEPT)
def units_at(world: World, number: int, sheet: int) -> tuple[Units, AnswerKey]:
    """Return a sheet of units with the answers to all questions about them.

    Args:
        world: The world.
        number: Its number in its series: small worlds come again, and should have other units then.
        sheet: Which 256 units.
    """
    drawn = units_of(world, SHEET, number, start=sheet * SHEET)
    return drawn, answer_key(world, drawn.bits)


@lru_cache(maxsize=SHEETS_KEPT)
def _tellings(told: Theme, world: World, number: int, sheet: int) -> tuple[Telling, ...]:
    """Draw how the units of a sheet are told."""
    rng = generator("compose", "telling", told.name, world.text, number, sheet)
    examples = rng.integers(EXAMPLES, size=SHEET).tolist()
    return tuple(
        (told.draw(world.size, rng), tuple(rng.permutation(world.size).tolist()), example)
        for example in examples
    )


@lru_cache(maxsize=SHEETS_KEPT)
def _details(told: Theme, world: World, number: int, sheet: int) -> tuple[tuple[str, ...], ...]:
    """Draw sentences without bearing for the units of a sheet, one for every two nodes."""
    rng = generator("compose", "details", told.name, world.text, number, sheet)
    return tuple(
        told.draw_details(names, world.size // 2, rng)
        for names, _, _ in _tellings(told, world, number, sheet)
    )
