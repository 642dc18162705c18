"""Any function of a table's shares, with its standard error by the delta method.

Rows are counted in the cells of a table, and the shares of the cells go into a formula in place of
the true chances. How much the result owes to the luck of the draw follows from the formula's slope
in each share and from the shares' multinomial spread.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators import Array, Coefficient

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["counted", "plug_in"]

STEP = 1e-6
"""By how much a share is moved to see the slope: the errors of rounding and bending are even."""


def counted(*columns: Array) -> Array:
    """Count the rows of binary columns in the cells of a table, an axis for each column."""
    place = np.ravel_multi_index(columns, (2,) * len(columns))
    return np.bincount(place, minlength=2 ** len(columns)).reshape((2,) * len(columns))


def plug_in(formula: Callable[[Array], float], counts: Array) -> Coefficient:
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
