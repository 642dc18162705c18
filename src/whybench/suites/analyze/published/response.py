"""How the outcome answers the dose in the data sets of `counterfactual_reasoning`.

The keys call the response nonlinear and do not say how. The rows do: whatever smooth curve is
fitted, what it leaves over stays between -1 and 1 and piles up at both ends, as the hyperbolic
tangent of a normal deviate does. With the same function for the dose,

    outcome = intercept + tanh(steepness·dose) + slope·confounder + tanh(normal noise)

leaves nothing over that such noise would not, and maximum likelihood puts every steepness next to
a round number. The average effect of a change of dose is
tanh(steepness·high) - tanh(steepness·low).

The top of the likelihood is found twice: a simplex climbs to it and Newton's method ends on it
(`fit_response`), and lines are searched one after another until a solver finds where the
derivative, taken by a step into the complex plane, is zero (`solve_response`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.estimators import Array, Coefficient, Fit, design_matrix, least_squares

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Response", "fit_response", "solve_response"]

EDGE = 1 - 1e-9
"""Noise beyond this is taken for impossible; at 1 its logarithm would be infinite."""

STEP = 1e-4
"""Of the numerical derivatives, in each parameter."""

CLOSE = 1e-7
"""How near to the top one comes before derivatives lead the rest of the way."""

STARTS = (1.0, 2.0, 3.0)
"""Values of steepness from which the likelihood is climbed."""

SETTLED, STEPS = 1e-13, 20
"""Newton's method has arrived when it steps no farther than this, and has so many steps to."""

COMPLEX_STEP = 1e-30
"""So small that its square is nothing beside 1: the derivative has no error of the step."""


@dataclass(frozen=True)
class Response:
    """A fitted response: intercept, steepness, and slope of the confounder, in this order."""

    fit: Fit

    @property
    def steepness(self) -> Coefficient:
        """The factor of the dose within the hyperbolic tangent."""
        return self.fit[1]

    @property
    def slope(self) -> Coefficient:
        """The coefficient of the confounder."""
        return self.fit[2]

    def change(self, low: float, high: float) -> Coefficient:
        """Return the average effect of a change of dose, with its error by the delta method."""
        at = self.steepness.value
        gradient = high / math.cosh(at * high) ** 2 - low / math.cosh(at * low) ** 2
        rise = math.tanh(at * high) - math.tanh(at * low)
        return Coefficient(rise, abs(gradient) * self.steepness.se)

    def noise(self, outcome: Array, dose: Array, confounder: Array) -> Array:
        """Return what the response leaves over."""
        return _noise(self.fit.coefficients, outcome, dose, confounder)


def fit_response(outcome: Array, dose: Array, confounder: Array) -> Response:
    """Fit a response by maximum likelihood."""

    def surprise(at: Array) -> float:
        return _surprise(_noise(at, outcome, dose, confounder))

    # A simplex may stop short of the top, so it is spread out anew from where it stopped.
    best = _climbed(surprise, _starts(outcome, dose, confounder), "Nelder-Mead", times=4)
    covariance = np.linalg.inv(_curvature(surprise, best))
    for _ in range(STEPS):
        step = covariance @ _gradient(best, outcome, dose, confounder)
        best = best - step
        if np.max(np.abs(step)) <= SETTLED:
            return Response(Fit(best, covariance))
    raise ValueError(f"the response must settle in {STEPS} steps, got a last step of {step}")


def solve_response(outcome: Array, dose: Array, confounder: Array) -> Response:
    """Find the same response by solving for a zero of the derivative; errors are not stated."""
    from scipy.optimize import root  # noqa: PLC0415

    def surprise(at: Array) -> float:
        return _surprise(_noise(at, outcome, dose, confounder))

    def derivative(at: Array) -> Array:
        steps = 1j * COMPLEX_STEP * np.eye(len(at))
        values = [_likely(_noise(at + step, outcome, dose, confounder)) for step in steps]
        return np.array(values).imag / COMPLEX_STEP

    near = _climbed(surprise, _starts(outcome, dose, confounder), "Powell", times=1)
    found = root(derivative, near, method="hybr", options={"xtol": SETTLED}).x
    return Response(Fit(found, np.full((len(found), len(found)), math.nan)))


def _climbed(
    surprise: Callable[[Array], float], starts: Sequence[Array], method: str, times: int
) -> Array:
    """Return the likeliest point to which a method that needs no derivative comes."""
    from scipy.optimize import minimize  # noqa: PLC0415

    tops = []
    for start in starts:
        at = start
        for _ in range(times):
            found = minimize(surprise, at, method=method, tol=CLOSE)
            at = found.x
        tops.append((float(found.fun), at))
    best: Array = min(tops, key=lambda top: top[0])[1]
    return best


def _starts(outcome: Array, dose: Array, confounder: Array) -> list[Array]:
    """Return the points that least squares finds, each at one steepness."""
    return [_start(outcome, dose, confounder, steepness) for steepness in STARTS]


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
    return float(_likely(noise))


def _likely(noise: Array) -> Any:
    """Return the same where all noise is possible; it may be complex."""
    return np.sum(np.arctanh(noise) ** 2 / 2 + np.log1p(-(noise**2)))


def _gradient(at: Array, outcome: Array, dose: Array, confounder: Array) -> Array:
    """Return the derivative of the negative log-likelihood in each parameter."""
    noise = _noise(at, outcome, dose, confounder)
    by_noise = (np.arctanh(noise) - 2 * noise) / (1 - noise**2)
    bend = dose / np.cosh(at[1] * dose) ** 2
    return np.array([-by_noise.sum(), -by_noise @ bend, -by_noise @ confounder])


def _curvature(function: Callable[[Array], float], at: Array) -> Array:
    """Return the matrix of second derivatives, by central differences."""
    steps = np.eye(len(at)) * STEP

    def second(one: Array, other: Array) -> float:
        corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        return sum(i * j * function(at + i * one + j * other) for i, j in corners) / (4 * STEP**2)

    return np.array([[second(one, other) for other in steps] for one in steps])
