"""The effect of a binary treatment on a binary outcome in a causal model, by two ways.

What is asked for is P(outcome = 1 | do(treatment = 1)) - P(outcome = 1 | do(treatment = 0)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import do, draw_units, probability, respond

if TYPE_CHECKING:
    from whybench.scm import Model

__all__ = ["by_elimination", "by_simulation"]


def by_elimination(model: Model) -> float:
    """Return the effect exactly."""
    had, had_not = (probability(model, do({"outcome": 1}, {"treatment": t})) for t in (1, 0))
    return float(had - had_not)


def by_simulation(model: Model, n: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the mean effect on n cases, each had with and without treatment, and its error."""
    units = draw_units(model, n, rng)
    had, had_not = (respond(model, units, {"treatment": t})["outcome"] for t in (1, 0))
    gain = had.astype(float) - had_not
    return float(gain.mean()), float(gain.std() / np.sqrt(n))
