"""Observation taken for experiment: people chose for themselves, and the choosers differ.

Two things that bear on the outcome also bear on who takes the treatment, both pulling the same way,
so that the plain difference between takers and others is at least five standard errors from what
the treatment does. It may even have the opposite sign, or be there where the treatment does
nothing. Of two further columns one bears on the treatment only and one on the outcome only; neither
confounds, and neither does harm where it is adjusted for.

The control `randomised` has the same columns and the same people, but a lot decides who is treated,
and the story says so. As many are treated and as many have the outcome, the effect is the same, and
the plain difference is right; who cries confounding is not.
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
    Coefficient,
    interacted_difference,
    mean_difference,
    relate_columns,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth

CONFOUNDERS = ("first", "second")
BEFORE = ("leaning", "first", "prognostic", "second")
"""What is known before the treatment, in the order of the columns."""

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

SELDOM, HARDLY = 0.02, 0.001
"""By lot a relation to the treatment has p values above the one; below the other it is choice."""

APART = 5.0
"""How many SE_eff the crude difference is from the truth and from the references, at least."""

NULLS = 7
"""In one world of so many the treatment does nothing."""

PEOPLE = np.indices((2,) * len(BEFORE)).reshape(len(BEFORE), -1)
"""All that people can be like before the treatment, a column each."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    crude = _crude(rows)
    panel = {
        "adjusted for what bears on the outcome": _adjusted(rows, BEFORE[1:]),
        "adjusted for confounders": _adjusted(rows, CONFOUNDERS),
        "adjusted for all": _adjusted(rows, BEFORE),
    }
    trap = variant == TRAP
    effect = NumericTruth(
        certified["estimate"],
        panel if trap else {**panel, "difference": crude},
        next(iter(panel.values())).se,
        {"crude difference": crude.value} if trap else {},
    )
    return {
        "estimate": effect,
        "adjustment_set": adjustment_truth(_world(variant, at), CONFOUNDERS if trap else ()),
        "design": CategoricalTruth("observational", naive=("randomized",))
        if trap
        else CategoricalTruth("randomized", alarm=("observational",)),
    }


def _is_null(at: Parameters) -> bool:
    return at["gain_0"] == at["gain_1"] == 0


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how common each column is, and what it does to treatment (log odds) and outcome.

    What each confounder does to treatment and outcome has one sign or two; `bias`, the product, is
    the same for both, so that they do not make up for each other. The first moves the gain, too.
    """
    bias, effect = rng.choice((-1, 1)), rng.uniform(-0.33, 0.33) * bool(rng.integers(NULLS))
    toward, shares = rng.choice((-1, 1), 4), rng.uniform(0.45, 0.55, 4)
    pulls = rng.uniform((0.4, 1.3, 0.0, 1.3), (0.7, 1.8, 0.0, 1.8)) * toward
    shifts = rng.uniform((0.0, 0.2, 0.08, 0.2), (0.0, 0.235, 0.12, 0.235)) * toward
    shifts[[1, 3]] *= bias
    gains = effect * (1 + rng.uniform(-0.2, 0.2) * (np.arange(2) - shares[1]))
    chances = 1 / (1 + np.exp(-pulls @ (PEOPLE - 0.5)))
    common = np.prod(np.where(PEOPLE, shares[:, None], 1 - shares[:, None]), axis=0)
    treated = float(common @ chances)
    if variant == "randomised":
        pulls, chances = np.zeros(4), np.full(len(common), treated)
    had = shifts @ (PEOPLE - 0.5) + gains[PEOPLE[1]] * (chances - 0.5)
    return {
        "treated": treated,
        "start": float(0.5 - common @ had),
        "gain_0": float(gains[0]),
        "gain_1": float(gains[1]),
        **{f"share_{role}": float(x) for role, x in zip(BEFORE, shares, strict=True)},
        **{f"pull_{role}": float(x) for role, x in zip(BEFORE, pulls, strict=True)},
        **{f"shift_{role}": float(x) for role, x in zip(BEFORE, shifts, strict=True)},
    }


def _world(variant: str, at: Parameters) -> World:
    def chosen(**before: Any) -> Any:
        """Logistic, centred so that about half are treated."""
        return 1 / (1 + np.exp(-sum(at[f"pull_{role}"] * (before[role] - 0.5) for role in BEFORE)))

    def outcome(treatment: Any, **before: Any) -> Any:
        """Shifts add up; half have the outcome."""
        gain = at["gain_0"] + (at["gain_1"] - at["gain_0"]) * before["first"]
        shifted = sum(at[f"shift_{role}"] * (before[role] - 0.5) for role in BEFORE)
        return at["start"] + shifted + gain * (treatment - 0.5)

    return World(
        (
            *(binary(role, at[f"share_{role}"], time=0) for role in BEFORE),
            binary("treatment", chosen, causes=BEFORE, time=1)
            if variant == TRAP
            else binary("treatment", at["treated"], time=1),
            binary("outcome", outcome, causes=(*BEFORE, "treatment"), time=2),
        )
    )


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    """Average the gains over the column that moves them."""
    return {"estimate": (1 - at["share_first"]) * at["gain_0"] + at["share_first"] * at["gain_1"]}


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows, by: Iterable[str]) -> Coefficient:
    return interacted_difference(rows["outcome"], rows["treatment"], [rows[role] for role in by])


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether the rows show who chose, and what the effect is."""
    best = _adjusted(rows, BEFORE)
    if not (best.p > UNCLEAR if _is_null(at) else best.p < CLEAR):
        return False
    return variant == TRAP or (_least_p(rows) > SELDOM and _crude(rows).direction == best.direction)


def _least_p(rows: Rows) -> float:
    """Return the least p value of who is treated being related to what was known before."""
    found = relate_columns(rows, BEFORE)
    return min(relation.to_treatment for relation in found.values())


def _has_trap(instance: Instance) -> bool:
    """Whether adjusting moves the plain difference far."""
    adjusted = _adjusted(instance.rows, BEFORE[1:])
    return abs(_crude(instance.rows).value - adjusted.value) >= APART * adjusted.se


def _competent(instance: Instance) -> Mapping[str, Any]:
    """See whether those treated differ beforehand; then two models on all of that."""
    rows = instance.rows
    before = [rows[role] for role in BEFORE]
    return {
        "estimate": doubly_robust(rows["outcome"], rows["treatment"], before),
        "adjustment_set": frozenset(BEFORE),
        "design": "observational" if _least_p(rows) < HARDLY else "randomized",
    }


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the groups as if a lot had made them."""
    return {
        "estimate": _crude(instance.rows),
        "adjustment_set": frozenset(),
        "design": "randomized",
    }


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Put every difference down to who chose: there is nothing."""
    return {
        "estimate": Coefficient(0.0, _adjusted(instance.rows, BEFORE).se),
        "adjustment_set": frozenset(CONFOUNDERS),
        "design": "observational",
    }


CHALLENGE = Challenge(
    name="observational",
    family="intervention",
    summary="people chose the treatment themselves, and those who did were different beforehand",
    variants=("trap", "randomised"),
    report=report_effect(share=True),
    diagnosis=(
        ColumnSetField("adjustment_set"),
        # To tell the two designs apart is what this challenge is about.
        ChoiceField("design", ("observational", "randomized"), weight=2.0),
    ),
    shown=(*BEFORE, "treatment", "outcome"),
    size=(2600, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"estimate": increase("treatment")},
    closed_form=_closed_form,
    method="average of gains",
    truths=_truths,
    accept=_accept,
    apart=APART,
    opposite=BEFORE,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
