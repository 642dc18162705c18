"""The intervene item and its generator.

An item is a hidden world, the state in which the agent finds it, and the question whether one
entity causes another. The truth is 1 for yes and 0 for no, and is certified by searching the graph
and by squaring its matrix.

What an agent is told does not say what the hidden world is: two items may open with the same words
and go different ways. An id therefore follows from a canonical description (`described`) that
holds the theme, the entities as named and listed, the hidden edges, the first state, the question
and the style, and which draw it is: of the small worlds there are so few that a long series
repeats itself, and its ids must not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Literal, cast

from whybench.scm import Certificate, agreed
from whybench.seeds import Split, canonical, generator, item_id
from whybench.suites.blocks import cells_in_blocks
from whybench.suites.intervene.sets import (
    QUESTIONS,
    Drawn,
    Initial,
    Pair,
    advanced_world,
    core_cases,
    initial_kind,
    initial_state,
    source_world,
)
from whybench.suites.intervene.world import State, World, closure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.themes import Theme

__all__ = [
    "COLUMNS",
    "InterveneItem",
    "Situation",
    "described",
    "intervene_items",
    "item_at",
]

COLUMNS: Mapping[str, type] = {
    "worlds": str,
    "structure": str,
    "n": int,
    "density": float,
    "initial": str,
    "relation": str,
    "order": str,
    "theme": str,
    "style": str,
    "split": str,
}
"""The factor columns of intervene records."""

Relation = Literal["cause", "effect", "unrelated"]

CACHED = 4096


@dataclass(frozen=True)
class Situation:
    """What the opening of an episode says: all that an agent knows before it acts.

    Attributes:
        names: The entities in the order of their listing.
        moving: Those that move.
        cause: The supposed cause.
        effect: The supposed effect.
        style: How the agent is instructed.
    """

    names: tuple[str, ...]
    moving: frozenset[str]
    cause: str
    effect: str
    style: str


@dataclass(frozen=True)
class InterveneItem:
    """One question about one hidden world.

    Attributes:
        id: Equal exactly when description and truth are equal.
        worlds: The set it belongs to.
        structure: Name of the structure in the core set; `random` elsewhere.
        hidden: The hidden world; entity i is the i-th listed.
        density: Share of the possible edges: the one asked for; in the core set the actual one.
        initial: The first state.
        asked: The supposed cause and the supposed effect.
        theme: The words of the world.
        names: What the entities are called.
        style: How the agent is instructed.
        split: The side of the train/test divide.
        draw: Which of the random worlds of its kind it is; 0 in the core set.
        certificate: The two derivations of the truth.
    """

    id: str
    worlds: str
    structure: str
    hidden: World
    density: float
    initial: State
    asked: Pair
    theme: Theme
    names: tuple[str, ...]
    style: str
    split: Split
    draw: int
    certificate: Certificate

    @property
    def truth(self) -> float:
        """Whether the supposed cause is one: 1 for yes, 0 for no."""
        return float(self.certificate.value)

    @property
    def relation(self) -> Relation:
        """What the supposed cause is to the supposed effect."""
        x, y = self.asked
        if self.hidden.causes(x, y):
            return "cause"
        return "effect" if self.hidden.causes(y, x) else "unrelated"

    @property
    def order(self) -> Literal["along", "against"]:
        """Whether the supposed cause is listed before the supposed effect, or behind it."""
        return "along" if self.asked[0] < self.asked[1] else "against"

    @property
    def limit(self) -> int:
        """The number of interventions that are allowed."""
        return 2 * self.hidden.n

    @property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design."""
        return {
            "worlds": self.worlds,
            "structure": self.structure,
            "n": self.hidden.n,
            "density": self.density,
            "initial": initial_kind(self.hidden, self.initial),
            "relation": self.relation,
            "order": self.order,
            "theme": self.theme.name,
            "style": self.style,
            "split": self.split,
        }

    @property
    def world(self) -> Situation:
        """What the opening must say of the world."""
        x, y = self.asked
        return Situation(
            names=self.names,
            moving=frozenset(self.names[entity] for entity in self.initial),
            cause=self.names[x],
            effect=self.names[y],
            style=self.style,
        )


