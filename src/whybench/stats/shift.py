"""How far an estimate differs between two sides that answered about the same units.

Two agents, or two runs, were asked the same items. What the units have in common, a hard world or
an easy story, moves both estimates alike and cancels in their difference. Two ways lead from the
two sides to an interval of it:

- `shift_between` takes an estimate with an interval from each side, whatever its kind, and what
  each would be with a unit left out. The left-out values of the two sides tell how strongly the
  sides move together, r. The ends of the difference d = second - first follow from the ends of the
  sides (Newcombe 1998; Zou and Donner 2008), here for the lower one:

      d - sqrt(a² + b² - 2·r·a·b),  a = second - its low end,  b = the first's high end - first

  So an interval that is lopsided, as near a share of 1, makes a lopsided one; and where both sides
  were right every time the difference is as uncertain as they are.
- `resampled_shift` takes values of both sides on the same resamples, for what is not smooth. Its
  ends are the resampled values up to which its p-value would not fall below 1 - level.

Where every unit differs by the same, nothing tells how far units could differ: the interval above
has no width, however few they are. All that is known is that they point the same way. The p-value
is then that of the sign test, 2 / 2^units, and the interval that of Student's t at the spread that
would have this p-value; it is flagged `no_spread`. So three units alike show no change, and six do.

The p-value belongs to the interval: it is below 1 - level just where the interval leaves out 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.clustered import t_quantile
from whybench.stats.results import Estimate, few_units

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Replicated", "Shift", "resampled_shift", "shift_between", "wider"]

LEVEL, ALPHA = 0.95, 0.05
NOTHING = 1e-12
CANCELLED = 1e-14
"""What is left of a² + b² - 2·r·a·b where it should be nothing, as a share of a² + b²."""

MOST_SIGNS = 1000
"""Units by which signs are counted: 2^-1000 is near the smallest number there is."""


@dataclass(frozen=True, eq=False)
class Replicated:
    """An estimate with its interval, and what it would be without each unit.

    Attributes:
        estimate: The estimate, with a 95% interval.
        without: Unit to the value that the other units give; NaN where they give none.
    """

    estimate: Estimate
    without: Mapping[Hashable, float]


@dataclass(frozen=True)
class Shift:
    """A difference, second - first, with its interval and its p-value."""

    estimate: Estimate
    p: float | None


def shift_between(first: Replicated, second: Replicated) -> Shift:
    """Estimate the difference of two estimates that rest on the same units."""
    one, two = first.estimate, second.estimate
    shared = [unit for unit in first.without if unit in second.without]
    n, units = min(one.n, two.n), len(shared)
    flags = tuple(dict.fromkeys((*few_units(units), *one.flags, *two.flags)))
    if one.estimate is None or two.estimate is None:
        method = "difference of two estimates, of which one is not defined"
        return Shift(Estimate(None, None, None, n, units, method, flags), None)
    difference = two.estimate - one.estimate
    if abs(difference) <= NOTHING:
        difference = 0.0
    r = _correlation(
        np.array([first.without[unit] for unit in shared], dtype=float),
        np.array([second.without[unit] for unit in shared], dtype=float),
    )
    method = f"difference, from the intervals of both sides with correlation {r:.2f} over units"
    if one.low is None or one.high is None or two.low is None or two.high is None or units < 2:
        return Shift(Estimate(difference, None, None, n, units, method, flags), None)
    down = _gap(two.estimate - two.low, one.high - one.estimate, r)
    up = _gap(two.high - two.estimate, one.estimate - one.low, r)
    if (down if difference > 0 else up) <= NOTHING * abs(difference):
        signs = _gap_of_signs(difference, units)
        down, up = max(down, signs), max(up, signs)
        flags = tuple(dict.fromkeys((*flags, "no_spread")))
        method += "; no spread, hence by signs" if difference else ""
    found = Estimate(difference, difference - down, difference + up, n, units, method, flags)
    return Shift(found, _p_value(difference, down if difference > 0 else up, units))


def resampled_shift(
    first: float, second: float, draws: tuple[ArrayLike, ArrayLike], n: int, units: int
) -> Shift:
    """Estimate a difference from both sides' values on the same resamples.

    Args:
        first: The value of the first side.
        second: The value of the second side.
        draws: The values of both on each resample.
        n: Values that both rest on.
        units: Units that were resampled.
    """
    one, two = (np.asarray(values, dtype=float) for values in draws)
    moved = np.sort((two - one)[~np.isnan(two - one)])
    moved[np.abs(moved) <= NOTHING] = 0.0
    method = f"difference, percentile of {moved.size} joint resamples of {units} units"
    found = Estimate(second - first, None, None, n, units, method, few_units(units))
    if not moved.size:
        return Shift(found, None)
    tail = min(np.sum(moved <= 0), np.sum(moved >= 0))
    p = min(1.0, 2 * (1 + float(tail)) / (1 + moved.size))
    # So many resamples at most lie beyond 0 where the p-value is below 1 - level.
    beyond = ceil(ALPHA / 2 * (1 + moved.size) - NOTHING) - 2
    if beyond < 0:
        low, high = min(moved[0], 0.0), max(moved[-1], 0.0)
    else:
        low, high = moved[beyond], moved[-1 - beyond]
    return Shift(replace(found, low=float(low), high=float(high)), p)


def wider(one: Shift, other: Shift) -> Shift:
    """Return a difference with the farther ends of two intervals and the larger p-value.

    For where two kinds of uncertainty are known, each of which the other does not see. Intervals on
    either side of 0 contradict each other, and show nothing: the p-value is then 1.
    """
    first, second = one.estimate, other.estimate
    ends = [(found.low, found.high) for found in (first, second)]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    if len(known) < len(ends) or one.p is None or other.p is None:
        return one if one.p is None else other
    low, high = min(low for low, _ in known), max(high for _, high in known)
    apart = any(end < 0 for _, end in known) and any(end > 0 for end, _ in known)
    return Shift(
        Estimate(
            first.estimate,
            low,
            high,
            first.n,
            first.units,
            f"{first.method}; {second.method}; the farther ends",
            tuple(dict.fromkeys((*first.flags, *second.flags))),
        ),
        1.0 if apart else max(one.p, other.p),
    )


def _correlation(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """Return how alike the left-out values move; 0 where a side does not move at all."""
    known = ~np.isnan(one + two)
    if known.sum() < 2:
        return 0.0
    off = [values[known] - values[known].mean() for values in (one, two)]
    size = float(np.sqrt(np.sum(off[0] ** 2) * np.sum(off[1] ** 2)))
    return float(np.clip(np.sum(off[0] * off[1]) / size, -1.0, 1.0)) if size > NOTHING else 0.0


def _gap(one: float, two: float, r: float) -> float:
    square = one**2 + two**2 - 2 * r * one * two
    return float(np.sqrt(square)) if square > CANCELLED * (one**2 + two**2) else 0.0


def _gap_of_signs(difference: float, units: int) -> float:
    """Return how far an interval reaches whose p-value is that of units with the same sign."""
    reach = t_quantile(0.5 + LEVEL / 2, units - 1)
    return abs(difference) * reach / -t_quantile(0.5 ** min(units, MOST_SIGNS), units - 1)


def _p_value(difference: float, gap: float, units: int) -> float:
    """Return the p-value of no difference, given how far the interval reaches towards 0."""
    from scipy.special import stdtr  # noqa: PLC0415  (kept out of the start-up path)

    if not difference:
        return 1.0
    reach = t_quantile(0.5 + LEVEL / 2, units - 1)
    p = 2 * float(stdtr(units - 1, -abs(difference) / gap * reach))
    # On the edge rounding would decide.
    return max(p, ALPHA) if gap >= abs(difference) else min(p, float(np.nextafter(ALPHA, 0)))
