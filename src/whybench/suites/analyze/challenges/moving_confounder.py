"""The world of `effect_estimation`: a state, a treatment, the state again, a treatment, an outcome.

    baseline → earlier → followup → treatment → outcome

with an arrow from every one to all that come after it. One table of chances can be told in two
orders. With the follow-up before the treatment it confounds; with the follow-up after it, the same
table read by Bayes' rule, it is part of what the treatment does.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import agreed, observe, probability
from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Parameters
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect

__all__ = ["ALL", "START", "certify_least", "closed_form", "effects", "parameters", "world"]

START = ("baseline", "earlier")
ALL = ("baseline", "earlier", "followup")


def parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw what each column does to those after it.

    What each confounder does to treatment and outcome has one sign or two; `bias`, the product, is
    the same for all, and so is that of what they do to each other, so that no path makes up for
    another.
    """
    bias, sign = int(rng.choice([-1, 1])), int(rng.choice([-1, 1]))
    toward = dict(zip(ALL, rng.choice([-1, 1], 3).tolist(), strict=True))
    pulls = rng.uniform((0.6, 0.6, 1.7), (0.9, 0.9, 2.3))
    shifts = rng.uniform((0.1, 0.1, 0.3), (0.15, 0.15, 0.38))
    gains = rng.uniform(0.06, 0.14, 2) * sign
    if variant == "treatment_only":
        shifts[2], gains[1] = 0.0, gains[0]
    return {
        "baseline": rng.uniform(0.4, 0.6),
        "decoy": rng.uniform(0.3, 0.7),
        "earlier": rng.uniform(0.2, 0.35) * toward["baseline"] * toward["earlier"],
        "followup_baseline": rng.uniform(0.2, 0.3) * toward["baseline"] * toward["followup"],
        "followup_earlier": rng.uniform(0.2, 0.3) * toward["earlier"] * toward["followup"],
        **{f"pull_{k}": float(x) * toward[k] for k, x in zip(ALL, pulls, strict=True)},
        **{f"shift_{k}": float(x) * toward[k] * bias for k, x in zip(ALL, shifts, strict=True)},
        "gain_0": float(gains[0]),
        "gain_1": float(gains[1]),
    }


def world(variant: str, at: Parameters) -> World:
    """Return the world; a follow-up that comes after the treatment answers to it.

    Chances are centred on a half, for causes at a half.
    """

    def treated(**before: Any) -> Any:
        return 1 / (1 + np.exp(-sum(at[f"pull_{role}"] * (before[role] - 0.5) for role in ALL)))

    def outcome(treatment: Any, **before: Any) -> Any:
        gain = at["gain_0"] + (at["gain_1"] - at["gain_0"]) * before["followup"]
        shifted = sum(at[f"shift_{role}"] * (before[role] - 0.5) for role in ALL)
        return 0.5 + shifted + gain * (treatment - 0.5)

    told = World(
        (
            binary("decoy", at["decoy"], time=0),
            binary("baseline", at["baseline"], time=0),
            binary("earlier", lambda baseline: 0.5 + at["earlier"] * (baseline - 0.5), time=1),
            binary(
                "followup",
                lambda baseline, earlier: (
                    0.5
                    + at["followup_baseline"] * (baseline - 0.5)
                    + at["followup_earlier"] * (earlier - 0.5)
                ),
                time=2,
            ),
            binary("treatment", treated, causes=ALL, time=3),
            binary("outcome", outcome, causes=(*ALL, "treatment"), time=5),
        )
    )
    late = variant == "after_treatment"
    return told.turn("followup", "treatment", time=4) if late else told


def effects(_variant: str, _at: Parameters) -> dict[str, Effect]:
    """Treat everybody, and nobody."""
    return {"ate": increase("treatment")}


def _tables(at: Parameters) -> tuple[Array, Array, Array]:
    """P(baseline, earlier, follow-up), P(treated | these), P(outcome | these, treatment)."""
    drawn = world("trap", at)
    before = np.ones((2, 2, 2))
    for place, role in enumerate(ALL):
        # The chance does not depend on later columns, whose axes are added.
        likely = drawn.by_role[role].tabulate()[(..., *[None] * (3 - place))]
        bit = np.indices((2, 2, 2))[place]
        before = before * np.where(bit == 1, likely, 1 - likely)
    return before, drawn.by_role["treatment"].tabulate(), drawn.by_role["outcome"].tabulate()


def closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Derive the effect by arithmetic on the parameters or the table.

    Before the treatment the follow-up only says which of two gains there is. After it, what counts
    is the table of treatment and outcome within each start, over all follow-ups.
    """
    if variant == "after_treatment":
        before, treated, outcome = _tables(at)
        arms = np.stack([before * (1 - treated), before * treated], axis=-1)
        within = (arms * outcome).sum(axis=2) / arms.sum(axis=2)
        chance = np.einsum("be,bet->t", before.sum(axis=2), within)
        return {"ate": float(chance[1] - chance[0])}
    earlier = at["earlier"] * (at["baseline"] - 0.5)
    late = at["followup_baseline"] * (at["baseline"] - 0.5) + at["followup_earlier"] * earlier
    return {"ate": at["gain_0"] * (0.5 - late) + at["gain_1"] * (0.5 + late)}


def certify_least(at: Parameters, by: Sequence[str]) -> Certificate:
    """Derive the least propensity from the table, and by elimination, group by group.

    What is seen does not depend on when the follow-up was, so one world serves all variants.
    """
    before, treated, _ = _tables(at)
    summed = tuple(range(len(by), 3))
    in_table = (before * treated).sum(axis=summed) / before.sum(axis=summed)
    model = world("trap", at).model((*ALL, "treatment"))
    eliminated = [
        probability(model, observe({"treatment": 1}, given=dict(zip(by, group, strict=True))))
        for group in product((0, 1), repeat=len(by))
    ]
    return agreed(
        f"least P(treated | {', '.join(by)})",
        ("table", float(in_table.min())),
        ("elimination", min(eliminated)),
    )
