"""Simpson's paradox: an association that turns around within every stratum.

A stratum decides both who is treated and who does well, so strongly that the treated do better on
the whole though the treatment harms in each stratum, or the other way round. Who compares the
groups as they are recommends the wrong thing.

Whether the strata or the whole tell the truth is nothing the table can say. The control
`post_treatment` has the very same rows as its trap; but its stratum came after the treatment, which
was assigned by lot, so that the plain comparison is right and splitting is the mistake. In
`randomised` a lot decides who is treated. In `agreeing` and `null` the stratum confounds as it does
in the trap, and the staff chose as they did there: but the treatment works in the direction of the
crude difference, or not at all, so that nothing turns around.

In every variant as many are treated, and in each stratum as many do well, as in the trap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.adjustment import adjustment_truth
from whybench.suites.analyze.challenges.contract import (
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
from whybench.suites.analyze.fields import FlagField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.estimators.regression import Coefficient

OPPOSITE = {"increases": "decreases", "decreases": "increases", "none": "none"}

CLEAR, UNCLEAR = 0.05, 0.2
"""An association is clear at p values below the one, and absent at p values above the other."""

EDGE = 0.03
"""No chance of the outcome is nearer to 0 or 1."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the chances of the stratum, of treatment in it, and of the outcome in both.

    A treatment that helps is given mostly where things look bad, one that harms where they do not.
    The larger the effect, the less room there is between the strata.
    """
    sign = int(rng.choice((-1, 1)))
    stratum, decoy = rng.uniform(0.4, 0.6), rng.uniform(0.3, 0.7)
    few, many = rng.uniform(0.14, 0.2), rng.uniform(0.8, 0.86)
    effects = sign * rng.uniform(0.07, 0.34) * (1 + np.array([-1, 1]) * rng.uniform(-0.12, 0.12))
    room = 0.5 - EDGE - np.array([1 - few, many]) * np.abs(effects)
    base = 0.5 + np.array([-1, 1]) * np.minimum(room, 0.3) * rng.uniform(0.85, 1, 2)
    treated = np.array([many, few] if sign > 0 else [few, many])
    if variant == "randomised":
        treated = np.full(2, treated @ (1 - stratum, stratum))
    effects *= {"agreeing": -1, "null": 0}.get(variant, 1)
    return {
        "stratum": stratum,
        "decoy": decoy,
        "treated_0": float(treated[0]),
        "treated_1": float(treated[1]),
        **{
            f"outcome_{t}{s}": float(base[s] + (t - treated[s]) * effects[s])
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
    return {"estimate": chance[1] - chance[0]}


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    crude = {"difference": _crude(rows), "adjusted for the decoy": _regress(rows, ("decoy",))}
    panel = {
        "standardisation": _adjusted(rows),
        "adjusted for both": _regress(rows, ("decoy", "stratum")),
    }
    if variant == "randomised":
        panel |= crude
    elif variant == "post_treatment":
        panel = crude
    effect = NumericTruth(
        certified["estimate"],
        panel,
        next(iter(panel.values())).se,
        {"crude difference": crude["difference"].value} if variant == "trap" else {},
    )
    by_lot = variant in ("randomised", "post_treatment")
    return {
        "estimate": effect,
        "reversal": CategoricalTruth(variant == "trap", alarm=(True,)),
        "adjustment_set": adjustment_truth(_world(variant, at), () if by_lot else ("stratum",)),
    }


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["stratum"])


def _regress(rows: Rows, by: Iterable[str]) -> Coefficient:
    return interacted_difference(rows["outcome"], rows["treatment"], [rows[role] for role in by])


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


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    if variant == "trap":
        return _reversed(rows)
    crude, adjusted = _crude(rows), _adjusted(rows)
    if variant == "null":
        return adjusted.p > UNCLEAR
    return crude.value * adjusted.value > 0 and max(crude.p, adjusted.p) < CLEAR / 10


def _has_trap(instance: Instance) -> bool:
    """Whether whole and strata are clear and opposite, and the strata were there beforehand."""
    when = instance.when
    return when["stratum"] < when["treatment"] and _reversed(instance.rows)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Adjust, by two models at once, for all that came before the treatment."""
    rows, when = instance.rows, instance.when
    before = [role for role in ("decoy", "stratum") if when[role] < when["treatment"]]
    effect = doubly_robust(rows["outcome"], rows["treatment"], [rows[role] for role in before])
    return {
        "estimate": effect,
        "reversal": effect.direction == OPPOSITE[_crude(rows).direction] != "none",
        "adjustment_set": frozenset(before),
    }


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the groups as they are."""
    return {
        "estimate": _crude(instance.rows),
        "reversal": False,
        "adjustment_set": frozenset(),
    }


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Split by the stratum whenever it was measured."""
    return {
        "estimate": _adjusted(instance.rows),
        "reversal": True,
        "adjustment_set": frozenset({"stratum"}),
    }


CHALLENGE = Challenge(
    name="simpson",
    family="confounding",
    summary="the association turns around within every stratum of a confounder",
    variants=("trap", "agreeing", "randomised", "null", "post_treatment"),
    report=report_effect(share=True),
    diagnosis=(FlagField("reversal"), ColumnSetField("adjustment_set")),
    shown=("decoy", "stratum", "treatment", "outcome"),
    size=(2600, 3000),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"estimate": increase("treatment")},
    closed_form=_closed_form,
    method="standardisation",
    truths=_truths,
    accept=_accept,
    retold=("post_treatment",),
    opposite=("decoy", "stratum"),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
