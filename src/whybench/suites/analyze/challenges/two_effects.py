"""What `temporal` and `population` share: an exposure with two effects, or one that looks like two.

Rows are of two groups. In the second, which is asked about, the exposure was steered by a
covariate, so that the slopes differ in any case; given the covariate they differ in traps alone.
Exposures vary by 1 in either group. Twins have the same exposures, and a control the effect in the
middle of its trap's.

Every number is an effect in a group, or their difference, in the order of the certificates. Fits of
either group and of all rows with two slopes are consistent; in controls so is one slope.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import TRAP, NumericTruth
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.estimators.slopes import (
    TwoSlopes,
    fit_apart,
    fit_slope,
    fit_together,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array


def draw_effects(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw what the exposure does in either group, and how far the covariate steers it."""
    middle, apart = rng.uniform(-1.0, 1.0), rng.choice((-1, 1)) * rng.uniform(0.35, 0.55)
    if variant != TRAP:
        apart = 0.0
    return {
        "steer_0": 0.0,
        "steer_1": rng.choice((-1, 1)) * rng.uniform(0.4, 0.65),
        "covariate": rng.choice((-1, 1)) * rng.uniform(0.8, 1.2),
        "effect_0": middle - apart,
        "effect_1": middle + apart,
    }


def choose(at: Parameters, name: str, second: Array) -> Array:
    """Return the parameter of the group of each row."""
    return np.where(second, at[f"{name}_1"], at[f"{name}_0"])


def steer(at: Parameters, second: Array, deviation: Array, choice: Array) -> Array:
    """Return exposures that vary by 1, some of it the covariate's where they are steered."""
    weight = choose(at, "steer", second)
    steered: Array = weight * deviation + np.sqrt(1 - weight**2) * choice
    return steered


def compare_effects(
    variant: str,
    certified: Mapping[str, Certificate],
    rows: Rows,
    second: Array,
    beside: Sequence[str],
    level: Sequence[str] = (),
) -> dict[str, Truth]:
    """Return the truths of two effects and their difference.

    Args:
        variant: The variant.
        certified: The certificates of the effects.
        rows: The rows.
        second: Which of them are of the second group.
        beside: The roles of the columns that are held.
        level: The roles of those that are held only where both groups are fitted at once.
    """
    outcome, exposure = rows["outcome"], rows["exposure"]
    held, levels = ([rows[role] for role in roles] for roles in (beside, level))
    apart = fit_apart(outcome, exposure, second, *held)
    together = fit_together(outcome, exposure, second, *held, *levels)
    crude, adjusted = (
        TwoSlopes(slope, slope, Coefficient(0.0, apart.gap.se))
        for slope in (
            fit_slope(outcome, exposure),
            fit_slope(outcome, exposure, *held, *levels),
        )
    )
    consistent = {"each group by itself": apart, "all rows, two slopes": together}
    naive = {"one slope": crude, "one slope, adjusted": adjusted}
    if variant != TRAP:
        consistent |= {"one slope, adjusted": adjusted}
        naive = {}
    return {
        name: NumericTruth(
            certificate,
            {how: getattr(slopes, part) for how, slopes in consistent.items()},
            getattr(apart, part).se,
            {how: getattr(slopes, part).value for how, slopes in naive.items()},
        )
        for (name, certificate), part in zip(
            certified.items(), ("one", "other", "gap"), strict=True
        )
    }


def report(names: Iterable[str], found: TwoSlopes) -> dict[str, Any]:
    """Return what to answer, by the names of the effects in the two groups.

    The second is the one that is reported.
    """
    one, other = names
    return {
        one: found.one.value,
        other: found.other,
        "difference": found.gap.value,
        "ci": found.gap.interval,
    }
