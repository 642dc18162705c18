"""A diagram with dotted links, and the worlds that it leaves open.

Solid links are real. Of the dotted links exactly one is real, so each dotted link is a hypothesis,
and the world of a hypothesis has the solid links and this one. A dotted link joins two entities
that no solid path joins in either direction. So no two hypotheses have the same reachability: of
all pairs that a link (u, w) adds to the reachability, (u, w) is the only one that lies above and
below none of the others.

Sets of hypotheses are bits, as are states: bit i is the i-th dotted link.

>>> diagram = Diagram(3, ((0, 1),), ((0, 2), (2, 1)), initial=0b111)
>>> diagram.split(0b11, 0b111, 2)  # hold entity 2
[(1, 7), (2, 3)]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.suites.intervene.world import InterveneWorld

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whybench.suites.intervene.world import Action

Pair = tuple[int, int]

Step = tuple["Action", int]
"""An action and the entity."""


def toggle(state: int, entity: int) -> Step:
    """Return the only action on an entity that can change a state."""
    return ("hold" if state >> entity & 1 else "move", entity)


def _toggle_each(below: Sequence[int], state: int) -> list[int]:
    """Return the state after the toggle of each entity, given the descendants of each as bits."""
    driven = 0
    for v, reached in enumerate(below):
        if state >> v & 1:
            driven |= reached
    sources = [v for v in range(len(below)) if state & ~driven & 1 << v]
    after = []
    for v, reached in enumerate(below):
        if not state >> v & 1:
            after.append(state | 1 << v | reached)
        elif driven >> v & 1:
            after.append(state)
        else:
            kept = 0
            for source in sources:
                if source != v:
                    kept |= 1 << source | below[source]
            after.append(kept)
    return after


@dataclass(frozen=True)
class Diagram:
    """Solid links, dotted links, and the state that is seen at first.

    Attributes:
        n: Number of entities.
        solid: The links that are real.
        dotted: The links of which exactly one is real.
        initial: The first state, as bits; each hypothesis allows it.
    """

    n: int
    solid: tuple[Pair, ...]
    dotted: tuple[Pair, ...]
    initial: int
    _outcomes: dict[int, list[list[tuple[int, int]]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def worlds(self) -> tuple[InterveneWorld, ...]:
        """The world of each hypothesis."""
        return tuple(InterveneWorld(self.n, (*self.solid, link)) for link in self.dotted)

    @property
    def every(self) -> int:
        """All hypotheses."""
        return (1 << len(self.dotted)) - 1

    @cached_property
    def _below(self) -> tuple[tuple[int, ...], ...]:
        """The descendants of each entity under each hypothesis, as bits, by adding the link."""
        reaches = InterveneWorld(self.n, self.solid).reaches
        solid = [sum(1 << w for w in range(self.n) if row[w]) for row in reaches]
        return tuple(
            tuple(
                below | 1 << w | solid[w] if v == u or below >> u & 1 else below
                for v, below in enumerate(solid)
            )
            for u, w in self.dotted
        )

    def outcomes(self, state: int) -> list[list[tuple[int, int]]]:
        """Return for each entity the states after the toggle, each with its hypotheses."""
        found = self._outcomes.get(state)
        if found is None:
            after: list[dict[int, int]] = [{} for _ in range(self.n)]
            for number, below in enumerate(self._below):
                for seen, groups in zip(_toggle_each(below, state), after, strict=True):
                    groups[seen] = groups.get(seen, 0) | 1 << number
            found = self._outcomes[state] = [list(groups.items()) for groups in after]
        return found

    def split(self, left: int, state: int, entity: int) -> list[tuple[int, int]]:
        """Return the hypotheses that are left after each outcome of a toggle, and the outcome."""
        return [(m & left, seen) for seen, m in self.outcomes(state)[entity] if m & left]

    def possible(self, states: Sequence[int], steps: Iterable[Step]) -> int:
        """Return the hypotheses under which these steps would have had these results.

        Args:
            states: The states that were seen, the first one first.
            steps: The actions between them.
        """
        left = self.every
        for before, (action, entity), after in zip(states, steps, states[1:], strict=False):
            agree = (
                1 << number
                for number, world in enumerate(self.worlds)
                if world.after(before, action, entity) == after
            )
            left &= sum(agree)
        return left

    def renumber(self, numbers: Sequence[int], order: Sequence[int]) -> Diagram:
        """Return the same diagram with other numbers for entities, and links in another order."""
        new = [(numbers[u], numbers[w]) for u, w in self.dotted]
        solid = sorted((numbers[u], numbers[w]) for u, w in self.solid)
        initial = sum(1 << numbers[v] for v in range(self.n) if self.initial >> v & 1)
        return Diagram(self.n, tuple(solid), tuple(new[k] for k in order), initial)
