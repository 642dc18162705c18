"""Two conditions on the same units: differences, tests of no difference, and of no matter.

Two agents that answered the same items, or one agent in two conditions, are compared unit by
unit; what the units share cancels. `paired_difference` gives the mean difference with an
interval. `sign_flip_test` asks whether there is one. A large p-value does not say that there is
none: `equivalence` asks that, by showing the mean difference to lie within a margin that was stated
beforehand (two one-sided tests, Schuirmann 1987).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.stats.contrast import mean_difference
from whybench.stats.results import Finding, few_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats.results import Estimate

__all__ = ["equivalence", "paired_difference", "sign_flip_test"]

EXACT = 13
"""Up to this number of units all 2^n signs are tried instead of a random part of them."""
TIE = 1e-12


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    clusters: Sequence[object] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the mean of first - second, with Student's t over units.

    Args:
        first: Values in one condition.
        second: Values of the same units in the other one, in the same order.
        clusters: The sampled unit of each pair; None if each pair is one.
        level: Confidence level.
    """
    differences = _differences(first, second)
    units: Sequence[object] = range(differences.size) if clusters is None else clusters
    found = mean_difference(first, second, units, units, level)
    method, flags = "mean paired difference, t over units", few_units(found.units)
    return replace(found, n=differences.size, method=method, flags=flags)


def sign_flip_test(
    first: ArrayLike, second: ArrayLike, keys: Sequence[object], permutations: int = 9999
) -> Finding:
    """Test whether the mean paired difference is zero, by flipping signs.

    Exact up to 13 pairs. The effect is the mean difference.
    """
    differences = _differences(first, second)
    n = differences.size
    exact = n <= EXACT
    method = f"sign flips, {'all' if exact else permutations}; effect mean difference"
    if not n:
        return Finding(None, None, None, 0, 2, method, ("undefined",))
    if exact:
        signs = np.array(list(product((1.0, -1.0), repeat=n)))
    else:
        draw = generator("stats", "sign flip", *keys)
        signs = draw.integers(0, 2, (permutations, n)) * 2.0 - 1
    mean = float(differences.mean())
    limit = abs(mean) - TIE * (1 + np.abs(differences).max())
    reached = int(np.sum(np.abs(signs @ differences) / n >= limit))
    p = reached / len(signs) if exact else (1 + reached) / (1 + len(signs))
    return Finding(mean, p, mean, n, 2, method, few_units(n))


def equivalence(
    first: ArrayLike,
    second: ArrayLike,
    margin: float,
    clusters: Sequence[object] | None = None,
) -> Finding:
    """Test whether the mean paired difference lies within ±margin (two one-sided t tests).

    The p-value is the larger of the two, and the statistic its t; the effect is the mean
    difference. A p-value below α goes with a 1 - 2α interval inside the margin.
    """
    if not margin > 0:
        raise ValueError(f"margin must be above 0, got {margin}")
    from scipy.special import stdtr  # noqa: PLC0415  (kept out of the start-up path)

    differences = _differences(first, second)
    method = f"two one-sided t tests, margin {margin:g}; effect mean difference"
    found = paired_difference(first, second, clusters)
    # At the level 2F(1) - 1 the half-width of a t interval is one standard error.
    degrees = found.units - 1
    if found.estimate is None or degrees < 1:
        return Finding(None, None, found.estimate, differences.size, 2, method, ("undefined",))
    wide = paired_difference(first, second, clusters, level=2 * float(stdtr(degrees, 1.0)) - 1)
    error = (wide.high or 0.0) - found.estimate
    if not error > 0:
        sure = 0.0 if abs(found.estimate) < margin else 1.0
        flags = (*found.flags, "no_spread")
        return Finding(None, sure, found.estimate, differences.size, 2, method, flags)
    above, below = (found.estimate + margin) / error, (found.estimate - margin) / error
    p_above, p_below = float(stdtr(degrees, -above)), float(stdtr(degrees, below))
    p, t = max((p_above, above), (p_below, below))
    return Finding(t, p, found.estimate, differences.size, 2, method, found.flags)


def _differences(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != two.shape or one.ndim != 1:
        raise ValueError(f"second must pair with first, of shape {one.shape}, got {two.shape}")
    return np.asarray(one - two)
