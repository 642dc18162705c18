"""The world of `effect_estimation`: a state, a treatment, the state again, a treatment, an outcome.

    baseline → earlier → followup → treatment → outcome

with an arrow from every one to all that come after it. One table of chances can be told in two
orders. With the follow-up before the treatment it confounds; with the follow-up after it, the same
table read by Bayes' rule, it is part of what the treatment does. `model` knows both orders, and the
two certificates derive their truths once from the table and once from that model.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import Bernoulli, Graph, Model, Table, agreed, do, observe, probability
from whybench.suites.analyze.challenges.contract import TRAP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Array

__all__ = ["ALL", "START", "certified_effect", "certified_least", "chances", "model", "parameters"]

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


def chances(at: Mapping[str, float], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chance of each column given those before it, all of them centred on a half."""
    off = {role: value - 0.5 for role, value in values.items()}
    gain = at["gain_0"] + (at["gain_1"] - at["gain_0"]) * values["followup"]
    shifted = sum(at[f"shift_{role}"] * off[role] for role in ALL)
    return {
        "earlier": 0.5 + at["earlier"] * off["baseline"],
        "followup": 0.5
        + at["followup_baseline"] * off["baseline"]
        + at["followup_earlier"] * off["earlier"],
        "treatment": 1 / (1 + np.exp(-sum(at[f"pull_{role}"] * off[role] for role in ALL))),
        "outcome": 0.5 + shifted + gain * off["treatment"],
    }


def _joint(at: Mapping[str, float]) -> tuple[Array, Array, Array]:
    """P(baseline, earlier, follow-up), P(treated | these), P(outcome | these, treatment)."""
    bits = np.indices((2, 2, 2, 2))
    chance = chances(at, dict(zip((*ALL, "treatment"), bits, strict=True)))
    before = np.ones((2, 2, 2))
    marginal = {**chance, "baseline": np.full((2, 2, 2, 2), at["baseline"])}
    for role, bit in zip(ALL, bits, strict=False):
        likely = marginal[role][..., 0]
        before = before * np.where(bit[..., 0] == 1, likely, 1 - likely)
    return before, chance["treatment"][..., 0], chance["outcome"]


def _turned(at: Mapping[str, float]) -> tuple[Array, Array]:
    """P(treated | start) and P(follow-up | start, treatment) of the same table, by Bayes' rule."""
    before, treated, _ = _joint(at)
    both = np.stack([before * (1 - treated), before * treated], axis=-1)
    by_treatment = both.sum(axis=2)
    return by_treatment[..., 1] / by_treatment.sum(axis=-1), both[:, :, 1, :] / by_treatment


def model(variant: str, at: Mapping[str, float]) -> Model:
    """Return the causal model; a follow-up that comes after the treatment answers to it."""
    _, treated, outcome = _joint(at)
    chance = chances(at, dict(zip(ALL, np.indices((2, 2, 2)), strict=True)) | {"treatment": 0})
    given: dict[str, tuple[tuple[str, ...], Array]] = {
        "earlier": (("baseline",), chance["earlier"][:, 0, 0]),
        "followup": (START, chance["followup"][:, :, 0]),
        "treatment": (ALL, treated),
        "outcome": ((*ALL, "treatment"), outcome),
    }
    if variant == "after_treatment":
        sooner, late = _turned(at)
        given |= {"treatment": (START, sooner), "followup": ((*START, "treatment"), late)}
    edges = tuple((cause, role) for role, (causes, _) in given.items() for cause in causes)
    tables = {role: Table(tuple(table.ravel().tolist())) for role, (_, table) in given.items()}
    return Model(
        Graph(("baseline", *given), edges), {"baseline": Bernoulli(at["baseline"]), **tables}
    )


def certified_effect(variant: str, at: Mapping[str, float]) -> Certificate:
    """Derive the effect by arithmetic on the parameters or the table, and by elimination.

    Before the treatment the follow-up only says which of two gains there is. After it, what counts
    is the table of treatment and outcome within each start, over all follow-ups.
    """
    if variant == "after_treatment":
        before, treated, outcome = _joint(at)
        arms = np.stack([before * (1 - treated), before * treated], axis=-1)
        within = (arms * outcome).sum(axis=2) / arms.sum(axis=2)
        chance = np.einsum("be,bet->t", before.sum(axis=2), within)
        first = ("standardisation", float(chance[1] - chance[0]))
    else:
        earlier = at["earlier"] * (at["baseline"] - 0.5)
        late = at["followup_baseline"] * (at["baseline"] - 0.5) + at["followup_earlier"] * earlier
        first = ("average of gains", at["gain_0"] * (0.5 - late) + at["gain_1"] * (0.5 + late))
    world = model(variant, at)
    done = [probability(world, do({"outcome": 1}, {"treatment": t})) for t in (0, 1)]
    return agreed(
        "P(outcome | do(treated)) - P(outcome | do(untreated))",
        first,
        ("elimination", done[1] - done[0]),
    )


def certified_least(at: Mapping[str, float], by: Sequence[str]) -> Certificate:
    """Derive the least propensity from the table, and by elimination, group by group.

    What is seen does not depend on when the follow-up was, so one model serves all variants.
    """
    before, treated, _ = _joint(at)
    summed = tuple(range(len(by), 3))
    in_table = (before * treated).sum(axis=summed) / before.sum(axis=summed)
    world = model(TRAP, at)
    eliminated = [
        probability(world, observe({"treatment": 1}, given=dict(zip(by, group, strict=True))))
        for group in product((0, 1), repeat=len(by))
    ]
    return agreed(
        f"least P(treated | {', '.join(by)})",
        ("table", float(in_table.min())),
        ("elimination", min(eliminated)),
    )
