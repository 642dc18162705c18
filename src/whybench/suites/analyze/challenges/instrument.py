"""An instrument: adjusting for it makes the bias of a hidden cause larger.

A column is assigned at random. It affects the treatment, and it affects the outcome only through
the treatment. A hidden cause affects both treatment and outcome. The plain difference is
biased, and adjusting for the column is more biased (bias amplification). Since the effect is the
same for every unit, it is the column's effect on the outcome divided by its effect on the
treatment (Wald's estimator).

The control `recorded` has the same rows, but the column affects the outcome directly and no hidden
cause affects the treatment. There adjusting for it is right, and dividing is biased.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges import hidden_cause
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.challenges.hidden_cause import CAUSES, RECORDED, SEEN, world
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    interacted_difference,
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth

ROLES = {TRAP: "instrument", RECORDED: "confounder"}
"""The role of the column, which follows from the text alone."""

APART = 5.0
"""How many standard errors naive values are from the ground truth, at least."""


def _parameters(_variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common the causes are, and their effects; the instrument has no other effect."""
    toward, shares = rng.choice((-1, 1), 3), rng.uniform(0.45, 0.55, 2)
    pull_known, pull_hidden, shift = toward * rng.uniform((0.44, 0.42, 0.6), (0.48, 0.46, 0.68))
    pulls = np.array([pull_known, pull_hidden])
    return {
        "decoy": rng.uniform(0.3, 0.7),
        "treated": float(0.5 + pulls @ (shares - 0.5)),
        "gain": float(rng.uniform(-0.28, 0.28)),
        **{f"share_{role}": float(x) for role, x in zip(CAUSES, shares, strict=True)},
        "pull_known": float(pull_known),
        "pull_hidden": float(pull_hidden),
        "shift_known": 0.0,
        "shift_hidden": float(shift),
    }


def _closed_form(variant: str, at: Parameters) -> dict[str, float]:
    return {"estimate": hidden_cause.closed_form(variant, at)["estimate"]}


def _divided(rows: Rows) -> Coefficient:
    """Return the column's effect on the outcome divided by that on the treatment (Wald)."""
    known, outcome, treatment = (
        rows[role].astype(float) for role in ("known", "outcome", "treatment")
    )
    moved = mean_difference(treatment, known).value
    value = mean_difference(outcome, known).value / moved
    # The standard error of the difference in what the effect does not explain.
    return Coefficient(value, mean_difference(outcome - value * treatment, known).se / abs(moved))


def _two_stages(rows: Rows) -> Coefficient:
    """Return the effect by two-stage least squares, with the decoy in both stages."""
    known, outcome, treatment, decoy = (
        rows[role].astype(float) for role in ("known", "outcome", "treatment", "decoy")
    )
    beside = np.column_stack([np.ones(len(known)), decoy])
    known, outcome, treatment = (
        values - beside @ np.linalg.lstsq(beside, values, rcond=None)[0]
        for values in (known, outcome, treatment)
    )
    moved = float(known @ treatment)
    value = float(known @ outcome) / moved
    spread = math.sqrt(float(np.sum((known * (outcome - value * treatment)) ** 2)))
    return Coefficient(value, spread / abs(moved))


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["known"])


def _truths(
    variant: str, _at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    both = [rows[role] for role in ("decoy", "known")]
    divided = {"Wald": _divided(rows)}
    held = {
        "standardized": _adjusted(rows),
        "adjusted for both": interacted_difference(rows["outcome"], rows["treatment"], both),
    }
    right, wrong = (divided, held) if variant == TRAP else (held, divided)
    naive = {name: found.value for name, found in wrong.items()}
    if variant == TRAP:
        right = {**right, "two stages": _two_stages(rows)}
        naive["difference"] = _crude(rows).value
    return {
        "estimate": NumericTruth(
            certified["estimate"], right, next(iter(right.values())).se, naive
        ),
        "role_of_known": CategoricalTruth(
            ROLES[variant], naive=(ROLES[RECORDED],) * (variant == TRAP), alarm=(ROLES[TRAP],)
        ),
    }


def _has_trap(instance: Instance) -> bool:
    """Whether a cause is hidden, and adjusting for the column is far from Wald's estimate."""
    hidden = "hidden" in world(instance.variant, instance.parameters).by_role
    divided = _divided(instance.rows)
    return hidden and abs(_adjusted(instance.rows).value - divided.value) >= APART * divided.se


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Read what the column affects; then divide, or adjust by two models."""
    return _answer(instance, divides=instance.variant == TRAP)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Adjust for all that was measured before the treatment."""
    return _answer(instance, divides=False)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take every column for an instrument."""
    return _answer(instance, divides=True)


def _answer(instance: Instance, *, divides: bool) -> dict[str, Any]:
    rows = instance.rows
    adjusted = doubly_robust(rows["outcome"], rows["treatment"], [rows["known"]])
    return {
        "estimate": _two_stages(rows) if divides else adjusted,
        "role_of_known": ROLES[TRAP if divides else RECORDED],
    }


CHALLENGE = Challenge(
    name="instrument",
    family="adjustment",
    summary="adjusting for a column that affects only the treatment makes a hidden bias larger",
    variants=(TRAP, RECORDED),
    report=report_effect(share=True),
    diagnosis=(ChoiceField("role_of_known", tuple(sorted(ROLES.values())), weight=2.0),),
    shown=("decoy", *SEEN),
    size=(2800, 3000),
    parameters=_parameters,
    world=world,
    effects=lambda *_: {"estimate": increase("treatment")},
    closed_form=_closed_form,
    method="gain and bias",
    truths=_truths,
    accept=lambda *_: True,
    apart=APART,
    retold=(RECORDED,),
    opposite=("decoy", "known"),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
