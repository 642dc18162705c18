"""Which item stands at which position of a design."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from whybench.scm import Certificate, agreed
from whybench.seeds import Split, generator, item_digest
from whybench.suites.designs import cells_in_blocks
from whybench.suites.intervene.experimenters import ALL_PAIRS
from whybench.suites.intervene.items import InterveneItem, describe_item
from whybench.suites.intervene.links.cases import load_cases
from whybench.suites.intervene.sets import (
    LIMITED,
    QUESTIONS,
    Initial,
    Pair,
    draw_advanced_world,
    draw_graph_world,
    draw_initial,
    draw_limited_case,
    draw_source_world,
    list_core_cases,
)
from whybench.suites.intervene.world import (
    InterveneWorld,
    State,
    bits_to_state,
    list_pairs,
    transitive_closure,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.themes import InterveneTheme

CACHED = 4096
"""How many names and certificates are remembered: all questions of a world stand in one block."""


def intervene_items(design: InterveneDesign) -> Iterator[InterveneItem]:
    """Yield the items of a design; every prefix of whole blocks is balanced."""
    for index in range(design.size):
        yield item_at(design, index)


def item_at(design: InterveneDesign, index: int) -> InterveneItem:
    """Return the item at a position in a design, without making those before it."""
    if not 0 <= index < design.size:
        raise IndexError(f"index must be from 0 to {design.size - 1}, got {index}")
    cells = _list_cells(design.sizes)
    turn, position = divmod(index, len(cells))
    *levels, theme, style, interface, wording = cells[position]
    if design.worlds == "core":
        case = _core_case(*levels)
    elif design.worlds == "limited":
        case = _limited_case(design, turn, *levels)
    elif design.worlds == "graph":
        case = _graph_case(design, turn, *levels)
    elif design.worlds == "links":
        case = _links_case(design, turn, *levels)
    else:
        case = _random_case(design, turn, *levels)
    words = design.themes[theme]
    item = InterveneItem(
        digest="",
        worlds=design.worlds,
        structure=case.structure,
        hidden=case.hidden,
        density=case.density,
        initial=case.initial,
        pair=case.pair,
        theme=words,
        names=_draw_names(words, case.hidden.n, case.key),
        style=design.style[style],
        interface=design.interface[interface],
        wording=design.wording[wording],
        split=cast("Split", design.split),
        draw=case.draw,
        certificate=_certificate(case.hidden, case.pair, case.dotted),
        dotted=case.dotted,
        depth=case.depth,
    )
    return replace(item, digest=item_digest("intervene", describe_item(item), item.truth))


@lru_cache(maxsize=8)
def _list_cells(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(cells_in_blocks(sizes))


class _HiddenCase(NamedTuple):
    """What an item asks, before it is rendered; `key` names the draw of the entities' names."""

    structure: str
    hidden: InterveneWorld
    density: float
    initial: State
    pair: Pair
    draw: int
    key: tuple[object, ...]
    dotted: tuple[Pair, ...] = ()
    depth: int = 0


def _core_case(position: int) -> _HiddenCase:
    case = _core_order()[position]
    structure, world, state, (x, y), along = list_core_cases()[case]
    number = generator("intervene", "core", case).permutation(world.n).tolist()
    if (number[x] < number[y]) != along:
        number[x], number[y] = number[y], number[x]
    density = _density(world)
    initial = frozenset(number[entity] for entity in state)
    pair = number[x], number[y]
    hidden = world.renumber(number)
    return _HiddenCase(structure, hidden, density, initial, pair, 0, ("core", case))


def _density(world: InterveneWorld) -> float:
    """Return the share of the possible edges that a world has."""
    return 2 * len(world.edges) / (world.n * (world.n - 1))


def _limited_case(
    design: InterveneDesign, turn: int, question: int, size: int, initial: int
) -> _HiddenCase:
    n, kind = design.entities[size], cast("Initial", design.initial[initial])
    draw = len(LIMITED) * turn + question
    world, state, pair = _draw_limited(n, kind, question, turn, cast("Split", design.split))
    key = ("limited", design.split, n, kind, draw)
    return _HiddenCase("random", world, _density(world), state, pair, draw, key)


def _graph_case(design: InterveneDesign, turn: int, size: int, initial: int) -> _HiddenCase:
    n, kind = design.entities[size], cast("Initial", design.initial[initial])
    world = draw_graph_world(n, kind, turn, cast("Split", design.split))
    key = ("graph", design.split, n, kind, turn)
    state = draw_initial(world, kind, *key)
    return _HiddenCase("random", world, _density(world), state, ALL_PAIRS, turn, key)


