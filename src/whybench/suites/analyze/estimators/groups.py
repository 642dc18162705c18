"""Comparisons of treated and untreated rows in groups that were formed beforehand.

Where a group has few rows on one side its **overlap** is weak. A regression that adds columns up
weighs a group by how evenly it is treated, so groups of weak overlap hardly count; weighting by the
inverse propensity gives them the weight that they have among all rows.

Whether groups share one effect is tested by Cochran's Q: the squares of their effects' distances
from the common mean, each in its own standard errors, sum up to a chi-square.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators.regression import (
    Array,
    Coefficient,
    design_matrix,
    least_squares,
    mean_difference,
    weighted_difference,
)
from whybench.suites.analyze.estimators.weighting import propensities

if TYPE_CHECKING:
    from collections.abc import Sequence


def count_sides(treatment: Array, group: Array) -> Array:
    """Count the untreated and the treated rows of each group, a line for each."""
    groups = int(group.max()) + 1
    counts: Array = np.bincount(2 * group + treatment, minlength=2 * groups).reshape(-1, 2)
    return counts


def find_weak_rows(treatment: Array, group: Array, weak: float) -> Array:
    """Return which rows are in a group with a smaller share than `weak` on one side."""
    counts = count_sides(treatment, group)
    found: Array = (counts.min(axis=1) < weak * counts.sum(axis=1))[group]
    return found


def regressed_difference(outcome: Array, treatment: Array, held: Sequence[Array]) -> Coefficient:
    """Difference by a regression in which columns add up: one effect for all."""
    return least_squares(outcome, design_matrix(treatment, *held))[1]


def reweighted_difference(outcome: Array, treatment: Array, before: Sequence[Array]) -> Coefficient:
    """Difference of means, rows weighted by the inverse of a logistic propensity on `before`."""
    chance = propensities(treatment, before)
    return weighted_difference(outcome, treatment, 1 / np.where(treatment == 1, chance, 1 - chance))


def same_effect_p(outcome: Array, treatment: Array, group: Array) -> float:
    """Return the p value of the effect being the same in all of four groups."""
    found = [
        mean_difference(outcome[here], treatment[here])
        for here in (group == level for level in range(4))
    ]
    values = np.array([estimate.value for estimate in found])
    weights = np.array([estimate.se**-2 for estimate in found])
    q = float(weights @ (values - np.average(values, weights=weights)) ** 2)
    # The tail of the chi-square distribution with three degrees of freedom.
    return math.erfc(math.sqrt(q / 2)) + math.sqrt(2 * q / math.pi) * math.exp(-q / 2)
