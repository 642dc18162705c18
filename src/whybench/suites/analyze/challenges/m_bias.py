"""M-bias: a column measured before the treatment that must not be adjusted for.

Two hidden causes that are unrelated to each other affect the column. One of them also decides on
the treatment, and the other affects the outcome. The groups can be compared as they are. However,
the two causes are related among units with the same value of the column. So adjusting is biased,
by at least five standard errors.

The control `recorded` has the same rows, but the column itself decides on the treatment and affects
the outcome. There adjusting is right, and the plain difference is biased. Only the description
shows the difference.
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
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    interacted_difference,
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.estimators.regression import Coefficient

RECORDED = "recorded"
SEEN = ("known", "treatment", "outcome")
ROLES = {TRAP: "common_effect", RECORDED: "common_cause"}
"""The role of the column, which follows from the text alone."""

APART = 5.0
"""How many standard errors the wrong difference is from the ground truth, at least."""


def _parameters(_variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common the hidden causes are, and their effects."""
    toward = rng.choice((-1, 1), 4)
    shares = rng.uniform(0.45, 0.55, 2)
    mark_choice, mark_health, pull, shift = toward * rng.uniform(
        (0.43, 0.43, 0.84, 0.54), (0.47, 0.47, 0.92, 0.62)
    )
    return {
        "decoy": rng.uniform(0.3, 0.7),
        "share_choice": float(shares[0]),
        "share_health": float(shares[1]),
        "mark_choice": float(mark_choice),
        "mark_health": float(mark_health),
        "pull": float(pull),
        "shift": float(shift),
        "gain": float(rng.uniform(-0.3, 0.3)),
    }


def _world(variant: str, at: Parameters) -> World:
    def known(choice: Any, health: Any) -> Any:
        return 0.5 + at["mark_choice"] * (choice - 0.5) + at["mark_health"] * (health - 0.5)

    def treatment(choice: Any) -> Any:
        return 0.5 + at["pull"] * (choice - 0.5)

    def outcome(treatment: Any, health: Any) -> Any:
        return 0.5 + at["shift"] * (health - 0.5) + at["gain"] * (treatment - 0.5)

    decoy = binary("decoy", at["decoy"], time=0)
    trap = World(
        (
            decoy,
            binary("choice", at["share_choice"]),
            binary("health", at["share_health"]),
            binary("known", known, time=0),
            binary("treatment", treatment, time=1),
            binary("outcome", outcome, time=2),
        )
    )
    return trap if variant == TRAP else World((decoy, *trap.without_hidden(SEEN).columns))


def _closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Return the gain; in the control, with what the relation of the hidden causes adds."""
    return {"estimate": at["gain"] + (at["shift"] * _relate_causes(at) if variant != TRAP else 0.0)}


def _relate_causes(at: Parameters) -> float:
    """Return how much more common the cause of the outcome is among the treated, given `known`."""
    choice, health = np.indices((2, 2))
    shares = np.where(choice, at["share_choice"], 1 - at["share_choice"]) * np.where(
        health, at["share_health"], 1 - at["share_health"]
    )
    marked = 0.5 + at["mark_choice"] * (choice - 0.5) + at["mark_health"] * (health - 0.5)
    treated = 0.5 + at["pull"] * (choice - 0.5)
    total = 0.0
    for mark in (marked, 1 - marked):
        common = [
            float((weight * health).sum() / weight.sum())
            for weight in (shares * mark * treated, shares * mark * (1 - treated))
        ]
        total += float((shares * mark).sum()) * (common[0] - common[1])
    return total


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["known"])


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    columns = rows["outcome"], rows["treatment"]
    plain = {"difference": _crude(rows), "decoy": interacted_difference(*columns, [rows["decoy"]])}
    both = interacted_difference(*columns, [rows["decoy"], rows["known"]])
    held = {"standardized": _adjusted(rows), "adjusted for both": both}
    right, wrong = (plain, held) if variant == TRAP else (held, plain)
    return {
        "estimate": NumericTruth(
            certified["estimate"],
            right,
            next(iter(right.values())).se,
            {name: found.value for name, found in wrong.items()},
        ),
        "role_of_known": CategoricalTruth(
            ROLES[variant],
            naive=(ROLES[RECORDED],) * (variant == TRAP),
            alarm=(ROLES[TRAP],),
        ),
        "adjustment_set": adjustment_truth(
            _world(variant, at), () if variant == TRAP else ("known",)
        ),
    }


def _has_trap(instance: Instance) -> bool:
    """Whether the column is an effect of hidden causes, and adjusting for it moves the effect."""
    hidden = "choice" in _world(instance.variant, instance.parameters).by_role
    adjusted = _adjusted(instance.rows)
    return hidden and abs(_crude(instance.rows).value - adjusted.value) >= APART * adjusted.se


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Read what the column is; adjust for it by two models, or for nothing."""
    return _answer(instance, adjusts=instance.variant != TRAP)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Adjust for all that was measured before the treatment."""
    return _answer(instance, adjusts=True)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take every column for a common effect, and adjust for none."""
    return _answer(instance, adjusts=False)


def _answer(instance: Instance, *, adjusts: bool) -> dict[str, Any]:
    rows, held = instance.rows, ["known"] if adjusts else []
    columns = [rows[role] for role in held]
    return {
        "estimate": doubly_robust(rows["outcome"], rows["treatment"], columns),
        "role_of_known": ROLES[RECORDED if adjusts else TRAP],
        "adjustment_set": frozenset(held),
    }


CHALLENGE = Challenge(
    name="m_bias",
    family="adjustment",
    summary="an earlier column is an effect of two hidden causes, and adjusting for it is biased",
    variants=(TRAP, RECORDED),
    report=report_effect(share=True),
    diagnosis=(
        # This challenge is about the difference.
        ChoiceField("role_of_known", tuple(sorted(ROLES.values())), weight=2.0),
        ColumnSetField("adjustment_set"),
    ),
    shown=("decoy", *SEEN),
    size=(2600, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"estimate": increase("treatment")},
    closed_form=_closed_form,
    method="enumeration of the hidden causes",
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
