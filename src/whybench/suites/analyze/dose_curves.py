"""Outcome against dose: polynomials, with other columns held; and the rows near one dose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators import Array, Coefficient, Fit, design_matrix, least_squares

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Curve", "curve", "near"]


@dataclass(frozen=True)
class Curve:
    """A polynomial in the dose.

    Attributes:
        fit: Intercept, powers of the standardised dose from the first, and columns held.
        degree: The highest power.
        centre: The mean dose.
        spread: The standard deviation of the dose.
    """

    fit: Fit
    degree: int
    centre: float
    spread: float

    @property
    def bend(self) -> Coefficient:
        """The coefficient of the highest power."""
        return self.fit[self.degree]

    def change(self, low: float, high: float) -> Coefficient:
        """Return by how much the curve differs between two doses."""
        weights = np.zeros(len(self.fit.coefficients))
        for power in range(1, self.degree + 1):
            weights[power] = self._scaled(high) ** power - self._scaled(low) ** power
        return self.fit.combination(weights)

    def _scaled(self, dose: float) -> float:
        return (dose - self.centre) / self.spread


def curve(outcome: Array, dose: Array, degree: int, held: Sequence[Array] = ()) -> Curve:
    """Fit a polynomial of the dose, along with columns that are held."""
    centre, spread = float(dose.mean()), float(dose.std())
    scaled = (dose - centre) / spread
    powers = [scaled**power for power in range(1, degree + 1)]
    # Centred, so that columns far from 0 do not spoil the arithmetic.
    centred = [values - values.mean() for values in held]
    fit = least_squares(outcome, design_matrix(*powers, *centred))
    return Curve(fit, degree, centre, spread)


def near(outcome: Array, dose: Array, at: float, width: float) -> Coefficient:
    """Return the mean outcome at a dose: a line through the rows within `width` of it."""
    here = np.abs(dose - at) <= width
    return least_squares(outcome[here], design_matrix(dose[here] - at))[0]