def described(item: InterveneItem) -> str:
    """Return the canonical description that, with the truth, decides an item's id."""
    return canonical(
        {
            "theme": item.theme.hash,
            "names": item.names,
            "edges": sorted(item.hidden.edges),
            "moving": sorted(item.initial),
            "asked": item.asked,
            "style": item.style,
            "draw": item.draw,
        }
    )


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
    cell = cells[place]
    if design.worlds == "core":
        item = _core_item(design, *cell)
    elif design.worlds == "advanced":
        item = _advanced_item(design, turn, *cell)
    else:
        item = _source_item(design, turn, *cell)
    return replace(item, id=item_id("intervene", described(item), item.truth))


@lru_cache(maxsize=8)
def _cells(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(cells_in_blocks(sizes))


def _core_item(design: InterveneDesign, case: int, theme: int, style: int) -> InterveneItem:
    number = _core_order()[case]
    structure, world, state, (x, y), along = core_cases()[number]
    rng = generator("intervene", "core", number)
    place = rng.permutation(world.n).tolist()
    if (place[x] < place[y]) != along:
        place[x], place[y] = place[y], place[x]
    return _item(
        design,
        structure=structure,
        hidden=World(world.n, tuple(sorted((place[a], place[b]) for a, b in world.edges))),
        density=2 * len(world.edges) / (world.n * (world.n - 1)),
        initial=frozenset(place[entity] for entity in state),
        asked=(place[x], place[y]),
        theme=theme,
        style=style,
        draw=0,
        key=("core", number),
    )


@cache
def _core_order() -> tuple[int, ...]:
    """An order of the core cases in which those of one structure do not stand together."""
    return tuple(generator("intervene", "core", "order").permutation(len(core_cases())).tolist())


def _advanced_item(
    design: InterveneDesign,
    turn: int,
    question: int,
    size: int,
    density: int,
    initial: int,
    theme: int,
    style: int,
) -> InterveneItem:
    mirrored, asked = divmod(question, len(QUESTIONS))
    n, share = design.n[size], design.density[density]
    drawn = _advanced_world(n, share, turn, bool(mirrored), cast("Split", design.split))
    kind = cast("Initial", design.initial[initial])
    key = ("advanced", design.split, n, share, turn, bool(mirrored))
    return _item(
        design,
        structure="random",
        hidden=drawn.world,
        density=share,
        initial=initial_state(drawn.world, kind, *key),
        asked=drawn.pairs[asked],
        theme=theme,
        style=style,
        draw=2 * turn + mirrored,
        key=key,
    )


def _source_item(
    design: InterveneDesign,
    draw: int,
    asked: int,
    size: int,
    density: int,
    initial: int,
    theme: int,
    style: int,
) -> InterveneItem:
    n, share = design.n[size], design.density[density]
    drawn = _source_world(n, share, draw)
    key = ("source-advanced", n, share, draw)
    kind = cast("Initial", design.initial[initial])
    return _item(
        design,
        structure="random",
        hidden=drawn.world,
        density=share,
        initial=initial_state(drawn.world, kind, *key),
        asked=drawn.pairs[asked],
        theme=theme,
        style=style,
        draw=draw,
        key=key,
    )


def _item(
    design: InterveneDesign,
    *,
    structure: str,
    hidden: World,
    density: float,
    initial: State,
    asked: Pair,
    theme: int,
    style: int,
    draw: int,
    key: tuple[object, ...],
) -> InterveneItem:
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
        split=cast("Split", design.split),
        draw=draw,
        certificate=_certificate(hidden, asked),
    )


# All questions of a world stand in one block: these remember the worlds of a block, and no more.


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
