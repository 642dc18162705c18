"""Many small least-squares problems at once: projected Levenberg–Marquardt and Newton steps.

All problems of a batch step together; each has its own damping, and leaves when it is done. With
residuals r, weights w and Jacobian J, a step solves (JᵀWJ + λ·diag JᵀWJ)·s = -JᵀWr among the
parameters that are free, that is not at a bound with the gradient pushing outward; the trial
point is projected onto the bounds, and taken if the loss falls.

Where residuals are large, JᵀWJ is a poor curvature and progress is slow; `newton` steps use the
full Hessian instead.

Arrays end in the axis of problems, so that one line of arithmetic serves all of them. Problems are
treated in chunks of fixed size, which stay in the processor's cache, and symmetric matrices
are stored as their upper triangle, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.fits.predictor import Predictor
    from whybench.fits.tape import Floats

__all__ = ["Solution", "descend"]

CHUNK = 4096
FIRST_DAMPING = 1e-2
AT_BOUND = 1e-12
LEAST_DAMPING = 1e-14
MOST_DAMPING = 1e12
"""No step lowers the loss: the point is a minimum as far as rounding can tell."""


@dataclass(frozen=True)
class Solution:
    """Where a descent ended.

    Attributes:
        theta: Parameters, (parameters, problems).
        loss: Weighted mean squares.
        converged: Whether the next step promises less than the tolerance.
    """

    theta: Floats
    loss: Floats
    converged: NDArray[np.bool_]


def descend(
    predictor: Predictor,
    weight: Floats,
    mean: Floats,
    start: Floats,
    steps: int,
    tolerance: float,
    newton: bool = False,
) -> Solution:
    """Take up to `steps` steps downhill from each column of `start`.

    Args:
        predictor: The model and its questions.
        weight: Shares of the answers, (predictions, problems).
        mean: Mean answers, (predictions, problems).
        start: Parameters, (parameters, problems).
        steps: How many steps at most.
        tolerance: A problem is done when its next step promises to lower the loss by less.
        newton: Use the full Hessian, not JᵀWJ.
    """
    limits = np.array(predictor.scheme.bounds).T[:, :, None]
    theta = np.clip(start, *limits)
    loss, converged = np.empty(theta.shape[1]), np.zeros(theta.shape[1], dtype=bool)
    for first in range(0, theta.shape[1], CHUNK):
        part = slice(first, first + CHUNK)
        chunk = _Chunk(predictor, limits, weight[:, part], mean[:, part], theta[:, part])
        for _ in range(steps):
            chunk.step(tolerance, newton)
            if not chunk.moving.size:
                break
        chunk.settle(np.ones(chunk.moving.size, dtype=bool))
        theta[:, part], loss[part], converged[part] = chunk.final
    return Solution(theta, loss, converged)


class _Chunk:
    """Problems on their way down; those still moving are copied together as others leave."""

    def __init__(
        self, predictor: Predictor, limits: Floats, weight: Floats, mean: Floats, theta: Floats
    ) -> None:
        self.predictor, self.limits = predictor, limits
        self.weight, self.mean, self.here = weight, mean, theta.copy()
        self.moving = np.arange(theta.shape[1])
        self.done = np.zeros(theta.shape[1], dtype=bool)
        self.damping = np.full(theta.shape[1], FIRST_DAMPING)
        self.loss, self.gradient, self.square = self._look(theta)
        self.final = (theta.copy(), self.loss.copy(), np.zeros(theta.shape[1], dtype=bool))

    def step(self, tolerance: float, newton: bool) -> None:
        """Try one step for every moving problem; put aside those that are done."""
        low, high = self.limits
        curvature = (
            self.predictor.newton.run(self.here, self.weight, self.mean) if newton else self.square
        )
        held = (self.here <= low) & (self.gradient > 0)
        held |= (self.here >= high) & (self.gradient < 0)
        step, sound = _solve(curvature, self.square, self.gradient, self.damping, held)
        full = np.ones(self.moving.size)
        if newton:
            # A step may push a parameter out of bounds though its gradient points inward.
            held |= (self.here <= low) & (step < 0)
            held |= (self.here >= high) & (step > 0)
            step, sound = _solve(curvature, self.square, self.gradient, self.damping, held)
            full = _room(self.here, step, self.limits)
            step *= full
        trial = np.clip(self.here + step, low, high)
        if newton:
            # Else rounding could leave a parameter just short of its bound, blocking all others.
            np.copyto(trial, low, where=trial - low < AT_BOUND)
            np.copyto(trial, high, where=high - trial < AT_BOUND)
        step = trial - self.here
        promise = -_model_change(curvature, self.gradient, step)
        loss, gradient, square = self._look(trial)
        fall = self.loss - loss
        # Who is done rests, though it may wait for others: no problem's result depends on another.
        better = sound & (fall >= 0) & ~self.done
        self.done |= sound & (np.abs(promise) <= tolerance) & (self.damping <= 1.0) & (full == 1.0)
        self.done |= self.damping >= MOST_DAMPING
        if better.all():
            self.here, self.loss, self.gradient, self.square = trial, loss, gradient, square
        else:
            for old, new in (
                (self.here, trial),
                (self.loss, loss),
                (self.gradient, gradient),
                (self.square, square),
            ):
                np.copyto(old, new, where=better)
        self.damping *= np.where(better, np.where(fall > 0.5 * promise, 0.1, 1.0), 8.0)
        np.maximum(self.damping, LEAST_DAMPING, out=self.damping)
        # Copying costs about as much as a step, so it waits for a fifth of the problems.
        if np.count_nonzero(self.done) * 5 >= self.done.size:
            self.settle(self.done)

    def _look(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the loss, half its gradient and JᵀWJ at these parameters."""
        size = len(theta)
        found = self.predictor.normal.run(theta, self.weight, self.mean)
        return found[0], found[1 : 1 + size], found[1 + size :]

    def settle(self, out: NDArray[np.bool_]) -> None:
        """Write the results of these problems down and move on with the others."""
        theta, loss, converged = self.final
        gone = self.moving[out]
        theta[:, gone], loss[gone] = self.here[:, out], self.loss[out]
        converged[gone] = self.done[out]
        left = ~out
        self.moving, self.done = self.moving[left], self.done[left]
        self.damping, self.loss = self.damping[left], self.loss[left]
        self.weight, self.mean = self.weight[:, left], self.mean[:, left]
        self.here, self.gradient = self.here[:, left], self.gradient[:, left]
        self.square = self.square[:, left]


