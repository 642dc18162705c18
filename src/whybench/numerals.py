"""Numbers as text: 0.35 [0.20, 0.51], a dash for no number, words for one that says nothing."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whybench.stats import Estimate, Measure

UNDETERMINED = "cannot be determined"
"""Printed if there is no estimate, or if its interval covers more than half of its range."""

ABOVE, BELOW = "above_deepest", "below_shallowest"
MEDIAN_ABOVE, MEDIAN_BELOW = "median_above_deepest", "median_below_shallowest"
BOUNDS = {ABOVE: ">", BELOW: "<", MEDIAN_ABOVE: "≥", MEDIAN_BELOW: "≤"}
BOUNDS_IN_WORDS = {
    ABOVE: "more than",
    BELOW: "less than",
    MEDIAN_ABOVE: "at least",
    MEDIAN_BELOW: "at most",
}
"""Flags of a horizon beyond the depths asked for, with its interval or only with its median, and
the signs and words for it."""


def number_text(value: float | None, sign: str = "", digits: int = 2) -> str:
    """Return a number, or a dash where there is none.

    Args:
        value: The number.
        sign: "+" where a number above 0 has its sign.
        digits: How many places it has.
    """
    return "–" if value is None else f"{value:{sign}.{digits}f}"


def interval_text(
    value: float | None, low: float | None, high: float | None, sign: str = "", digits: int = 2
) -> str:
    """Return a number with its interval, if it has one."""
    text = number_text(value, sign, digits)
    if value is None or low is None or high is None:
        return text
    return f"{text} [{number_text(low, sign, digits)}, {number_text(high, sign, digits)}]"


def is_determined(measure: Measure) -> bool:
    """Return whether a measure has an estimate, with an interval of at most half of its range.

    An estimate without an interval or without a known maximum counts as determined. A measure
    without a minimum, such as a skill score, counts as if it began two below its maximum.
    """
    low, high = measure.range
    if measure.estimate is None:
        return False
    if isinf(high) or measure.low is None or measure.high is None:
        return True
    low = high - 2 if isinf(low) else low
    covered = min(measure.high, high) - max(measure.low, low)
    return covered <= (high - low) / 2


def estimate_text(measure: Estimate | Measure) -> str:
    """Return the estimate of a measure, or the bound beyond which it lies."""
    for flag, word in BOUNDS.items():
        if flag in measure.flags:
            return f"{word} {measure.estimate:g}"
    return number_text(measure.estimate)


def measure_text(measure: Measure) -> str:
    """Return the estimate of a measure with its interval, or that it cannot be determined."""
    if not is_determined(measure):
        return UNDETERMINED
    text = interval_text(measure.estimate, measure.low, measure.high)
    if not BOUNDS.keys() & {*measure.flags}:
        return text
    interval = text.removeprefix(number_text(measure.estimate))
    return estimate_text(measure) + ("" if {ABOVE, BELOW} & {*measure.flags} else interval)
