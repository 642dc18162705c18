"""From data to the best parameters: seeds, a race of short descents, and a polish.

1. The best cells of a coarse grid give the starts (`seeding`).
2. All starts take a few steps. Most then lie in one valley; starts that have come close to a
   better one are dropped.
3. The others go on; those still moving after that continue with the full Hessian.
4. The lowest end wins.

A warm start, such as the fit to the whole sample when refitting resamples, takes the place of the
first two stages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.seeding import Seeds
from whybench.fits.solver import Solution, descend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.fits.predictor import Predictor
    from whybench.fits.tape import Floats

__all__ = ["STARTS", "TOLERANCE", "search"]

STARTS = 5
TOLERANCE = 1e-13
"""In units of the loss, a mean square of judgments between 0 and 1."""

RACE = ((2, 0.05), (2, 0.02))
"""Steps, and how close two starts must then be to count as one."""

STEPS = 12
NEWTON_STEPS = 60
PROBLEMS_AT_ONCE = 8192
"""Bounds the memory: some tens of megabytes whatever the batch."""


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
    seeds = Seeds(predictor) if warm is None else None
    parts = []
    for first in range(0, len(counts), PROBLEMS_AT_ONCE):
        part = slice(first, first + PROBLEMS_AT_ONCE)
        field = _Field(predictor, *predictor.pooled(counts[part], means[part]), tolerance)
        if seeds is not None:
            begin = seeds.starts(field.weight, field.mean, starts)
        elif warm is not None:
            begin = warm[:, None, part]
        parts.append(field.run(begin, race=seeds is not None))
    return Solution(
        np.concatenate([part.theta for part in parts], axis=1),
        np.concatenate([part.loss for part in parts]),
        np.concatenate([part.converged for part in parts]),
    )


@dataclass(frozen=True)
class _Field:
    """Runners of many problems, each in the lane of its start."""

    predictor: Predictor
    weight: Floats
    mean: Floats
    tolerance: float

    def run(self, starts: Floats, race: bool) -> Solution:
        """Follow starts (parameters, lanes, problems) to their ends; keep each problem's best."""
        size, lanes, problems = starts.shape
        lane, problem = np.divmod(np.arange(lanes * problems), problems)
        theta = starts.reshape(size, -1)
        for steps, close in RACE if race else ():
            ahead = self._descend(problem, theta, steps)
            kept = _distinct(ahead, lane, problem, (lanes, problems), close)
            theta, lane, problem = ahead.theta[:, kept], lane[kept], problem[kept]
        end = self._descend(problem, theta, STEPS)
        slow = np.flatnonzero(~end.converged)
        if slow.size:
            polished = self._descend(problem[slow], end.theta[:, slow], NEWTON_STEPS, newton=True)
            end.theta[:, slow], end.loss[slow] = polished.theta, polished.loss
            end.converged[slow] = polished.converged
        where = np.zeros((lanes, problems), dtype=np.intp)
        where[lane, problem] = np.arange(len(lane))
        first = _losses(end, lane, problem, where.shape).argmin(axis=0)
        best = where[first, np.arange(problems)]
        return Solution(end.theta[:, best], end.loss[best], end.converged[best])

    def _descend(
        self, problem: NDArray[np.intp], theta: Floats, steps: int, newton: bool = False
    ) -> Solution:
        data = self.weight[:, problem], self.mean[:, problem]
        return descend(self.predictor, *data, theta, steps, self.tolerance, newton)


def _losses(
    ahead: Solution, lane: NDArray[np.intp], problem: NDArray[np.intp], shape: tuple[int, int]
) -> Floats:
    """Return the losses by lane and problem; infinite where a runner has been dropped."""
    losses = np.full(shape, np.inf)
    losses[lane, problem] = ahead.loss
    return losses


def _distinct(
    ahead: Solution,
    lane: NDArray[np.intp],
    problem: NDArray[np.intp],
    shape: tuple[int, int],
    close: float,
) -> NDArray[np.bool_]:
    """Return which runners have not come close to a better one of the same problem."""
    losses = _losses(ahead, lane, problem, shape)
    theta = np.full((len(ahead.theta), *shape), np.nan)
    theta[:, lane, problem] = ahead.theta
    order = np.argsort(losses, axis=0, kind="stable")
    theta = np.take_along_axis(theta, order[None], axis=1)
    kept = np.ones(shape, dtype=bool)
    for behind in range(1, shape[0]):
        for before in range(behind):
            near = np.ones(shape[1], dtype=bool)
            for one, other in zip(theta[:, behind], theta[:, before], strict=True):
                near &= np.abs(one - other) < close
            kept[behind] &= ~(near & kept[before])
    result = np.empty(shape, dtype=bool)
    np.put_along_axis(result, order, kept, axis=0)
    return result[lane, problem]
