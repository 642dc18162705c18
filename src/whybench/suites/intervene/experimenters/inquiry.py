"""A question with what was seen so far, the loop in which an experimenter settles it, and a recipe.

The recipe is the procedure that the source spells out in its longest prompt: bring cause and effect
to rest, stopping whatever else drives them; move the cause; watch the effect. To bring them to
rest, hold the first moving entity of: the cause, the effect, the others in their order. None is
held twice: one that was held in vain is driven, and stops by itself once its drivers have stopped.
The procedure is carried through to its end even if the answer is clear before; that takes at most
one hold for each entity and one move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from whybench.suites.intervene.entailment import Transition, decide_entailment

if TYPE_CHECKING:
    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.world import Action, InterveneWorld, State

ALL_PAIRS = (-1, -1)
"""In place of a cause and an effect: who causes whom is asked of all pairs."""


class Intervention(NamedTuple):
    """What to do next."""

    action: Action
    entity: int


@dataclass(frozen=True)
class Inquiry:
    """All that an experimenter knows: whether x causes y is asked, and this was done and seen.

    Attributes:
        n: How many entities there are.
        x: The cause in question; with y `ALL_PAIRS` if all are.
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

    def renumber(self, order: Sequence[int]) -> Inquiry:
        """Return the same inquiry with each entity known by its position in an order."""
        number = {entity: position for position, entity in enumerate(order)}

        def state(old: State) -> State:
            return frozenset(number[entity] for entity in old)

        transitions = tuple(
            Transition(state(seen.before), seen.action, number[seen.entity], state(seen.after))
            for seen in self.transitions
        )
        return Inquiry(self.n, number[self.x], number[self.y], state(self.initial), transitions)


Experimenter = Callable[[Inquiry], Intervention | None]
"""Chooses the next intervention; None as soon as it is ready to answer."""


def run_experiment(
    experimenter: Experimenter, world: InterveneWorld, initial: State, x: int, y: int
) -> Inquiry:
    """Let an experimenter settle in a world whether x causes y; its steps are the transitions."""
    inquiry = Inquiry(world.n, x, y, initial)
    while (chosen := experimenter(inquiry)) is not None:
        inquiry = inquiry.then(chosen, world.step(inquiry.state, *chosen))
    return inquiry


@lru_cache(maxsize=65536)
def find_entailed(inquiry: Inquiry) -> Entailed:
    """Return what all that was seen entails."""
    return decide_entailment(inquiry.n, inquiry.transitions, inquiry.x, inquiry.y, inquiry.initial)


def recipe(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of the recipe; None when it is done."""
    x, y, state = inquiry.x, inquiry.y, inquiry.state
    if _is_tested(inquiry):
        return None
    if not state & {x, y}:
        return Intervention("move", x)
    others = (entity for entity in range(inquiry.n) if entity not in (x, y))
    held = list_held(inquiry)
    # Among what moves there is an entity that nothing drives, and it was not held: it would rest.
    return Intervention("hold", next(v for v in (x, y, *others) if v in state and v not in held))


def _is_tested(inquiry: Inquiry) -> bool:
    """Whether the cause was moved while both were at rest, just now."""
    if not inquiry.transitions:
        return False
    last = inquiry.transitions[-1]
    at_rest = not last.before & {inquiry.x, inquiry.y}
    return at_rest and (last.action, last.entity) == ("move", inquiry.x)


def list_held(inquiry: Inquiry) -> set[int]:
    """Return what was held since anything was last moved."""
    held = set()
    for transition in reversed(inquiry.transitions):
        if transition.action == "move":
            break
        held.add(transition.entity)
    return held
