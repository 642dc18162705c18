"""The ways of the reference agents where it is asked which dotted link is real.

All of them rule out links exactly. They differ in how they choose actions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.intervene.links.diagram import Diagram, Step, toggle
from whybench.suites.intervene.links.planning import choose_greedy, search_of

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.intervene.case import InterveneCase

Choice = Callable[[Diagram, int, Sequence[int]], Step | None]
"""Chooses an action, given the links that are left, as bits, and the states; None to answer."""

Guess = Callable[[Diagram, int, Sequence[int]], int]
"""Names a link, by its place in the list."""


@dataclass(frozen=True)
class LinkSolver:
    """A way to find the real link, or not to find it.

    Attributes:
        choose: The next action; None as soon as it answers.
        guess: The answer.
    """

    choose: Choice
    guess: Guess


def render_link_answer(case: InterveneCase, place: int) -> str:
    """Return the reply that names a dotted link."""
    return json.dumps({"answer": case.answers[place]})


def guess_link(case: InterveneCase, rng: np.random.Generator) -> str:
    """Return the reply that names a dotted link at random."""
    return render_link_answer(case, int(rng.integers(len(case.dotted))))


def first_left(_diagram: Diagram, left: int, _states: Sequence[int]) -> int:
    """Return the first link that is left."""
    return (left & -left).bit_length() - 1


def _plan(diagram: Diagram, left: int, states: Sequence[int]) -> Step | None:
    """Follow the plan that settles every link within the budget."""
    entity = search_of(diagram).plan(left, states[-1])
    return None if entity is None else toggle(states[-1], entity)


def _greedy(diagram: Diagram, left: int, states: Sequence[int]) -> Step | None:
    """Take the action with the most expected information."""
    entity = choose_greedy(diagram, left, states[-1])
    return None if entity is None else toggle(states[-1], entity)


def _try_each(diagram: Diagram, left: int, states: Sequence[int]) -> Step | None:
    """Act on the cause of the first link that is left, and on its effect if that was just done."""
    if left & (left - 1) == 0:
        return None
    cause, effect = diagram.dotted[first_left(diagram, left, states)]
    alternate = len(states) > 1 and (states[-2] ^ states[-1]) >> cause & 1
    return toggle(states[-1], effect if alternate else cause)


def _act_once(end: int) -> Choice:
    """Act once, on the cause (0) or the effect (1) of the first link."""

    def choose(diagram: Diagram, _left: int, states: Sequence[int]) -> Step | None:
        return toggle(states[-1], diagram.dotted[0][end]) if len(states) == 1 else None

    return choose


def _never(_diagram: Diagram, _left: int, _states: Sequence[int]) -> None:
    return None


def _find_alike(diagram: Diagram, _left: int, states: Sequence[int]) -> int:
    """Return the first link whose ends both changed, else the first whose ends have one state."""
    changed, last = states[0] ^ states[-1], states[-1]
    both = [k for k, (u, w) in enumerate(diagram.dotted) if changed >> u & changed >> w & 1]
    alike = [k for k, (u, w) in enumerate(diagram.dotted) if last >> u & 1 == last >> w & 1]
    return next(iter([*both, *alike]), 0)


def _find_changed(diagram: Diagram, _left: int, states: Sequence[int]) -> int:
    """Return the first link whose effect changed."""
    changed = states[0] ^ states[-1]
    return next((k for k, (_, w) in enumerate(diagram.dotted) if changed >> w & 1), 0)


LINK_SOLVERS = {
    "controlled": LinkSolver(_plan, first_left),
    "bayes": LinkSolver(_greedy, first_left),
    "recipe": LinkSolver(_try_each, first_left),
    "always-yes": LinkSolver(_never, lambda *_: 0),
    "always-no": LinkSolver(_never, lambda diagram, *_: len(diagram.dotted) - 1),
    "listed-first": LinkSolver(_never, lambda *_: 0),
    "correlational": LinkSolver(_act_once(1), _find_alike),
    "single-cause": LinkSolver(_act_once(0), _find_changed),
}
"""The reference agents by name, but for the one that guesses."""
