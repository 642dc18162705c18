"""Differences of means, regressions and dose curves on bare arrays, each with its standard error.

They serve as references of the scorer and as tools of the analysts. Standard errors are robust
ones (of the influence function or the sandwich): nothing rests on equal variances.

A column that came before the treatment confounds if it bears on both treatment and outcome
(`relate_columns`). Each relation is one least squares fit, with all the other columns held: of the
treatment, and of the outcome with the treatment held too. Both may be binary, since only whether
there is a relation is asked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Array = NDArray[Any]

NORMAL_95 = 1.959963984540054
"""Half the width of a 95% interval, in standard errors."""

ALPHA = 0.05


@dataclass(frozen=True)
class Coefficient:
    """A value and its standard error."""

    value: float
    se: float

    @property
    def z(self) -> float:
        """The value in standard errors."""
        return self.value / self.se

    @property
    def p(self) -> float:
        """The two-sided p value of no effect."""
        return normal_p(self.z)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval."""
        half = NORMAL_95 * self.se
        return self.value - half, self.value + half

    @property
    def direction(self) -> str:
        """Say `increases`, `decreases`, or `none` where the 95% interval holds 0."""
        if abs(self.z) < NORMAL_95:
            return "none"
        return "increases" if self.value > 0 else "decreases"


@dataclass(frozen=True)
class Fit:
    """Coefficients of a regression and their covariance."""

    coefficients: Array
    covariance: Array

    def __getitem__(self, index: int) -> Coefficient:
        return self.combination(np.eye(len(self.coefficients))[index])

    def combination(self, weights: Array) -> Coefficient:
        """Return a linear combination of the coefficients."""
        variance = float(weights @ self.covariance @ weights)
        return Coefficient(float(weights @ self.coefficients), math.sqrt(max(variance, 0.0)))


def normal_p(z: float) -> float:
    """Return the two-sided p value of a standard normal deviate."""
    return math.erfc(abs(z) / math.sqrt(2))


def mean_difference(outcome: Array, treatment: Array) -> Coefficient:
    """Mean of the treated less mean of the untreated."""
    return weighted_difference(outcome, treatment, np.ones(len(outcome)))


def weighted_difference(outcome: Array, treatment: Array, weights: Array) -> Coefficient:
    """Difference of weighted means (Hájek); the weights of each group are brought to sum to 1."""
    value, variance = 0.0, 0.0
    for group, sign in ((1, 1), (0, -1)):
        chosen = treatment == group
        share = weights[chosen] / weights[chosen].sum()
        mean = float(share @ outcome[chosen])
        value += sign * mean
        variance += float(np.sum((share * (outcome[chosen] - mean)) ** 2))
    return Coefficient(value, math.sqrt(variance))


def stratified_difference(outcome: Array, treatment: Array, stratum: Array) -> Coefficient:
    """Difference within each stratum, averaged over the strata of all rows."""
    effect = np.zeros(len(outcome))
    residual = np.zeros(len(outcome))
    for level in np.unique(stratum):
        here = stratum == level
        treated, untreated = here & (treatment == 1), here & (treatment == 0)
        above, below = outcome[treated].mean(), outcome[untreated].mean()
        effect[here] = above - below
        residual[treated] = (outcome[treated] - above) * here.sum() / treated.sum()
        residual[untreated] = -(outcome[untreated] - below) * here.sum() / untreated.sum()
    value = float(effect.mean())
    influence = effect - value + residual
    return Coefficient(value, float(influence.std() / math.sqrt(len(influence))))


def interacted_difference(
    outcome: Array, treatment: Array, held: Sequence[Array] = ()
) -> Coefficient:
    """Difference by a regression on centred columns, each of which may change it (Lin)."""
    centred = [values - values.mean() for values in held]
    matrix = design_matrix(treatment, *centred, *(treatment * values for values in centred))
    return least_squares(outcome, matrix)[1]


