"""Two ways to the same numbers: in floating point with errors, and in whole numbers without any.

What a field of a key is (`recomputed`) is said once, in terms of four things: a mean, a
standardised difference, the coefficients of a regression, a response to a dose. Each is worked out
by two arithmetics that share nothing. `FLOATING` goes by estimators that state their errors.
`EXACT` reads every cell as the fraction that it is, and divides once, at the end; for the response,
which no fraction can state, it goes by another search.

The **response** is how the outcome answers the dose in the data sets of `counterfactual_reasoning`.
The keys call it nonlinear and do not say how. The rows do: whatever smooth curve is fitted, what it
leaves over stays between -1 and 1 and piles up at both ends, as the hyperbolic tangent of a normal
deviate does. With the same function for the dose,

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
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.estimators.regression import (
    Array,
    Coefficient,
    Fit,
    design_matrix,
    least_squares,
    stratified_difference,
)

if TYPE_CHECKING:
    from collections.abc import Callable

EDGE = 1 - 1e-9
"""Noise beyond this is taken for impossible; at 1 its logarithm would be infinite."""

STEP = 1e-4
"""Of the numerical derivatives, in each parameter."""

CLOSE = 1e-7
"""How near to the top one comes before derivatives lead the rest of the way."""

STARTS = (1.0, 2.0, 3.0)
"""Values of steepness from which the likelihood is climbed."""

ARRIVED, STEPS = 1e-13, 20
"""Newton's method has arrived when it steps no farther than this, and may take this many steps."""

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
        steepness = self.steepness.value
        gradient = high / math.cosh(steepness * high) ** 2 - low / math.cosh(steepness * low) ** 2
        rise = math.tanh(steepness * high) - math.tanh(steepness * low)
        return Coefficient(rise, abs(gradient) * self.steepness.se)

    def noise(self, outcome: Array, dose: Array, confounder: Array) -> Array:
        """Return what the response leaves over."""
        return _noise(self.fit.coefficients, outcome, dose, confounder)


def fit_response(outcome: Array, dose: Array, confounder: Array) -> Response:
    """Fit a response by maximum likelihood."""
    data = outcome, dose, confounder
    # A simplex may stop short of the top, so it is spread out anew from where it stopped.
    best = _climb(data, "Nelder-Mead", times=4)
    covariance = np.linalg.inv(_curvature(lambda point: _surprise(point, *data), best))
    for _ in range(STEPS):
        step = covariance @ _gradient(best, *data)
        best = best - step
        if np.max(np.abs(step)) <= ARRIVED:
            return Response(Fit(best, covariance))
    raise ValueError(f"the response must settle in {STEPS} steps, got a last step of {step}")


def solve_response(outcome: Array, dose: Array, confounder: Array) -> Response:
    """Find the same response by solving for a zero of the derivative; errors are not stated."""
    from scipy.optimize import root  # noqa: PLC0415

    data = outcome, dose, confounder

    def derivative(point: Array) -> Array:
        steps = 1j * COMPLEX_STEP * np.eye(len(point))
        values = [_noise_surprise(_noise(point + step, *data)) for step in steps]
        return np.array(values).imag / COMPLEX_STEP

    start = _climb(data, "Powell", times=1)
    point = root(derivative, start, method="hybr", options={"xtol": ARRIVED}).x
    return Response(Fit(point, np.full((len(point), len(point)), math.nan)))


def _climb(data: tuple[Array, Array, Array], method: str, times: int) -> Array:
    """Return the likeliest point to which a method that needs no derivative comes."""
    from scipy.optimize import minimize  # noqa: PLC0415

    results = []
    for steepness in STARTS:
        point = _start(steepness, *data)
        for _ in range(times):
            result = minimize(_surprise, point, args=data, method=method, tol=CLOSE)
            point = result.x
        results.append(result)
    best: Array = min(results, key=lambda result: float(result.fun)).x
    return best


def _start(steepness: float, outcome: Array, dose: Array, confounder: Array) -> Array:
    """Return the point that least squares finds at one steepness."""
    rest = outcome - np.tanh(steepness * dose)
    intercept, slope = least_squares(rest, design_matrix(confounder)).coefficients
    return np.array([intercept, steepness, slope])


def _noise(point: Array, outcome: Array, dose: Array, confounder: Array) -> Array:
    intercept, steepness, slope = point
    rest: Array = outcome - intercept - np.tanh(steepness * dose) - slope * confounder
    return rest


def _surprise(point: Array, outcome: Array, dose: Array, confounder: Array) -> float:
    """Return the negative log-likelihood of a response, but for a constant."""
    noise = _noise(point, outcome, dose, confounder)
    beyond = np.abs(noise) - EDGE
    if np.any(beyond > 0):
        # Impossible; the penalty has a slope that leads the search back.
        return float(1e6 + 1e6 * np.maximum(beyond, 0).sum())
    return float(_noise_surprise(noise))


