"""The world of `effect_estimation`: a state, a treatment, the state again, a treatment, an outcome.

    baseline → earlier → followup → treatment → outcome

with an arrow from every one to all that come after it. One table of chances can be told in two
orders. With the follow-up before the treatment it confounds; with the follow-up after it, the same
table read by Bayes' rule, it is part of what the treatment does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Parameters
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect

START = ("baseline", "earlier")
ALL = ("baseline", "earlier", "followup")


def parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw what each column does to those after it.

    What each confounder does to treatment and outcome has one sign or two; `bias`, the product, is
    the same for all, and so is that of what they do to each other, so that no path makes up for
    another. Half have the outcome in every variant.
    """
    bias, effect = rng.choice((-1, 1)), rng.uniform(-0.28, 0.28)
    toward = dict(zip(ALL, rng.choice((-1, 1), 3).tolist(), strict=True))
    pulls = rng.uniform((0.6, 0.6, 1.7), (0.9, 0.9, 2.3))
    shifts = rng.uniform((0.1, 0.1, 0.3), (0.15, 0.15, 0.36))
    at = {
        "baseline": rng.uniform(0.4, 0.6),
        "decoy": rng.uniform(0.3, 0.7),
        "earlier": rng.uniform(0.2, 0.35) * toward["baseline"] * toward["earlier"],
        "followup_baseline": rng.uniform(0.2, 0.3) * toward["baseline"] * toward["followup"],
        "followup_earlier": rng.uniform(0.2, 0.3) * toward["earlier"] * toward["followup"],
        **{f"pull_{k}": float(x) * toward[k] for k, x in zip(ALL, pulls, strict=True)},
        **{f"shift_{k}": float(x) * toward[k] * bias for k, x in zip(ALL, shifts, strict=True)},
    }
    lean = rng.uniform(-0.2, 0.2) * effect
    if variant == "treatment_only":
        at["shift_followup"] = lean = 0.0
    late = _late(at)
    at |= {"gain_0": effect - (0.5 + late) * lean, "gain_1": effect + (0.5 - late) * lean}
    before, treated, outcome = _tables({**at, "start": 0.5})
    arms = np.stack([before * (1 - treated), before * treated], axis=-1)
    return {**at, "start": 1 - float((arms * outcome).sum())}


def _late(at: Parameters) -> float:
    """Return by how much the share that have the follow-up is above a half."""
    earlier = at["earlier"] * (at["baseline"] - 0.5)
    return at["followup_baseline"] * (at["baseline"] - 0.5) + at["followup_earlier"] * earlier


def world(variant: str, at: Parameters) -> World:
    """Return the world; a follow-up that comes after the treatment answers to it.

    Chances of causes are centred on a half, for their own causes at a half; none of treatment is
    below 0.1 or above 0.9, so that treated and others overlap everywhere.
    """

    def treated(**before: Any) -> Any:
        return 1 / (1 + np.exp(-sum(at[f"pull_{role}"] * (before[role] - 0.5) for role in ALL)))

    def outcome(treatment: Any, **before: Any) -> Any:
        gain = at["gain_0"] + (at["gain_1"] - at["gain_0"]) * before["followup"]
        shifted = sum(at[f"shift_{role}"] * (before[role] - 0.5) for role in ALL)
        return at["start"] + shifted + gain * (treatment - 0.5)

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
    return {"estimate": increase("treatment")}


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
        return {"estimate": float(chance[1] - chance[0])}
    late = _late(at)
    return {"estimate": at["gain_0"] * (0.5 - late) + at["gain_1"] * (0.5 + late)}
