"""Fitting a scheme to judgments: parameters, and how well they describe the answers.

The loss is the mean square Σ n_t·(y_t - f_t)² / Σ n_t over questions t with n_t answers of mean
y_t and prediction f_t. It differs from the mean square over rows only by the spread within
questions, which no parameter changes; and on answers between 0 and 1 twice the Huber loss with
δ = 1 is the squared error. So minimising one is minimising the others.

Goodness of fit is at the level of rows: with RSS = Σ over rows (y - f)²,

- `rmse` = √(RSS/n) and `r2` = 1 - RSS / Σ (y - ȳ)², ȳ the mean of all rows;
- `mae`, where single rows are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.nets import BOUNDS, make_predictor
from whybench.fits.search import STARTS, search
from whybench.stats import SMALL_N

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from whybench.fits.judgments import Floats, Judgments, TaskTable
    from whybench.fits.nets import Predictor, Scheme

METHOD = "weighted least squares on question means"

NEAR_BOUND = 1e-5
"""A parameter this close to a bound is flagged, as a share of the way from bound to bound."""


@dataclass(frozen=True, eq=False)
class Fits:
    """One fit for each problem; arrays have the problems first, NaN where there are no answers.

    Attributes:
        scheme: The model.
        labels: Whose fit it is.
        parameters: Estimates, (problems, parameters), in the order of `scheme.parameters`; what
            derives from them, such as `leak_adjusted_determinacy`, is computed by `estimate`.
        predictions: For every question, (problems, questions).
        loss: Weighted mean square of question means about the predictions.
        rmse: Row-level root mean square error.
        r2: Row-level R².
        mae: Mean absolute error of single answers; None where these are not known.
        n: Answers.
        converged: Whether the descent came to an end.
        flags: `small_n`, `no_data`, `at_bound:<parameter>`, `not_converged`, `underdetermined`
            (no more distinct answered predictions than parameters).
        method: How the estimates were made.
    """

    scheme: Scheme
    labels: tuple[str, ...]
    parameters: Floats
    predictions: Floats
    loss: Floats
    rmse: Floats
    r2: Floats
    mae: Floats | None
    n: NDArray[np.intp]
    converged: NDArray[np.bool_]
    flags: tuple[tuple[str, ...], ...]
    method: str = METHOD

    def __len__(self) -> int:
        return len(self.labels)

    def estimate(self, name: str) -> Floats:
        """Return the estimates of a parameter or derived quantity, one for each problem."""
        return self.scheme.quantity(name, self.parameters)


def fit(table: TaskTable, scheme: Scheme, data: Judgments, starts: int = STARTS) -> Fits:
    """Fit a scheme to each problem of the data.

    Args:
        table: The questions, in the order of the data's columns.
        scheme: The model.
        data: Answers.
        starts: How many starts of the search; see `search`.
    """
    predictor = make_predictor(table, scheme)
    solution = search(predictor, data.counts, data.means, starts)
    predictions = predictor.predict(solution.theta).T
    n = data.counts.sum(axis=1)
    solution.theta[:, n == 0] = predictions[n == 0] = np.nan
    divisor = np.where(n > 0, n, np.nan)
    residual = data.squares - 2 * data.means * predictions + predictions**2
    rss = np.maximum((data.counts * residual).sum(axis=1), 0.0)
    mean = (data.counts * data.means).sum(axis=1) / divisor
    spread = (data.counts * data.squares).sum(axis=1) - n * mean**2
    return Fits(
        scheme=scheme,
        labels=data.labels,
        parameters=solution.theta.T,
        predictions=predictions,
        loss=((data.means - predictions) ** 2 * data.counts).sum(axis=1) / divisor,
        rmse=np.sqrt(rss / divisor),
        r2=r_squared(rss, spread),
        mae=_mean_absolute_error(data, predictions),
        n=data.n,
        converged=solution.converged,
        flags=_flags(predictor, data, solution.theta.T, solution.converged),
    )


def information_criteria(fits: Fits) -> dict[str, Floats]:
    """Return `aic` and `bic` of each fit, with errors that are normal and of one spread.

    Lower is better, and only fits to the same answers can be compared. -∞ where all is met exactly.
    """
    count = len(fits.scheme.parameters)
    with np.errstate(divide="ignore", invalid="ignore"):
        fitted = fits.n * np.log(fits.rmse**2)
        return {"aic": fitted + 2 * count, "bic": fitted + count * np.log(fits.n)}


def r_squared(rss: Floats, spread: Floats) -> Floats:
    """Return 1 - RSS/spread; -∞ where there is no spread to explain, unless it is met exactly."""
    none = spread <= 1e-15
    ratio = rss / np.where(none, 1.0, spread)
    exact = np.where(np.isnan(rss), np.nan, np.where(rss <= 1e-15, 1.0, -np.inf))
    return np.where(none, exact, 1.0 - ratio)


def collect_flags(problems: Mapping[str, NDArray[np.bool_]]) -> tuple[tuple[str, ...], ...]:
    """Return the flags of each problem, from which problems each flag is true of."""
    rows = zip(*problems.values(), strict=True)
    return tuple(
        tuple(flag for flag, is_true in zip(problems, row, strict=True) if is_true) for row in rows
    )


def _mean_absolute_error(data: Judgments, predictions: Floats) -> Floats | None:
    rows = data.rows
    if rows is None or rows.answers is not None:
        return None
    error = np.abs(rows.value - predictions[rows.problem, rows.question])
    total = np.bincount(rows.problem, error, len(data))
    return np.where(data.n > 0, total / np.maximum(data.n, 1), np.nan)


def _flags(
    predictor: Predictor, data: Judgments, parameters: Floats, converged: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...]:
    low, high = BOUNDS
    position = (parameters - low) / (high - low)
    at_bound = (position < NEAR_BOUND) | (position > 1 - NEAR_BOUND)
    classes, names = np.array(predictor.classes), predictor.scheme.parameters
    answered = np.array([np.unique(classes[row > 0]).size for row in data.counts])
    return collect_flags(
        {
            "small_n": data.n < SMALL_N,
            "no_data": data.n == 0,
            "underdetermined": answered <= len(names),
            **{f"at_bound:{name}": at_bound[:, k] for k, name in enumerate(names)},
            "not_converged": ~converged,
        }
    )
