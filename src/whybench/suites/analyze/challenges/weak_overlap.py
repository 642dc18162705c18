"""The world of `overlap`: four groups, two of which are treated almost alike within.

Two columns known beforehand form the groups. The log odds of treatment are a sum of the two, so
that hardly anybody is treated in the group that has neither and hardly anybody is not in the group
that has both: these are the *ends*, and the two others are *between* them. What the columns do to
the outcome adds up, too; but the gain goes by whether a group is between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import Effect, increase
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Parameters

GROUPING = ("first", "second")
GROUPS = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
BETWEEN = np.array([0, 1, 1, 0])
ENDS = [0, 3]
"""The groups, which of them are between, and the numbers of those that are the ends."""

EDGE = 0.03
"""No chance of the outcome is nearer to 0 or 1."""


def parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common the columns are, what they do, and the effects in the ends and between."""
    shares, pulls = rng.uniform(0.45, 0.55, 2), rng.uniform(2.7, 3.2, 2)
    shifts = rng.choice((-1, 1)) * rng.uniform(0.2, 0.3, 2)
    effect, gap = rng.uniform(-0.3, 0.3), rng.choice((-1, 1)) * rng.uniform(0.55, 0.75)
    common = np.prod(np.where(GROUPS, shares, 1 - shares), axis=1)
    base, gains = GROUPS @ shifts, effect + gap * (BETWEEN - common @ BETWEEN)
    chances = 1 / (1 + np.exp(-(GROUPS - 0.5) @ pulls))
    treated = float(common @ chances)
    cells = np.concatenate([base, base + gains])
    mean = 0.5 - (cells.min() + cells.max()) / 2 + common @ (base + chances * gains)
    if variant == "same_effect":
        gains = np.full(len(GROUPS), effect)
    if variant == "randomised":
        pulls, chances = np.zeros(2), np.full(len(GROUPS), treated)
    return {
        "decoy": rng.uniform(0.3, 0.7),
        "treated": treated,
        "start": float(mean - common @ (base + chances * gains)),
        "gain_ends": float(gains[0]),
        "gain_between": float(gains[1]),
        **{f"share_{role}": float(x) for role, x in zip(GROUPING, shares, strict=True)},
        **{f"pull_{role}": float(x) for role, x in zip(GROUPING, pulls, strict=True)},
        **{f"shift_{role}": float(x) for role, x in zip(GROUPING, shifts, strict=True)},
    }


def world(variant: str, at: Parameters) -> World:
    """Return the world; by lot, nothing bears on the treatment."""

    def chosen(first: Any, second: Any) -> Any:
        """Logistic, centred so that about half are treated."""
        pull = at["pull_first"] * (first - 0.5) + at["pull_second"] * (second - 0.5)
        return 1 / (1 + np.exp(-pull))

    def outcome(first: Any, second: Any, treatment: Any) -> Any:
        """Shifts add up; the gain goes by whether the group is between."""
        gain = np.where(first == second, at["gain_ends"], at["gain_between"])
        shifted = at["shift_first"] * first + at["shift_second"] * second
        return at["start"] + shifted + gain * treatment

    return World(
        (
            binary("decoy", at["decoy"], time=0),
            *(binary(role, at[f"share_{role}"], time=0) for role in GROUPING),
            binary("treatment", at["treated"] if variant == "randomised" else chosen, time=1),
            binary("outcome", outcome, time=2),
        )
    )


def has_room(variant: str, at: Parameters) -> bool:
    """Whether all chances of the outcome lie well between 0 and 1."""
    chances = world(variant, at).by_role["outcome"].tabulate()
    return bool(EDGE <= chances.min() <= chances.max() <= 1 - EDGE)


def _between(at: Parameters) -> tuple[float, float]:
    """Return how common the two groups between are."""
    first, second = at["share_first"], at["share_second"]
    return (1 - first) * second, first * (1 - second)


def effects(variant: str, at: Parameters) -> dict[str, Effect]:
    """Of all, and of those in groups whose overlap is not weak: all of them, by lot."""
    if variant == "randomised":
        return dict.fromkeys(("estimate", "overlap_effect"), increase("treatment"))
    low, high = _between(at)
    one, other = increase("treatment", first=0, second=1), increase("treatment", first=1, second=0)
    arms = (*(low / (low + high) * one).arms, *(high / (low + high) * other).arms)
    return {"estimate": increase("treatment"), "overlap_effect": Effect(arms)}


def closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Average the gains over the groups."""
    between = sum(_between(at))
    effect = between * at["gain_between"] + (1 - between) * at["gain_ends"]
    return {
        "estimate": effect,
        "overlap_effect": effect if variant == "randomised" else at["gain_between"],
    }