def cell_means(values: Array, *by: Array) -> Array:
    """Return, for each row, the mean of `values` over the rows of its cell."""
    _, cell = np.unique(np.column_stack(by), axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    means: Array = np.bincount(cell, values) / np.bincount(cell)
    return means[cell]


def design_matrix(*columns: Array) -> Array:
    """Put a column of ones before the columns."""
    return np.column_stack([np.ones(len(columns[0])), *columns]).astype(float)


def least_squares(outcome: Array, matrix: Array) -> Fit:
    """Fit by least squares, with sandwich errors (HC1)."""
    bread = np.linalg.inv(matrix.T @ matrix)
    coefficients = bread @ (matrix.T @ outcome)
    scores = matrix * (outcome - matrix @ coefficients)[:, None]
    n, k = matrix.shape
    return Fit(coefficients, bread @ (scores.T @ scores) @ bread * (n / (n - k)))


def logistic_regression(outcome: Array, matrix: Array) -> Fit:
    """Fit a logistic regression by Newton's method, with sandwich errors.

    Raises:
        ValueError: The steps do not settle, as where a column parts the outcomes perfectly.
    """
    coefficients = np.zeros(matrix.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ coefficients, -30, 30)))
        bread = np.linalg.inv((matrix * (chance * (1 - chance))[:, None]).T @ matrix)
        scores = matrix * (outcome - chance)[:, None]
        step = bread @ scores.sum(axis=0)
        coefficients = coefficients + step
        if np.max(np.abs(step)) < 1e-10:
            return Fit(coefficients, bread @ (scores.T @ scores) @ bread)
    raise ValueError(f"logistic fit must settle in 50 steps, got a last step of {step}")


def multiply_estimates(first: Coefficient, second: Coefficient) -> Coefficient:
    """Return the product of two estimates whose errors are unrelated (Sobel)."""
    variance = (second.value * first.se) ** 2 + (first.value * second.se) ** 2
    return Coefficient(first.value * second.value, math.sqrt(variance))


@dataclass(frozen=True)
class DoseCurve:
    """A polynomial in the dose, or a spline.

    Attributes:
        fit: Intercept, terms of the standardised dose, and columns held.
        degree: The highest power.
        centre: The mean dose.
        spread: The standard deviation of the dose.
        knots: Standardised doses at which the highest power changes.
    """

    fit: Fit
    degree: int
    centre: float
    spread: float
    knots: tuple[float, ...] = ()

    @property
    def bend(self) -> Coefficient:
        """The coefficient of the highest power."""
        return self.fit[self.degree]

    def change(self, low: float, high: float) -> Coefficient:
        """Return by how much the curve differs between two doses."""
        ends = (np.array([low, high]) - self.centre) / self.spread
        rises = [float(np.diff(term)[0]) for term in _terms(ends, self.degree, self.knots)]
        weights = np.zeros(len(self.fit.coefficients))
        weights[1 : len(rises) + 1] = rises
        return self.fit.combination(weights)


def _terms(scaled: Array, degree: int, knots: Sequence[float]) -> list[Array]:
    powers = [scaled**power for power in range(1, degree + 1)]
    return [*powers, *(np.clip(scaled - knot, 0, None) ** degree for knot in knots)]


def fit_curve(
    outcome: Array,
    dose: Array,
    degree: int,
    held: Sequence[Array] = (),
    quantiles: Sequence[float] = (),
) -> DoseCurve:
    """Fit a polynomial of the dose, or a spline with knots at quantiles, and columns held."""
    centre, spread = float(dose.mean()), float(dose.std())
    scaled = (dose - centre) / spread
    knots = tuple(np.quantile(scaled, quantiles).tolist()) if quantiles else ()
    # Centred, so that columns far from 0 do not spoil the arithmetic.
    centred = [values - values.mean() for values in held]
    fit = least_squares(outcome, design_matrix(*_terms(scaled, degree, knots), *centred))
    return DoseCurve(fit, degree, centre, spread, knots)


def local_mean(outcome: Array, dose: Array, level: float, width: float) -> Coefficient:
    """Return the mean outcome at a level of the dose, by a line through rows within `width`."""
    here = np.abs(dose - level) <= width
    return least_squares(outcome[here], design_matrix(dose[here] - level))[0]


@dataclass(frozen=True)
class Relation:
    """P values of a column's relation to the treatment, and to the outcome."""

    to_treatment: float
    to_outcome: float

    @property
    def confounds(self) -> bool:
        """Whether both relations are there, at the 5% level."""
        return max(self.to_treatment, self.to_outcome) < ALPHA


def relate_columns(rows: Mapping[str, Array], before: Sequence[str]) -> dict[str, Relation]:
    """Relate each column of `before`, by role, to the columns `treatment` and `outcome`."""
    columns = [rows[role] for role in before]
    treatment = least_squares(rows["treatment"], design_matrix(*columns))
    outcome = least_squares(rows["outcome"], design_matrix(*columns, rows["treatment"]))
    return {
        role: Relation(treatment[index].p, outcome[index].p)
        for index, role in enumerate(before, start=1)
    }
