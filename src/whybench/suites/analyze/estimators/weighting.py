"""Two ways of analysts to adjust where the scorer's references are regressions.

**Doubly robust.** Each arm's outcome is predicted for every row by a regression on what came before
the treatment, and what the prediction leaves over is weighted by the inverse of a logistic
propensity (augmented inverse probability weighting). If either model holds, the mean is the effect;
the spread of the rows' contributions around it is its standard error.

**Like with like.** Rows are put in the order of one column and cut into small blocks; from each
value goes the mean of its block. Whatever that one column does to the others, in whatever shape, is
gone but for what it varies within a block.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators.regression import (
    Array,
    Coefficient,
    cell_means,
    least_squares,
    logistic_regression,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCK = 25
"""How many rows make a block; the last one has what is left over, too."""


def propensities(treatment: Array, before: Sequence[Array]) -> Array:
    """Return each row's chance of treatment by a logistic regression on `before`."""
    matrix = _with_ones(treatment, before)
    chance: Array = 1 / (1 + np.exp(-matrix @ logistic_regression(treatment, matrix).coefficients))
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


def subtract_block_means(by: Array, *columns: Array) -> list[Array]:
    """Return what is left of each column when the means of rows alike in `by` are taken off.

    Raises:
        ValueError: There are not enough rows for a block.
    """
    if len(by) < BLOCK:
        raise ValueError(f"rows must be {BLOCK} or more, got {len(by)}")
    rank = np.empty(len(by), dtype=np.int64)
    rank[np.argsort(by, kind="stable")] = np.arange(len(by))
    block = np.minimum(rank // BLOCK, len(by) // BLOCK - 1)
    return [values - cell_means(values, block) for values in columns]
