"""The course of one episode: what was done, what was seen, and what was settled by then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from whybench.suites.intervene.entailment import Evidence, Transition
from whybench.suites.intervene.episode import case_of, entities
from whybench.suites.intervene.experimenters import Intervention

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.sets import Pair
    from whybench.suites.intervene.verdicts import Answer
    from whybench.suites.intervene.world import Action, State, World

__all__ = ["Course", "course_of"]


@dataclass(frozen=True)
class Course:
    """What happened in one world, from the first state to the answer.

    Attributes:
        names: What the entities are called, in the order of their listing.
        world: The hidden world.
        initial: The first state.
        path: What was done.
        asked: The supposed cause and the supposed effect.
        words: The verbs for moving and holding, and the states they bring about.
        answer: What was answered; None if nothing.
    """

    names: tuple[str, ...]
    world: World
    initial: State
    path: tuple[Intervention, ...]
    asked: Pair
    words: tuple[str, str, str, str] = ("move", "hold", "moving", "still")
    answer: Answer | None = None

    def __post_init__(self) -> None:
        if len(self.names) != self.world.n:
            raise ValueError(f"names must be {self.world.n}, one an entity, got {self.names}")
        if not self.world.is_closed(self.initial):
            raise ValueError(
                f"initial must hold all that its entities drive, got {sorted(self.initial)}"
            )

    @cached_property
    def transitions(self) -> tuple[Transition, ...]:
        """What was done and seen, step by step."""
        found = []
        state = self.initial
        for action, entity in self.path:
            after = self.world.step(state, action, entity)
            found.append(Transition(state, action, entity, after))
            state = after
        return tuple(found)

    @cached_property
    def settled(self) -> tuple[Entailed, ...]:
        """What was entailed at the start and after each step."""
        with Evidence(self.world.n, self.initial) as evidence:
            found = [evidence.entails(*self.asked)]
            for transition in self.transitions:
                evidence.add(transition)
                found.append(evidence.entails(*self.asked))
        return tuple(found)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the first state and each step as a flat row."""
        yield {"step": 0, "action": "", "entity": "", **self._seen(self.initial, 0)}
        for step, done in enumerate(self.transitions, 1):
            about = {"step": step, "action": done.action, "entity": self.names[done.entity]}
            yield {**about, **self._seen(done.after, step)}

    def _seen(self, state: State, step: int) -> dict[str, Any]:
        moving = " ".join(self.names[entity] for entity in sorted(state))
        return {"moving": moving, "settled": self.settled[step]}


def course_of(row: Mapping[str, Any]) -> Course:
    """Return the course that a record tells.

    >>> row = {"names": "lid,wheel,bell", "words": "turn,stop,turning,still", "graph": "0>1 1>2",
    ...        "moving": "1 2", "asked": "1>2", "interface": "text", "path": "hold 1; move 0",
    ...        "value": 1.0}
    >>> course_of(row).settled
    ('open', 'yes', 'yes')
    """
    case = case_of(row)
    move, hold, moving, still = case.words
    value = row["value"]
    return Course(
        names=case.names,
        world=case.world,
        initial=entities(case.initial),
        path=tuple(map(_intervention, filter(None, row["path"].split("; ")))),
        asked=(case.x, case.y),
        words=(move, hold, moving, still),
        answer=None if value is None else "yes" if value else "no",
    )


def _intervention(step: str) -> Intervention:
    action, entity = step.split()
    return Intervention(cast("Action", action), int(entity))
