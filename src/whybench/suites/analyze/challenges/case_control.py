"""Outcome-dependent sampling: units are in the table because of their outcome.

All units with the outcome are in the table, and a random sample of those without it. Differences of
shares in the table are then not those of the population, whatever is adjusted for. Rows must be
weighted by the inverse of the chance of being in the table, and then compared among units that are
alike in a confounder.

The control `everyone` has the same rows, but they are all units there are. There the unweighted
comparison is right, and weights are the mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.adjustment import adjustment_truth
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import Effect, increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    design_matrix,
    interacted_difference,
    least_squares,
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import FlagField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array

EVERYONE = "everyone"
SEEN = ("known", "treatment", "outcome")
KEPT = (10, 12, 15, 20)
"""Percentages of units without the outcome that are in the table."""

APART = 5.0
"""How many standard errors naive values are from the ground truth, at least."""


def _parameters(_variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common the confounder is, its effects, and how many units are kept."""
    toward = rng.choice((-1, 1), 3)
    pull, shift, gain = toward * rng.uniform((0.4, 0.05, 0.12), (0.6, 0.07, 0.17))
    return {
        "decoy": rng.uniform(0.3, 0.7),
        "kept": float(rng.choice(KEPT)) / 100,
        "start": rng.uniform(0.14, 0.16),
        "share": rng.uniform(0.45, 0.55),
        "pull": float(pull),
        "shift": float(shift),
        "gain": float(gain),
    }


def _chance(at: Parameters, treatment: Any, known: Any) -> Any:
    """Return the chance of the outcome."""
    return at["start"] + at["shift"] * (known - 0.5) + at["gain"] * (treatment - 0.5)


def _treated(at: Parameters, known: Any) -> Any:
    return 0.5 + at["pull"] * (known - 0.5)


def _world(variant: str, at: Parameters) -> World:
    decoy = binary("decoy", at["decoy"], time=0)
    trap = World(
        (
            decoy,
            binary("known", at["share"], time=0),
            binary("treatment", lambda known: _treated(at, known), time=1),
            binary("outcome", lambda treatment, known: _chance(at, treatment, known), time=2),
            binary("kept", lambda outcome: outcome + (1 - outcome) * at["kept"]),
        ),
        selected="kept",
    )
    return trap if variant == TRAP else World((decoy, *trap.without_hidden(SEEN).columns))


def _closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Return the gain and the share of the outcome, of all units or of those that are kept."""
    known, treatment = np.indices((2, 2))
    treated = _treated(at, known)
    common = np.where(known, at["share"], 1 - at["share"]) * np.where(
        treatment, treated, 1 - treated
    )
    chance = _chance(at, treatment, known)
    if variant == TRAP:
        return {"estimate": at["gain"], "share": float((common * chance).sum())}
    kept = chance + at["kept"] * (1 - chance)
    common, chance = common * kept / (common * kept).sum(), chance / kept
    gains = chance[:, 1] - chance[:, 0]
    return {
        "estimate": float(common.sum(axis=1) @ gains),
        "share": float((common * chance).sum()),
    }


def _weights(rows: Rows, kept: float) -> Array:
    """Return the inverse of each row's chance of being in the table."""
    return np.where(rows["outcome"] == 1, 1.0, 1 / kept)


def _weighted(rows: Rows, kept: float) -> Coefficient:
    """Standardize over the confounder, with every row weighted."""
    weights, outcome = _weights(rows, kept), rows["outcome"]
    whole, value = weights.sum(), 0.0
    influence = np.zeros(len(outcome))
    for level in (0, 1):
        here = rows["known"] == level
        share, gain = weights[here].sum() / whole, 0.0
        for arm, sign in ((1, 1), (0, -1)):
            cell = here & (rows["treatment"] == arm)
            mean = np.average(outcome[cell], weights=weights[cell])
            gain += sign * mean
            residual = weights[cell] * (outcome[cell] - mean)
            influence[cell] += sign * share * residual / weights[cell].sum()
        value += share * gain
        influence[here] += weights[here] * gain / whole
    influence -= weights * value / whole
    return Coefficient(float(value), float(np.sqrt(np.sum(influence**2))))


