"""From data to the best parameters: starts on a grid, short descents, and a polish.

1. The best cells of a coarse grid give the starts. The loss of a problem at a grid point is
   Σ w·f² - 2·Σ w·y·f plus what does not depend on the point: so the losses of all problems at all
   points are one matrix product, of the problems' (w, w·y) with the grid's (f², -2f). The grid is
   cut in halves along every parameter, and the best point of each of these regions is a candidate;
   the starts are the best candidates, hence never neighbours of one another.
2. All starts take a few steps. Most then lie in one valley; starts that have come close to a
   better one are dropped.
3. The others go on; those still moving after that continue with the full Hessian.
4. The lowest end wins.

A warm start, such as the fit to the whole sample when refitting resamples, takes the place of the
first two stages.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.solver import Solution, descend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.fits.judgments import Floats
    from whybench.fits.nets import Predictor, Scheme

STARTS = 5
TOLERANCE = 1e-13
"""In units of the loss, a mean square of judgments between 0 and 1."""

PRELIMINARY_STEPS = ((2, 0.05), (2, 0.02))
"""Steps of all starts, and how close two of them must then be to count as one."""

STEPS = 12
NEWTON_STEPS = 60
PROBLEMS_AT_ONCE = 1024
"""This number of problems, with all their starts, stays in the processor's cache."""

MAX_PARAMETERS = 5
GRID_LEVELS = ((0.004, 0.06, 0.28), (0.6, 0.88, 0.99))
"""Grid levels of a parameter. They crowd at the ends, where answers change fastest."""

CORNER_LEVELS, OTHER_LEVELS = (0.0005, 0.002, 0.008), (0.15, 0.5, 0.85)
"""Levels in a corner: of its two parameters, and of the others."""

PRODUCT_ROWS = 8
"""Of a matrix product. Products of one shape have the same bits whatever else is in the batch, and
small ones are not spread over threads, which for this shape costs more than it saves."""


def search(
    predictor: Predictor,
    counts: Floats,
    means: Floats,
    starts: int = STARTS,
    warm: Floats | None = None,
    tolerance: float = TOLERANCE,
) -> Solution:
    """Fit every problem, a row of `counts` and `means`.

    Args:
        predictor: The model and its questions.
        counts: Answers to each question, (problems, questions).
        means: Mean answers, 0 to 1; whatever stands where there are none is ignored.
        starts: How many starts from the grid.
        warm: One start for each problem, (parameters, problems), in place of the grid's.
        tolerance: See `solver.descend`.
    """
    if starts < 1:
        raise ValueError(f"starts must be at least 1, got {starts}")
    grid = Grid(predictor) if warm is None else None
    parts = []
    for first in range(0, len(counts), PROBLEMS_AT_ONCE):
        part = slice(first, first + PROBLEMS_AT_ONCE)
        weight, mean = predictor.pool(counts[part], means[part])
        if grid is not None:
            begin = grid.choose_starts(weight, mean, starts)
        elif warm is not None:
            begin = warm[:, None, part]
        parts.append(_descend_from(predictor, weight, mean, begin, tolerance))
    return Solution(
        np.concatenate([part.theta for part in parts], axis=1),
        np.concatenate([part.loss for part in parts]),
        np.concatenate([part.converged for part in parts]),
    )


class Grid:
    """The grid of a model, with its predictions.

    Beside the regular regions there is one for every corner, where the leak of a node and the
    strength of one of its causes both vanish. There the answers depend on the ratio of the two, so
    a whole valley ends in one point that a regular grid does not resolve.
    """

    def __init__(self, predictor: Predictor) -> None:
        names = predictor.scheme.parameters
        if len(names) > MAX_PARAMETERS:
            raise ValueError(f"parameters must be at most {MAX_PARAMETERS}, got {len(names)}")
        regions = [*product(GRID_LEVELS, repeat=len(names))]
        regions += [
            tuple(CORNER_LEVELS if name in pair else OTHER_LEVELS for name in names)
            for pair in _corners(predictor.scheme)
        ]
        self._regions = len(regions)
        self._points = np.array([point for region in regions for point in product(*region)]).T
        answers, _ = predictor.differentiate(self._points)
        self._factors = np.concatenate([answers**2, -2 * answers]).astype(np.float32)

    def choose_starts(self, weight: Floats, mean: Floats, count: int) -> Floats:
        """Return the `count` best starts of each problem: (parameters, count, problems)."""
        problems = weight.shape[1]
        sides = np.zeros(
            (-(-problems // PRODUCT_ROWS) * PRODUCT_ROWS, len(self._factors)), dtype=np.float32
        )
        sides[:problems] = np.concatenate([weight, weight * mean]).T
        losses = sides.reshape(-1, PRODUCT_ROWS, len(self._factors)) @ self._factors
        losses = losses.reshape(len(sides), self._regions, -1)[:problems]
        inner = losses.argmin(axis=2)
        least = np.take_along_axis(losses, inner[:, :, None], axis=2)[:, :, 0]
        order = np.argsort(least, axis=1, kind="stable")[:, :count]
        best = order * losses.shape[2] + np.take_along_axis(inner, order, axis=1)
        return self._points[:, best.T]


def _corners(scheme: Scheme) -> list[tuple[str, str]]:
    """Return the pairs of a leak and a strength, each once."""
    pairs = [(leak, strength) for leak, *links in scheme.nodes.values() for strength in links]
    return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def _descend_from(
    predictor: Predictor, weight: Floats, mean: Floats, starts: Floats, tolerance: float
) -> Solution:
    """Follow starts (parameters, starts, problems) to their ends; keep each problem's best."""
    _, count, problems = starts.shape
    theta, loss = starts.copy(), np.full((count, problems), np.inf)
    converged = np.zeros(loss.shape, dtype=bool)

    def descend_further(which: NDArray[np.bool_], steps: int, newton: bool = False) -> None:
        problem = which.nonzero()[1]
        data = weight[:, problem], mean[:, problem]
        solution = descend(predictor, *data, theta[:, which], steps, tolerance, newton)
        theta[:, which], loss[which], converged[which] = (
            solution.theta,
            solution.loss,
            solution.converged,
        )

    kept = np.ones(loss.shape, dtype=bool)
    for steps, close in PRELIMINARY_STEPS if count > 1 else ():
        descend_further(kept, steps)
        kept &= _find_distinct(theta, loss, close)
        loss[~kept] = np.inf
    descend_further(kept, STEPS)
    descend_further(kept & ~converged, NEWTON_STEPS, newton=True)
    best = loss.argmin(axis=0), np.arange(problems)
    return Solution(theta[:, *best], loss[best], converged[best])


def _find_distinct(theta: Floats, loss: Floats, close: float) -> NDArray[np.bool_]:
    """Return which descents (descents, problems) have not come close to a better one."""
    order = np.argsort(loss, axis=0, kind="stable")
    ordered = np.take_along_axis(theta, order[None], axis=1)
    apart = np.ones(loss.shape, dtype=bool)
    for behind in range(1, len(loss)):
        near = np.abs(ordered[:, behind, None] - ordered[:, :behind]).max(axis=0) < close
        apart[behind] = ~(near & apart[:behind]).any(axis=0)
    result = np.empty(loss.shape, dtype=bool)
    np.put_along_axis(result, order, apart, axis=0)
    return result
