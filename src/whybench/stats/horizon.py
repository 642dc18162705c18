"""The horizon: the depth at which half of the answers are right, corrected for guessing.

Answers at depth d are right with probability

    P(right | d) = g + (1 - g) (1 - λ) 2^-((d / h)^s)

with g the guessing rate, which is known, λ the lapses at any depth, and s the steepness: 1 where
each step of the reasoning may fail, large where it ends at a wall. The horizon is the depth at
which P(right | d) = g + (1 - g) / 2; it equals h without lapses. The posterior is computed on a
grid, with a prior that is even in log h and log s and prefers few lapses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from whybench.numerals import ABOVE, BELOW, MEDIAN_ABOVE, MEDIAN_BELOW
from whybench.seeds import generator
from whybench.stats.paired import PairedDifference
from whybench.stats.results import Estimate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

QUANTILES = (0.5, 0.025, 0.975)
"""The posterior median, and the ends of the interval."""

LOWEST, HIGHEST = 0.25, 200.0
SCALES = np.geomspace(LOWEST, HIGHEST, 121)
STEEPNESSES = np.geomspace(0.5, 16.0, 11)
LAPSES = np.array(
    [0.0, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5]
)

FEWER = 0.8
"""The prior of each rate of lapses, relative to that of the next lower one."""

METHOD = "psychometric function; posterior"
RISES = "rises_with_depth"
"""The flag of answers whose success rises with depth, which the curve cannot fit."""

RISE_LEVEL, RISE_DRAWS = 0.005, 999
"""The level of the test of a rise, and the number of its draws."""

BIN = 0.02
"""The width of a bin of log2 of the horizon."""

_CLASSES = np.log2(np.geomspace(LOWEST, HIGHEST, 41))
"""The limits, as log2, of the classes of horizons between which answers are to distinguish."""


CURVE_STEPS = 1000
"""The number of steps between guessing and 1 in which the interval of a curve is computed."""


@dataclass(frozen=True, eq=False)
class _Grid:
    """The points of the grid: scale, steepness, lapses, prior, and log2 of the horizon."""

    scale: Array
    steepness: Array
    lapse: Array
    prior: Array
    log_horizon: Array

    def accuracy(self, depths: Array, guess: float) -> Array:
        """Return how often answers are right, points x depths."""
        decay = 2.0 ** -((depths / self.scale[:, None]) ** self.steepness[:, None])
        return np.asarray(guess + (1 - guess) * (1 - self.lapse)[:, None] * decay)


@cache
def _grid() -> _Grid:
    axes = np.meshgrid(SCALES, STEEPNESSES, LAPSES, indexing="ij")
    scale, steepness, lapse = (axis.ravel() for axis in axes)
    prior = np.tile(FEWER ** np.arange(LAPSES.size), SCALES.size * STEEPNESSES.size)
    # (1 - λ) 2^-((d / h)^s) = 1/2 where (d / h)^s = 1 + log2(1 - λ).
    room = np.maximum(1 + np.log2(1 - lapse), 0.0)
    horizon = np.maximum(scale * room ** (1 / steepness), LOWEST)
    return _Grid(scale, steepness, lapse, prior / prior.sum(), np.log2(horizon))


@lru_cache(maxsize=64)
def _log_chances(depths: tuple[float, ...], guess: float) -> tuple[Array, Array]:
    """Return the logarithms of how often answers are right and wrong, points x depths."""
    chances = np.clip(_grid().accuracy(np.array(depths), guess), 1e-6, 1 - 1e-6)
    return np.log(chances), np.log1p(-chances)


class CurvePoint(NamedTuple):
    """The expected share of right answers at a depth, with the ends of its 95% interval."""

    depth: float
    share: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class HorizonFit:
    """The posterior of a horizon.

    Attributes:
        depths: The depth of each answer.
        right: Whether it is right.
        guess: The guessing rate.
    """

    depths: Array
    right: NDArray[np.bool_]
    guess: float

    @classmethod
    def of_counts(
        cls, depths: Sequence[int], asked: Sequence[int], right: Sequence[int], guess: float
    ) -> HorizonFit:
        """Return the posterior given the numbers of answers and of right answers by depth."""
        outcomes = [
            hit < hits for number, hits in zip(asked, right, strict=True) for hit in range(number)
        ]
        return cls(np.repeat(np.array(depths, dtype=float), asked), np.array(outcomes), guess)

    @cached_property
    def _counts(self) -> tuple[Array, NDArray[np.intp], Array]:
        """The depths, and how many answers and how many right answers there are at each."""
        depths, place = np.unique(self.depths, return_inverse=True)
        hits = np.bincount(place, self.right, minlength=depths.size).astype(float)
        return depths, np.bincount(place, minlength=depths.size), hits

    @cached_property
    def posterior(self) -> Array:
        """The posterior probability of each point of the grid."""
        depths, asked, hits = self._counts
        right, wrong = _log_chances(tuple(depths.tolist()), self.guess)
        weights = np.log(_grid().prior) + right @ hits + wrong @ (asked - hits)
        weights = np.exp(weights - weights.max())
        return np.asarray(weights / weights.sum())

    def estimate(self) -> Estimate:
        """Return the horizon.

        Value and interval end at the depths that were asked. There is a flag if all of the interval
        lies beyond them, and another one if only the median does.
        """
        if not self.depths.size:
            return _undefined(0)
        found = 2.0 ** self._quantiles(_grid().log_horizon)
        shallow, deep = float(self.depths.min()), float(self.depths.max())
        value, low, high = np.clip(found, shallow, deep).tolist()
        flags = {
            ABOVE: found[1] >= deep,
            BELOW: found[2] <= shallow,
            MEDIAN_ABOVE: found[1] < deep <= found[0],
            MEDIAN_BELOW: found[0] <= shallow < found[2],
            RISES: self.rises,
        }
        number = self.depths.size
        named = tuple(flag for flag, holds in flags.items() if holds)
        return Estimate(value, low, high, number, number, METHOD, named)

    @cached_property
    def rises(self) -> bool:
        """Whether success rises with depth somewhere: a bootstrap test at `RISE_LEVEL`.

        Of all pairs of adjacent ranges of depths it takes the one with the largest rise, and
        draws it again from the shares that fit best among those that never rise.
        """
        depths, asked, hits = self._counts
        falling = _falling_shares(hits, asked)
        if np.allclose(falling, hits / asked):
            return False
        falling = np.maximum(falling, self.guess)  # guesses are right now and then
        rng = generator("horizon", asked.tolist(), hits.tolist())
        drawn = rng.binomial(asked, falling, (RISE_DRAWS, depths.size))
        largest = _largest_rise(np.vstack([hits, drawn]), asked)
        return bool(np.mean(largest >= largest[0]) <= RISE_LEVEL)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of an interval, which may lie beyond the depths that were asked."""
        ends = (1 - level) / 2, (1 + level) / 2
        low, high = (2.0 ** self._quantiles(_grid().log_horizon, ends)).tolist()
        return low, high

    def information(self, depths: Sequence[int]) -> Array:
        """Return the expected information of an answer at each depth about the horizon, in nats."""
        chances = _grid().accuracy(np.array(depths, dtype=float), self.guess)
        place = np.digitize(_grid().log_horizon, _CLASSES)
        weights = np.bincount(place, self.posterior, minlength=_CLASSES.size + 1)
        known = weights > 0
        expected = np.array(
            [
                np.bincount(place, self.posterior * chance, minlength=weights.size)[known]
                for chance in chances.T
            ]
        )
        within = _entropy(expected / weights[known]) @ weights[known]
        return np.asarray(_entropy(self.posterior @ chances) - within)

    def estimate_steepness(self) -> Estimate:
        """Return the steepness."""
        return self._estimate(_grid().steepness)

    def estimate_lapses(self) -> Estimate:
        """Return the rate of lapses."""
        return self._estimate(_grid().lapse)

    def curve(self, depths: Sequence[float]) -> list[CurvePoint]:
        """Return the expected share of right answers at depths, with its interval."""
        shares = _grid().accuracy(np.array(depths, dtype=float), self.guess)
        steps = (shares - self.guess) / (1 - self.guess) * CURVE_STEPS
        means = (self.posterior @ shares).tolist()
        points = []
        for depth, mean, bins in zip(depths, means, steps.astype(np.intp).T, strict=True):
            reached = np.cumsum(np.bincount(bins, self.posterior, CURVE_STEPS + 1))
            low, high = np.searchsorted(reached, QUANTILES[1:]).tolist()
            ends = (min(step, CURVE_STEPS) / CURVE_STEPS for step in (low, high + 1))
            points.append(
                CurvePoint(depth, mean, *(self.guess + (1 - self.guess) * end for end in ends))
            )
        return points

    def compare(self, other: HorizonFit) -> Estimate:
        """Return log2 of this horizon over that of an independent fit."""
        number = self.depths.size + other.depths.size
        if not (self.depths.size and other.depths.size):
            return _undefined(number)
        chances = np.convolve(self._binned, other._binned[::-1])
        middle = self._binned.size - 1
        reached = np.searchsorted(np.cumsum(chances), QUANTILES)
        value, low, high = ((reached - middle) * BIN).tolist()
        return Estimate(value, low, high, number, number, METHOD)

    def subtract(self, other: HorizonFit) -> PairedDifference:
        """Return this horizon minus that of an independent fit; p is twice the lesser tail.

        Both end at the depths that were asked: two agents beyond them do not differ.
        """
        found, number = (self.estimate(), other.estimate()), self.depths.size + other.depths.size
        if found[0].estimate is None or found[1].estimate is None:
            return PairedDifference(_undefined(number), None)
        (values, chances), (others, weights) = self._clipped, other._clipped
        gaps = np.subtract.outer(values, others).ravel()
        order = np.argsort(gaps, kind="stable")
        gaps, joint = gaps[order], np.outer(chances, weights).ravel()[order]
        reached = np.minimum(np.searchsorted(np.cumsum(joint), QUANTILES), gaps.size - 1)
        value, low, high = gaps[reached].tolist()
        p = 2 * min(float(joint[gaps <= 0].sum()), float(joint[gaps >= 0].sum()))
        flags = tuple(dict.fromkeys((*found[0].flags, *found[1].flags)))
        estimate = Estimate(value, low, high, number, number, METHOD, flags)
        return PairedDifference(estimate, min(1.0, p))

    @property
    def _clipped(self) -> tuple[Array, Array]:
        """The horizons within the depths that were asked, and their posterior probabilities."""
        horizons = LOWEST * 2.0 ** (BIN * np.arange(self._binned.size))
        clipped = np.clip(horizons, self.depths.min(), self.depths.max())
        values, place = np.unique(clipped, return_inverse=True)
        return values, np.bincount(place, self._binned).astype(float)

    @cached_property
    def _binned(self) -> Array:
        """The posterior probability of log2 of the horizon, in bins."""
        place = np.round((_grid().log_horizon - np.log2(LOWEST)) / BIN).astype(np.intp)
        width = round(float(np.log2(HIGHEST / LOWEST)) / BIN) + 1
        return np.bincount(place, self.posterior, minlength=width).astype(float)

    def _estimate(self, values: Array) -> Estimate:
        number = self.depths.size
        if not number:
            return _undefined(0)
        value, low, high = self._quantiles(values).tolist()
        return Estimate(value, low, high, number, number, METHOD)

    def _quantiles(self, values: Array, quantiles: Sequence[float] = QUANTILES) -> Array:
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(self.posterior[order])
        places = np.minimum(np.searchsorted(reached, quantiles), reached.size - 1)
        return np.asarray(values[order][places])


