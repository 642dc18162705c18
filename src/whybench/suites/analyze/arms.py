"""Arms of a trial that nobody ran: what an effect is, as settings and signs.

An effect is a sum of mean outcomes, each under a setting of some causes, with weights that sum to
0: one more hour of practice is the mean at 1 hour less the mean at 0, an interaction takes four
such means. Said in this way an effect can be derived from a model's mean under intervention
(`contrast`), with no thought of which coefficient it is, and measured in simulated trials whose
arms have units of their own (`simulate_contrast`).

>>> arms = subtract_arms(unit_increase("dose", group=1), unit_increase("dose", group=0))
>>> contrast(arms, lambda do: (2 + 3 * do["group"]) * do["dose"] + 7 * do["group"])
3.0

The risk difference of a binary treatment in a causal model is
P(outcome = 1 | do(treatment = 1)) - P(outcome = 1 | do(treatment = 0)), derived or simulated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybench.scm import do, draw_units, probability, respond

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.scm import Model

__all__ = [
    "Arm",
    "Arms",
    "contrast",
    "exact_risk_difference",
    "simulate_contrast",
    "simulate_risk_difference",
    "subtract_arms",
    "unit_increase",
]

Array = NDArray[Any]


@dataclass(frozen=True)
class Arm:
    """One arm: what is set to which value, and the weight of its mean outcome."""

    weight: float
    setting: Mapping[str, float]


Arms = tuple[Arm, ...]


def unit_increase(cause: str, **held: float) -> Arms:
    """Return the arms of raising a cause from 0 to 1 while others are held."""
    return Arm(1.0, {**held, cause: 1.0}), Arm(-1.0, {**held, cause: 0.0})


def subtract_arms(arms: Arms, other: Arms) -> Arms:
    """Return the arms of one effect less another."""
    return arms + tuple(Arm(-arm.weight, arm.setting) for arm in other)


def contrast(arms: Arms, mean: Callable[[Mapping[str, float]], float]) -> float:
    """Return the effect by the mean outcome under each setting."""
    return float(sum(arm.weight * mean(arm.setting) for arm in arms))


def simulate_contrast(
    arms: Arms,
    outcomes: Callable[[Mapping[str, float], int], Array],
    n: int,
) -> tuple[float, float]:
    """Return the effect and its standard error in a trial of n units, as many in each arm.

    Args:
        arms: What is done.
        outcomes: A setting and a number of units to that many outcomes, each time of new units.
        n: The number of units.
    """
    size = n // len(arms)
    value, variance = 0.0, 0.0
    for arm in arms:
        values = outcomes(arm.setting, size)
        value += arm.weight * float(values.mean())
        variance += arm.weight**2 * float(np.var(values)) / size
    return value, math.sqrt(variance)


def exact_risk_difference(model: Model) -> float:
    """Return the effect exactly."""
    treated, not_treated = (
        probability(model, do({"outcome": 1}, {"treatment": arm})) for arm in (1, 0)
    )
    return float(treated - not_treated)


def simulate_risk_difference(model: Model, n: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the mean effect on n cases, each had with and without treatment, and its error."""
    units = draw_units(model, n, rng)
    treated, not_treated = (respond(model, units, {"treatment": arm})["outcome"] for arm in (1, 0))
    gain = treated.astype(float) - not_treated
    return float(gain.mean()), float(gain.std() / np.sqrt(n))
