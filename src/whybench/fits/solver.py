"""Many small least-squares problems at once: projected Levenberg–Marquardt and Newton steps.

All problems of a batch step together; each has its own damping, and leaves when it is done. With
residuals r, weights W and Jacobian J, a step s solves (JᵀWJ + λ·D)·s = -JᵀWr, D the diagonal of
JᵀWJ, among the parameters that are free, that is not at a bound with the gradient pushing outward.
The trial point is projected onto the bounds, and taken if the loss falls.

Where residuals are large, JᵀWJ is a poor curvature and progress is slow; `newton` steps use the
full Hessian instead, by central differences of the gradient. They end at the first bound that they
meet: in a narrow valley, projecting such a step would leave the valley.

Arrays end in the axis of problems, so that one line of arithmetic serves all of them. Sums over
classes of questions are spelt out as loops: the order of addition, and so the last bit of a result,
then does not depend on who else is in the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.nets import BOUNDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.fits.judgments import Floats
    from whybench.fits.nets import Predictor

INITIAL_DAMPING = 1e-2
MIN_DAMPING = 1e-14
MAX_DAMPING = 1e12
"""No step lowers the loss: the point is a minimum as far as rounding can tell."""

DIFFERENCE_STEP = 1e-5
"""Step of the central differences, as a share of the way to the nearer of 0 and 1."""


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
        weight: Shares of the answers, (classes, problems).
        mean: Mean answers, (classes, problems).
        start: Parameters, (parameters, problems).
        steps: How many steps at most.
        tolerance: A problem is done when its next step promises to lower the loss by less.
        newton: Use the full Hessian, not JᵀWJ.
    """
    low, high = BOUNDS
    theta = np.clip(start, low, high)
    loss, gradient, normal = normal_equations(predictor, weight, mean, theta)
    damping = np.full(loss.shape, INITIAL_DAMPING)
    done = np.zeros(loss.shape, dtype=bool)
    for _ in range(steps):
        moving = np.flatnonzero(~done)
        if not moving.size:
            break
        here, slope, square = theta[:, moving], gradient[:, moving], normal[:, :, moving]
        data = weight[:, moving], mean[:, moving]
        curvature = hessian(predictor, *data, here) if newton else square
        held = ((here <= low) & (slope > 0)) | ((here >= high) & (slope < 0))
        step, convex = _solve(curvature, square, slope, damping[moving], held, newton)
        whole = np.ones(moving.size, dtype=bool)
        if newton:
            # A step may push a parameter out of bounds though its gradient points inward.
            held |= ((here <= low) & (step < 0)) | ((here >= high) & (step > 0))
            step, convex = _solve(curvature, square, slope, damping[moving], held, newton)
            step, whole = _shorten(here, step)
        trial = np.clip(here + step, low, high)
        step = trial - here
        promise = -(step * (2 * slope + (curvature * step).sum(axis=1))).sum(axis=0)
        equations = normal_equations(predictor, *data, trial)
        fall = loss[moving] - equations[0]
        better = convex & (fall >= 0)
        done[moving] = convex & whole & (np.abs(promise) <= tolerance) & (damping[moving] <= 1.0)
        done[moving] |= damping[moving] >= MAX_DAMPING
        for old, new in zip((theta, loss, gradient, normal), (trial, *equations), strict=True):
            old[..., moving[better]] = new[..., better]
        change = np.where(better, np.where(fall > 0.5 * promise, 0.1, 1.0), 8.0)
        damping[moving] = np.maximum(damping[moving] * change, MIN_DAMPING)
    return Solution(theta, loss, done)


def normal_equations(
    predictor: Predictor, weight: Floats, mean: Floats, theta: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the loss Σ w·r², half its gradient JᵀWr, and JᵀWJ, problems last."""
    answers, jacobian = predictor.differentiate(theta)
    loss, gradient = np.zeros(theta.shape[1]), np.zeros(theta.shape)
    normal = np.zeros((len(theta), *theta.shape))
    for w, residual, row in zip(weight, answers - mean, jacobian, strict=True):
        loss += w * residual**2
        gradient += w * residual * row
        normal += (w * row)[:, None] * row
    return loss, gradient, normal


def hessian(predictor: Predictor, weight: Floats, mean: Floats, theta: Floats) -> Floats:
    """Return half the Hessian of the loss, (parameters, parameters, problems)."""
    rows = np.empty((len(theta), *theta.shape))
    for k, row in enumerate(rows):
        step = DIFFERENCE_STEP * np.minimum(theta[k], 1 - theta[k])
        gradients = []
        for end in (theta[k] + step, theta[k] - step):
            shifted = theta.copy()
            shifted[k] = end
            gradients.append(normal_equations(predictor, weight, mean, shifted)[1])
        row[:] = (gradients[0] - gradients[1]) / (2 * step)
    return (rows + rows.swapaxes(0, 1)) / 2


def _solve(
    curvature: Floats,
    square: Floats,
    gradient: Floats,
    damping: Floats,
    held: NDArray[np.bool_],
    newton: bool,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Solve (curvature + λ·diag square)·s = -gradient among the free parameters.

    Scaled so that the diagonal of `square` is 1: then damping keeps the matrix invertible, also
    where no answer depends on a parameter, which stays where it is.

    Returns:
        The steps, and whether the damped curvature was positive definite: else a step is no
        descent. JᵀWJ always is.
    """
    size = len(gradient)
    diagonal = np.einsum("kkn->kn", square)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    free = ~held / scale
    matrix = np.moveaxis(curvature * free * free[:, None], -1, 0)
    matrix = matrix + np.eye(size) * (damping + held).T[:, :, None]
    convex = np.ones(len(matrix), dtype=bool)
    if newton:
        convex = np.linalg.eigvalsh(matrix)[:, 0] > 0
        matrix[~convex] = np.eye(size)
    step = np.linalg.solve(matrix, -(gradient * free).T[:, :, None])
    return step[:, :, 0].T * free, convex


def _shorten(here: Floats, step: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return steps that end at the first bound they meet, and whether they are whole."""
    low, high = BOUNDS
    bound = np.where(step > 0, high, low)
    share = np.divide(bound - here, step, out=np.full_like(step, np.inf), where=step != 0)
    shortest = np.minimum(share.min(axis=0), 1.0)
    # The parameter that meets its bound ends on it: else rounding could leave it just short, and
    # it would block all others.
    return np.where(share <= shortest, bound - here, step * shortest), shortest == 1.0
