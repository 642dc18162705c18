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

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import (
    Bernoulli,
    Graph,
    Model,
    Table,
    agreed,
    do,
    draw_units,
    probability,
    respond,
)
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    to_integers,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    find_confounders,
    mean_difference,
    relate_columns,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField, IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate

__all__ = ["CHALLENGE"]

CONFOUNDERS = ("first", "second")
BEFORE = ("leaning", "first", "prognostic", "second")
"""What is known before the treatment, in the order of the columns."""

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

APART = 5.0
"""How many SE_eff the crude difference is from the truth and from the reference, at least."""

OPPOSITE = {"increases": "decreases", "decreases": "increases", "none": "increases"}


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    found = _ground_truth(variant, at, rows)
    return found if _accept(found) else None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    direction = {0: "none", 1: "increases", -1: "decreases"}[int(at["sign"])]
    confounded = variant == TRAP
    return Instance(
        challenge="observational",
        variant=variant,
        parameters=at,
        columns=(
            *(DataColumn(role, "binary", 0) for role in BEFORE),
            DataColumn("treatment", "binary", 1),
            DataColumn("outcome", "binary", 2),
        ),
        rows=rows,
        truths={
            "effect": _effect(variant, at, rows),
            "direction": CategoricalTruth(direction),
            "adjustment_set": CategoricalTruth(frozenset(CONFOUNDERS if confounded else ())),
            "design": CategoricalTruth("observational", naive=("randomised",))
            if confounded
            else CategoricalTruth("randomised", alarm=("observational",)),
        },
    )


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


def _chance_treated(at: Mapping[str, float], values: Mapping[str, Any]) -> Any:
    """P(treated | what came before): logistic, centred so that about half are treated."""
    return 1 / (1 + np.exp(-sum(at[f"pull_{role}"] * (values[role] - 0.5) for role in BEFORE)))


def _chance_outcome(at: Mapping[str, float], values: Mapping[str, Any], treated: Any) -> Any:
    """P(outcome | treatment and what came before): shifts add up; the first moves the gain too."""
    gain = at["gain_0"] + (at["gain_1"] - at["gain_0"]) * values["first"]
    shifted = sum(at[f"shift_{role}"] * (values[role] - 0.5) for role in BEFORE)
    return 0.5 + shifted + gain * (treated - 0.5)


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(2000, 3001))
    chance = rng.random((6, size))
    rows = {role: to_integers(chance[k] < at[f"share_{role}"]) for k, role in enumerate(BEFORE)}
    rows["treatment"] = to_integers(chance[4] < _chance_treated(at, rows))
    rows["outcome"] = to_integers(chance[5] < _chance_outcome(at, rows, rows["treatment"]))
    return rows


def _crude(rows: Mapping[str, Array]) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Mapping[str, Array]) -> Coefficient:
    return stratified_difference(
        rows["outcome"], rows["treatment"], 2 * rows["first"] + rows["second"]
    )


def _effect(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> NumericTruth:
    crude, adjusted = _crude(rows), _adjusted(rows)
    certificate = _certified(at)
    if variant == TRAP:
        return NumericTruth(
            certificate,
            {"standardisation": adjusted.value},
            adjusted.se,
            {"crude difference": crude.value},
        )
    references = {"difference": crude.value, "standardisation": adjusted.value}
    return NumericTruth(certificate, references, crude.se)


def _accept(instance: Instance) -> bool:
    """Whether the rows show what is so: who chose, what confounds, and what the effect is."""
    rows, randomised = instance.rows, instance.variant == "randomised"
    best = _crude(rows) if randomised else _adjusted(rows)
    shown = best.p > UNCLEAR if instance.parameters["sign"] == 0 else best.p < CLEAR
    found = relate_columns(rows, BEFORE)
    if randomised:
        return shown and all(relation.to_treatment > UNCLEAR for relation in found.values())
    related = [
        p for role in CONFOUNDERS for p in (found[role].to_treatment, found[role].to_outcome)
    ]
    unrelated = (found["leaning"].to_outcome, found["prognostic"].to_treatment)
    marked = max(related) < CLEAR and min(unrelated) > UNCLEAR
    return shown and marked and instance.number("effect").apart(APART)


def _certified(at: Mapping[str, float]) -> Certificate:
    """Average the gains over the column that moves them; and eliminate in the causal model."""
    gain = (1 - at["share_first"]) * at["gain_0"] + at["share_first"] * at["gain_1"]
    model = _model(at)
    done = [probability(model, do({"outcome": 1}, {"treatment": t})) for t in (0, 1)]
    return agreed(
        "P(outcome | do(treated)) - P(outcome | do(untreated))",
        ("average of gains", gain),
        ("elimination", done[1] - done[0]),
    )


def _model(at: Mapping[str, float]) -> Model:
    # Configurations of parents are numbered with the first parent as the highest bit.
    bits = np.indices((2,) * 5).reshape(5, -1)
    values = dict(zip(BEFORE, bits, strict=False))
    edges = tuple((role, "treatment") for role in BEFORE)
    into = tuple((role, "outcome") for role in (*BEFORE, "treatment"))
    treated = _chance_treated(at, {role: values[role][::2] for role in BEFORE})
    return Model(
        Graph((*BEFORE, "treatment", "outcome"), edges + into),
        {
            **{role: Bernoulli(at[f"share_{role}"]) for role in BEFORE},
            "treatment": Table(tuple(treated.tolist())),
            "outcome": Table(tuple(_chance_outcome(at, values, bits[4]).tolist())),
        },
    )


def _has_trap(instance: Instance) -> bool:
    """Whether adjusting moves the plain difference far, and the choosers differ beforehand."""
    adjusted = _adjusted(instance.rows)
    found = relate_columns(instance.rows, BEFORE)
    moved = abs(_crude(instance.rows).value - adjusted.value)
    return moved >= APART * adjusted.se and all(
        found[role].to_treatment < CLEAR for role in CONFOUNDERS
    )


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    model = _model(instance.parameters)
    units = draw_units(model, n, rng)
    had, had_not = (respond(model, units, {"treatment": t})["outcome"] for t in (1, 0))
    gain = had.astype(float) - had_not
    return {"effect": (float(gain.mean()), float(gain.std() / math.sqrt(n)))}


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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
