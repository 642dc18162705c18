"""The controlled experiment: stop all else, then try the cause. Nothing needs fewer steps at worst.

If both rest, move the cause. Else whatever else moves is held first, one after the other. Then only
cause and effect can be sources of motion: if the cause moves, hold it and see whether the effect
stops; if it rests, bring the effect to rest and move the cause. With k others that move at first
this takes at most

| cause | effect | steps |
|---|---|---|
| moves | rests | 0: it would drive the effect |
| rests | rests | 1: move the cause |
| moves | moves | k + 1 |
| rests | moves | k + 2 |

and no experimenter does better in the worst case: `minimax_steps` searches all of them, over every
order of up to five entities.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.intervene.experimenters.inquiry import (
    ALL_PAIRS,
    Inquiry,
    Intervention,
    find_entailed,
    list_held,
)
from whybench.suites.intervene.posets import consistent_orders, list_posets
from whybench.suites.intervene.world import ACTIONS, state_to_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.intervene.world import State


def controlled(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of the controlled experiment; None once the answer is entailed."""
    if find_entailed(inquiry) != "open":
        return None
    x, y, state = inquiry.x, inquiry.y, inquiry.state
    if not state & {x, y}:
        return Intervention("move", x)
    held = list_held(inquiry)
    others = (v for v in range(inquiry.n) if v in state and v not in (x, y) and v not in held)
    if (other := next(others, None)) is not None:
        return Intervention("hold", other)
    return Intervention("hold", x if x in state else y)


def count_sufficient(initial: State, x: int, y: int) -> int:
    """Return how many interventions suffice, whatever the hidden graph, to settle if x causes y."""
    if y not in initial:
        return 0 if x in initial else 1
    others = len(initial - {x, y})
    return others + 1 if x in initial else others + 2


@cache
def minimax_steps(inquiry: Inquiry) -> int:
    """Return the fewest interventions that settle the question in the worst case, by search.

    Raises:
        ValueError: There are more than five entities.
    """
    belief = np.flatnonzero(consistent_orders(inquiry.n, inquiry.transitions, inquiry.initial))
    steps = 0
    known: dict[tuple[bytes, int], tuple[int, int]] = {}
    while not _is_settled_within(inquiry, belief, state_to_bits(inquiry.state), steps, known):
        steps += 1
    return steps


def _is_settled_within(
    inquiry: Inquiry,
    belief: NDArray[np.intp],
    state: int,
    steps: int,
    known: dict[tuple[bytes, int], tuple[int, int]],
) -> bool:
    """Whether some way of acting settles the question in so many steps in every order left.

    `known` keeps, for a belief and a state, the most steps that do not suffice and the fewest that
    do.
    """
    orders = list_posets(inquiry.n)
    if _is_settled(inquiry, belief):
        return True
    if not steps:
        return False
    key = belief.tobytes(), state
    too_few, enough = known.get(key, (0, 99))
    if steps <= too_few or steps >= enough:
        return steps >= enough
    for v in range(inquiry.n):
        action = "hold" if state >> v & 1 else "move"
        outcomes = orders.after[ACTIONS.index(action), v, state, belief]
        found = np.unique(outcomes).tolist()
        if found != [state] and all(
            _is_settled_within(inquiry, belief[outcomes == after], after, steps - 1, known)
            for after in found
        ):
            known[key] = too_few, steps
            return True
    known[key] = steps, enough
    return False


def _is_settled(inquiry: Inquiry, belief: NDArray[np.intp]) -> bool:
    """Whether the orders left agree on the answer; on all pairs only one order agrees."""
    if (inquiry.x, inquiry.y) == ALL_PAIRS:
        return belief.size == 1
    answers = list_posets(inquiry.n).causes(inquiry.x, inquiry.y)[belief]
    return bool(answers.all() or not answers.any())
