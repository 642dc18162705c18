"""Recovery of horizons that are known, by the items of a suite's design."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.stats import binom

from evidence.figures import ALPHA, Figure
from whybench.seeds import generator
from whybench.stats.horizon import HorizonFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RUNS, FEW_RUNS = 300, 40
LEAST_COVERED = 0.9


class AskedDesign(NamedTuple):
    """The items of a design.

    Attributes:
        suite: The suite's name.
        depths: The depths.
        each: The number of items at each depth.
        guess: The guessing rate of the suite.
    """

    suite: str
    depths: tuple[int, ...]
    each: int
    guess: float

    def answer(self, chances: Array, rng: np.random.Generator, each: int = 0) -> HorizonFit:
        """Return the fit of answers that are right with these chances at each depth."""
        number = each or self.each
        depths = np.repeat(np.array(self.depths, dtype=float), number)
        right = rng.random(depths.size) < np.repeat(chances, number)
        return HorizonFit(depths, right, self.guess)

    def next_depth(self, rules: int) -> float:
        """Return the next depth that is asked for."""
        return float(self.depths[self.depths.index(rules) + 1])


def recover(
    asked: AskedDesign, name: str, chances: Array, span: tuple[float, float], *, small: bool
) -> Figure:
    """Return how often intervals contain a horizon from a span.

    Args:
        asked: The items.
        name: The agent.
        chances: How often it is right at each depth.
        span: The horizons that fit the agent, from the lowest to the highest.
        small: Whether to simulate few runs.
    """
    runs = FEW_RUNS if small else RUNS
    rng = generator("evidence", "horizon", "recovery", asked.suite, name)
    fits = [asked.answer(chances, rng).estimate() for _ in range(runs)]
    lows, highs = ([getattr(one, end) or 0.0 for one in fits] for end in ("low", "high"))
    low, high = (min(max(end, asked.depths[0]), asked.depths[-1]) for end in span)
    held = sum(one <= high and low <= other for one, other in zip(lows, highs, strict=True))
    fitting = "its horizon" if low == high else "a horizon that fits"
    return Figure(
        f"{asked.suite}: {name}: intervals contain {fitting} in not significantly less than "
        f"{LEAST_COVERED:.0%} of {runs} runs",
        f"{low:.1f} in {held / runs:.1%}; median {median(one.estimate or 0.0 for one in fits):.1f},"
        f" interval {median(lows):.1f} to {median(highs):.1f}",
        bool(binom.cdf(held, runs, LEAST_COVERED) >= ALPHA),
    )
