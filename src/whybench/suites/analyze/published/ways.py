"""Two ways to the same numbers: in floating point with errors, and in whole numbers without any.

What a field of a key is (`recomputed`) is said once, in terms of four things: a mean, a
standardised difference, the coefficients of a regression, a response to a dose. Each is worked out
in two ways that share nothing. `FLOATING` goes by estimators that state their errors. `EXACT` reads
every cell as the fraction that it is, and divides once, at the end; for the response, which no
fraction can state, it goes by another search (`response.solve_response`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.estimators import (
    Array,
    Coefficient,
    Fit,
    least_squares,
    standardised,
)
from whybench.suites.analyze.published.response import Response, fit_response, solve_response

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["EXACT", "FLOATING", "Ways"]


@dataclass(frozen=True)
class Ways:
    """One way to each of the four things.

    Attributes:
        mean: Values to their mean.
        standardised: Outcome, treatment and stratum to the standardised difference.
        coefficients: Outcome and design matrix to the coefficients of least squares.
        response: Outcome, dose and confounder to the response.
    """

    mean: Callable[[Array], Coefficient]
    standardised: Callable[[Array, Array, Array], Coefficient]
    coefficients: Callable[[Array, Array], Fit]
    response: Callable[[Array, Array, Array], Response]


def _mean(values: Array) -> Coefficient:
    return Coefficient(float(values.mean()), float(values.std() / math.sqrt(len(values))))


def _refined(outcome: Array, matrix: Array) -> Fit:
    """Fit, and fit what is left over: digits that were lost to large columns come back."""
    found = least_squares(outcome, matrix)
    left, right = np.linalg.qr(matrix)
    coefficients = found.coefficients
    for _ in range(2):
        rest = outcome - matrix @ coefficients
        coefficients = coefficients + np.linalg.solve(right, left.T @ rest)
    return Fit(coefficients, found.covariance)


def _exact_mean(values: Array) -> Coefficient:
    return Coefficient(float(_fraction_mean(values)), math.nan)


def _fraction_mean(values: Array) -> Fraction:
    return sum(map(Fraction, values.tolist()), Fraction(0)) / len(values)


def _exact_standardised(outcome: Array, treatment: Array, stratum: Array) -> Coefficient:
    total = Fraction(0)
    for level in np.unique(stratum):
        here = stratum == level
        treated, untreated = (_fraction_mean(outcome[here & (treatment == had)]) for had in (1, 0))
        total += int(here.sum()) * (treated - untreated)
    return Coefficient(float(total / len(outcome)), math.nan)


def _exact_coefficients(outcome: Array, matrix: Array) -> Fit:
    """Solve the normal equations in whole numbers, each column being made whole by a factor."""
    columns, factors = zip(*map(_whole, [*matrix.T, outcome]), strict=True)
    known = columns[:-1]
    equations = [[Fraction(sum(map(mul, one, other))) for other in columns] for one in known]
    solved = _solved(equations)
    coefficients = [
        float(value * factor / factors[-1])
        for value, factor in zip(solved, factors[:-1], strict=True)
    ]
    return Fit(np.array(coefficients), np.full((len(known), len(known)), math.nan))


def _whole(column: Array) -> tuple[list[int], int]:
    """Return a column in whole numbers, and by what it was multiplied: a power of two."""
    ratios = [value.as_integer_ratio() for value in column.astype(float).tolist()]
    factor = max(below for _, below in ratios)
    return [above * (factor // below) for above, below in ratios], factor


def _solved(equations: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Solve linear equations, whose last entry is the right side, by elimination."""
    rows = [list(row) for row in equations]
    for place in range(len(rows)):
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for other in range(len(rows)):
            if other != place:
                times = rows[other][place]
                rows[other] = [
                    entry - times * pivot
                    for entry, pivot in zip(rows[other], rows[place], strict=True)
                ]
    return [row[-1] for row in rows]


FLOATING = Ways(_mean, standardised, _refined, fit_response)
EXACT = Ways(_exact_mean, _exact_standardised, _exact_coefficients, solve_response)
