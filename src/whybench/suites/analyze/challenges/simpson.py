"""Simpson's paradox: an association that turns around within every stratum.

A stratum decides both who is treated and who does well, so strongly that the treated do better on
the whole though the treatment harms in each stratum, or the other way round. Who compares the
groups as they are recommends the wrong thing.

Whether the strata or the whole tell the truth is nothing the table can say. The control
`post_treatment` has the very same rows as its trap; but its stratum came after the treatment, which
was assigned by lot, so that the plain comparison is right and splitting is the mistake. In
`randomised` the stratum matters to the outcome but not to who is treated; in `null` the treatment
does nothing either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import CategoricalTruth, Challenge, NumericTruth
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.columns import binary
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    design_matrix,
    least_squares,
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.fields import ChoiceField, FlagField, IntervalField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.estimators.regression import Coefficient

__all__ = ["CHALLENGE"]

RECOMMENDED = {"increases": "use", "decreases": "avoid", "none": "either"}
OPPOSITE = {"increases": "decreases", "decreases": "increases", "none": "none"}

CLEAR, UNCLEAR = 0.05, 0.2
"""An association is clear at p values below the one, and absent at p values above the other."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the chances of the stratum, of treatment in it, and of the outcome in both.

    A treatment that helps is given mostly where things look bad, one that harms where they do not.
    """
    helps = bool(rng.integers(2))
    stratum, few, many = rng.uniform(0.4, 0.6), rng.uniform(0.15, 0.25), rng.uniform(0.75, 0.85)
    base = rng.uniform(0.2, 0.28), rng.uniform(0.72, 0.8)
    effects = rng.uniform(0.1, 0.18, 2) * (1 if helps else -1)
    treated = (many, few) if helps else (few, many)
    if variant in ("randomised", "null"):
        treated = (0.5, 0.5)
    if variant == "null":
        effects = np.zeros(2)
    return {
        "stratum": stratum,
        "decoy": rng.uniform(0.3, 0.7),
        "treated_0": treated[0],
        "treated_1": treated[1],
        **{
            f"outcome_{t}{s}": float(base[s] + (t - 0.5) * effects[s])
            for t in (0, 1)
            for s in (0, 1)
        },
    }


def _world(variant: str, at: Parameters) -> World:
    cells = np.array([[at[f"outcome_{t}{s}"] for s in (0, 1)] for t in (0, 1)])
    world = World(
        (
            binary("decoy", at["decoy"], time=0),
            binary("stratum", at["stratum"], time=0),
            binary(
                "treatment",
                lambda stratum: np.where(stratum, at["treated_1"], at["treated_0"]),
                time=1,
            ),
            binary("outcome", lambda treatment, stratum: cells[treatment, stratum], time=3),
        )
    )
    return world.turn("stratum", "treatment", time=2) if variant == "post_treatment" else world


def _closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Standardise over the strata: of everybody, or of those whom the treatment put there."""
    share = (at["stratum"], at["stratum"])
    if variant == "post_treatment":
        both = at["stratum"] * at["treated_1"]
        treated = both + (1 - at["stratum"]) * at["treated_0"]
        share = (at["stratum"] - both) / (1 - treated), both / treated
    chance = [(1 - share[t]) * at[f"outcome_{t}0"] + share[t] * at[f"outcome_{t}1"] for t in (0, 1)]
    return {"effect": chance[1] - chance[0]}


def _truths(
    variant: str, _at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    crude = _crude(rows)
    by_name = {"difference": crude, "standardisation": _adjusted(rows)}
    consistent = {
        "trap": ("standardisation",),
        "post_treatment": ("difference",),
    }.get(variant, ("difference", "standardisation"))
    effect = NumericTruth(
        certified["effect"],
        {name: by_name[name].value for name in consistent},
        by_name[consistent[0]].se,
        {"crude difference": crude.value} if variant == "trap" else {},
    )
    direction = "none" if variant == "null" else "increases" if effect.value > 0 else "decreases"
    return {
        "effect": effect,
        "direction": CategoricalTruth(direction),
        "reversal": CategoricalTruth(variant == "trap", alarm=(True,)),
        "adjustment_set": CategoricalTruth(frozenset({"stratum"} if variant == "trap" else ())),
        "recommendation": CategoricalTruth(RECOMMENDED[direction]),
    }


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["stratum"])


