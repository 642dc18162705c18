"""How many units does a verdict take? Known before the first answer.

On the log scale a composition is a sum: the log of its product less that of what it is held
against, L. Two numbers that differ by the share delta of the larger differ by -log(1 - delta) in
their logs; call that the margin. With n_s of N units in stratum s, which has the weight W_s in the
population, the variance of L is to first order

    Σ_s W_s² · g'C_s g / n_s,   g = 1/estimate for the steps, -1/estimate for the answered whole,

where C_s is the covariance, over the units of a stratum, of an agent's effects on the pairs. With
n_s = N·f_s that is V/N, and a verdict comes out as it should with the wanted power if

    N ≥ V · ((z(1 - α/2) + z(power)) / gap)²,

where the gap is the distance from the size of L to the margin: from below for an agent that
deserves a yes, from above for one that deserves a no. At the margin itself no number of units is
enough.
Where errors are rare a run has one or two of them or none, and L is skewed. With the skewness
K/√(V³N) of L, K = Σ_s W_s³·κ_s/f_s² and κ_s the third moment of g'(effects), the quantiles of L
and those of its resamples both move by (z² - 1)/6 times the skewness (Cornish and Fisher); N is
then the root of a quadratic.

So an agent matters only through its profile (`profiles`): the moments of its effects by stratum.
An agent that makes no error has no variance. What it needs is the resolution of `comparisons`:
enough units for errors to show if there were any.

A wider margin makes a yes cheaper and a no dearer. For a yes on an agent that makes many errors
which even out, N goes with the margin to the power of -2: the source's bound of 0.1 then takes 7.5
times the units of our 0.25. An agent that is off by the half, in turn, is told to be so by half as
many units at 0.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.compose.comparisons import RULE_OF_THREE
from whybench.suites.compose.profiles import (
    EffectProfile,
    coin_profile,
    composition_positions,
    flip_profile,
    transmission_strata,
)
from whybench.suites.compose.verdicts import DELTA, relative_difference

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


CLEAR = 1.5
"""Numbers are clearly apart if they differ by this many deltas, or more, of the larger.

