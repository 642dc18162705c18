"""A difference that was looked at several times: whether asking may end, and its inference then.

Each look has the difference of all answers up to it. Its statistic is the normal quantile of its
p-value. A look with fewer than `LEAST_UNITS` sampled units is no test. Asking ends

- `decided`: the statistic crosses the boundary of the look;
- `no_difference`: the repeated 90% interval lies within the smallest difference of interest;
- `complete`: the whole design was asked.

Boundaries are of O'Brien and Fleming's type. Horizons, whose p-value is a posterior probability,
have the same boundary at all looks (`whybench.stats.sequential`). The second rule is not binding:
the level holds whether it is followed or not.

The p-value and the interval of a decided or complete difference belong to the order of stages.
Others have the repeated p-value and interval, which hold wherever asking ends. A boundary in
standard errors becomes a difference by the distribution that gave the interval: Student's t over
units, or the posterior.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats.clustered import t_quantile
from whybench.stats.differences import WITHIN_SMALLEST
from whybench.stats.horizon import METHOD
from whybench.stats.paired import ALPHA
from whybench.stats.sequential import FARTHEST, MOST_LOOKS, spend, spend_evenly
from whybench.suites.measures import find_declared
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.stats import Difference
    from whybench.stats.sequential import Boundaries

    Rule = Callable[[tuple[float, ...], float], Boundaries]

MOST = MOST_LOOKS
"""The most looks at a design."""

LEAST_UNITS = 8
"""The fewest sampled units of a look that is a test."""

OPEN, DECIDED, NO_DIFFERENCE, COMPLETE = "open", "decided", "no_difference", "complete"

OPEN_FLAG = "not_decided"
"""The flag of a difference that is still open."""

WITHIN_ALPHA = 0.10
"""One minus the level of the interval that must lie within the smallest difference."""

SHARE_OF_RANGE = 0.1
"""The smallest difference of interest, as a share of the range of a measure from 0 to 1."""

OCTAVE = 2.0
"""The smallest ratio of horizons of interest."""

NEAR = 2.8
"""A gap that a test at 5% finds with a power of 80%, in standard errors."""

NEAR_ZERO, QUANTILE = 1e-6, 1.959963984540054
"""A statistic that is as good as 0, and the normal quantile of the 95% interval."""

LOWEST_LEVEL, HIGHEST_LEVEL = 1e-12, 0.999
"""The range of repeated p-values."""

HIGHEST = 30.0
"""The largest statistic, beyond which p-values are 0 in floating point."""


@dataclass(frozen=True)
class InterimLook:
    """A difference at a look.

    Attributes:
        number: The number of the look, from 1.
        share: The share of the design that was asked by then.
        difference: The difference of all answers so far.
    """

    number: int
    share: float
    difference: Difference


@dataclass(frozen=True)
class SequentialResult:
    """Whether asking may end for a difference, and its inference.

    Attributes:
        state: `open`, `decided`, `no_difference` or `complete`.
        look: The look that ended it, or the last one.
        statistic: The statistic there, in standard errors; None if the look was no test.
        bound: The boundary there.
        difference: The difference with the p-value and interval of the sequential design.
    """

    state: str
    look: InterimLook
    statistic: float | None
    bound: float | None
    difference: Difference


def decide(looks: Sequence[InterimLook], smallest: float | None = None) -> SequentialResult:
    """Return the decision about a difference, from its looks in order.

    Args:
        looks: The looks so far.
        smallest: The smallest difference of interest; by default that of `default_smallest`.
    """
    tests: list[InterimLook] = []
    state = OPEN
    for look in looks:
        if is_test(look.difference):
            tests.append(look)
            state = _examine(tests, smallest)
        elif look.share >= 1:
            state = COMPLETE
        if state != OPEN:
            break
    flag = {OPEN: (OPEN_FLAG,), NO_DIFFERENCE: (WITHIN_SMALLEST,)}.get(state, ())
    one = replace(look.difference, flags=(*look.difference.flags, *flag))
    if not is_test(one):
        return SequentialResult(state, look, None, None, one)
    boundaries, statistic = _rule_of(one)(_shares_of(tests), ALPHA), statistic_of(one)
    infer = _infer_repeated if flag else _infer_ended
    method = f"group-sequential, {state} at look {look.number}; {one.method}"
    found = _clip(replace(infer(one, statistic, boundaries), method=method))
    return SequentialResult(state, look, statistic, boundaries.bounds[-1], found)


def expected_shares(shares: tuple[float, ...]) -> tuple[float, float]:
    """Return the mean shares of a design that are asked for a gap near the limit, and for twice it.

    A gap near the limit is one that the whole design finds with a power of 80%.
    """
    boundaries = spend(shares, ALPHA)
    return boundaries.expected_share(NEAR), boundaries.expected_share(2 * NEAR)


def is_test(one: Difference) -> bool:
    """Return whether a difference has a p-value and enough sampled units."""
    return one.p is not None and one.low is not None and one.units >= LEAST_UNITS


def default_smallest(one: Difference) -> tuple[float, float]:
    """Return the smallest differences of interest on both sides, if no one states another.

    It is an octave for horizons, 0.1 for measures with a highest value, and nothing for others.
    """
    reference = one.b.estimate
    if one.method == METHOD and reference is not None:
        return reference / OCTAVE - reference, reference * OCTAVE - reference
    size = SHARE_OF_RANGE if _has_highest(one.suite, one.measure) else 0.0
    return -size, size


def explain_smallest(suite: str, measure: str, smallest: Mapping[str, float]) -> str:
    """Return the smallest difference of interest of a measure in words."""
    if measure in smallest:
        return f"{smallest[measure]:g}"
    if _has_highest(suite, measure):
        return f"{SHARE_OF_RANGE:g}"
    return "an octave" if "horizon" in measure else "none"


def _has_highest(suite: str, measure: str) -> bool:
    declared = find_declared(get_suite(suite).measure_table, measure)
    return declared is not None and declared.range[1] < inf


def _examine(tests: Sequence[InterimLook], smallest: float | None) -> str:
    """Return the state that the last of some tests decides, of which the others decided nothing."""
    last, one, shares = tests[-1], tests[-1].difference, _shares_of(tests)
    if abs(statistic_of(one)) >= _rule_of(one)(shares, ALPHA).bounds[-1]:
        return DECIDED
    if last.share >= 1:
        return COMPLETE
    low, high = (-smallest, smallest) if smallest is not None else default_smallest(one)
    bound = _rule_of(one)(shares, WITHIN_ALPHA).bounds[-1]
    within = low < effect_at(one, -bound) and effect_at(one, bound) < high
    return NO_DIFFERENCE if within else OPEN


def _rule_of(one: Difference) -> Rule:
    return spend_evenly if one.method == METHOD else spend


def _shares_of(tests: Sequence[InterimLook]) -> tuple[float, ...]:
    return tuple(look.share for look in tests)


def _clip(one: Difference) -> Difference:
    """Return a difference with an interval in the range of its measure."""
    declared = find_declared(get_suite(one.suite).measure_table, one.measure)
    return one.clip(*declared.range) if declared else one


def _infer_ended(one: Difference, statistic: float, boundaries: Boundaries) -> Difference:
    """Return a difference with the p-value, estimate and interval of the order of stages."""
    ended = boundaries.end(len(boundaries.shares), statistic)
    value, low, high = (effect_at(one, -x) for x in (ended.middle, ended.low, ended.high))
    return replace(one, difference=value, low=low, high=high, p=ended.p)


def _infer_repeated(one: Difference, statistic: float, boundaries: Boundaries) -> Difference:
    """Return a difference with its repeated p-value and interval."""
    bound = boundaries.bounds[-1]
    p = _repeated_p(_rule_of(one), boundaries.shares, abs(statistic))
    return replace(one, low=effect_at(one, -bound), high=effect_at(one, bound), p=p)


def statistic_of(one: Difference) -> float:
    """Return the normal quantile of a p-value, with the sign of the difference."""
    from scipy.special import ndtri  # noqa: PLC0415  (kept out of the start-up path)

    assert one.p is not None
    assert one.difference is not None
    size = min(HIGHEST, float(-ndtri(one.p / 2)))
    return float(np.copysign(size, one.difference)) if size > 0 else 0.0


def effect_at(one: Difference, score: float) -> float:
    """Return the difference that lies this many standard errors from the estimate.

    It runs through the ends of the 95% interval at the quantiles of 95%, and through 0 where the
    p-value has it, in straight lines on the scale of Student's t or of the posterior.
    """
    assert one.low is not None
    assert one.high is not None
    assert one.difference is not None
    degrees = inf if one.method == METHOD else one.units - 1.0
    reach = _score_to_t(QUANTILE, degrees)
    knots = {-reach: one.low, 0.0: one.difference, reach: one.high}
    statistic = statistic_of(one)
    if abs(statistic) > NEAR_ZERO:
        knots[_score_to_t(-statistic, degrees)] = 0.0
    places = sorted(knots)
    values = [knots[place] for place in places]
    place = _score_to_t(score, degrees)
    # Beyond the outermost knots the outermost lines go on.
    start = int(np.clip(np.searchsorted(places, place) - 1, 0, len(places) - 2))
    slope = (values[start + 1] - values[start]) / (places[start + 1] - places[start])
    return float(values[start] + slope * (place - places[start]))


def _score_to_t(score: float, degrees: float) -> float:
    """Return the quantile of Student's t that has the probability of a normal quantile."""
    from scipy.special import ndtr  # noqa: PLC0415

    if degrees == inf:
        return score
    return float(np.copysign(t_quantile(float(ndtr(-abs(score))), degrees), score))


def _repeated_p(rule: Rule, shares: tuple[float, ...], size: float) -> float:
    """Return the smallest level at whose boundary the last look would have ended."""
    from scipy.optimize import brentq  # noqa: PLC0415

    def gap(alpha: float) -> float:
        return rule(shares, alpha).bounds[-1] - size

    if gap(HIGHEST_LEVEL) >= 0:
        return 1.0
    return float(brentq(gap, LOWEST_LEVEL, HIGHEST_LEVEL)) if size < FARTHEST else LOWEST_LEVEL
