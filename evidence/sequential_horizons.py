"""Runs until decided by horizons: false alarms, power and questions.

Answers are drawn from curves at the depths of trace's core design, a world of each depth at a
look. Posteriors of many runs are computed at once, and some are compared with those of
`whybench.stats.horizon`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom

from evidence.figures import ALPHA, Figure, Parts
from whybench.results.sequential import InterimLook, decide
from whybench.seeds import generator
from whybench.stats import Difference
from whybench.stats.horizon import BIN, LOWEST, HorizonFit, _grid
from whybench.stats.sequential import spend_evenly
from whybench.suites.trace.agents import GUESS
from whybench.suites.trace.design import DEPTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LEVEL = 0.05
LOOKS = 8
"""Looks at the core design: a world of each depth at each."""

RUNS, FULL_RUNS, SMALLER = 2000, 120, 20
MOST_LOST = 0.03
CHUNK = 50
"""The number of runs whose posteriors are held at once."""

EQUAL = ((5, 1, 1), (5, 4, 4), (5, 1, 4), (11, 1, 4), (3, 2, 6))
"""Horizon and the steepness of both agents."""

LEAST_COVERED = 0.9


@dataclass(frozen=True)
class Curve:
    """An agent with a horizon and a steepness."""

    horizon: float
    steepness: float

    def answer(self, rng: np.random.Generator, runs: int) -> NDArray[np.intp]:
        """Return correct answers, runs x looks x depths."""
        depths = np.array(DEPTHS, dtype=float)
        right = GUESS + (1 - GUESS) * 2.0 ** -((depths / self.horizon) ** self.steepness)
        return (rng.random((runs, LOOKS, depths.size)) < right).astype(np.intp)


@cache
def _likelihood() -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
    """Return log odds, log errors and log prior of each point of the grid, its bins, their starts.

    Points are sorted by their horizon within the depths.
    """
    grid, depths = _grid(), np.array(DEPTHS, dtype=float)
    low = round(float(np.log2(DEPTHS[0] / LOWEST)) / BIN)
    high = ceil(float(np.log2(DEPTHS[-1] / LOWEST)) / BIN)
    places = np.clip(np.round((grid.log_horizon - np.log2(LOWEST)) / BIN), low, high)
    order = np.argsort(places, kind="stable")
    bins, starts = np.unique(places[order], return_index=True)
    chances = np.clip(grid.accuracy(depths, GUESS), 1e-6, 1 - 1e-6)[order]
    errors = np.log1p(-chances)
    odds = np.hstack([np.log(chances) - errors, errors, np.log(grid.prior[order])[:, None]])
    return odds, bins.astype(np.intp) - low, starts


def _posteriors(right: NDArray[np.intp], looks: int) -> Array:
    """Return the posterior of the horizon within the depths after some looks, runs x bins."""
    terms, bins, starts = _likelihood()
    hits = right[:, :looks].sum(axis=1).astype(float)
    rest = np.full_like(hits, looks), np.ones((hits.shape[0], 1))
    weights = terms @ np.hstack([hits, *rest]).T
    np.exp(weights - weights.max(axis=0), out=weights)
    found = np.zeros((hits.shape[0], bins[-1] + 1))
    found[:, bins] = np.add.reduceat(weights, starts, axis=0).T
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _statistics(first: NDArray[np.intp], second: NDArray[np.intp]) -> Array:
    """Return the statistic of each run at each look, second - first."""
    found = np.empty((first.shape[0], LOOKS))
    for start in range(0, first.shape[0], CHUNK):
        part = slice(start, start + CHUNK)
        for looks in range(1, LOOKS + 1):
            one, two = (_posteriors(side[part], looks) for side in (first, second))
            # In both, equal horizons count.
            above = np.sum(two * np.cumsum(one, axis=1), axis=1)
            below = np.sum(one * np.cumsum(two, axis=1), axis=1)
            tail = np.clip(np.minimum(above, below), 1e-300, 0.5)
            found[part, looks - 1] = np.sign(above - below) * -ndtri(tail)
    return found


@cache
def _ended(
    one: Curve, two: Curve, runs: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp]]:
    """Return which runs differ until decided, and by the whole design, and the looks until then."""
    rng = generator("evidence", "sequential", "horizons", str(one), str(two))
    found = np.abs(_statistics(one.answer(rng, runs), two.answer(rng, runs)))
    bounds = np.array(spend_evenly(tuple(n / LOOKS for n in range(1, LOOKS + 1))).bounds)
    crossed = found >= bounds
    ended = np.where(crossed.any(axis=1), crossed.argmax(axis=1) + 1, LOOKS)
    differ = np.asarray(crossed.any(axis=1))
    return differ, found[:, -1] >= -ndtri(LEVEL / 2), ended.astype(np.intp)


def vectorized(small: bool) -> Iterator[Figure]:
    """Yield how far statistics are from those of the library."""
    rng = generator("evidence", "sequential", "horizons", "same")
    runs = 3 if small else 20
    sides = [Curve(5, 2).answer(rng, runs), Curve(8, 1).answer(rng, runs)]
    found = _statistics(*sides)
    gaps = []
    for run in range(runs):
        for looks in (1, 4, LOOKS):
            one = _difference([side[run] for side in sides], looks)
            gaps.append(abs(abs(found[run, looks - 1]) + ndtri((one.p or 1.0) / 2)))
    yield Figure(
        "horizons: statistics of many runs at once are those of the library, within 1e-4",
        f"largest deviation {max(gaps):.1e} in {len(gaps)} comparisons",
        max(gaps) < 1e-4,
    )


def false_alarms(small: bool) -> Iterator[Figure]:
    """Yield how often agents with equal horizons differ, whatever their steepness."""
    runs = RUNS // SMALLER if small else RUNS
    for horizon, steepness, other in EQUAL:
        differ, fixed, _ = _ended(Curve(horizon, steepness), Curve(horizon, other), runs)
        yield Figure(
            f"horizons {horizon} and {horizon}, steepness {steepness} and {other}: they differ in "
            f"not significantly more than {LEVEL:.0%} of {runs} runs, without the second rule",
            f"{differ.mean():.1%}; whole design {fixed.mean():.1%}",
            bool(binom.sf(differ.sum() - 1, runs, LEVEL) >= ALPHA),
        )


def power(small: bool) -> Iterator[Figure]:
    """Yield how often horizons 3 and 5 differ, and after how many questions."""
    runs = RUNS // SMALLER if small else RUNS
    for steepness in (1, 4, 6):
        differ, fixed, looks = _ended(Curve(3, steepness), Curve(5, steepness), runs)
        lost, more = float(fixed.mean() - differ.mean()), int(np.sum(fixed != differ))
        middle, most = (np.quantile(looks, [0.5, 0.9]) * len(DEPTHS)).tolist()
        yield Figure(
            f"horizons 3 and 5, steepness {steepness}: the power until decided is not "
            f"significantly more than {100 * MOST_LOST:.0f} points below the whole design",
            f"{differ.mean():.1%}, whole design {fixed.mean():.1%}, in {runs} runs; {middle:.0f} "
            f"questions of each agent in the median, {most:.0f} in nine of ten, on average "
            f"{looks.mean() * len(DEPTHS):.0f} of {LOOKS * len(DEPTHS)}",
            lost - 2.33 * more**0.5 / runs <= MOST_LOST,
        )


def coverage(small: bool) -> Iterator[Figure]:
    """Yield calls and coverage, with both rules."""
    runs = FULL_RUNS // SMALLER if small else FULL_RUNS
    for first, second in (
        (Curve(5, 2), Curve(5, 2)),
        (Curve(5, 1), Curve(5, 4)),
        (Curve(3, 2), Curve(5, 2)),
        (Curve(2, 3), Curve(12, 3)),
    ):
        rng = generator("evidence", "sequential", "horizons", "covers", str(first), str(second))
        answers = [side.answer(rng, runs) for side in (first, second)]
        covered, shares, states = 0, [], []
        for run in range(runs):
            looks: list[InterimLook] = []
            for number in range(1, LOOKS + 1):
                one = _difference([side[run] for side in answers], number)
                looks.append(InterimLook(number, number / LOOKS, one))
                found = decide(looks)
                if found.state != "open":
                    break
            low, high = found.difference.low, found.difference.high
            assert low is not None
            assert high is not None
            covered += low <= second.horizon - first.horizon <= high
            shares.append(found.look.share)
            states.append(found.state)
        least = LEAST_COVERED - (0.15 if small else 0.03)
        yield Figure(
            f"{first} and {second}: intervals contain the difference in at least {least:.0%}",
            f"{covered / runs:.1%} of {runs} runs; {np.mean(shares):.0%} of the calls; "
            + ", ".join(f"{name} {states.count(name)}" for name in sorted(set(states))),
            covered >= least * runs,
        )


def _difference(sides: list[NDArray[np.intp]], looks: int) -> Difference:
    """Return the difference of two agents after some looks, by the library."""
    depths = np.tile(np.array(DEPTHS, dtype=float), looks)
    first, second = (HorizonFit(depths, side[:looks].ravel() > 0, GUESS) for side in sides)
    found = Difference.of(
        "horizon", {}, (second.estimate(), first.estimate()), second.subtract(first)
    )
    return replace(found, suite="trace")


PARTS: Parts = {
    "horizons, vectorized": vectorized,
    "horizons, false alarms": false_alarms,
    "horizons, power": power,
    "horizons, coverage": coverage,
}
