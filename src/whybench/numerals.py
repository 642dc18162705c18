"""Numbers as text: 0.35 [0.20, 0.51], a dash for no number, words for one that says nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whybench.stats import Measure

UNDETERMINED = "cannot be determined"
"""Printed instead of an estimate whose interval covers more than half of its range."""

RANGES = {
    (0.0, 1.0): (
        r"(balanced_)?accuracy(_yes|_no|_factual|_interventional|_answered)?|answered|\w*agreement|"
        r"justified_accuracy(_answered)?|justified_within|entailed_share|information_ratio|"
        r"(mode|verdict|pattern|mistake|precision|recall)_\w+|yes_share|error|computability|"
        r"(twin_|score|family_)?(score|diagnosis|reliability)\w*|fell_for|false_alarm|"
        r"(valid|invalid)_(and_)?(in)?consistent|valid|consistent|confidence|p|b|m"
    ),
    (
        -1.0,
        1.0,
    ): r"coherence|ea(_implied)?|mv|alignment|\w*skill|(class_)?consistency|reasoning_gap",
    (0.0, 100.0): r"distance",
}
"""Ranges of measures by name (a pattern). A measure without a minimum, such as skill, has -1."""


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
    """Return whether the interval of a measure covers at most half of the measure's range.

    A measure without an interval or without a known range counts as determined.
    """
    found = next(
        (ends for ends, names in RANGES.items() if re.fullmatch(names, measure.name)), None
    )
    if found is None or measure.low is None or measure.high is None:
        return True
    low, high = found
    covered = min(measure.high, high) - max(measure.low, low)
    return covered <= (high - low) / 2


def measure_text(measure: Measure) -> str:
    """Return the estimate of a measure with its interval, or that it cannot be determined."""
    if not is_determined(measure):
        return UNDETERMINED
    return interval_text(measure.estimate, measure.low, measure.high)
