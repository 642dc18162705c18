"""Which item stands at which place of a design."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from whybench.scm import Certificate, agreed
from whybench.seeds import Split, generator, item_id
from whybench.suites.blocks import cells_in_blocks
from whybench.suites.intervene.items import InterveneItem, described
from whybench.suites.intervene.sets import (
    QUESTIONS,
    Drawn,
    Initial,
    Pair,
    advanced_world,
    core_cases,
    initial_state,
    source_world,
)
from whybench.suites.intervene.world import State, World, closure

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.themes import Theme

__all__ = ["intervene_items", "item_at"]

CACHED = 4096
"""All questions of a world stand in one block; so many worlds are remembered, and no more."""


def intervene_items(design: InterveneDesign) -> Iterator[InterveneItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for index in range(design.size):
        yield item_at(design, index)


def item_at(design: InterveneDesign, index: int) -> InterveneItem:
    """Return the item at a place in a design, without making those before it."""
    if not 0 <= index < design.size:
        raise IndexError(f"index must be from 0 to {design.size - 1}, got {index}")
    cells = _cells(design.sizes)
    turn, place = divmod(index, len(cells))
    *asked, theme, style, interface = cells[place]
    made = _core_item if design.worlds == "core" else _random_item
    item = made(design, (theme, style, interface), turn, *asked)
    return replace(item, id=item_id("intervene", described(item), item.truth))


@lru_cache(maxsize=8)
def _cells(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(cells_in_blocks(sizes))


def _core_item(
    design: InterveneDesign,
    shared: tuple[int, int, int],
    turn: int,  # noqa: ARG001  (the core set is gone through once)
    case: int,
) -> InterveneItem:
    number = _core_order()[case]
    structure, world, state, (x, y), along = core_cases()[number]
    rng = generator("intervene", "core", number)
    place = rng.permutation(world.n).tolist()
    if (place[x] < place[y]) != along:
        place[x], place[y] = place[y], place[x]
    return _item(
        design,
        shared,
        structure=structure,
        hidden=World(world.n, tuple(sorted((place[a], place[b]) for a, b in world.edges))),
        density=2 * len(world.edges) / (world.n * (world.n - 1)),
        initial=frozenset(place[entity] for entity in state),
        asked=(place[x], place[y]),
        draw=0,
        key=("core", number),
    )


@cache
def _core_order() -> tuple[int, ...]:
    """An order of the core cases in which those of one structure do not stand together."""
    return tuple(generator("intervene", "core", "order").permutation(len(core_cases())).tolist())


def _random_item(
    design: InterveneDesign,
    shared: tuple[int, int, int],
    turn: int,
    question: int,
    size: int,
    density: int,
    initial: int,
) -> InterveneItem:
    n, share = design.n[size], design.density[density]
    key: tuple[object, ...]
    if design.worlds == "advanced":
        mirrored, asked = divmod(question, len(QUESTIONS))
        drawn = _advanced_world(n, share, turn, bool(mirrored), cast("Split", design.split))
        key = ("advanced", design.split, n, share, turn, bool(mirrored))
        draw = 2 * turn + mirrored
    else:
        asked, draw = question, turn
        drawn = _source_world(n, share, draw)
        key = ("source-advanced", n, share, draw)
    return _item(
        design,
        shared,
        structure="random",
        hidden=drawn.world,
        density=share,
        initial=initial_state(drawn.world, cast("Initial", design.initial[initial]), *key),
        asked=drawn.pairs[asked],
        draw=draw,
        key=key,
    )


def _item(
    design: InterveneDesign,
    shared: tuple[int, int, int],
    *,
    structure: str,
    hidden: World,
    density: float,
    initial: State,
    asked: Pair,
    draw: int,
    key: tuple[object, ...],
) -> InterveneItem:
    theme, style, interface = shared
    words = design.themes[theme]
    return InterveneItem(
        id="",
        worlds=design.worlds,
        structure=structure,
        hidden=hidden,
        density=density,
        initial=initial,
        asked=asked,
        theme=words,
        names=_names(words, hidden.n, key),
        style=design.style[style],
        interface=design.interface[interface],
        split=cast("Split", design.split),
        draw=draw,
        certificate=_certificate(hidden, asked),
    )


@lru_cache(maxsize=CACHED)
def _advanced_world(n: int, density: float, draw: int, mirrored: bool, split: Split) -> Drawn:
    return advanced_world(n, density, draw, mirrored, split)


@lru_cache(maxsize=CACHED)
def _source_world(n: int, density: float, draw: int) -> Drawn:
    return source_world(n, density, draw)


@lru_cache(maxsize=CACHED)
def _names(words: Theme, n: int, key: tuple[object, ...]) -> tuple[str, ...]:
    return words.draw(n, generator("intervene", "names", words.name, *key))


@lru_cache(maxsize=CACHED)
def _closure(world: World) -> NDArray[np.bool_]:
    return closure(world)


@lru_cache(maxsize=CACHED)
def _certificate(world: World, asked: Pair) -> Certificate:
    x, y = asked
    return agreed(
        f"whether {x} causes {y}",
        ("graph search", float(world.causes(x, y))),
        ("matrix closure", float(_closure(world)[x, y])),
    )
