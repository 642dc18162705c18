"""Where the descent starts: the best cells of a coarse grid.

The loss of a problem at a grid point is Σ w·f² - 2·Σ w·y·f plus what does not depend on the point:
so the losses of all problems at all points are one matrix product, of the problems' (w, w·y) with
the grid's (f², -2f). The grid is cut in halves along every parameter, and the best point of each of
these regions is a candidate; the starts are the best candidates, hence never neighbours of
one another.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from whybench.fits.predictor import Predictor
    from whybench.fits.schemes import Scheme
    from whybench.fits.tape import Floats

__all__ = ["MOST_PARAMETERS", "Seeds"]

MOST_PARAMETERS = 12
PROBLEMS_AT_ONCE = 512
BLOCK = 250_000
"""Multiplications of a matrix product that the usual libraries do not spread over threads, which
for products of this shape cost more than they save."""


LEVELS = {
    6: (0.004, 0.06, 0.28, 0.6, 0.88, 0.99),
    4: (0.03, 0.3, 0.7, 0.97),
    2: (0.2, 0.8),
}
"""Grid levels of a probability. They crowd at the ends, where answers change fastest."""

MIDDLE = {6: (0.15, 0.5, 0.85), 4: (0.3, 0.7), 2: (0.5,)}
CORNER = {6: (0.0005, 0.002, 0.008), 4: (0.001, 0.004), 2: (0.002,)}
"""Levels in a corner: of its two parameters, and of the others."""

WIDEST = 4.0
"""Logistic weights are sought between -4 and 4; the descent may leave that range."""


class Seeds:
    """The grid of a model, with its predictions.

    Beside the regular regions there is one for every corner, where the leak of a node and the
    strength of one of its causes both vanish. There the answers depend on the ratio of the two, so
    a whole valley ends in one point that a regular grid does not resolve.
    """

    def __init__(self, predictor: Predictor) -> None:
        scheme = predictor.scheme
        size = len(scheme.parameters)
        if size > MOST_PARAMETERS:
            raise ValueError(f"parameters must be at most {MOST_PARAMETERS}, got {size}")
        fineness = 6 if size <= 4 else 4 if size <= 6 else 2
        levels, half = LEVELS[fineness], fineness // 2
        sides = (levels[:half], levels[half:])
        axes = [[sides[side] for side in region] for region in product((0, 1), repeat=size)]
        axes += [
            [CORNER[fineness] if name in pair else MIDDLE[fineness] for name in scheme.parameters]
            for pair in _corners(scheme)
        ]
        self.regions = len(axes)
        points = np.array([point for region in axes for point in product(*region)]).T
        weights = [low < 0 for low, _ in scheme.bounds]
        points[weights] = WIDEST * (2 * points[weights] - 1)
        self.points: Floats = points
        answers = predictor.answers.run(self.points)
        self._factors = np.concatenate([answers**2, -2 * answers]).astype(np.float32)

    def starts(self, weight: Floats, mean: Floats, count: int) -> Floats:
        """Return the `count` best starts of each problem: (parameters, count, problems)."""
        count = min(count, self.regions)
        sides = np.concatenate([weight, weight * mean]).astype(np.float32).T
        best: NDArray[np.intp] = np.empty((len(sides), count), dtype=np.intp)
        for first in range(0, len(sides), PROBLEMS_AT_ONCE):
            part = slice(first, first + PROBLEMS_AT_ONCE)
            losses = self._product(sides[part]).reshape(-1, self.regions, self._inside)
            inner = losses.argmin(axis=2)
            least = np.take_along_axis(losses, inner[:, :, None], axis=2)[:, :, 0]
            order = np.argsort(least, axis=1, kind="stable")[:, :count]
            best[part] = order * self._inside + np.take_along_axis(inner, order, axis=1)
        return self.points[:, best.T]

    def _product(self, sides: NDArray[np.float32]) -> NDArray[np.float32]:
        """Multiply by the grid's factors, a few rows at a time."""
        rows = max(1, BLOCK // self._factors.size)
        filled = np.zeros((-(-len(sides) // rows) * rows, sides.shape[1]), dtype=np.float32)
        filled[: len(sides)] = sides
        blocks = filled.reshape(-1, rows, sides.shape[1]) @ self._factors
        return blocks.reshape(len(filled), -1)[: len(sides)]

    @property
    def _inside(self) -> int:
        return int(self.points.shape[1]) // self.regions


def _corners(scheme: Scheme) -> list[tuple[str, str]]:
    """Return the pairs of a leak and a strength, each once."""
    pairs = [
        (leak, strength)
        for kind, leak, *strengths in scheme.nodes.values()
        for strength in strengths
        if kind == "noisy-or" and isinstance(leak, str) and isinstance(strength, str)
    ]
    return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))
