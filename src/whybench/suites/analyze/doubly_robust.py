"""The average effect by two models at once, of which one has to be right.

Each arm's outcome is predicted for every row by a regression on what came before the treatment, and
what the prediction leaves over is weighted by the inverse of a logistic propensity (augmented
inverse probability weighting). If either model holds, the mean is the effect; the spread of the
rows' contributions around it is its standard error. Analysts use it; the scorer's references do
not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators import (
    Array,
    Coefficient,
    least_squares,
    logistic,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["doubly_robust", "propensities"]


def propensities(treatment: Array, before: Sequence[Array]) -> Array:
    """Return each row's chance of treatment by a logistic regression on `before`."""
    matrix = _with_ones(treatment, before)
    chance: Array = 1 / (1 + np.exp(-matrix @ logistic(treatment, matrix).coefficients))
    return chance


def doubly_robust(outcome: Array, treatment: Array, before: Sequence[Array]) -> Coefficient:
    """Average effect of a binary treatment, given columns that came before it (perhaps none)."""
    matrix = _with_ones(outcome, before)
    chance = propensities(treatment, before)
    gain = np.zeros(len(outcome))
    for arm, had, sign in ((1, chance, 1), (0, 1 - chance, -1)):
        here = treatment == arm
        predicted = matrix @ least_squares(outcome[here], matrix[here]).coefficients
        gain += sign * (predicted + here * (outcome - predicted) / had)
    return Coefficient(float(gain.mean()), float(gain.std() / math.sqrt(len(gain))))


def _with_ones(values: Array, before: Sequence[Array]) -> Array:
    """Put a column of ones before the columns, of which there may be none."""
    return np.column_stack([np.ones(len(values)), *before]).astype(float)
