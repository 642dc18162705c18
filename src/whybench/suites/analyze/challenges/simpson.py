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

from whybench.scm import Bernoulli, Graph, Model, Table, agreed
from whybench.suites.analyze.arms import exact_risk_difference, simulate_risk_difference
from whybench.suites.analyze.challenges.contract import (
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
    design_matrix,
    least_squares,
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.fields import ChoiceField, FlagField, IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate

__all__ = ["CHALLENGE"]

RECOMMENDED = {"increases": "use", "decreases": "avoid", "none": "either"}
OPPOSITE = {"increases": "decreases", "decreases": "increases", "none": "none"}

CLEAR, UNCLEAR = 0.05, 0.2
"""An association is clear at p values below the one, and absent at p values above the other."""

APART = 5.0
"""How many SE_eff the naive value is from the truth and from the reference, at least."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    if not _accept(variant, at, rows):
        return None
    return _ground_truth(variant, at, rows)


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    effect = _effect(variant, at, rows)
    direction = "none" if variant == "null" else "increases" if effect.value > 0 else "decreases"
    return Instance(
        challenge="simpson",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("decoy", "binary", 0),
            DataColumn("stratum", "binary", 2 if variant == "post_treatment" else 0),
            DataColumn("treatment", "binary", 1),
            DataColumn("outcome", "binary", 3),
        ),
        rows=rows,
        truths={
            "effect": effect,
            "direction": CategoricalTruth(direction),
            "reversal": CategoricalTruth(variant == "trap", alarm=(True,)),
            "adjustment_set": CategoricalTruth(frozenset({"stratum"} if variant == "trap" else ())),
            "recommendation": CategoricalTruth(RECOMMENDED[direction]),
        },
    )


def _effect(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> NumericTruth:
    crude, adjusted = _crude(rows), _adjusted(rows)
    by_name = {"difference": crude, "standardisation": adjusted}
    consistent = {
        "trap": ("standardisation",),
        "post_treatment": ("difference",),
    }.get(variant, ("difference", "standardisation"))
    return NumericTruth(
        _certified(variant, at),
        {name: by_name[name].value for name in consistent},
        by_name[consistent[0]].se,
        {"crude difference": crude.value} if variant == "trap" else {},
    )


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


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(1800, 3001))
    chance = rng.random((4, size))
    decoy, stratum = chance[0] < at["decoy"], chance[1] < at["stratum"]
    treatment = chance[2] < np.where(stratum, at["treated_1"], at["treated_0"])
    cells = np.array([[at[f"outcome_{t}{s}"] for s in (0, 1)] for t in (0, 1)])
    outcome = chance[3] < cells[to_integers(treatment), to_integers(stratum)]
    columns = {"decoy": decoy, "stratum": stratum, "treatment": treatment, "outcome": outcome}
    return {role: to_integers(values) for role, values in columns.items()}


def _crude(rows: Mapping[str, Array]) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Mapping[str, Array]) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["stratum"])


def _strata(rows: Mapping[str, Array]) -> list[Coefficient]:
    return [
        mean_difference(rows["outcome"][here], rows["treatment"][here])
        for here in (rows["stratum"] == level for level in (0, 1))
    ]


def _reversed(rows: Mapping[str, Array]) -> bool:
    """Whether the whole and every stratum are clear, and of opposite signs."""
    crude, strata = _crude(rows), _strata(rows)
    return crude.p < CLEAR and all(
        stratum.p < CLEAR and stratum.value * crude.value < 0 for stratum in strata
    )


def _unrelated(rows: Mapping[str, Array]) -> bool:
    """Whether who is treated shows no relation to the stratum."""
    return mean_difference(rows["stratum"], rows["treatment"]).p > UNCLEAR


def _accept(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> bool:
    if variant in ("trap", "post_treatment"):
        # The same test for both, so that they have the same rows.
        return _reversed(rows) and _effect("trap", at, rows).apart(APART)
    found = [_crude(rows), _adjusted(rows), *_strata(rows)]
    if variant == "null":
        return _unrelated(rows) and all(estimate.p > UNCLEAR for estimate in found)
    alike = len({estimate.value > 0 for estimate in found}) == 1
    return _unrelated(rows) and alike and found[0].p < CLEAR / 10


def _certified(variant: str, at: Mapping[str, float]) -> Certificate:
    """Derive the effect by standardisation, and by elimination in the causal model."""
    share = _turned(at)[1] if variant == "post_treatment" else (at["stratum"], at["stratum"])
    chance = [(1 - share[t]) * at[f"outcome_{t}0"] + share[t] * at[f"outcome_{t}1"] for t in (0, 1)]
    return agreed(
        "P(outcome | do(treated)) - P(outcome | do(untreated))",
        ("standardisation", chance[1] - chance[0]),
        ("elimination", exact_risk_difference(_model(variant, at))),
    )


def _turned(at: Mapping[str, float]) -> tuple[float, tuple[float, float]]:
    """Return P(treated) and P(stratum = 1 | treatment) of the same table, by Bayes' rule."""
    both = at["stratum"] * at["treated_1"]
    treated = both + (1 - at["stratum"]) * at["treated_0"]
    return treated, ((at["stratum"] - both) / (1 - treated), both / treated)


def _model(variant: str, at: Mapping[str, float]) -> Model:
    """Return the causal model; a stratum that comes after the treatment answers to it."""
    if variant == "post_treatment":
        first, second, (chance, given) = "treatment", "stratum", _turned(at)
    else:
        first, second = "stratum", "treatment"
        chance, given = at["stratum"], (at["treated_0"], at["treated_1"])
    edges = ((first, second), ("treatment", "outcome"), ("stratum", "outcome"))
    cells = tuple(at[f"outcome_{t}{s}"] for t in (0, 1) for s in (0, 1))
    return Model(
        Graph((first, second, "outcome"), edges),
        {first: Bernoulli(chance), second: Table(given), "outcome": Table(cells)},
    )


def _has_trap(instance: Instance) -> bool:
    """Whether whole and strata are clear and opposite, and the strata were there beforehand."""
    when = {column.role: column.measured for column in instance.columns}
    return when["stratum"] < when["treatment"] and _reversed(instance.rows)


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    model = _model(instance.variant, instance.parameters)
    return {"effect": simulate_risk_difference(model, n, rng)}


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Regress on what came before the treatment, each column centred and free to interact."""
    rows = instance.rows
    when = {column.role: column.measured for column in instance.columns}
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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