def _links_case(design: InterveneDesign, turn: int, level: int) -> _HiddenCase:
    """Return a stored diagram in a new listing, with a real link drawn by the case's weights."""
    depth, split = design.depth[level], cast("Split", design.split)
    cases = load_cases()[depth, split]
    case = cases[turn % len(cases)]
    key = ("links", split, depth, turn)
    rng = generator("intervene", *key)
    shares = np.array(case.weights) / sum(case.weights)
    chosen = int(rng.choice(len(shares), p=shares))
    order = rng.permutation(len(shares)).tolist()
    diagram = case.diagram.renumber(rng.permutation(case.diagram.n).tolist(), order)
    real = order.index(chosen)
    world = diagram.worlds[real]
    return _HiddenCase(
        "random",
        world,
        _density(world),
        bits_to_state(diagram.initial),
        diagram.dotted[real],
        turn,
        key,
        diagram.dotted,
        depth,
    )


@lru_cache(maxsize=CACHED)
def _draw_limited(
    n: int, initial: Initial, question: int, turn: int, split: Split
) -> tuple[InterveneWorld, State, Pair]:
    return draw_limited_case(n, initial, *LIMITED[question], turn, split=split)


@cache
def _core_order() -> tuple[int, ...]:
    """An order of the core cases in which those of one structure do not stand together."""
    rng = generator("intervene", "core", "order")
    return tuple(rng.permutation(len(list_core_cases())).tolist())


def _random_case(
    design: InterveneDesign, turn: int, question: int, size: int, density: int, initial: int
) -> _HiddenCase:
    kind = design.entities[size], design.density[density]
    key: tuple[object, ...]
    if design.worlds == "advanced":
        mirrored, asked = divmod(question, len(QUESTIONS))
        drawn = draw_advanced_world(*kind, turn, bool(mirrored), cast("Split", design.split))
        key = ("advanced", design.split, *kind, turn, bool(mirrored))
        draw = 2 * turn + mirrored
    else:
        asked, draw = question, turn
        drawn = draw_source_world(*kind, draw)
        key = ("source-advanced", *kind, draw)
    state = draw_initial(drawn.world, cast("Initial", design.initial[initial]), *key)
    return _HiddenCase("random", drawn.world, kind[1], state, drawn.pairs[asked], draw, key)


@lru_cache(maxsize=CACHED)
def _draw_names(words: InterveneTheme, n: int, key: tuple[object, ...]) -> tuple[str, ...]:
    return words.draw(n, generator("intervene", "names", words.name, *key))


@lru_cache(maxsize=CACHED)
def _certificate(world: InterveneWorld, pair: Pair, dotted: tuple[Pair, ...]) -> Certificate:
    if pair == ALL_PAIRS:
        return _certify_graph(world)
    if dotted:
        return _certify_link(world, dotted)
    x, y = pair
    return agreed(
        f"whether {x} causes {y}",
        ("graph search", float(world.causes(x, y))),
        ("matrix closure", float(transitive_closure(world)[x, y])),
    )


def _certify_link(world: InterveneWorld, dotted: tuple[Pair, ...]) -> Certificate:
    """Certify which dotted link is real, by the edges of the world and by its reachability."""
    solid = {*world.edges} - {*dotted}
    closure = transitive_closure(world)
    equal = [
        place
        for place, link in enumerate(dotted)
        if (transitive_closure(InterveneWorld(world.n, (*solid, link))) == closure).all()
    ]
    edges = [place for place, link in enumerate(dotted) if link in world.edges]
    (listed,), (reached,) = edges, equal
    return agreed(
        "which dotted link is real",
        ("hidden edges", float(listed)),
        ("equal matrix closure", float(reached)),
    )


def _certify_graph(world: InterveneWorld) -> Certificate:
    """Certify who causes whom, as a number with a bit for each pair."""
    closure = transitive_closure(world)
    searched = sum(2.0**bit for bit, (x, y) in enumerate(list_pairs(world.n)) if world.causes(x, y))
    squared = sum(2.0**bit for bit, (x, y) in enumerate(list_pairs(world.n)) if closure[x, y])
    return agreed("who causes whom", ("graph search", searched), ("matrix closure", squared))
