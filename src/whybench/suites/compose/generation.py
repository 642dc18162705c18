"""Which item stands at which position of a design.

Worlds come first, then units, then the cells of the crossing, then the questions about the unit:
the first worlds of all shapes and gates are done with before the second ones begin. What is drawn
belongs to the world and the unit and not to their position in a design, so that a unit is the same
in every design, and is rendered with the same names and in the same order in every style. As units
are drawn in batches, so are their renderings.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, cast, get_args

from whybench.seeds import generator
from whybench.suites.compose.design import NumbersDesign
from whybench.suites.compose.items import ComposeItem
from whybench.suites.compose.number_items import NumberItem
from whybench.suites.compose.number_prompts import NumberQuestion
from whybench.suites.compose.number_questions import (
    Direction,
    certify_numbers,
    far_pairs,
    make_numbers,
)
from whybench.suites.compose.questions import EXAMPLES, ComposeQuestion
from whybench.suites.compose.truth import AnswerKey, list_queries, make_answer_key
from whybench.suites.compose.units import BATCH, Units, draw_units, make_world

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.seeds import Split
    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.questions import Style
    from whybench.suites.compose.themes import ComposeTheme
    from whybench.suites.compose.world import ComposeWorld, Gates

TOGETHER = 8
"""Worlds of a series that take turns, unit by unit, so that a run that is cut short has some units
of each; those of the next eight follow, so that a series without end is not one unit of each."""

BATCHES_KEPT = 256
"""How many batches are remembered: a design goes through as many worlds as it has shapes and gates
side by side, each in all of its themes."""

Rendering = tuple[tuple[str, ...], tuple[int, ...], int]
"""The names of the nodes, their order in lists, and which example is shown."""


def compose_items(design: ComposeDesign) -> Iterator[ComposeItem | NumberItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for first in range(0, design.worlds, TOGETHER):
        for unit in range(design.units):
            for number in range(first, min(first + TOGETHER, design.worlds)):
                for cell in design.cells:
                    yield from _items_at(design, cell, number, unit)


def item_at(design: ComposeDesign, index: int) -> ComposeItem | NumberItem:
    """Return the item at a position in a design, without making those before it."""
    if not 0 <= index < design.size:
        raise IndexError(f"index must be from 0 to {design.size - 1}, got {index}")
    block, position = divmod(index, design.block)
    turn, block = divmod(block, TOGETHER * design.units)
    first = turn * TOGETHER
    unit, number = divmod(block, min(TOGETHER, design.worlds - first))
    cell = bisect_right(design.ends, position)
    question = position - (design.ends[cell - 1] if cell else 0)
    return _items_at(design, design.cells[cell], first + number, unit)[question]


def _items_at(
    design: ComposeDesign, cell: tuple[int, ...], number: int, unit: int
) -> Sequence[ComposeItem | NumberItem]:
    """Return all questions about one unit, or for numbers of one world."""
    if isinstance(design, NumbersDesign):
        return _number_items(design, cell, number)
    return _unit_items(design, cell, number, unit)


def _number_items(design: NumbersDesign, cell: tuple[int, ...], number: int) -> list[NumberItem]:
    """Return all questions for numbers of one world."""
    kinds, gates = design.kinds[cell[0]], design.gates[cell[1]]
    theme, style = design.themes[cell[2]], cast("Style", design.style[cell[4]])
    wording = design.wording[cell[5]]
    world = make_world(kinds, cast("Gates", gates), number, cast("Split", design.split))
    rng = generator("compose", "telling numbers", theme.name, world.text, number)
    called = dict(zip(world.anchors, theme.draw(len(world.anchors), rng), strict=True))
    items: list[NumberItem] = []
    for cause, effect in far_pairs(world):
        names = tuple(name for node, name in called.items() if cause <= node <= effect)
        for direction in get_args(Direction):
            numbers = make_numbers(world, number, cause, effect, direction)
            items.append(
                NumberItem(
                    question=NumberQuestion(numbers, names, theme, style, wording),
                    whole=world,
                    kinds=kinds,
                    gates=gates,
                    split=design.split,
                    draw=number,
                    number=len(items),
                    cause=cause,
                    effect=effect,
                    certificate=certify_numbers(numbers),
                )
            )
    return items


def _unit_items(
    design: ComposeDesign, cell: tuple[int, ...], number: int, unit: int
) -> list[ComposeItem]:
    """Return all questions about one unit."""
    kinds, gates = design.kinds[cell[0]], design.gates[cell[1]]
    theme, detail, style = design.themes[cell[2]], design.detail[cell[3]], design.style[cell[4]]
    world = make_world(kinds, cast("Gates", gates), number, cast("Split", design.split))
    units, key = draw_batch(world, number, unit // BATCH)
    row = unit % BATCH
    renderings = _renderings(theme, world, number, unit // BATCH)
    names, order, example = renderings.rendering(row)
    details = renderings.details(row) if detail == "some" else ()
    counts = tuple(units.counts[row].tolist())
    holds = dict(zip(world.anchors[1:], key.factual[row].tolist(), strict=True))
    stratum, weight = int(units.strata[row]), float(units.weights[row])
    factual_weight = float(units.factual_weights[row])
    return [
        ComposeItem(
            question=ComposeQuestion(
                world=world,
                counts=counts,
                names=names,
                theme=theme,
                order=order,
                effect=query.effect,
                intervention=query.intervention,
                style=cast("Style", style),
                details=details,
                example=example,
                wording=design.wording[cell[5]],
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
            actual=holds[query.effect],
            certificate=certificate,
        )
        for query, certificate in zip(list_queries(world), key.certificates(row), strict=True)
    ]


@lru_cache(maxsize=BATCHES_KEPT)
def draw_batch(world: ComposeWorld, number: int, batch: int) -> tuple[Units, AnswerKey]:
    """Return a batch of units with the answers to all questions about them.

    Args:
        world: The world.
        number: Its number in its series: small worlds come again, and should have other units then.
        batch: Which 256 units.
    """
    units = draw_units(world, BATCH, number, start=batch * BATCH)
    return units, make_answer_key(world, units.bits)


class _Renderings:
    """How the units of a batch are rendered, drawn one after another up to the last one asked."""

    def __init__(self, theme: ComposeTheme, world: ComposeWorld, number: int, batch: int) -> None:
        keys = (theme.name, world.text, number, batch)
        self._theme, self._size = theme, world.size
        self._rng = generator("compose", "telling", *keys)
        self._examples = self._rng.integers(EXAMPLES, size=BATCH).tolist()
        self._details_rng = generator("compose", "details", *keys)
        self._drawn: list[Rendering] = []
        self._details: list[tuple[str, ...]] = []

    def rendering(self, row: int) -> Rendering:
        """Return the names of a unit's nodes, the order of its rules and its example."""
        while len(self._drawn) <= row:
            names = self._theme.draw(self._size, self._rng)
            order = tuple(self._rng.permutation(self._size).tolist())
            self._drawn.append((names, order, self._examples[len(self._drawn)]))
        return self._drawn[row]

    def details(self, row: int) -> tuple[str, ...]:
        """Return a unit's irrelevant sentences, one for every two nodes."""
        while len(self._details) <= row:
            names, _, _ = self.rendering(len(self._details))
            self._details.append(
                self._theme.draw_details(names, self._size // 2, self._details_rng)
            )
        return self._details[row]


_renderings = lru_cache(maxsize=BATCHES_KEPT)(_Renderings)
