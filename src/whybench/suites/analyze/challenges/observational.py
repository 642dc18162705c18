"""Observation taken for experiment: people chose for themselves, and the choosers differ.

Two things that bear on the outcome also bear on who takes the treatment, both pulling the same way,
so that the plain difference between takers and others is at least five standard errors from what
the treatment does. It may even have the opposite sign, or be there where the treatment does
nothing. Of two further columns one bears on the treatment only and one on the outcome only; neither
confounds.

The control `randomised` has the same columns and the same people, but a lot decides who is treated,
and the story says so. There the plain difference is right, and who cries confounding is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    find_confounders,
    mean_difference,
    relate_columns,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField, IntervalField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.estimators.regression import Coefficient

__all__ = ["CHALLENGE"]

CONFOUNDERS = ("first", "second")
BEFORE = ("leaning", "first", "prognostic", "second")
"""What is known before the treatment, in the order of the columns."""

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

APART = 5.0
"""How many SE_eff the crude difference is from the truth and from the reference, at least."""

OPPOSITE = {"increases": "decreases", "decreases": "increases", "none": "increases"}


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    crude, adjusted = _crude(rows), _adjusted(rows)
    direction = {0: "none", 1: "increases", -1: "decreases"}[int(at["sign"])]
    if variant == TRAP:
        return {
            "effect": NumericTruth(
                certified["effect"],
                {"standardisation": adjusted.value},
                adjusted.se,
                {"crude difference": crude.value},
            ),
            "direction": CategoricalTruth(direction),
            "adjustment_set": CategoricalTruth(frozenset(CONFOUNDERS)),
            "design": CategoricalTruth("observational", naive=("randomised",)),
        }
    references = {"difference": crude.value, "standardisation": adjusted.value}
    return {
        "effect": NumericTruth(certified["effect"], references, crude.se),
        "direction": CategoricalTruth(direction),
        "adjustment_set": CategoricalTruth(frozenset()),
        "design": CategoricalTruth("randomised", alarm=("observational",)),
    }


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common each column is, and what it does to treatment (log odds) and outcome.

    What each confounder does to treatment and outcome has one sign or two; `bias`, the product, is
    the same for both, so that they do not make up for each other.
    """
    sign, bias = int(rng.integers(-1, 2)), int(rng.choice([-1, 1]))
    toward = rng.choice([-1, 1], 4)
    pulls = rng.uniform((0.4, 1.1, 0.0, 1.1), (0.7, 1.6, 0.0, 1.6)) * toward
    shifts = rng.uniform((0.0, 0.2, 0.1, 0.2), (0.0, 0.28, 0.15, 0.28)) * toward
    shifts[[1, 3]] *= bias
    gains = rng.uniform(0.09, 0.16, 2) * sign
    shares = rng.uniform(0.4, 0.6, 4)
    if variant == "randomised":
        pulls = np.zeros(4)
    return {
        "sign": float(sign),
        "gain_0": float(gains[0]),
        "gain_1": float(gains[1]),
        **{f"share_{role}": float(x) for role, x in zip(BEFORE, shares, strict=True)},
        **{f"pull_{role}": float(x) for role, x in zip(BEFORE, pulls, strict=True)},
        **{f"shift_{role}": float(x) for role, x in zip(BEFORE, shifts, strict=True)},
    }


def _world(_variant: str, at: Parameters) -> World:
    def treated(**before: Any) -> Any:
        """Logistic, centred so that about half are treated."""
        return 1 / (1 + np.exp(-sum(at[f"pull_{role}"] * (before[role] - 0.5) for role in BEFORE)))

    def outcome(treatment: Any, **before: Any) -> Any:
        """Shifts add up; the first column moves the gain too."""
        gain = at["gain_0"] + (at["gain_1"] - at["gain_0"]) * before["first"]
        shifted = sum(at[f"shift_{role}"] * (before[role] - 0.5) for role in BEFORE)
        return 0.5 + shifted + gain * (treatment - 0.5)

    return World(
        (
            *(binary(role, at[f"share_{role}"], time=0) for role in BEFORE),
            binary("treatment", treated, causes=BEFORE, time=1),
            binary("outcome", outcome, causes=(*BEFORE, "treatment"), time=2),
        )
    )


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    """Average the gains over the column that moves them."""
    return {"effect": (1 - at["share_first"]) * at["gain_0"] + at["share_first"] * at["gain_1"]}


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(
        rows["outcome"], rows["treatment"], 2 * rows["first"] + rows["second"]
    )


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether the rows show what is so: who chose, what confounds, and what the effect is."""
    best = _adjusted(rows) if variant == TRAP else _crude(rows)
    if not (best.p > UNCLEAR if at["sign"] == 0 else best.p < CLEAR):
        return False
    found = relate_columns(rows, BEFORE)
    if variant != TRAP:
        return all(relation.to_treatment > UNCLEAR for relation in found.values())
    related = [
        p for role in CONFOUNDERS for p in (found[role].to_treatment, found[role].to_outcome)
    ]
    unrelated = (found["leaning"].to_outcome, found["prognostic"].to_treatment)
    return max(related) < CLEAR and min(unrelated) > UNCLEAR


def _has_trap(instance: Instance) -> bool:
    """Whether adjusting moves the plain difference far, and the choosers differ beforehand."""
    adjusted = _adjusted(instance.rows)
    found = relate_columns(instance.rows, BEFORE)
    moved = abs(_crude(instance.rows).value - adjusted.value)
    return moved >= APART * adjusted.se and all(
        found[role].to_treatment < CLEAR for role in CONFOUNDERS
    )


def _competent(instance: Instance) -> Mapping[str, Any]:
    """See who differs beforehand; then two models, of treatment and outcome, on all of that."""
    rows = instance.rows
    found = find_confounders(rows, BEFORE)
    before = [rows[role] for role in BEFORE]
    return {
        **_reported(doubly_robust(rows["outcome"], rows["treatment"], before)),
        "adjustment_set": frozenset(found),
        "design": "observational" if found else "randomised",
    }


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the groups as if a lot had made them."""
    return {
        **_reported(_crude(instance.rows)),
        "adjustment_set": frozenset(),
        "design": "randomised",
    }


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Trust no comparison: adjust, whoever assigned, and say the reverse of what it showed."""
    return {
        **_reported(_adjusted(instance.rows)),
        "direction": OPPOSITE[_crude(instance.rows).direction],
        "adjustment_set": frozenset(CONFOUNDERS),
        "design": "observational",
    }


def _reported(effect: Coefficient) -> dict[str, Any]:
    return {"effect": effect.value, "ci": effect.interval, "direction": effect.direction}


CHALLENGE = Challenge(
    name="observational",
    family="intervention",
    summary="people chose the treatment themselves, and those who did were different beforehand",
    variants=("trap", "randomised"),
    fields=(
        NumberField("effect", share=True),
        IntervalField("ci", of="effect", share=True),
        ChoiceField("direction", ("increases", "decreases", "none")),
        ColumnSetField("adjustment_set"),
        # To tell the two designs apart is what this challenge is about.
        ChoiceField("design", ("observational", "randomised"), weight=2.0),
    ),
    shown=(*BEFORE, "treatment", "outcome"),
    size=(2000, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"effect": increase("treatment")},
    closed_form=_closed_form,
    method="average of gains",
    truths=_truths,
    accept=_accept,
    apart=APART,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
