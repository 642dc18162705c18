"""How an agent answers in each stratum: all that its number of units depends on.

Strata tell which blocks transmit on a unit, so the true effects are the same all over a stratum. An
agent's effects need not be; its *profile* holds their means, covariances and third moments (rare
errors are skewed) in each stratum. An agent
that errs by chance has one in closed form, so has one that is right about a world with other gates
(`wrong_worlds`), and a run that exists already has an observed one.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.compose.units import SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class EffectProfile:
    """An agent's effects, by stratum.

    Attributes:
        weights: The weight of each stratum in the population, of sum 1.
        means: Mean effect, strata x pairs.
        covariances: Strata x pairs x pairs.
        thirds: Third central moments, strata x pairs x pairs x pairs.
    """

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    covariances: NDArray[np.float64]
    thirds: NDArray[np.float64]

    @property
    def estimates(self) -> NDArray[np.float64]:
        """What is estimated of each pair, with any number of units."""
        return np.asarray(self.weights @ self.means)


def anchor_pairs(blocks: int) -> list[tuple[int, int]]:
    """Return all pairs of anchors by number, 0 … blocks, in the order of `ComposeWorld.pairs`."""
    return list(combinations(range(blocks + 1), 2))


def composition_positions(blocks: int) -> list[tuple[list[int], int]]:
    """Return, for each composition, the places of its steps and of the whole."""
    position = {pair: number for number, pair in enumerate(anchor_pairs(blocks))}
    return [
        ([position[step] for step in pairwise((0, *between, blocks))], position[0, blocks])
        for count in range(1, blocks)
        for between in combinations(range(1, blocks), count)
    ]


def transmission_strata(
    transmit: Sequence[float],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the strata of a world whose blocks transmit with these probabilities, as in `units`.

    Returns:
        The weight of each stratum; which blocks transmit in it, strata x blocks; and whether the
        effect follows the cause, strata x pairs.
    """
    chances = np.asarray(transmit, dtype=float)
    if not ((chances > 0) & (chances < 1)).all():
        raise ValueError(f"transmit must lie between 0 and 1, got {chances.tolist()}")
    if chances.size > SEGMENTS:
        raise ValueError(f"transmit must be for at most {SEGMENTS} blocks, got {chances.size}")
    passes = (np.arange(1 << chances.size)[:, None] >> np.arange(chances.size) & 1) == 1
    weights = np.where(passes, chances, 1 - chances).prod(axis=1)
    follows = [passes[:, cause:effect].all(axis=1) for cause, effect in anchor_pairs(chances.size)]
    return weights, passes, np.stack(follows, axis=1)


def majority_error(error: float, epochs: int) -> float:
    """Return how often the majority of epochs is wrong, if each is with probability `error`."""
    terms = [comb(epochs, k) * error**k * (1 - error) ** (epochs - k) for k in range(epochs + 1)]
    tie = terms[epochs // 2] / 2 if epochs % 2 == 0 else 0.0
    return sum(terms[epochs // 2 + 1 :]) + tie


def flip_profile(transmit: Sequence[float], error: float, epochs: int = 1) -> EffectProfile:
    """Return the profile by `pns` of an agent whose answers are flipped with this probability.

    Both answers are right with 1 - q, q the error of the majority; so an effect that follows is
    seen with (1 - q)², and one that does not with q·(1 - q), whichever the two equal answers are.
    """
    if epochs % 2 == 0:
        raise ValueError(f"epochs must be odd, so that there is no tie, got {epochs}")
    weights, _, follows = transmission_strata(transmit)
    q = majority_error(error, epochs)
    return _independent(weights, np.where(follows, (1 - q) ** 2, q * (1 - q)))


def coin_profile(transmit: Sequence[float]) -> EffectProfile:
    """Return the profile by `pns` of an agent that guesses: 1/4 everywhere."""
    weights, _, follows = transmission_strata(transmit)
    return _independent(weights, np.full(follows.shape, 0.25))


def _independent(weights: NDArray[np.float64], means: NDArray[np.float64]) -> EffectProfile:
    """Return the profile of effects that are 0 or 1, and independent of each other on a unit."""
    spread = means * (1 - means)
    each = np.arange(means.shape[1])
    covariances = np.zeros((*means.shape, each.size))
    covariances[:, each, each] = spread
    thirds = np.zeros((*covariances.shape, each.size))
    thirds[:, each, each, each] = spread * (1 - 2 * means)
    return EffectProfile(weights, means, covariances, thirds)
