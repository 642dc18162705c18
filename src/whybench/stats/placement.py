"""Where the next questions about a horizon go, and when there are enough.

Questions are asked in rounds. Most of a round goes to the depths at which an answer is expected to
give the most information about the horizon, given all answers so far. The rest goes to the depths
that were asked least, so that a success that rises with depth is noticed. A round follows from the
counts of answers alone, so an interrupted run continues with the same questions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.stats.horizon import HorizonFit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FIRST_EACH = 2
"""Questions at each depth in the first round."""

ROUND, SPREAD = 12, 3
"""Questions of each later round, and how many of them go to the depths that were asked least."""

REPEATED = 0.2
"""How much less a further question of a round at the same depth is expected to give."""

WIDEST, WIDEST_RATIO = 2.0, 1.5
"""An interval is narrow enough if its upper end exceeds the lower one by at most `WIDEST`, or is at
most `WIDEST_RATIO` times as large."""

STOP_LEVEL = 0.98
"""The level of the interval that must be narrow enough. It is higher than that of the interval that
is reported, since to stop at the first narrow one favors intervals that are narrow by chance."""

END_LEAST = 6
"""The fewest answers at an end of the depths that the interval reaches. With fewer, the prior
would decide whether the horizon lies just inside the end or beyond it."""

LADDER_STEPS = (0, 1, 2, 3, 5, 8, 12, 20, 35, 10**6)
LADDER_RATES = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)


@dataclass(frozen=True)
class Placement:
    """Places questions at depths until the horizon is known well enough.

    Attributes:
        depths: The depths that can be asked, in ascending order.
        guess: The guessing rate.
        most: The largest number of questions.
        each: The largest number of questions at a depth.
    """

    depths: Sequence[int]
    guess: float
    most: int
    each: int

    def next_round(self, asked: Sequence[int], right: Sequence[int]) -> list[int]:
        """Return the number of questions of the next round at each depth; all 0 at the end.

        Args:
            asked: The number of answers so far, by depth.
            right: The number of correct answers among them, by depth.
        """
        before, placed = np.array(asked), np.zeros(len(self.depths), dtype=int)
        left = self.most - int(before.sum())
        if not before.any():
            spread = FIRST_EACH * before.size
            return self._spread(before, placed, min(spread, left))
        fit = HorizonFit.of_counts(self.depths, asked, right, self.guess)
        size = 0 if self.is_enough(fit) else min(ROUND, left)
        gains = fit.information(self.depths) if size > SPREAD else np.zeros(before.size)
        for _ in range(size - SPREAD):
            free = before + placed < self.each
            placed[np.argmax(np.where(free, gains / (1 + REPEATED * placed), -1.0))] += free.any()
        return self._spread(before, placed, min(size, SPREAD))

    def is_enough(self, fit: HorizonFit) -> bool:
        """Whether the interval is narrow enough, or lies beyond the depths."""
        low, high = fit.interval(STOP_LEVEL)
        shallow, deep = self.depths[0], self.depths[-1]
        for end, reached in ((deep, low >= deep), (shallow, low <= shallow)):
            if reached and np.sum(fit.depths == end) < END_LEAST:
                return False
        low = max(low, shallow)
        return low >= deep or high <= max(low + WIDEST, WIDEST_RATIO * low)

    def _spread(self, before: NDArray[np.int_], placed: NDArray[np.int_], size: int) -> list[int]:
        """Add questions at the depths that were asked least, the shallow ones first."""
        for _ in range(size):
            least = int(np.argmin(before + placed))
            placed[least] += before[least] + placed[least] < self.each
        return [int(number) for number in placed]


def expect_questions(placement: Placement) -> int:
    """Return the mean number of questions over a ladder of simulated agents.

    The agents read a limited number of steps, slip at a share of them, answer exactly, or guess.
    """
    depths = np.array(placement.depths, dtype=float)
    successes = [
        *(np.where(depths <= steps, 1.0, 0.0) for steps in LADDER_STEPS),
        *((1 - rate) ** depths for rate in LADDER_RATES),
    ]
    return round(np.mean([_simulate(placement, success) for success in successes]))


def _simulate(placement: Placement, success: NDArray[np.float64]) -> int:
    """Return the number of questions to an agent that succeeds this often, by depth."""
    rng = generator("placement", [float(share) for share in success])
    chances = placement.guess + (1 - placement.guess) * success
    asked, right = (np.zeros(chances.size, dtype=int) for _ in range(2))
    while any(number := placement.next_round(asked.tolist(), right.tolist())):
        right += rng.binomial(number, chances)
        asked += number
    return int(asked.sum())