def _strata(rows: Rows) -> list[Coefficient]:
    return [
        mean_difference(rows["outcome"][here], rows["treatment"][here])
        for here in (rows["stratum"] == level for level in (0, 1))
    ]


def _reversed(rows: Rows) -> bool:
    """Whether the whole and every stratum are clear, and of opposite signs."""
    crude, strata = _crude(rows), _strata(rows)
    return crude.p < CLEAR and all(
        stratum.p < CLEAR and stratum.value * crude.value < 0 for stratum in strata
    )


def _unrelated(rows: Rows) -> bool:
    """Whether who is treated shows no relation to the stratum."""
    return mean_difference(rows["stratum"], rows["treatment"]).p > UNCLEAR


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    if variant == "trap":
        return _reversed(rows)
    found = [_crude(rows), _adjusted(rows), *_strata(rows)]
    if variant == "null":
        return _unrelated(rows) and all(estimate.p > UNCLEAR for estimate in found)
    alike = len({estimate.value > 0 for estimate in found}) == 1
    return _unrelated(rows) and alike and found[0].p < CLEAR / 10


def _has_trap(instance: Instance) -> bool:
    """Whether whole and strata are clear and opposite, and the strata were there beforehand."""
    when = instance.when
    return when["stratum"] < when["treatment"] and _reversed(instance.rows)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Regress on what came before the treatment, each column centred and free to interact."""
    rows = instance.rows
    when = instance.when
    before = [rows[role] for role in ("decoy", "stratum") if when[role] < when["treatment"]]
    centred = [values - values.mean() for values in before]
    treatment = rows["treatment"]
    matrix = design_matrix(treatment, *centred, *(treatment * values for values in centred))
    effect = least_squares(rows["outcome"], matrix)[1]
    crude = _crude(rows).direction
    confounds = len(before) == 2 and not _unrelated(rows)
    return {
        **_reported(effect, effect.direction),
        "reversal": confounds and effect.direction == OPPOSITE[crude] != "none",
        "adjustment_set": frozenset({"stratum"} if confounds else ()),
    }


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the groups as they are."""
    effect = _crude(instance.rows)
    return {
        **_reported(effect, effect.direction),
        "reversal": False,
        "adjustment_set": frozenset(),
    }


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Split by the stratum whenever it was measured, and turn around what the whole says."""
    crude = _crude(instance.rows).value
    direction = "decreases" if crude > 0 else "increases"
    return {
        **_reported(_adjusted(instance.rows), direction),
        "reversal": True,
        "adjustment_set": frozenset({"stratum"}),
    }


def _reported(effect: Coefficient, direction: str) -> dict[str, Any]:
    return {
        "effect": effect.value,
        "ci": effect.interval,
        "direction": direction,
        "recommendation": RECOMMENDED[direction],
    }


CHALLENGE = Challenge(
    name="simpson",
    family="confounding",
    summary="the association turns around within every stratum of a confounder",
    variants=("trap", "randomised", "null", "post_treatment"),
    fields=(
        NumberField("effect", share=True),
        IntervalField("ci", of="effect", share=True),
        ChoiceField("direction", ("increases", "decreases", "none")),
        FlagField("reversal"),
        ColumnSetField("adjustment_set"),
        ChoiceField("recommendation", ("use", "avoid", "either")),
    ),
    shown=("decoy", "stratum", "treatment", "outcome"),
    size=(1800, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"effect": increase("treatment")},
    closed_form=_closed_form,
    method="standardisation",
    truths=_truths,
    accept=_accept,
    retold=("post_treatment",),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
