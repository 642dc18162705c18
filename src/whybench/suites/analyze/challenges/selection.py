"""Selection (Berkson): an association that only being in the table makes, or unmakes.

Each unit is of one of two kinds, which come into the table readily or rarely; the chance is in the
data, so that weighting by its inverse undoes the selection. In the trap the kind depends on
treatment and outcome together: whatever the treatment does, the difference among the selected is
another, larger or smaller or of the opposite sign.

In the controls the plain comparison is right. Kinds come about at `random`, by the `bystander` of
treatment and outcome, or by `one_cause`, the treatment alone, which changes how many are treated
but not how the treated fare. The trap may have one of these too.

The selected are drawn first: as many of them are treated, have the outcome and come of each kind in
every variant. The population is what they stand for, weighted back; the effect in it is the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.seeds import ZERO
from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.columns import binary, derived
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    design_matrix,
    least_squares,
    mean_difference,
    weighted_difference,
)
from whybench.suites.analyze.fields import FlagField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array

CLEAR, UNCLEAR = 0.005, 0.2
"""An effect is clear at p values below the one, and absent at p values above the other."""

NOT_SEEN, SEEN = 0.05, 0.001
"""A gap between plain and weighted comparison is none above the one, and one below the other."""

APART = 4.0
"""How many standard errors the plain comparison is from the weighted one, at least."""

NULLS = 7
"""In one world of so many the treatment does nothing."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the selected and the kinds among them; return the population for which they stand.

    What one of the selected stands for is a product of what its treatment, its bystander, and
    treatment and outcome together do to it, each 1 on average.
    """
    low, high = round(rng.uniform(0.18, 0.22), 3), round(rng.uniform(0.9, 0.97), 3)
    often = rng.uniform(0.55, 0.65)
    treated, bystander = rng.uniform(0.44, 0.56), rng.uniform(0.4, 0.6)
    had, effect = rng.uniform(0.46, 0.54), rng.uniform(-0.42, 0.42) * bool(rng.integers(NULLS))
    bend, by_treatment, by_bystander = rng.uniform((0.3, 0.2, 0.2), (0.42, 0.35, 0.35)) * (
        rng.choice((-1, 1), 3)
    )
    beside = rng.choice(("random", "one_cause", "bystander"))
    if variant != "trap":
        bend, beside = 0.0, variant
    by_treatment *= beside == "one_cause"
    by_bystander *= beside == "bystander"

    t, y, z = np.indices((2, 2, 2))
    seen = _find_difference(effect, had, treated, bend)
    chance = np.where(t, had + (1 - treated) * seen, had - treated * seen)
    bent = 1 + bend * (2 * t - 1) * (y - chance)
    stands = (1 + by_treatment * (t - treated)) * (1 + by_bystander * (z - bystander)) * bent
    weight = stands * (often / high + (1 - often) / low)
    ready = (1 / low - weight) / (1 / low - 1 / high) / (high * weight)
    return {
        "treated": float(treated * (1 + by_treatment * (1 - treated))),
        "bystander": float(bystander * (1 + by_bystander * (1 - bystander))),
        **{f"outcome_{arm}": float((chance * bent)[arm, 1, 0]) for arm in (0, 1)},
        "low": low,
        "high": high,
        **{f"ready_{t}{y}{z}": float(ready[t, y, z]) for t, y, z in np.ndindex(2, 2, 2)},
    }


def _find_difference(effect: float, had: float, treated: float, bend: float) -> float:
    """Return the difference among the selected, of whom `had` have the outcome, for an effect.

    Chances c of the selected are c + bend c (1 - c) in the population if treated, and c - bend
    c (1 - c) if not: the difference solves a quadratic equation.
    """
    square = -bend * ((1 - treated) ** 2 + treated**2)
    slope = 1 + bend * (1 - 2 * had) * (1 - 2 * treated)
    start = 2 * bend * had * (1 - had) - effect
    return -2 * start / (slope + math.sqrt(slope**2 - 4 * square * start))


def _world(_variant: str, at: Parameters) -> World:
    ready = np.array([at[f"ready_{t}{y}{z}"] for t, y, z in np.ndindex(2, 2, 2)])
    return World(
        (
            binary("bystander", at["bystander"], time=0),
            binary("treatment", at["treated"], time=1),
            binary(
                "outcome",
                lambda treatment: np.where(treatment, at["outcome_1"], at["outcome_0"]),
                time=2,
            ),
            binary(
                "ready",
                lambda treatment, outcome, bystander: ready[
                    4 * treatment + 2 * outcome + bystander
                ],
            ),
            derived(
                "inclusion",
                lambda ready: np.where(ready, at["high"], at["low"]),
                "share",
                time=3,
            ),
            binary("selected", lambda inclusion: inclusion),
        ),
        selected="selected",
    )


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    """Weight the selected population back."""
    t, y, z, ready = np.indices((2, 2, 2, 2))
    likely = (
        np.where(t, at["treated"], 1 - at["treated"]),
        _chance_of(y, np.where(t, at["outcome_1"], at["outcome_0"])),
        _chance_of(z, at["bystander"]),
        _chance_of(ready, np.vectorize(lambda *cell: at["ready_{}{}{}".format(*cell)])(t, y, z)),
    )
    inclusion = np.where(ready, at["high"], at["low"])
    selected = math.prod(likely) * inclusion
    stands = (selected / inclusion).sum(axis=(2, 3))
    chance = stands[:, 1] / stands.sum(axis=1)
    return {"estimate": float(chance[1] - chance[0])}


def _chance_of(value: Array, chance: Array | float) -> Array:
    return np.where(value, chance, 1 - np.asarray(chance))


def _is_real(at: Parameters) -> bool:
    return abs(at["outcome_1"] - at["outcome_0"]) > ZERO


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    naive, weighted = _naive_estimate(rows), _weighted(rows)
    shown = weighted.p < CLEAR if _is_real(at) else weighted.p > UNCLEAR
    if variant == "trap":
        return shown
    return shown and naive.direction == weighted.direction and _gap(rows).p > NOT_SEEN


def _truths(
    variant: str, _at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    naive, weighted = _naive_estimate(rows), _weighted(rows)
    panel = {} if variant == "trap" else {"difference": naive}
    panel["inverse weighting"] = weighted
    effect = NumericTruth(
        certified["estimate"],
        panel,
        next(iter(panel.values())).se,
        {"difference among the selected": naive.value} if variant == "trap" else {},
    )
    return {
        "estimate": effect,
        "collider_bias": CategoricalTruth(variant == "trap", alarm=(True,)),
    }


def _naive_estimate(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _weighted(rows: Rows) -> Coefficient:
    return weighted_difference(rows["outcome"], rows["treatment"], 1 / rows["inclusion"])


def _gap(rows: Rows) -> Coefficient:
    """By how much weighting changes the difference; both are of the same rows."""
    value, variance = 0.0, 0.0
    for arm, sign in ((1, 1), (0, -1)):
        here = rows["treatment"] == arm
        outcome, weight = rows["outcome"][here], 1 / rows["inclusion"][here]
        share, even = weight / weight.sum(), 1 / len(outcome)
        mean, plain = float(share @ outcome), float(outcome.mean())
        value += sign * (mean - plain)
        variance += float(np.sum((share * (outcome - mean) - even * (outcome - plain)) ** 2))
    return Coefficient(value, math.sqrt(variance))


def _has_trap(instance: Instance) -> bool:
    """Whether weighting moves the difference among the selected far."""
    return abs(_gap(instance.rows).value) >= APART * _weighted(instance.rows).se


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Regress on treatment and bystander, weighted; and see whether weighting changes anything."""
    root = 1 / np.sqrt(instance.rows["inclusion"])
    matrix = design_matrix(instance.rows["treatment"], instance.rows["bystander"])
    effect = least_squares(instance.rows["outcome"] * root, matrix * root[:, None])[1]
    return {"estimate": effect, "collider_bias": _gap(instance.rows).p < SEEN}


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the rows that there are."""
    return {"estimate": _naive_estimate(instance.rows), "collider_bias": False}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Put every association down to selection: there is nothing."""
    nothing = Coefficient(0.0, _weighted(instance.rows).se)
    return {"estimate": nothing, "collider_bias": True}


CHALLENGE = Challenge(
    name="selection",
    family="confounding",
    summary="being in the table depends on treatment and outcome, which ties them together",
    variants=("trap", "random", "bystander", "one_cause"),
    report=report_effect(share=True),
    diagnosis=(FlagField("collider_bias"),),
    shown=("bystander", "treatment", "outcome", "inclusion"),
    size=(2600, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"estimate": increase("treatment")},
    closed_form=_closed_form,
    method="inverse weighting",
    truths=_truths,
    accept=_accept,
    apart=APART,
    opposite=("bystander",),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
