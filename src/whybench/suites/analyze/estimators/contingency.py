"""Estimates from counts of binary columns.

**Plug-in.** The shares of a table's cells go into a formula in place of the true chances
(`plug_in_estimate`). How much the result owes to the luck of the draw follows from the formula's
slope in each share and from the shares' multinomial spread (delta method).

**How two causes act together.** Where a background strikes apart from the causes, the share that is
spared by both is the product of the shares spared by each. So within a context the chance that
causes present in a combination spare a case is the ratio of shares spared with that combination and
with none, whatever the background; its logarithm is averaged over contexts by precision. Each of
four classes says something of these logarithms (see `joint_causes`), and how far they are from it
in standard errors has a p value (Wald's test).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators.regression import Array, Coefficient

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

STEP = 1e-6
"""By how much a share is moved to see the slope: the errors of rounding and bending are even."""


def count_cells(*columns: Array) -> Array:
    """Count the rows of binary columns in the cells of a table, an axis for each column."""
    cell = np.ravel_multi_index(columns, (2,) * len(columns))
    return np.bincount(cell, minlength=2 ** len(columns)).reshape((2,) * len(columns))


def plug_in_estimate(formula: Callable[[Array], float], counts: Array) -> Coefficient:
    """Return the formula at the shares of the cells.

    Args:
        formula: Takes a table of weights, which need not sum to 1, to a number.
        counts: How many rows each cell has.
    """
    shares = counts / counts.sum()
    slopes = np.zeros(shares.shape)
    for cell in np.ndindex(shares.shape):
        move = np.zeros(shares.shape)
        move[cell] = STEP
        slopes[cell] = (formula(shares + move) - formula(shares - move)) / (2 * STEP)
    mean = float(np.sum(shares * slopes))
    variance = float(np.sum(shares * (slopes - mean) ** 2)) / float(counts.sum())
    return Coefficient(formula(shares), math.sqrt(variance))


COMBINATIONS = ((0, 1), (1, 0), (1, 1))
"""Other alone, cause alone, both: the order of the logarithms."""

CLAIMS: Mapping[str, Callable[[Array], Array]] = {
    "min": lambda log: np.array([log[0], log[1]]),
    "max": lambda log: np.array([log[0] - log[2], log[1] - log[2]]),
    "sum": lambda log: np.array([1 - np.exp(log[0]) - np.exp(log[1]) + np.exp(log[2])]),
    "noisy_or": lambda log: np.array([log[0] + log[1] - log[2]]),
}
"""What is 0 where a class holds."""


def log_spared_ratios(rows: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the logarithms of the chances to be spared, and their covariance.

    Raises:
        ValueError: In some group nobody is spared, or everybody is.
    """
    counts = count_cells(rows["context"], rows["cause"], rows["other"], rows["outcome"])
    if counts.min() == 0:
        raise ValueError(f"every group must have rows with and without the outcome, got {counts}")
    precision, weighted = np.zeros((3, 3)), np.zeros(3)
    for context in counts:
        size = context.sum(axis=-1)
        share = context[..., 0] / size
        # By the delta method; what is spared with neither cause is in all three.
        variance = (1 - share) / (share * size)
        log = np.array([math.log(share[pair] / share[0, 0]) for pair in COMBINATIONS])
        spread = np.diag([variance[pair] for pair in COMBINATIONS]) + variance[0, 0]
        inverse = np.linalg.inv(spread)
        precision += inverse
        weighted += inverse @ log
    covariance = np.linalg.inv(precision)
    return covariance @ weighted, covariance


def class_p_values(rows: Mapping[str, Array]) -> dict[str, float]:
    """Return the p value of each class."""
    log, covariance = log_spared_ratios(rows)
    return {kind: _wald_p_value(claim, log, covariance) for kind, claim in CLAIMS.items()}


def _wald_p_value(claim: Callable[[Array], Array], log: Array, covariance: Array) -> float:
    off = claim(log)
    step = 1e-6
    slopes = np.stack(
        [(claim(log + move) - claim(log - move)) / (2 * step) for move in step * np.eye(3)]
    )
    square = float(off @ np.linalg.solve(slopes.T @ covariance @ slopes, off))
    # The tail of the chi-square distribution, with one degree of freedom or two.
    return math.erfc(math.sqrt(square / 2)) if len(off) == 1 else math.exp(-square / 2)
