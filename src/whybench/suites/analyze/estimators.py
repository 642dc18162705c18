"""Small estimators on bare arrays, each with its standard error.

They serve as references of the scorer and as tools of the analysts. Standard errors are robust
ones (of the influence function or the sandwich): nothing rests on equal variances.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "NORMAL_95",
    "Coefficient",
    "Fit",
    "design_matrix",
    "difference",
    "inverse_probability",
    "least_squares",
    "logistic",
    "normal_p",
    "product",
    "share_by_cell",
    "standardised",
    "weighted_difference",
]

Array = NDArray[Any]

NORMAL_95 = 1.959963984540054
"""Half the width of a 95% interval, in standard errors."""


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

    def __getitem__(self, place: int) -> Coefficient:
        return self.combination(np.eye(len(self.coefficients))[place])

    def combination(self, weights: Array) -> Coefficient:
        """Return a linear combination of the coefficients."""
        variance = float(weights @ self.covariance @ weights)
        return Coefficient(float(weights @ self.coefficients), math.sqrt(max(variance, 0.0)))


def normal_p(z: float) -> float:
    """Return the two-sided p value of a standard normal deviate."""
    return math.erfc(abs(z) / math.sqrt(2))


def difference(outcome: Array, treatment: Array) -> Coefficient:
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


def standardised(outcome: Array, treatment: Array, stratum: Array) -> Coefficient:
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
    return _from_influence(value, effect - value + residual)


def inverse_probability(outcome: Array, treatment: Array, propensity: Array) -> Coefficient:
    """Difference of means weighted by 1 / P(the treatment that was had); weights normalised.

    The propensity is taken as known, so the error is, if anything, stated too large.
    """
    had = np.where(treatment == 1, propensity, 1 - propensity)
    return weighted_difference(outcome, treatment, 1 / had)


def share_by_cell(values: Array, *by: Array) -> Array:
    """Return, for each row, the mean of `values` over the rows of its cell."""
    _, cell = np.unique(np.column_stack(by), axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    means: Array = np.bincount(cell, values) / np.bincount(cell)
    return means[cell]


def design_matrix(*columns: Array) -> Array:
    """Put a column of ones before the columns."""
    return np.column_stack([np.ones(len(columns[0])), *columns]).astype(float)


def least_squares(outcome: Array, matrix: Array, weights: Array | None = None) -> Fit:
    """Fit by (weighted) least squares, with sandwich errors (HC1)."""
    weighed = matrix if weights is None else matrix * weights[:, None]
    bread = np.linalg.inv(weighed.T @ matrix)
    coefficients = bread @ (weighed.T @ outcome)
    scores = weighed * (outcome - matrix @ coefficients)[:, None]
    n, k = matrix.shape
    return Fit(coefficients, bread @ (scores.T @ scores) @ bread * (n / (n - k)))


def logistic(outcome: Array, matrix: Array, weights: Array | None = None) -> Fit:
    """Fit a logistic regression by Newton's method, with sandwich errors.

    Raises:
        ValueError: The steps do not settle, as where a column parts the outcomes perfectly.
    """
    weight = np.ones(len(outcome)) if weights is None else weights
    coefficients = np.zeros(matrix.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(matrix @ coefficients, -30, 30)))
        bread = np.linalg.inv((matrix * (weight * chance * (1 - chance))[:, None]).T @ matrix)
        scores = matrix * (weight * (outcome - chance))[:, None]
        step = bread @ scores.sum(axis=0)
        coefficients = coefficients + step
        if np.max(np.abs(step)) < 1e-10:
            return Fit(coefficients, bread @ (scores.T @ scores) @ bread)
    raise ValueError(f"logistic fit must settle in 50 steps, got a last step of {step}")


def product(first: Coefficient, second: Coefficient) -> Coefficient:
    """Return the product of two estimates whose errors are unrelated (Sobel)."""
    variance = (second.value * first.se) ** 2 + (first.value * second.se) ** 2
    return Coefficient(first.value * second.value, math.sqrt(variance))


def _from_influence(value: float, influence: Array) -> Coefficient:
    return Coefficient(value, float(influence.std() / math.sqrt(len(influence))))
