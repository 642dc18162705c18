"""How the outcome answers the dose in the data sets of `counterfactual_reasoning`.

The keys call the response nonlinear and do not say how. The rows do: whatever smooth curve is
fitted, what it leaves over stays between -1 and 1 and piles up at both ends, as the hyperbolic
tangent of a normal deviate does. With the same function for the dose,

    outcome = intercept + tanh(steepness·dose) + slope·confounder + tanh(normal noise)

leaves nothing over that such noise would not, and maximum likelihood puts every steepness next to
a round number. The average effect of a change of dose is
tanh(steepness·high) - tanh(steepness·low).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators import Array, Estimate, Fit, design_matrix, least_squares

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Response", "fit_response"]

EDGE = 1 - 1e-9
"""Noise beyond this is taken for impossible; at 1 its logarithm would be infinite."""

STEP = 1e-4
"""Of the numerical derivatives, in each parameter."""

STARTS = (1.0, 2.0, 3.0)
"""Values of steepness from which the likelihood is climbed."""


@dataclass(frozen=True)
class Response:
    """A fitted response: intercept, steepness, and slope of the confounder, in this order."""

    fit: Fit

    @property
    def steepness(self) -> Estimate:
        """The factor of the dose within the hyperbolic tangent."""
        return self.fit[1]

    @property
    def slope(self) -> Estimate:
        """The coefficient of the confounder."""
        return self.fit[2]

    def change(self, low: float, high: float) -> Estimate:
        """Return the average effect of a change of dose, with its error by the delta method."""
        at = self.steepness.value
        gradient = high / math.cosh(at * high) ** 2 - low / math.cosh(at * low) ** 2
        rise = math.tanh(at * high) - math.tanh(at * low)
        return Estimate(rise, abs(gradient) * self.steepness.se)

    def noise(self, outcome: Array, dose: Array, confounder: Array) -> Array:
        """Return what the response leaves over."""
        return _noise(self.fit.coefficients, outcome, dose, confounder)


def fit_response(outcome: Array, dose: Array, confounder: Array) -> Response:
    """Fit a response by maximum likelihood."""
    from scipy.optimize import minimize  # noqa: PLC0415

    def surprise(at: Array) -> float:
        return _surprise(_noise(at, outcome, dose, confounder))

    tops = []
    for steepness in STARTS:
        at = _start(outcome, dose, confounder, steepness)
        # A simplex may stop short of the top, so it is spread out anew from where it stopped.
        for _ in range(4):
            found = minimize(surprise, at, method="Nelder-Mead", options={"fatol": 1e-9})
            at = found.x
        tops.append((float(found.fun), at))
    _, best = min(tops, key=lambda top: top[0])
    return Response(Fit(best, np.linalg.inv(_curvature(surprise, best))))


def _start(outcome: Array, dose: Array, confounder: Array, steepness: float) -> Array:
    """Return the point that least squares finds at one steepness."""
    left = outcome - np.tanh(steepness * dose)
    intercept, slope = least_squares(left, design_matrix(confounder)).coefficients
    return np.array([intercept, steepness, slope])


def _noise(at: Array, outcome: Array, dose: Array, confounder: Array) -> Array:
    intercept, steepness, slope = at
    left: Array = outcome - intercept - np.tanh(steepness * dose) - slope * confounder
    return left


def _surprise(noise: Array) -> float:
    """Return the negative log-likelihood of tanh(normal) noise, but for a constant."""
    beyond = np.abs(noise) - EDGE
    if np.any(beyond > 0):
        # Impossible; the penalty has a slope that leads the search back.
        return float(1e6 + 1e6 * np.maximum(beyond, 0).sum())
    return float(np.sum(np.arctanh(noise) ** 2 / 2 + np.log1p(-(noise**2))))


def _curvature(function: Callable[[Array], float], at: Array) -> Array:
    """Return the matrix of second derivatives, by central differences."""
    steps = np.eye(len(at)) * STEP

    def second(one: Array, other: Array) -> float:
        corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        return sum(i * j * function(at + i * one + j * other) for i, j in corners) / (4 * STEP**2)

    return np.array([[second(one, other) for other in steps] for one in steps])