def _noise_surprise(noise: Array) -> Any:
    """Return the same of tanh(normal) noise that is possible; it may be complex."""
    return np.sum(np.arctanh(noise) ** 2 / 2 + np.log1p(-(noise**2)))


def _gradient(point: Array, outcome: Array, dose: Array, confounder: Array) -> Array:
    """Return the derivative of the negative log-likelihood in each parameter."""
    noise = _noise(point, outcome, dose, confounder)
    by_noise = (np.arctanh(noise) - 2 * noise) / (1 - noise**2)
    bend = dose / np.cosh(point[1] * dose) ** 2
    return np.array([-by_noise.sum(), -by_noise @ bend, -by_noise @ confounder])


def _curvature(function: Callable[[Array], float], point: Array) -> Array:
    """Return the matrix of second derivatives, by central differences."""
    steps = np.eye(len(point)) * STEP
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]

    def second(step: Array, other: Array) -> float:
        values = (i * j * function(point + i * step + j * other) for i, j in corners)
        return sum(values) / (4 * STEP**2)

    return np.array([[second(step, other) for other in steps] for step in steps])


@dataclass(frozen=True)
class Arithmetic:
    """One way to each of the four things.

    Attributes:
        mean: Values to their mean.
        stratified: Outcome, treatment and stratum to the standardised difference.
        coefficients: Outcome and design matrix to the coefficients of least squares.
        response: Outcome, dose and confounder to the response.
    """

    mean: Callable[[Array], Coefficient]
    stratified: Callable[[Array, Array, Array], Coefficient]
    coefficients: Callable[[Array, Array], Fit]
    response: Callable[[Array, Array, Array], Response]


def _mean(values: Array) -> Coefficient:
    return Coefficient(float(values.mean()), float(values.std() / math.sqrt(len(values))))


def _refined_least_squares(outcome: Array, matrix: Array) -> Fit:
    """Fit, and fit what is left over: digits that were lost to large columns come back."""
    fit = least_squares(outcome, matrix)
    left, right = np.linalg.qr(matrix)
    coefficients = fit.coefficients
    for _ in range(2):
        rest = outcome - matrix @ coefficients
        coefficients = coefficients + np.linalg.solve(right, left.T @ rest)
    return Fit(coefficients, fit.covariance)


def _fraction_mean(values: Array) -> Fraction:
    return sum(map(Fraction, values.tolist()), Fraction(0)) / len(values)


def _exact_mean(values: Array) -> Coefficient:
    return Coefficient(float(_fraction_mean(values)), math.nan)


def _exact_stratified(outcome: Array, treatment: Array, stratum: Array) -> Coefficient:
    total = Fraction(0)
    for level in np.unique(stratum):
        here = stratum == level
        treated, untreated = (_fraction_mean(outcome[here & (treatment == arm)]) for arm in (1, 0))
        total += int(here.sum()) * (treated - untreated)
    return Coefficient(float(total / len(outcome)), math.nan)


def _exact_least_squares(outcome: Array, matrix: Array) -> Fit:
    """Solve the normal equations in whole numbers, each column being made whole by a factor."""
    columns, factors = zip(*map(_to_whole_numbers, [*matrix.T, outcome]), strict=True)
    equations = [
        [Fraction(sum(map(mul, column, other))) for other in columns] for column in columns[:-1]
    ]
    solution = zip(_solve_exactly(equations), factors[:-1], strict=True)
    coefficients = np.array([float(value * factor / factors[-1]) for value, factor in solution])
    return Fit(coefficients, np.full((len(coefficients), len(coefficients)), math.nan))


def _to_whole_numbers(column: Array) -> tuple[list[int], int]:
    """Return a column in whole numbers, and by what it was multiplied: a power of two."""
    ratios = [value.as_integer_ratio() for value in column.astype(float).tolist()]
    factor = max(below for _, below in ratios)
    return [above * (factor // below) for above, below in ratios], factor


def _solve_exactly(equations: list[list[Fraction]]) -> list[Fraction]:
    """Solve linear equations, whose last entry is the right side, by elimination."""
    rows = list(equations)
    for pivot in range(len(rows)):
        rows[pivot] = [entry / rows[pivot][pivot] for entry in rows[pivot]]
        for row in set(range(len(rows))) - {pivot}:
            times = rows[row][pivot]
            rows[row] = [x - times * y for x, y in zip(rows[row], rows[pivot], strict=True)]
    return [row[-1] for row in rows]


FLOATING = Arithmetic(_mean, stratified_difference, _refined_least_squares, fit_response)
EXACT = Arithmetic(_exact_mean, _exact_stratified, _exact_least_squares, solve_response)
