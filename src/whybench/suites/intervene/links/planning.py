"""The number of adaptive actions that settle which dotted link is real, and ways to choose them.

The depth of a diagram is the least number of actions within which some way of acting settles every
hypothesis. It is found by searching all ways of acting. `plan` follows such a way. `choose_greedy`
takes the action with the most expected information about the link, and looks no further.
"""

from __future__ import annotations

from functools import lru_cache
from math import log2
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whybench.suites.intervene.links.diagram import Diagram

CACHED = 256


def is_settled(left: int) -> bool:
    """Return whether at most one hypothesis is left."""
    return left & (left - 1) == 0


class Search:
    """The search through all ways of acting on a diagram."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self._known: dict[tuple[int, int, int], bool] = {}

    def suffices(self, left: int, state: int, actions: int) -> bool:
        """Return whether some way of acting settles these hypotheses within a number of actions."""
        if is_settled(left):
            return True
        if not actions:
            return False
        key = (left, state, actions)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = any(
                self._settles(left, state, entity, actions) for entity in range(self.diagram.n)
            )
        return known

    def _settles(self, left: int, state: int, entity: int, actions: int) -> bool:
        parts = self.diagram.split(left, state, entity)
        if len(parts) == 1 and parts[0][1] == state:
            return False
        if actions == 1:
            return all(is_settled(part) for part, _ in parts)
        parts.sort(key=lambda part: -part[0].bit_count())
        return all(self.suffices(part, after, actions - 1) for part, after in parts)

    def plan(self, left: int, state: int) -> int | None:
        """Return an entity to act on by which fewest actions suffice; None if it is settled."""
        if is_settled(left):
            return None
        actions = 1
        while not self.suffices(left, state, actions):
            actions += 1
        return next(
            entity
            for entity in range(self.diagram.n)
            if self._settles(left, state, entity, actions)
        )


@lru_cache(maxsize=CACHED)
def search_of(diagram: Diagram) -> Search:
    """Return the search of a diagram, with all that it has found so far."""
    return Search(diagram)


def find_depth(diagram: Diagram, most: int) -> int | None:
    """Return the depth of a diagram; None if it is above a bound."""
    search = search_of(diagram)
    depths = range(1, most + 1)
    return next((d for d in depths if search.suffices(diagram.every, diagram.initial, d)), None)


def expect_information(diagram: Diagram, left: int, state: int, entity: int) -> float:
    """Return the bits that a toggle is expected to give about the link, all equally likely."""
    sizes = [part.bit_count() for part, _ in diagram.split(left, state, entity)]
    whole = sum(sizes)
    return log2(whole) - sum(size * log2(size) for size in sizes) / whole


def choose_greedy(diagram: Diagram, left: int, state: int) -> int | None:
    """Return the entity whose toggle has the most expected information; None if it is settled.

    Of equal ones, it is the first listed that changes the state, for some hypothesis.
    """
    if is_settled(left):
        return None

    def rank(entity: int) -> tuple[float, bool]:
        bits = expect_information(diagram, left, state, entity)
        changes = any(after != state for _, after in diagram.split(left, state, entity))
        return round(bits, 9), changes

    return max(range(diagram.n), key=rank)
