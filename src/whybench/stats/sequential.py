"""Group-sequential tests: a difference is looked at several times, and asking may end at any look.

Looking often raises false alarms unless each look has a stricter boundary. Boundaries are in
standard errors, and the information is the share t of the design that was asked. The
boundaries of `spend` give out the level of the test as t grows, by the function of O'Brien and
Fleming's type (Lan and DeMets 1983), one tail of alpha / 2:

    spent(t) = 2 - 2 Φ(z / sqrt(t)),  z the quantile of 1 - alpha / 4

`spend_evenly` has one boundary for all looks, beyond which lies alpha / 2 over `MOST_LOOKS`. The
whole design has the rest of the level.

Crossing probabilities come from the recursion of Armitage, McPherson and Rowe (1969), integrated
by Gauss-Legendre quadrature. Outcomes are ordered by the stage at which the test ended (Tsiatis,
Rosner and Mehta 1984). This order gives the p-value, the median-unbiased estimate and the
interval, which agree: p is below the level exactly where the interval excludes 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.stats.paired import ALPHA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NODES = 64
"""The nodes of the quadrature on each interval."""

FARTHEST = 8.0
"""The strictest boundary: beyond it lie 6e-16 of a tail."""

REACH = 10.0
"""How far beyond the observed value the ends of an interval are sought, in standard errors."""

MOST_LOOKS = 10
"""The most looks at a difference."""


class Exits(NamedTuple):
    """The probabilities of ending at each look, above and below."""

    above: Array
    below: Array


class StagedInference(NamedTuple):
    """An inference about a test that ended, in standard errors of its last look.

    Attributes:
        p: The two-sided p-value.
        middle: How far the observed value lies above the median-unbiased estimate.
        low: How far it lies above the lower end of the interval.
        high: How far it lies above the upper end, a negative number.
    """

    p: float
    middle: float
    low: float
    high: float


@dataclass(frozen=True)
class Boundaries:
    """A test with several looks, symmetric in its two sides.

    Attributes:
        shares: The share of the design that was asked by each look, rising.
        bounds: The boundary of each look, in standard errors.
    """

    shares: tuple[float, ...]
    bounds: tuple[float, ...]

    def exits(self, drift: float = 0.0) -> Exits:
        """Return the probabilities of crossing at each look.

        Args:
            drift: The mean of the statistic after the whole design, in standard errors.
        """
        walk = _Walk(drift)
        found = [
            walk.step(share, bound) for share, bound in zip(self.shares, self.bounds, strict=True)
        ]
        return Exits(*np.array(found).T)

    def expected_share(self, drift: float) -> float:
        """Return the mean share of the design that is asked, without futility."""
        ended = np.sum(self.exits(drift), axis=0)
        ended[-1] += 1 - ended.sum()
        return float(np.dot(self.shares, ended))

    @property
    def level(self) -> float:
        """The level of the test, both tails."""
        return float(np.sum(self.exits()))

    def end(self, look: int, statistic: float, level: float = 1 - ALPHA) -> StagedInference:
        """Return the inference about a test that ended at a look.

        Args:
            look: The look, from 1.
            statistic: The statistic there, in standard errors.
            level: The level of the interval.
        """
        from scipy.optimize import brentq  # noqa: PLC0415  (kept out of the start-up path)

        root = sqrt(self.shares[look - 1])

        def above(drift: float) -> float:
            return self._tail(look, statistic, drift)

        def solve(target: float) -> float:
            middle, reach = statistic / root, REACH / sqrt(self.shares[0])
            ends = min(0.0, middle) - reach, max(0.0, middle) + reach
            drift = brentq(lambda x: above(x) - target, *ends, xtol=1e-9)
            return float(statistic - drift * root)

        at_zero = above(0.0)
        tails = (1 - level) / 2, 0.5, (1 + level) / 2
        low, middle, high = map(solve, tails)
        return StagedInference(min(1.0, 2 * min(at_zero, 1 - at_zero)), middle, low, high)

    def _tail(self, look: int, statistic: float, drift: float) -> float:
        """Return the probability of ending as high as this, or higher, in the order of stages."""
        walk, found = _Walk(drift), 0.0
        for share, bound in zip(self.shares[: look - 1], self.bounds, strict=False):
            found += walk.step(share, bound)[0]
        return found + walk.tail(self.shares[look - 1], statistic)


class _Walk:
    """The distribution of the statistic among tests that go on, look by look.

    Its scale is that of sums: the statistic times the root of the share. Its increments are
    normal, with the share that was added as their variance.

    Args:
        drift: The mean of the sum after the whole design.
    """

    def __init__(self, drift: float) -> None:
        self.drift, self.share = drift, 0.0
        self.places, self.weights = np.zeros(1), np.ones(1)

    def tail(self, share: float, statistic: float) -> float:
        """Return the probability of going on up to this look and of exceeding the statistic."""
        from scipy.special import ndtr  # noqa: PLC0415

        gaps = self._moved(share) - statistic * sqrt(share)
        return float(np.dot(self.weights, ndtr(gaps / sqrt(share - self.share))))

    def step(self, share: float, bound: float) -> tuple[float, float]:
        """Move on to a look, and return the probabilities of ending above and below there."""
        above = self.tail(share, bound)
        before = self.weights.sum() - self.tail(share, -bound)
        nodes, weights = _nodes()
        spread, edge = sqrt(share - self.share), bound * sqrt(share)
        places = edge * nodes
        gaps = (places[:, None] - self._moved(share)) / spread
        density = np.exp(-(gaps**2) / 2) / (spread * sqrt(2 * np.pi)) @ self.weights
        self.places, self.weights, self.share = places, density * weights * edge, share
        return above, float(before)

    def _moved(self, share: float) -> Array:
        return np.asarray(self.places + self.drift * (share - self.share))


@cache
def _nodes() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


@lru_cache(maxsize=1024)
def spend(shares: tuple[float, ...], alpha: float = ALPHA) -> Boundaries:
    """Return boundaries that spend the level by the function of O'Brien and Fleming's type.

    Args:
        shares: The share of the design by each look, rising to at most 1. Up to a share below 1
            only part of the level is spent.
        alpha: The level of the test, both tails.
    """
    from scipy.special import ndtr, ndtri  # noqa: PLC0415

    _check_shares(shares)
    quantile = ndtri(1 - alpha / 4)
    walk, bounds, before = _Walk(0.0), list[float](), 0.0
    for share in shares:
        spent = 2 * float(ndtr(-quantile / sqrt(share)))
        bounds.append(_find_bound(walk, share, spent - before))
        walk.step(share, bounds[-1])
        before = spent
    return Boundaries(shares, tuple(bounds))


@lru_cache(maxsize=1024)
def spend_evenly(shares: tuple[float, ...], alpha: float = ALPHA) -> Boundaries:
    """Return one boundary for all looks, and for the whole design the rest of the level.

    Args:
        shares: The share of the design by each look, rising to at most 1.
        alpha: The level of the test, both tails.
    """
    from scipy.special import ndtri  # noqa: PLC0415

    _check_shares(shares)
    bound = float(-ndtri(alpha / 2 / MOST_LOOKS))
    even = Boundaries(shares, (bound,) * len(shares))
    if shares[-1] < 1:
        return even
    walk = _Walk(0.0)
    left = alpha / 2 - sum(walk.step(share, bound)[0] for share in shares[:-1])
    return replace(even, bounds=(*even.bounds[:-1], _find_bound(walk, 1.0, left)))


def _find_bound(walk: _Walk, share: float, level: float) -> float:
    """Return the boundary of the next look that one tail crosses with this probability."""
    from scipy.optimize import brentq  # noqa: PLC0415

    if walk.tail(share, FARTHEST) >= level:
        return FARTHEST
    if walk.tail(share, 0.0) <= level:
        return 0.0
    return float(brentq(lambda bound: walk.tail(share, bound) - level, 0.0, FARTHEST, xtol=1e-10))


def _check_shares(shares: Sequence[float]) -> None:
    if not len(shares) or shares[0] <= 0 or shares[-1] > 1 or np.any(np.diff(shares) <= 0):
        raise ValueError(f"shares must rise from above 0 to at most 1, got {list(shares)}")
