"""A question, what was seen so far, and the loop in which an experimenter settles it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from whybench.suites.intervene.entailment import Transition

if TYPE_CHECKING:
    from whybench.suites.intervene.world import Action, State, World

__all__ = ["Experimenter", "Inquiry", "Intervention", "experiment"]


class Intervention(NamedTuple):
    """What to do next."""

    action: Action
    entity: int


@dataclass(frozen=True)
class Inquiry:
    """All that an experimenter knows: whether x causes y is asked, and this was done and seen.

    Attributes:
        n: How many entities there are.
        x: The cause in question.
        y: The effect in question.
        initial: The entities that moved at first.
        transitions: What was done and seen since.
    """

    n: int
    x: int
    y: int
    initial: State
    transitions: tuple[Transition, ...] = ()

    @property
    def state(self) -> State:
        """The entities that move now."""
        return self.transitions[-1].after if self.transitions else self.initial

    def intervention(self, entity: int) -> Intervention:
        """Return the only action on an entity that can change anything now."""
        return Intervention("hold" if entity in self.state else "move", entity)

    def then(self, done: Intervention, after: State) -> Inquiry:
        """Return the inquiry after one more intervention."""
        seen = Transition(self.state, done.action, done.entity, after)
        return replace(self, transitions=(*self.transitions, seen))

    def renamed(self, names: Sequence[int]) -> Inquiry:
        """Return the same inquiry with each entity called by its place in `names`."""
        place = {name: index for index, name in enumerate(names)}

        def placed(state: State) -> State:
            return frozenset(place[entity] for entity in state)

        transitions = tuple(
            Transition(placed(seen.before), seen.action, place[seen.entity], placed(seen.after))
            for seen in self.transitions
        )
        return Inquiry(self.n, place[self.x], place[self.y], placed(self.initial), transitions)


Experimenter = Callable[[Inquiry], Intervention | None]
"""Chooses the next intervention; None as soon as it is ready to answer."""


def experiment(experimenter: Experimenter, world: World, initial: State, x: int, y: int) -> Inquiry:
    """Let an experimenter settle in a world whether x causes y; its steps are the transitions."""
    inquiry = Inquiry(world.n, x, y, initial)
    while (chosen := experimenter(inquiry)) is not None:
        inquiry = inquiry.then(chosen, world.step(inquiry.state, chosen.action, chosen.entity))
    return inquiry
