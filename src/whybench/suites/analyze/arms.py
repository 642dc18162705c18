"""Arms of a trial that nobody ran: what an effect is, as settings and signs.

An effect is a sum of mean outcomes, each under a setting of some causes, with weights that sum to
0: one more hour of practice is the mean at 1 hour less the mean at 0, an interaction takes four
such means. Said in this way an effect can be derived from a model's mean under intervention
(`contrast`), with no thought of which coefficient it is, and measured in simulated trials whose
arms have units of their own (`simulated`).

>>> arms = less(raised("dose", group=1), raised("dose", group=0))
>>> contrast(arms, lambda at: (2 + 3 * at["group"]) * at["dose"] + 7 * at["group"])
3.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Arm", "Arms", "contrast", "less", "raised", "simulated"]

Array = NDArray[Any]


@dataclass(frozen=True)
class Arm:
    """One arm: what is set to which value, and the weight of its mean outcome."""

    weight: float
    setting: Mapping[str, float]


Arms = tuple[Arm, ...]


def raised(cause: str, **held: float) -> Arms:
    """Return the arms of raising a cause from 0 to 1 while others are held."""
    return Arm(1.0, {**held, cause: 1.0}), Arm(-1.0, {**held, cause: 0.0})


def less(one: Arms, other: Arms) -> Arms:
    """Return the arms of one effect less another."""
    return one + tuple(Arm(-arm.weight, arm.setting) for arm in other)


def contrast(arms: Arms, mean: Callable[[Mapping[str, float]], float]) -> float:
    """Return the effect by the mean outcome under each setting."""
    return float(sum(arm.weight * mean(arm.setting) for arm in arms))


def simulated(
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
        drawn = outcomes(arm.setting, size)
        value += arm.weight * float(drawn.mean())
        variance += arm.weight**2 * float(np.var(drawn)) / size
    return value, math.sqrt(variance)
