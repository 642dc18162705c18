"""The world of `unidentified` and `instrument`: a cause of treatment and outcome is not measured.

Whoever decided on the treatment went by both, `known` and `hidden`, and the outcome adds up what
each does and what the treatment does. Whoever sees the rows sees the table of decoy, known,
treatment and outcome. In the control `recorded` this very table comes from a world without the
hidden one: there the treatment does what it seems to do among rows alike in what is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.scm import Event, Query, agreed, probability
from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Parameters

RECORDED, LOT = "recorded", "randomised"
CAUSES = ("known", "hidden")
SEEN = ("known", "treatment", "outcome")


def parameters(_variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common the causes are, and what they do; the same in all variants."""
    toward, biases = rng.choice((-1, 1), 2), rng.choice((-1, 1), 2)
    shares = rng.uniform(0.45, 0.55, 2)
    pulls = rng.uniform(0.4, 0.46, 2) * toward
    shifts = rng.uniform(0.28, 0.34, 2) * toward * biases
    gain = rng.uniform(-0.26, 0.26)
    return {
        "decoy": rng.uniform(0.3, 0.7),
        "treated": float(0.5 + pulls @ (shares - 0.5)),
        "gain": float(gain),
        **{f"share_{role}": float(x) for role, x in zip(CAUSES, shares, strict=True)},
        **{f"pull_{role}": float(x) for role, x in zip(CAUSES, pulls, strict=True)},
        **{f"shift_{role}": float(x) for role, x in zip(CAUSES, shifts, strict=True)},
    }


def world(variant: str, at: Parameters) -> World:
    """Return the world; that of `recorded` has the table which is seen in the trap."""
    first = (binary("decoy", at["decoy"], time=0), binary("known", at["share_known"], time=0))

    def chosen(known: Any, hidden: Any) -> Any:
        return 0.5 + at["pull_known"] * (known - 0.5) + at["pull_hidden"] * (hidden - 0.5)

    def outcome(treatment: Any, known: Any, hidden: Any) -> Any:
        shifted = at["shift_known"] * (known - 0.5) + at["shift_hidden"] * (hidden - 0.5)
        return 0.5 + shifted + at["gain"] * (treatment - 0.5)

    told = World(
        (
            *first,
            binary("hidden", at["share_hidden"]),
            binary("treatment", at["treated"] if variant == LOT else chosen, time=1),
            binary("outcome", outcome, time=2),
        )
    )
    if variant != RECORDED:
        return told
    return World((first[0], *told.without_hidden(SEEN).columns))


def closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Return the gain, to which a bias belongs where nothing is hidden; and the worst cases.

    The upper bound is the share of units whose outcome is as their treatment. It is a half and
    twice the mean product of treatment and outcome, each less a half: so squares are a quarter.
    """
    middles = {role: at[f"share_{role}"] - 0.5 for role in CAUSES}
    treated = at["treated"] - 0.5
    product = at["gain"] / 4
    for role, middle in middles.items():
        others = treated if variant == LOT else treated - at[f"pull_{role}"] * middle
        own = 0.0 if variant == LOT else at[f"pull_{role}"] / 4
        product += at[f"shift_{role}"] * (own + others * middle)
    bias = _find_bias(at) if variant == RECORDED else 0.0
    return {
        "estimate": at["gain"] + bias,
        "lower_bound": 2 * product - 0.5,
        "upper_bound": 2 * product + 0.5,
    }


def _find_bias(at: Parameters) -> float:
    """Return what the hidden cause adds to the difference among those alike in what is known."""
    hidden, known = at["share_hidden"], at["share_known"]
    middle = 0.5 + at["pull_hidden"] * (hidden - 0.5)
    spread = sum(
        share / (chance * (1 - chance))
        for share, chance in (
            (1 - known, middle - at["pull_known"] / 2),
            (known, middle + at["pull_known"] / 2),
        )
    )
    return at["shift_hidden"] * at["pull_hidden"] * hidden * (1 - hidden) * spread


def certify_bounds(variant: str, at: Parameters) -> dict[str, Certificate]:
    """Derive the bounds of the effect by the closed form, and from what is seen in the world."""
    closed, seen = closed_form(variant, at), _eliminate_bounds(world(variant, at))
    return {
        end: agreed(
            f"{end} bound of {increase('treatment')}",
            ("worst cases", closed[end]),
            ("elimination", seen[end]),
        )
        for end in seen
    }


def _eliminate_bounds(world: World) -> dict[str, float]:
    """Return the bounds of the effect by the chances of what is seen in a world.

    All of the untreated might have had the outcome if treated, or none; and so might the treated
    if untreated.
    """
    roles = [role for role in world.by_role if role != "decoy"]
    model = world.model(roles)

    def chance(**seen: int) -> float:
        events = tuple(Event(role, value) for role, value in seen.items())
        return float(probability(model, Query(events)))

    least_treated, least_untreated = (chance(treatment=side, outcome=1) for side in (1, 0))
    return {
        "lower_bound": least_treated - (least_untreated + chance(treatment=1)),
        "upper_bound": least_treated + chance(treatment=0) - least_untreated,
    }
