"""Two agents, two runs or two conditions on the same units: differences and their tests.

Properties that the units share, such as a hard world or an easy story, change both sides alike and
cancel in the difference. Where each unit has a value on both sides, `paired_difference` gives the
mean difference with an interval.

An estimate of another kind is made of all units of a side at once. Two ways lead from the two sides
to an interval of its difference:

- `difference_between` takes an estimate with an interval from each side, whatever its kind, and
  what each would be with a unit left out. The left-out values of the two sides tell how strongly
  the sides move together, r. The ends of the difference d = second - first follow from the ends of
  the sides (Newcombe 1998; Zou and Donner 2008), here for the lower one:

      d - sqrt(a² + b² - 2·r·a·b),  a = second - its low end,  b = the first's high end - first

  Where the intervals are those within strata, so is r.
  So an interval that is lopsided, as near a share of 1, makes a lopsided one; and where both sides
  were right every time the difference is as uncertain as they are.
- `resampled_difference` takes values of both sides on the same resamples, for what is not smooth.
  Its ends are the resampled values up to which its p-value would not fall below 1 - level.

Where every unit differs by the same, nothing tells how far units could differ: the interval above
has no width, however few they are. All that is known is that they point the same way. The p-value
is then that of the sign test, 2 / 2^units, and the interval that of Student's t at the spread that
would have this p-value; it is flagged `no_spread`. So three units alike show no change, and six do.

Where every unit has the same value on both sides, the sides are `identical`: the difference is 0
with p = 1 and no interval, since nothing in the answers shows how far the sides could differ.

The p-value belongs to the interval: it is below 1 - level exactly where the interval excludes 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.clustered import mean_difference, t_quantile
from whybench.stats.results import Estimate, flag_few_units
from whybench.stats.small_sample import pool_lone

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

ROUNDING = 1e-12
"""What is smaller than this is rounding."""

LEVEL, ALPHA = 0.95, 0.05

IDENTICAL = "identical"
"""The flag of a difference between sides that are equal in every unit."""

CANCELLED = 1e-14
"""What is left of a² + b² - 2·r·a·b where it should be nothing, as a share of a² + b²."""

MAX_SIGNS = 1000
"""Units by which signs are counted: 2^-1000 is near the smallest number there is."""


@dataclass(frozen=True, eq=False)
class Jackknifed:
    """An estimate with its interval, and what it would be without each unit.

    Attributes:
        estimate: The estimate, with a 95% interval.
        without: Unit to the value that the other units give; NaN where they give none.
        strata: Unit to its stratum, where the interval is one within strata; else empty.
        parts: Unit to the part of the estimate that it adds, where it is known. It shows whether
            two sides are equal in units without which neither has a value.
    """

    estimate: Estimate
    without: Mapping[Hashable, float]
    strata: Mapping[Hashable, Hashable] = field(default_factory=dict)
    parts: Mapping[Hashable, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PairedDifference:
    """A difference, second - first, with its interval and its p-value."""

    estimate: Estimate
    p: float | None


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[object] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the mean of first - second, with Student's t over units.

    Args:
        first: Values in one condition.
        second: Values of the same units in the other one, in the same order.
        clusters: The sampled unit of each pair; None if each pair is one.
        level: Confidence level.
    """
    n = _differences(first, second).size
    units: Sequence[object] = range(n) if clusters is None else clusters
    estimate = mean_difference(first, second, units, units, level)
    method, flags = "mean paired difference, t over units", flag_few_units(estimate.units)
    return replace(estimate, n=n, method=method, flags=flags)


def difference_between(first: Jackknifed, second: Jackknifed) -> PairedDifference:
    """Estimate the difference of two estimates that rest on the same units."""
    before, after = first.estimate, second.estimate
    shared = [unit for unit in first.without if unit in second.without]
    n, units = min(before.n, after.n), len(shared)
    flags = tuple(dict.fromkeys((*flag_few_units(units), *before.flags, *after.flags)))
    if before.estimate is None or after.estimate is None:
        method = "difference of two estimates, of which one is not defined"
        return PairedDifference(Estimate(None, None, None, n, units, method, flags), None)
    difference = after.estimate - before.estimate
    if abs(difference) <= ROUNDING:
        difference = 0.0
    left, right = (
        np.array([side.without[unit] for unit in shared], dtype=float) for side in (first, second)
    )
    added = (
        np.array([side.parts.get(unit, np.nan) for unit in shared]) for side in (first, second)
    )
    same_units = units == len(first.without) == len(second.without)
    if not difference and same_units and _are_equal(left, right, *added):
        return _identical(n, units, flags)
    r = _correlation(
        left,
        right,
        np.array([str(first.strata.get(unit, "")) for unit in shared], dtype=str),
    )
    method = f"difference, from the intervals of both sides with correlation {r:.2f} over units"
    if (
        before.low is None
        or before.high is None
        or after.low is None
        or after.high is None
        or units < 2
    ):
        return PairedDifference(Estimate(difference, None, None, n, units, method, flags), None)
    down = _gap(after.estimate - after.low, before.high - before.estimate, r)
    up = _gap(after.high - after.estimate, before.estimate - before.low, r)
    if (down if difference > 0 else up) <= ROUNDING * abs(difference):
        by_signs = _gap_of_signs(difference, units)
        down, up = max(down, by_signs), max(up, by_signs)
        flags = tuple(dict.fromkeys((*flags, "no_spread")))
        method += "; no spread, hence by signs" if difference else ""
    low, high = difference - down, difference + up
    return PairedDifference(
        Estimate(difference, low, high, n, units, method, flags),
        _p_value(difference, down if difference > 0 else up, units),
    )


