"""The experimenter that needs the fewest interventions to be expected, exactly.

Every directed acyclic graph of up to five entities is equally likely beforehand. What is known is
a *belief*, the set of orders that agree with all observations, and the state. An intervention
splits the belief by what it would show; the value of a belief in a state is

    V = 0                                              if the answer is the same throughout,
    V = 1 + min over v of the mean of V after acting on v                         otherwise.

Only one action on an entity can change anything, hold where it moves and move where it rests, so
there are n choices. Some change the state and tell nothing; as these could go round in circles,
all states that are reached without learning anything are valued together, by shortest paths.

Names play no part: the question is first renamed to "does 0 cause 1?", so that all questions
about n entities share their values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.intervene.posets import consistent_orders, list_posets
from whybench.suites.intervene.world import ACTIONS, state_to_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.suites.intervene.experimenters.inquiry import Inquiry, Intervention
    from whybench.suites.intervene.posets import Posets

TINY = 1e-9
"""Values closer than this are equal."""

STEPS_AT_FIRST = {
    (False, False): (1.0, 1.0, 1.0, 1.0),
    (False, True): (2.0, 7 / 3, 14 / 5, 1801 / 543),
    (True, False): (0.0, 0.0, 0.0, 0.0),
    (True, True): (1.0, 43 / 25, 438 / 181, 90583 / 29281),
}
"""What the planner finds before anything is done: whether the cause and the effect in question
move, to the steps by how many others do."""


def bayes(inquiry: Inquiry) -> Intervention | None:
    """Return an optimal intervention; None if the answer is entailed.

    Among equally good ones it prefers the cause in question, then the effect, then the lowest
    number.
    """
    names = _question_first(inquiry)
    entity = _planner(inquiry.n).plan(*_belief_and_state(inquiry, names))[1]
    return None if entity is None else inquiry.intervention(names[entity])


def expected_steps(inquiry: Inquiry) -> float:
    """Return how many more interventions are to be expected, if each is optimal."""
    return _planner(inquiry.n).plan(*_belief_and_state(inquiry, _question_first(inquiry)))[0]


def expected_steps_at_first(inquiry: Inquiry) -> float:
    """Return the same before anything is done, without planning: entities at rest play no part."""
    question = inquiry.x in inquiry.initial, inquiry.y in inquiry.initial
    return STEPS_AT_FIRST[question][len(inquiry.initial - {inquiry.x, inquiry.y})]


def _question_first(inquiry: Inquiry) -> list[int]:
    """List the entities with the question first."""
    question = [inquiry.x, inquiry.y]
    return question + [entity for entity in range(inquiry.n) if entity not in question]


def _belief_and_state(inquiry: Inquiry, names: list[int]) -> tuple[NDArray[np.int16], int]:
    """Return belief and state, with the entities renamed by their place in `names`."""
    renumbered = inquiry.renumber(names)
    fits = consistent_orders(renumbered.n, renumbered.transitions, renumbered.initial)
    return np.flatnonzero(fits).astype(np.int16), state_to_bits(renumbered.state)


@cache
def _planner(n: int) -> _Planner:
    orders = list_posets(n)
    states = range(2**n)
    holding, moving = ACTIONS.index("hold"), ACTIONS.index("move")
    outcomes = np.array(
        [[orders.after[holding if s >> v & 1 else moving, v, s] for v in range(n)] for s in states]
    )
    return _Planner(orders, outcomes, orders.causes(0, 1))


@dataclass
class _Planner:
    """Plans for the question whether 0 causes 1, and remembers them.

    Attributes:
        orders: All orders.
        outcomes: states x n x orders; the state that follows on acting on v.
        answers: orders; whether 0 causes 1.
        plans: What is known already: belief and state to value and entity.
    """

    orders: Posets
    outcomes: NDArray[np.uint8]
    answers: NDArray[np.bool_]
    plans: dict[tuple[bytes, int], tuple[float, int]] = field(default_factory=dict)

    def plan(self, belief: NDArray[np.int16], state: int) -> tuple[float, int | None]:
        """Return the expected number of interventions, and on which entity to act first."""
        answers = self.answers[belief]
        if answers.all() or not answers.any():
            return 0.0, None
        key = belief.tobytes()
        if (key, state) not in self.plans:
            plans = self._without_news(belief, state)
            self.plans.update(((key, here), plan) for here, plan in plans.items())
        return self.plans[key, state]

    def _without_news(self, belief: NDArray[np.int16], state: int) -> dict[int, tuple[float, int]]:
        """Plan for a state and all that are reached from it without learning anything."""
        plans: dict[int, tuple[float, int]] = {}
        certain: list[tuple[int, int, int]] = []
        queue = [state]
        for here in queue:
            outcomes = self.outcomes[here][:, belief]
            settled = (outcomes == outcomes[:, :1]).all(axis=1)
            plans[here] = self._best(belief, outcomes, np.flatnonzero(~settled))
            for v in map(int, np.flatnonzero(settled)):
                after = int(outcomes[v, 0])
                certain.append((here, v, after))
                if after not in queue:
                    queue.append(after)
        # Shortest paths: no way without news is longer than the number of states.
        for _ in queue:
            for here, v, after in certain:
                if plans[after][0] + 1 < plans[here][0] - TINY:
                    plans[here] = plans[after][0] + 1, v
        return plans

    def _best(
        self, belief: NDArray[np.int16], outcomes: NDArray[np.uint8], telling: NDArray[np.intp]
    ) -> tuple[float, int]:
        """Return value and entity of the best intervention that tells something."""
        weights = self.orders.dags[belief] / self.orders.dags[belief].sum()
        yes = weights * self.answers[belief]
        best, entity = np.inf, -1
        for v in telling:
            expected = self._expected(belief, outcomes[v], weights, yes, best - TINY)
            if expected < best - TINY:
                best, entity = expected, int(v)
        return best, entity

    def _expected(
        self,
        belief: NDArray[np.int16],
        outcomes: NDArray[np.uint8],
        weights: NDArray[np.float64],
        yes: NDArray[np.float64],
        bound: float,
    ) -> float:
        """Return the value of an intervention, or infinity once it is seen to reach the bound."""
        share = np.bincount(outcomes, weights)
        share_yes = np.bincount(outcomes, yes)
        no = np.bincount(outcomes, weights - yes)
        undecided = np.flatnonzero((share_yes > 0) & (no > 0))
        # One more intervention at least is needed wherever the answer stays undecided.
        expected = 1 + share[undecided].sum()
        for after in undecided:
            if expected >= bound:
                return np.inf
            value, _ = self.plan(belief[outcomes == after], int(after))
            expected += share[after] * (value - 1)
        return float(expected)