def triangle(size: int) -> dict[tuple[int, int], int]:
    """Return where entry (i, j), i ≤ j, of a symmetric matrix is stored."""
    return {pair: place for place, pair in enumerate(combinations_with_replacement(range(size), 2))}


def _solve(
    curvature: Floats,
    square: Floats,
    gradient: Floats,
    damping: Floats,
    held: NDArray[np.bool_],
) -> tuple[Floats, NDArray[np.bool_]]:
    """Solve (curvature + λ·diag square)·s = -gradient among free parameters, by LDLᵀ.

    Returns:
        The steps, and whether the damped curvature was positive definite: else a step is no
        descent.
    """
    size, count = gradient.shape
    places = triangle(size)
    pivot: list[Floats] = []
    lower: list[list[Floats]] = []
    right: list[Floats] = []
    sound = np.ones(count, dtype=bool)
    some_held = [bool(row.any()) for row in held]
    for i in range(size):
        # The tiny term: a parameter on which no answer depends stays where it is.
        diagonal = curvature[places[i, i]] + damping * square[places[i, i]] + 1e-300
        target = -gradient[i]
        unscaled: list[Floats] = []
        row: list[Floats] = []
        for j in range(i):
            entry = curvature[places[j, i]]
            if some_held[i] or some_held[j]:
                entry = np.where(held[i] | held[j], 0.0, entry)
            for k in range(j):
                entry = entry - unscaled[k] * lower[j][k]
            unscaled.append(entry)
            row.append(entry / pivot[j])
            diagonal -= entry * row[j]
            target -= row[j] * right[j]
        if some_held[i]:
            diagonal[held[i]], target[held[i]] = 1.0, 0.0
        bad = diagonal <= 0
        if bad.any():
            sound &= ~bad
            diagonal[bad] = 1.0
        lower.append(row)
        pivot.append(diagonal)
        right.append(target)
    step = np.empty_like(gradient)
    for i in range(size - 1, -1, -1):
        np.divide(right[i], pivot[i], out=step[i])
        for j in range(i + 1, size):
            step[i] -= lower[j][i] * step[j]
    return step, sound


def _room(here: Floats, step: Floats, limits: Floats) -> Floats:
    """Return the share of each step, up to all of it, after which it meets a bound."""
    bound = np.where(step > 0, limits[1], limits[0])
    moves = step != 0
    share = np.divide(bound - here, step, out=np.ones_like(step), where=moves)
    # A parameter that is at its bound and pushes on is held already, so it does not stop the rest.
    return np.asarray(np.minimum(share.min(axis=0), 1.0))


def _model_change(curvature: Floats, gradient: Floats, step: Floats) -> Floats:
    """Return by how much the quadratic model says that the loss changes."""
    size = len(step)
    places = triangle(size)
    change = np.zeros(step.shape[1])
    for i in range(size):
        inner = gradient[i].copy()
        for j in range(i + 1, size):
            inner += curvature[places[i, j]] * step[j]
        change += (2.0 * inner + curvature[places[i, i]] * step[i]) * step[i]
    return change