def _falling_shares(hits: NDArray[Any], asked: NDArray[np.intp]) -> Array:
    """Return the shares of maximum likelihood that never rise: adjacent ones that do are pooled."""
    pools: list[list[float]] = []
    for right, total in zip(hits.tolist(), asked.tolist(), strict=True):
        pools.append([right, total, 1])
        while len(pools) > 1 and pools[-1][0] * pools[-2][1] > pools[-2][0] * pools[-1][1]:
            last = pools.pop()
            pools[-1] = [one + other for one, other in zip(pools[-1], last, strict=True)]
    return np.array([right / total for right, total, many in pools for _ in range(int(many))])


def _largest_rise(hits: NDArray[Any], asked: NDArray[np.intp]) -> Array:
    """Return the largest rise between adjacent ranges of depths, in standard errors.

    Args:
        hits: Right answers, draws x depths.
        asked: Answers at each depth.
    """
    right, total = (
        np.concatenate([np.zeros((*counts.shape[:-1], 1)), np.cumsum(counts, axis=-1)], axis=-1)
        for counts in (hits, asked)
    )
    largest = np.zeros(hits.shape[0])
    for start, middle, end in combinations(range(asked.size + 1), 3):
        shallow, deep = total[middle] - total[start], total[end] - total[middle]
        pooled = (right[:, end] - right[:, start]) / (shallow + deep)
        rise = (right[:, end] - right[:, middle]) / deep - (
            right[:, middle] - right[:, start]
        ) / shallow
        error = np.sqrt(pooled * (1 - pooled) * (1 / shallow + 1 / deep))
        largest = np.maximum(
            largest, np.divide(rise, error, out=np.zeros_like(rise), where=error > 0)
        )
    return largest


def _entropy(chances: Array) -> Array:
    """Return the entropy of answers that are right with these chances, in nats."""
    kept = np.clip(chances, 1e-12, 1 - 1e-12)
    return np.asarray(-(kept * np.log(kept) + (1 - kept) * np.log1p(-kept)))


def _undefined(number: int) -> Estimate:
    return Estimate(None, None, None, number, number, METHOD, ("undefined",))