More would be dear: by 2, one random world in nine has no swapped gate that shows (`wrong_worlds`),
by 1.5 one in seventy; and the others need two to four times the units."""
POWER = 0.999
"""Of each verdict. It is set high since a run has several, which should all come out, and since the
formula takes the width of intervals as known, though it varies from run to run."""
ALPHA = 0.05
ROUNDING = 1e-12


@dataclass(frozen=True)
class UnitsNeeded:
    """What a comparison takes.

    Attributes:
        units: Number of units; None where no number is enough.
        ratio: The difference, as a share of the larger number, that all units would show; None if
            both are 0.
        variance: V, the variance of the log of the ratio times the number of units.
        verdict: What the verdict then is, `yes`, `no` or `undefined`.
    """

    units: int | None
    ratio: float | None
    variance: float
    verdict: str


@dataclass(frozen=True)
class UnitPlan:
    """The number of units a run should have.

    Attributes:
        units: The largest number that is needed for anything below.
        needs: Number needed by each agent planned for, over all compositions and both verdicts.
        flags: `met_by_chance` if guessing gives a product near the true whole, so that validity in
            the population cannot tell a coin from a reasoner, with any number of units. That
            verdict is then not planned for.
    """

    units: int
    needs: Mapping[str, int | None] = field(default_factory=dict)
    flags: tuple[str, ...] = ()


def units_needed(
    profile: EffectProfile,
    steps: Sequence[int],
    target: int | float,
    delta: float = DELTA,
    power: float = POWER,
) -> UnitsNeeded:
    """Return the number of units for one verdict on one agent.

    Args:
        profile: The agent's effects by stratum.
        steps: The places of the composition's pairs.
        target: What the product is held against: the place of the answered whole (an int), or the
            true value (a float), which has no sampling error.
        delta: The share that is too small to matter.
        power: Probability of the right verdict.
    """
    estimates = profile.estimates
    value = float(estimates[target]) if isinstance(target, int) else target
    product = float(np.prod(estimates[list(steps)]))
    ratio = relative_difference(product, value)
    if ratio is None:
        return UnitsNeeded(None, None, 0.0, "undefined")
    if min(product, value) <= 0:
        # One is nothing and the other is not: that ratio is -1 or 1, whatever the units.
        return UnitsNeeded(0, ratio, 0.0, "no")
    slope = np.zeros(estimates.size)
    slope[list(steps)] = 1 / estimates[list(steps)]
    if isinstance(target, int):
        slope[target] -= 1 / value
    share = 1 / profile.weights.size
    inside = np.einsum("i,sij,j->s", slope, profile.covariances, slope)
    variance = float(np.sum(profile.weights**2 * inside / share))
    third = np.einsum("sijk,i,j,k->s", profile.thirds, slope, slope, slope)
    skew = abs(float(np.sum(profile.weights**3 * third / share**2)))
    shift, margin = abs(log(product / value)), -log(1 - delta)
    units = _solve_units(variance, skew, abs(margin - shift), power)
    return UnitsNeeded(units, ratio, variance, "yes" if shift < margin else "no")


def units_to_resolve(transmit: Sequence[float], delta: float = DELTA) -> int:
    """Return the number of units at which errors too rare to show are too rare to matter."""
    weights, _, follows = transmission_strata(transmit)
    value, with_it = weights @ follows, follows.mean(axis=0)
    added = (1 - value) / value / (1 - with_it)
    return ceil(RULE_OF_THREE / delta * float(np.max(np.maximum(added, 1 / with_it))))


def plan_units(
    transmit: Sequence[float],
    delta: float = DELTA,
    epochs: int = 5,
    error: float = 0.05,
    others: Mapping[str, EffectProfile] | None = None,
    power: float = POWER,
) -> UnitPlan:
    """Return the number of units a run in a world should have.

    Args:
        transmit: The probability that each block transmits.
        delta: The share that is too small to matter.
        epochs: How often each question is asked.
        error: How often an answer of the agent one has in mind is flipped.
        others: More agents to plan for, by name.
        power: Probability of each right verdict.
    """
    profiles = {
        f"flip({error:g})": flip_profile(transmit, error, epochs),
        "coin": coin_profile(transmit),
        **(others or {}),
    }
    whole = float(np.prod(transmit))
    needs: dict[str, int | None] = {"exact": units_to_resolve(transmit, delta)}
    flags: tuple[str, ...] = ()
    for name, profile in profiles.items():
        units: list[int | None] = []
        for steps, whole_position in composition_positions(len(transmit)):
            valid, consistent = (
                units_needed(profile, steps, target, delta, power)
                for target in (whole, whole_position)
            )
            units.append(consistent.units)
            if name == "coin" and abs(valid.ratio or 0.0) < CLEAR * delta:
                flags = ("met_by_chance",)
            else:
                units.append(valid.units)
        needs[name] = None if None in units else max(filter(None, units), default=0)
    most = max(number for number in needs.values() if number is not None)
    return UnitPlan(most, needs, flags)


def _solve_units(variance: float, skew: float, gap: float, power: float) -> int | None:
    """Return the N at which the interval of nearly every run reaches less far than the gap."""
    from scipy.special import ndtri  # noqa: PLC0415  (kept out of the start-up path)

    if gap <= ROUNDING:
        return None
    if variance <= ROUNDING:
        return 0
    ends = ndtri([1 - ALPHA / 2, (1 + power) / 2])
    # reach = linear/√N + square/N, and reach = gap is solved for 1/√N.
    linear = sqrt(variance) * float(ends.sum())
    square = float(skew / variance * (ends**2 - 1).sum() / 6)
    root = 2 * gap / (linear + sqrt(linear**2 + 4 * square * gap))
    return ceil(1 / root**2)
