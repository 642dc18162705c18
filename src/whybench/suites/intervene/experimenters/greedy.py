"""Experimenters that look one intervention ahead, and the shortest proof of an answer.

`greedy` does what leaves the least uncertainty about the answer on average: the expected entropy,
in bits, of "does x cause y?" if every directed acyclic graph is equally likely. Among equals it
takes what leaves the least uncertainty about the whole order, then the entity of the lowest number.
If no single intervention could tell anything, it heads for the nearest state in which one can.

Ties are frequent, and the last rule matters: on the 84 core cases other choices among equals need
102 to 108 interventions where this one needs 103.

`sampled` weighs interventions likewise, and is not bound to five entities: it judges by those
worlds of a fixed pool that agree with all that was seen. They stand for all that agree as long as
there are many of them; later they are few, and in the end there may be none.

The pool therefore advises, and does not decide. A world of the pool that says yes and one that
says no prove together that the question is open. Where no such two are left, the solver of
`entailment` is asked, so there is no answer before the answer is entailed. Where the question is
open and the pool has nothing to say on it, the next step is that of the recipe.

The recipe settles the question from any state in at most n + 1 interventions. Advice is followed
only while these can be afforded afterwards, so 2n interventions always suffice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.intervene.experimenters.inquiry import Inquiry, find_entailed, recipe
from whybench.suites.intervene.experimenters.optimal import bayes
from whybench.suites.intervene.experimenters.pool import LARGEST, draw_pool
from whybench.suites.intervene.posets import MAX_ENUMERATED, consistent_orders, list_posets
from whybench.suites.intervene.world import ACTIONS, state_to_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.intervene.experimenters.inquiry import Intervention
    from whybench.suites.intervene.experimenters.pool import WorldPool
    from whybench.suites.intervene.posets import Posets
    from whybench.suites.intervene.world import InterveneWorld, State

DIGITS = 9
"""Entropies that agree to this many digits are equal."""

FEW = 2**12
"""Fewer states than this are counted as they are; more are sorted and numbered first."""


def greedy(inquiry: Inquiry) -> Intervention | None:
    """Return the intervention that tells most; None if the answer is entailed."""
    good = list_best(inquiry)
    return inquiry.intervention(good[0]) if good else None


def list_best(inquiry: Inquiry) -> list[int]:
    """List, by number, the entities to act on that tell most; none if the answer is entailed."""
    orders = list_posets(inquiry.n)
    belief = np.flatnonzero(consistent_orders(inquiry.n, inquiry.transitions, inquiry.initial))
    answers = orders.causes(inquiry.x, inquiry.y)[belief]
    if answers.all() or not answers.any():
        return []
    state = state_to_bits(inquiry.state)
    outcomes = [_outcomes(orders, belief, state, v) for v in range(inquiry.n)]
    informative = [v for v in range(inquiry.n) if len(set(outcomes[v])) > 1]
    if not informative:
        return [_find_way_to_news(orders, belief, state)]
    weights = orders.dags[belief].astype(float)
    left = {v: remaining_uncertainty(outcomes[v], answers, weights) for v in informative}
    return [v for v in informative if left[v] == min(left.values())]


def expect_bits(inquiry: Inquiry) -> list[float]:
    """Return what acting on each entity is to tell of the answer, in bits; up to five entities."""
    orders = list_posets(inquiry.n)
    belief = np.flatnonzero(consistent_orders(inquiry.n, inquiry.transitions, inquiry.initial))
    answers = orders.causes(inquiry.x, inquiry.y)[belief]
    weights = orders.dags[belief].astype(float)
    before = _entropy(np.bincount(answers, weights))
    state = state_to_bits(inquiry.state)
    return [
        before - remaining_uncertainty(_outcomes(orders, belief, state, v), answers, weights)[0]
        for v in range(inquiry.n)
    ]


def _outcomes(orders: Posets, belief: NDArray[np.int64], state: int, v: int) -> NDArray[np.uint8]:
    """Return the state that follows in each order if v is moved, or held where it moves."""
    action = ACTIONS.index("hold" if state >> v & 1 else "move")
    outcomes: NDArray[np.uint8] = orders.after[action, v, state, belief]
    return outcomes


def remaining_uncertainty(
    outcomes: NDArray[np.integer[Any]],
    answers: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> tuple[float, float]:
    """Say how uncertain answer and world stay once the outcome is known; smaller is better.

    The first number is the entropy that is left of the answer. The second is that of the world,
    up to a constant: a world has one outcome, so what is learnt is the entropy of the outcome.

    Args:
        outcomes: What an intervention would show in each world.
        answers: Whether x causes y in each world.
        weights: How likely each world is, up to a factor.
    """
    kind = outcomes.astype(np.int64)
    if kind.max() >= FEW:
        _, kind = np.unique(kind, return_inverse=True)
    outcome = _entropy(np.bincount(kind, weights))
    joint = _entropy(np.bincount(2 * kind + answers, weights))
    return round(joint - outcome, DIGITS), round(-outcome, DIGITS)


def _entropy(weights: NDArray[np.number[Any]]) -> float:
    """Return the entropy of a choice with these weights, in bits."""
    positive = weights[weights > 0] / weights.sum()
    return float(-(positive * np.log2(positive)).sum())


def _find_way_to_news(orders: Posets, belief: NDArray[np.int64], state: int) -> int:
    """Return the first entity to act on, on the shortest way to an intervention that tells."""
    first = {state: -1}
    queue = [state]
    for here in queue:
        for v in range(orders.n):
            outcomes = _outcomes(orders, belief, here, v)
            entity = v if here == state else first[here]
            if len(set(outcomes)) > 1:
                return entity
            after = int(outcomes[0])
            if after not in first:
                first[after] = entity
                queue.append(after)
    raise RuntimeError("an open question can always be settled, yet no intervention can tell")


def sampled(inquiry: Inquiry) -> Intervention | None:
    """Return the intervention that tells most, judged by a sample; None if the answer is entailed.

    From the first observation on it settles every question in at most 2n interventions.
    """
    if inquiry.n > LARGEST:
        return _follow_recipe(inquiry)
    order = sorted(range(inquiry.n), key=lambda entity: entity not in inquiry.initial)
    renumbered = inquiry.renumber(order)
    worlds = draw_pool(renumbered.n, len(renumbered.initial))
    belief = _find_consistent(worlds, renumbered)
    answers = worlds.causes(renumbered.x, renumbered.y)[belief]
    # After any one intervention it must be possible to carry the recipe through.
    can_spare_one = 2 * inquiry.n - len(inquiry.transitions) > inquiry.n + 1
    if answers.all() or not answers.any() or not can_spare_one:
        return _follow_recipe(inquiry)
    outcomes = worlds.after(state_to_bits(renumbered.state), belief)
    telling = np.flatnonzero((outcomes != outcomes[:, :1]).any(axis=1)).tolist()
    if not telling:
        return _follow_recipe(inquiry)
    weights = np.ones(len(belief))
    left = {v: remaining_uncertainty(outcomes[v], answers, weights) for v in telling}
    return inquiry.intervention(order[min(telling, key=lambda v: (left[v], order[v]))])


def _follow_recipe(inquiry: Inquiry) -> Intervention | None:
    """Return the next step of the recipe; None if the answer is entailed."""
    return recipe(inquiry) if find_entailed(inquiry) == "open" else None


def _find_consistent(worlds: WorldPool, inquiry: Inquiry) -> NDArray[np.intp]:
    """Return the worlds of the pool that agree with all that was seen."""
    belief = np.arange(worlds.below.shape[1])
    for seen in inquiry.transitions:
        # Moving what moves and holding what is still happen alike in all worlds.
        if (seen.action == "hold") == (seen.entity in seen.before):
            outcomes = worlds.after(state_to_bits(seen.before), belief)[seen.entity]
            belief = belief[outcomes == state_to_bits(seen.after)]
    return belief


def shortest_proof(world: InterveneWorld, initial: State, x: int, y: int) -> Inquiry:
    """Return a shortest inquiry in this world after which the answer is entailed.

    Searches breadth first, up to five entities; what leads to a belief and a state that were met
    before is not pursued.
    """
    answers = list_posets(world.n).causes(x, y)
    queue = [Inquiry(world.n, x, y, initial)]
    met = set()
    for inquiry in queue:
        belief = consistent_orders(world.n, inquiry.transitions, initial)
        if answers[belief].all() or not answers[belief].any():
            return inquiry
        key = belief.tobytes(), inquiry.state
        if key in met:
            continue
        met.add(key)
        for v in range(world.n):
            chosen = inquiry.intervention(v)
            queue.append(inquiry.then(chosen, world.step(inquiry.state, *chosen)))
    raise RuntimeError("an open question can always be settled, yet the search found no way")


def settle(inquiry: Inquiry) -> Intervention | None:
    """Return what `bayes` would do up to five entities, and `sampled` beyond; None if entailed."""
    return (bayes if inquiry.n <= MAX_ENUMERATED else sampled)(inquiry)
