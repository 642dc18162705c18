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
  were right every time the difference is as uncertain as they are. A difference without any spread
  has its p-value by signs: all units point the same way.
- `resampled_shift` takes values of both sides on the same resamples, for what is not smooth.

The p-value belongs to the interval: it is below 1 - level just where the interval leaves out 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.resampling import interval
from whybench.stats.results import Estimate, few_units

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Replicated", "Shift", "resampled_shift", "shift_between", "wider"]

LEVEL = 0.95
NOTHING = 1e-12


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
    r = _correlation(
        np.array([first.without[unit] for unit in shared], dtype=float),
        np.array([second.without[unit] for unit in shared], dtype=float),
    )
    method = f"difference, from the intervals of both sides with correlation {r:.2f} over units"
    if one.low is None or one.high is None or two.low is None or two.high is None or units < 2:
        return Shift(Estimate(difference, None, None, n, units, method, flags), None)
    down = _gap(two.estimate - two.low, one.high - one.estimate, r)
    up = _gap(two.high - two.estimate, one.estimate - one.low, r)
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
    moved = two - one
    method = f"difference, percentile of {moved.size} joint resamples of {units} units"
    low, high = interval(moved, second - first, level=LEVEL)
    tail = min(np.sum(moved <= NOTHING), np.sum(moved >= -NOTHING))
    p = min(1.0, 2 * (1 + float(tail)) / (1 + moved.size))
    found = Estimate(second - first, low, high, n, units, method, few_units(units))
    return Shift(found, p)


def wider(one: Shift, other: Shift) -> Shift:
    """Return a difference with the farther ends of two intervals and the larger p-value.

    For where two kinds of uncertainty are known, each of which the other does not see.
    """
    first, second = one.estimate, other.estimate
    ends = [(found.low, found.high) for found in (first, second)]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    if len(known) < len(ends) or one.p is None or other.p is None:
        return one if one.p is None else other
    return Shift(
        Estimate(
            first.estimate,
            min(low for low, _ in known),
            max(high for _, high in known),
            first.n,
            first.units,
            f"{first.method}; {second.method}; the farther ends",
            tuple(dict.fromkeys((*first.flags, *second.flags))),
        ),
        max(one.p, other.p),
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
    return float(np.sqrt(max(one**2 + two**2 - 2 * r * one * two, 0.0)))


def _p_value(difference: float, gap: float, units: int) -> float:
    """Return the p-value of no difference, given how far the interval reaches towards 0."""
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415  (kept out of the start-up path)

    if abs(difference) <= NOTHING:
        return 1.0
    if gap <= NOTHING * abs(difference):
        return float(min(1.0, 2.0 ** (1 - units)))
    reach = float(stdtrit(units - 1, 0.5 + LEVEL / 2))
    return 2 * float(stdtr(units - 1, -abs(difference) / gap * reach))
