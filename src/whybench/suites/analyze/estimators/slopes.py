"""Slopes of an outcome on an exposure: one for all rows, or one for each of two groups of them.

Whatever else is held comes after these three: outcome, exposure, and which rows are of the second
group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whybench.suites.analyze.estimators.regression import (
    Array,
    Coefficient,
    design_matrix,
    least_squares,
)

MARGIN = 4
"""How many times there are on either side of a change, at least."""


@dataclass(frozen=True)
class TwoSlopes:
    """The slopes of two groups, and the second less the first."""

    one: Coefficient
    other: Coefficient
    gap: Coefficient

    @classmethod
    def of(cls, one: Coefficient, other: Coefficient) -> TwoSlopes:
        """Compare two slopes that rest on different rows."""
        error = float(np.hypot(one.se, other.se))
        return cls(one, other, Coefficient(other.value - one.value, error))


def fit_slope(outcome: Array, exposure: Array, *beside: Array) -> Coefficient:
    """Fit one slope to all rows."""
    return least_squares(outcome, design_matrix(exposure, *beside))[1]


def fit_apart(outcome: Array, exposure: Array, second: Array, *beside: Array) -> TwoSlopes:
    """Fit either group by itself."""
    columns = (outcome, exposure, *beside)
    return TwoSlopes.of(
        *(fit_slope(*(values[here] for values in columns)) for here in (~second, second))
    )


def fit_together(outcome: Array, exposure: Array, second: Array, *beside: Array) -> TwoSlopes:
    """Fit all rows at once, with two slopes of the exposure and one of everything else."""
    fit = least_squares(outcome, design_matrix(exposure, second * exposure, *beside))
    both = np.zeros(len(fit.coefficients))
    both[[1, 2]] = 1.0
    return TwoSlopes(fit[1], fit.combination(both), fit[2])


def scan_changes(outcome: Array, exposure: Array, time: Array, *beside: Array) -> dict[int, float]:
    """Return by how many standard errors the slope changes, at each time at which it might.

    At each there is one fit in which slope and level may change, beside a trend. Time counts from
    1; errors are those of equal variances.
    """
    held = design_matrix(exposure, time, *(values - values.mean() for values in beside))
    values = np.column_stack([held, outcome - outcome.mean()])
    places = np.arange(MARGIN + 1, int(time.max()) - MARGIN + 2)
    products = (held[:, :2, None] * values[:, None, :]).reshape(len(time), -1)
    since = (time >= places[:, None]).astype(float) @ products
    late, size = since.reshape(len(places), 2, -1), values.shape[1] + 2
    moments = np.empty((len(places), size, size))
    moments[:, :2, :2] = late[:, :, :2]
    moments[:, :2, 2:] = late
    moments[:, 2:, :2] = late.transpose(0, 2, 1)
    moments[:, 2:, 2:] = values.T @ values
    inverse, right = np.linalg.inv(moments[:, :-1, :-1]), moments[:, :-1, -1]
    found = np.einsum("tij,tj->ti", inverse, right)
    left = (moments[:, -1, -1] - np.sum(found * right, axis=1)) / (len(time) - size + 1)
    z = np.abs(found[:, 1]) / np.sqrt(inverse[:, 1, 1] * left)
    return dict(zip(places.tolist(), z.tolist(), strict=True))
