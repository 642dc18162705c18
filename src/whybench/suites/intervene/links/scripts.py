"""Lists and scripts for a diagram: actions that are fixed before anything is seen.

A script is a list, or a beginning with one `if`: by the state of one entity, one of two lists
follows. `find_list` and `find_script` search for those that settle the most dotted links. They
follow only the most promising beginnings, so they may miss a better one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from whybench.suites.intervene.links.diagram import toggle
from whybench.suites.intervene.links.lists import list_steps, open_blocks, rank_blocks, take_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.intervene.links.diagram import Diagram, Step
    from whybench.suites.intervene.links.lists import Blocks

CACHED = 4096
LIST_WIDTH = 60
SCRIPT_WIDTH = 4
"""How many beginnings are followed at each step, for lists and for scripts."""

ListStep = tuple[str, int]
"""`move`, `hold` or `toggle`, and the entity."""


@dataclass(frozen=True)
class ActionScript:
    """Actions that are fixed in advance, with one `if` at most.

    Attributes:
        first: The steps at first; all of them in a list.
        entity: The entity whose state then decides; None in a list.
        if_moving: The steps that follow if it moves.
        otherwise: The steps that follow if it doesn't.
    """

    first: tuple[ListStep, ...]
    entity: int | None = None
    if_moving: tuple[ListStep, ...] = ()
    otherwise: tuple[ListStep, ...] = ()

    def next_step(self, states: Sequence[int]) -> Step | None:
        """Return the next action after the states that were seen, the first one among them."""
        done = len(states) - 1
        steps = self.first
        if self.entity is not None and done >= len(self.first):
            moves = states[len(self.first)] >> self.entity & 1
            steps += self.if_moving if moves else self.otherwise
        if done >= len(steps):
            return None
        verb, entity = steps[done]
        if verb == "toggle":
            return toggle(states[-1], entity)
        return ("hold" if verb == "hold" else "move", entity)


def _count_open(blocks: Blocks) -> int:
    return sum(block.bit_count() for block, _ in blocks)


def _extend(
    diagram: Diagram, level: dict[Blocks, tuple[ListStep, ...]], width: int
) -> dict[Blocks, tuple[ListStep, ...]]:
    """Return the beginnings of lists that are one step longer, the most promising ones."""
    found: dict[Blocks, tuple[ListStep, ...]] = {}
    for blocks, steps in level.items():
        for step in list_steps(diagram, blocks):
            found.setdefault(take_step(diagram, blocks, *step), (*steps, step))
    return {blocks: found[blocks] for blocks in sorted(found, key=rank_blocks)[:width]}


def _search(
    diagram: Diagram, blocks: Blocks, length: int, width: int
) -> tuple[int, tuple[ListStep, ...]]:
    """Return the fewest links that a list leaves open, and the list."""
    level: dict[Blocks, tuple[ListStep, ...]] = {blocks: ()}
    for _ in range(length):
        level = _extend(diagram, level, width)
    best = min(level, key=_count_open)
    return _count_open(best), level[best]


@lru_cache(maxsize=CACHED)
def find_list(diagram: Diagram, length: int) -> ActionScript:
    """Return the list of a length that settles the most dotted links, as far as found."""
    return ActionScript(_search(diagram, open_blocks(diagram), length, LIST_WIDTH)[1])


@lru_cache(maxsize=CACHED)
def find_script(diagram: Diagram, length: int) -> ActionScript:
    """Return the script with one `if` that settles the most dotted links, as far as found."""
    script = find_list(diagram, length)
    fewest = _search(diagram, open_blocks(diagram), length, LIST_WIDTH)[0]
    level: dict[Blocks, tuple[ListStep, ...]] = {open_blocks(diagram): ()}
    for done in range(1, length):
        level = _extend(diagram, level, SCRIPT_WIDTH)
        for blocks, steps in level.items():
            for entity in range(diagram.n):
                parts = [
                    tuple(one for one in blocks if one[1] >> entity & 1 == moves)
                    for moves in (1, 0)
                ]
                if not all(parts):
                    continue
                (left, then), (other, otherwise) = (
                    _search(diagram, part, length - done, SCRIPT_WIDTH) for part in parts
                )
                if left + other < fewest:
                    fewest, script = left + other, ActionScript(steps, entity, then, otherwise)
    return script