def mean_change(changes: ArrayLike) -> PairedDifference:
    """Estimate the mean of changes, one of each unit, with Student's t over units.

    Where all units changed by the same, interval and p-value are those of the signs.
    """
    values = np.asarray(changes, dtype=float)
    found = paired_difference(values, np.zeros(values.size))
    if found.estimate is None or found.high is None:
        return PairedDifference(found, None)
    if not np.any(np.abs(values) > ROUNDING):
        return _identical(found.n, found.units, found.flags)
    gap, flags = found.high - found.estimate, found.flags
    if gap <= ROUNDING * max(1.0, abs(found.estimate)):
        gap, flags = _gap_of_signs(found.estimate, found.units), (*flags, "no_spread")
    low, high, method = found.estimate - gap, found.estimate + gap, "mean change, t over units"
    estimate = replace(found, low=low, high=high, method=method, flags=flags)
    return PairedDifference(estimate, _p_value(found.estimate, gap, found.units))


def resampled_difference(
    first: float, second: float, draws: tuple[ArrayLike, ArrayLike], n: int, units: int
) -> PairedDifference:
    """Estimate a difference from both sides' values on the same resamples.

    Args:
        first: The value of the first side.
        second: The value of the second side.
        draws: The values of both on each resample.
        n: Values that both rest on.
        units: Units that were resampled.
    """
    difference = np.subtract(draws[1], draws[0], dtype=float)
    differences = np.sort(difference[~np.isnan(difference)])
    differences[np.abs(differences) <= ROUNDING] = 0.0
    resamples = differences.size
    method = f"difference, percentile of {resamples} joint resamples of {units} units"
    estimate = Estimate(second - first, None, None, n, units, method, flag_few_units(units))
    if not resamples:
        return PairedDifference(estimate, None)
    tail = min(np.sum(differences <= 0), np.sum(differences >= 0))
    p = min(1.0, 2 * (1 + float(tail)) / (1 + resamples))
    # At most this number of resamples lies beyond 0 where the p-value is below 1 - level.
    beyond = ceil(ALPHA / 2 * (1 + resamples) - ROUNDING) - 2
    if beyond < 0:
        low, high = min(differences[0], 0.0), max(differences[-1], 0.0)
    else:
        low, high = differences[beyond], differences[-1 - beyond]
    return PairedDifference(replace(estimate, low=float(low), high=float(high)), p)


def _identical(n: int, units: int, flags: tuple[str, ...]) -> PairedDifference:
    """Return the difference of sides that are equal in every unit."""
    method, flags = f"0 of {units:,} units differ", tuple(dict.fromkeys((*flags, IDENTICAL)))
    return PairedDifference(Estimate(0.0, None, None, n, units, method, flags), 1.0)


def _are_equal(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    x_parts: NDArray[np.float64],
    y_parts: NDArray[np.float64],
) -> bool:
    """Return whether two sides are equal in every unit, and in one at least by a known value.

    A unit is compared by the values without it, or by its parts where neither side has a value.
    """
    missing = np.isnan(x)
    if not np.array_equal(missing, np.isnan(y)):
        return False
    gaps = np.abs(np.where(missing, x_parts - y_parts, x - y))
    known = ~np.isnan(gaps)
    return bool(known.any() and np.all(gaps[known] <= ROUNDING))


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"second must pair with first, of shape {x.shape}, got {y.shape}")
    return np.asarray(x - y)


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64], strata: NDArray[np.str_]) -> float:
    """Return how alike the left-out values move within strata; 0 where a side does not move."""
    known = ~np.isnan(x + y)
    if known.sum() < 2:
        return 0.0
    codes = np.unique(strata[known], return_inverse=True)[1]
    stratum = np.unique(pool_lone(codes, np.arange(codes.size)), return_inverse=True)[1]
    sizes = np.bincount(stratum)
    x, y = (
        values[known] - (np.bincount(stratum, values[known]) / sizes)[stratum] for values in (x, y)
    )
    size = float(np.sqrt(np.sum(x**2) * np.sum(y**2)))
    return float(np.clip(np.sum(x * y) / size, -1.0, 1.0)) if size > ROUNDING else 0.0


def _gap(a: float, b: float, r: float) -> float:
    """Return how far the interval of a difference reaches, from the gaps of both sides."""
    square = a**2 + b**2 - 2 * r * a * b
    return float(np.sqrt(square)) if square > CANCELLED * (a**2 + b**2) else 0.0


def _gap_of_signs(difference: float, units: int) -> float:
    """Return how far an interval reaches whose p-value is that of units with the same sign."""
    reach = t_quantile(0.5 + LEVEL / 2, units - 1)
    return abs(difference) * reach / -t_quantile(0.5 ** min(units, MAX_SIGNS), units - 1)


def _p_value(difference: float, gap: float, units: int) -> float:
    """Return the p-value of no difference, given how far the interval reaches towards 0."""
    from scipy.special import stdtr  # noqa: PLC0415  (kept out of the start-up path)

    if not difference:
        return 1.0
    reach = t_quantile(0.5 + LEVEL / 2, units - 1)
    p = 2 * float(stdtr(units - 1, -abs(difference) / gap * reach))
    # On the edge rounding would decide.
    return max(p, ALPHA) if gap >= abs(difference) else min(p, float(np.nextafter(ALPHA, 0)))