def _regressed(rows: Rows, kept: float) -> Coefficient:
    """Return the effect by a weighted regression with products, around weighted means."""
    weights = _weights(rows, kept)
    held = [rows[role] - np.average(rows[role], weights=weights) for role in ("decoy", "known")]
    treatment, roots = rows["treatment"], np.sqrt(weights)
    matrix = design_matrix(treatment, *held, *(treatment * column for column in held))
    return least_squares(roots * rows["outcome"], roots[:, None] * matrix)[1]


def _share(rows: Rows, kept: float) -> Coefficient:
    """Return the share of the outcome among all units, by weights."""
    weights = _weights(rows, kept)
    value = float(np.average(rows["outcome"], weights=weights))
    error = np.sqrt(np.sum((weights * (rows["outcome"] - value)) ** 2)) / weights.sum()
    return Coefficient(value, float(error))


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["known"])


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    kept, columns = at["kept"], (rows["outcome"], rows["treatment"])
    both = interacted_difference(*columns, [rows["decoy"], rows["known"]])
    weighted = {"weighted": _weighted(rows, kept), "regressed": _regressed(rows, kept)}
    plain = {"standardized": _adjusted(rows), "adjusted for both": both}
    right, wrong = (weighted, plain) if variant == TRAP else (plain, weighted)
    naive = {name: found.value for name, found in wrong.items()}
    if variant == TRAP:
        naive["difference"] = mean_difference(*columns).value
    share, other = (
        _share(rows, rate) for rate in ((kept, 1.0) if variant == TRAP else (1.0, kept))
    )
    return {
        "estimate": NumericTruth(
            certified["estimate"], right, next(iter(right.values())).se, naive
        ),
        "sampled_by_outcome": CategoricalTruth(variant == TRAP, alarm=(True,)),
        "share": NumericTruth(
            certified["share"], {"share": share}, share.se, {"other": other.value}
        ),
        "adjustment_set": adjustment_truth(_world(EVERYONE, at), ("known",)),
    }


def _has_trap(instance: Instance) -> bool:
    """Whether units are selected, and weights move the effect far."""
    rows, at = instance.rows, instance.parameters
    weighted = _weighted(rows, at["kept"])
    far = abs(weighted.value - _adjusted(rows).value) >= APART * weighted.se
    return far and bool(_world(instance.variant, at).selected)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Read which units are in the table; then weight, or adjust by two models."""
    return _answer(instance, weights=instance.variant == TRAP)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Take the table for the population."""
    return _answer(instance, weights=False)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take every table for a sample that goes by the outcome."""
    return _answer(instance, weights=True)


def _answer(instance: Instance, *, weights: bool) -> dict[str, Any]:
    rows, kept = instance.rows, instance.parameters["kept"] if weights else 1.0
    effect = (
        _weighted(rows, kept)
        if weights
        else doubly_robust(rows["outcome"], rows["treatment"], [rows["known"]])
    )
    return {
        "estimate": effect,
        "sampled_by_outcome": weights,
        "share": _share(rows, kept).value,
        "adjustment_set": frozenset({"known"}),
    }


CHALLENGE = Challenge(
    name="case_control",
    family="adjustment",
    summary="units with the outcome are more likely to be in the table",
    variants=(TRAP, EVERYONE),
    report=report_effect(share=True),
    diagnosis=(
        FlagField("sampled_by_outcome", weight=2.0),
        NumberField("share", share=True, key=False),
        ColumnSetField("adjustment_set"),
    ),
    shown=("decoy", *SEEN),
    size=(2800, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"estimate": increase("treatment"), "share": Effect(((1, {}),))},
    closed_form=_closed_form,
    method="enumeration",
    truths=_truths,
    accept=lambda *_: True,
    apart=APART,
    retold=(EVERYONE,),
    opposite=("decoy", "known"),
    facts=lambda at: {"kept": round(100 * at["kept"])},
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
