"""What a statistic is returned as: an estimate with its interval, or the finding of a test.

Both say what they rest on: the number of values, the number of units that were sampled
independently, the method in words, and flags. What cannot be computed is None, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FEW_UNITS", "Estimate", "Finding", "few_units"]

FEW_UNITS = 10
"""Resampling fewer units than this is flagged `few_units`: intervals tend to be too short."""


@dataclass(frozen=True)
class Estimate:
    """A number and its interval.

    Attributes:
        estimate: The value; None where it is not defined.
        low: Lower end of the interval; None where there is none.
        high: Upper end of the interval.
        n: Values it rests on.
        units: Units sampled independently of each other, the n values if nothing else is said.
        method: How the interval was made.
        flags: What to know before trusting it.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    units: int
    method: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """What a test found.

    Attributes:
        statistic: The test statistic; None where it is not defined.
        p: The p-value.
        effect: The size of the effect on the scale the method names.
        n: Values it rests on.
        groups: Groups that were compared.
        method: The test, and the scale of the effect.
        flags: What to know before trusting it.
        adjusted: The p-value after correction for several tests; None where there was none.
    """

    statistic: float | None
    p: float | None
    effect: float | None
    n: int
    groups: int
    method: str
    flags: tuple[str, ...] = ()
    adjusted: float | None = None


def few_units(units: int) -> tuple[str, ...]:
    """Return the flag for a small number of sampled units, if it is small."""
    return ("few_units",) if units < FEW_UNITS else ()
