"""Mediator and outcome with a common cause: the split into direct and indirect goes wrong.

The treatment is randomised, so the total effect is plain to see. How much of it runs through the
mediator is not: something that was there beforehand moves both the mediator and the outcome, and a
fit without it takes this for an effect of the mediator.

Linear throughout: mediator = a·treatment + c·common + noise, outcome = d·treatment + b·mediator
+ e·common + noise. The direct effect is d, the indirect one a·b, the total their sum. In
`no_confounding` the would-be common cause touches only one of the two; in `null` that holds and
the treatment does nothing to the outcome by either way; in `descendant` it comes last and listens
to mediator and outcome, so that who adjusts for it makes the bias that they meant to remove.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import Graph, Linear, LinearEffect, Model, agreed, certify
from whybench.scm.linear import path_effect, solved_effect
from whybench.suites.analyze.challenges.contract import (
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    round_values,
    to_integers,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    design_matrix,
    least_squares,
    multiply_estimates,
)
from whybench.suites.analyze.fields import FlagField, IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.001, 0.2
APART = 5.0
EFFECTS = ("nde", "nie", "te")


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(variant, at, rng)
    if not _accept(variant, rows):
        return None
    found = _ground_truth(variant, at, rows)
    return found if found.apart(APART) else None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    adjusting = [] if variant == "descendant" else [rows["common"]]
    fitted, plain = _decomposed(rows, adjusting), _decomposed(rows, [])
    certified = _certified(at)
    truths = {}
    for name in EFFECTS:
        references = {"regression": fitted[name].value}
        if variant != "trap" or name == "te":
            references["regression without the common cause"] = plain[name].value
        bent = variant == "trap" and name != "te"
        naive = {"regression without the common cause": plain[name].value} if bent else {}
        truths[name] = NumericTruth(certified[name], references, fitted[name].se, naive)
    return Instance(
        challenge="mediator_confounding",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("decoy", "real", 0),
            DataColumn("common", "real", 4 if variant == "descendant" else 0),
            DataColumn("treatment", "binary", 1),
            DataColumn("mediator", "real", 2),
            DataColumn("outcome", "real", 3),
        ),
        rows=rows,
        truths={
            **truths,
            "confounded": CategoricalTruth(variant == "trap", alarm=(True,)),
            "adjustment_set": CategoricalTruth(frozenset({"common"} if variant == "trap" else ())),
        },
    )


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the weights of the arrows; in controls without a common cause, one of its two is 0."""
    sign = rng.choice((-1.0, 1.0), 5)
    a, b, d, c, e = (
        sign * rng.uniform((0.8, 0.4, 0.4, 0.65, 0.65), (1.2, 0.8, 0.8, 0.9, 0.9))
    ).tolist()
    touches_mediator = bool(rng.integers(2))
    if variant in ("no_confounding", "null"):
        c, e = (c, 0.0) if touches_mediator else (0.0, e)
    if variant == "null":
        b = d = 0.0
    return {"a": a, "b": b, "d": d, "c": c, "e": e, "decoy": float(rng.uniform(0.2, 0.4))}


def _rows(variant: str, at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(1800, 3001))
    treatment = to_integers(rng.permutation(size) % 2)
    decoy, common, first, second = rng.standard_normal((4, size))
    if variant == "descendant":
        mediator = at["a"] * treatment + first
        outcome = at["d"] * treatment + at["b"] * mediator + at["decoy"] * decoy + second
        common = at["c"] * mediator + at["e"] * outcome + common
    else:
        mediator = at["a"] * treatment + at["c"] * common + first
        outcome = at["d"] * treatment + at["b"] * mediator + at["e"] * common
        outcome = outcome + at["decoy"] * decoy + second
    return {
        "decoy": round_values(decoy),
        "common": round_values(common),
        "treatment": treatment,
        "mediator": round_values(mediator),
        "outcome": round_values(outcome),
    }


def _decomposed(rows: Mapping[str, Array], adjusting: list[Array]) -> dict[str, Coefficient]:
    """Return direct, indirect and total effect by two regressions and a third for the total."""
    x, m, y = rows["treatment"], rows["mediator"], rows["outcome"]
    outcome = least_squares(y, design_matrix(x, m, *adjusting))
    upon_mediator = least_squares(m, design_matrix(x, *adjusting))[1]
    return {
        "nde": outcome[1],
        "nie": multiply_estimates(upon_mediator, outcome[2]),
        "te": least_squares(y, design_matrix(x, *adjusting))[1],
    }


def _touches(rows: Mapping[str, Array]) -> tuple[Coefficient, Coefficient]:
    """Return what the would-be common cause does to the mediator and to the outcome."""
    x, m, c = rows["treatment"], rows["mediator"], rows["common"]
    return (
        least_squares(m, design_matrix(x, c))[2],
        least_squares(rows["outcome"], design_matrix(x, m, c))[3],
    )


def _accept(variant: str, rows: Mapping[str, Array]) -> bool:
    p_values = sorted(touch.p for touch in _touches(rows))
    if variant in ("no_confounding", "null"):
        return p_values[0] < CLEAR and p_values[1] > UNCLEAR
    if variant == "descendant":
        plain, bent = _decomposed(rows, []), _decomposed(rows, [rows["common"]])
        return all(
            abs(plain[name].value - bent[name].value) > APART * plain[name].se
            for name in ("nde", "nie")
        )
    return p_values[1] < CLEAR


def _certified(at: Mapping[str, float]) -> dict[str, Certificate]:
    model = _model(at)
    ways = {
        "path sum": path_effect(model, "treatment", "mediator")
        * path_effect(model, "mediator", "outcome"),
        "linear solve": solved_effect(model, "treatment", "outcome")
        - solved_effect(model, "treatment", "outcome", ("mediator",)),
    }
    first, second = ways.items()
    return {
        "nde": certify(model, LinearEffect("treatment", "outcome", ("mediator",))),
        "nie": agreed("effect of treatment on outcome through mediator", first, second),
        "te": certify(model, LinearEffect("treatment", "outcome")),
    }


def _model(at: Mapping[str, float]) -> Model:
    """Return the part of the world that the effects rest on: arrows into mediator and outcome."""
    edges = (("treatment", "mediator"), ("treatment", "outcome"), ("mediator", "outcome"))
    return Model(
        Graph(("treatment", "mediator", "outcome"), edges),
        {
            "treatment": Linear(0, ()),
            "mediator": Linear(0, (at["a"],)),
            "outcome": Linear(0, (at["d"], at["b"])),
        },
    )


def _has_trap(instance: Instance) -> bool:
    """Whether a column from before the treatment moves both, and a fit without it is far off."""
    when = {column.role: column.measured for column in instance.columns}
    if when["common"] > when["treatment"]:
        return False
    rows = instance.rows
    plain, adjusted = _decomposed(rows, []), _decomposed(rows, [rows["common"]])
    both = all(touch.p < CLEAR for touch in _touches(rows))
    return both and all(
        abs(plain[name].value - adjusted[name].value) >= APART * adjusted[name].se
        for name in ("nde", "nie")
    )


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    """Let three groups be untreated, treated with an untreated mediator, and treated."""
    at = instance.parameters
    before = instance.variant != "descendant"
    groups = []
    for x, x_of_mediator in ((0, 0), (1, 0), (1, 1)):
        common, first, second, decoy = rng.standard_normal((4, n))
        mediator = at["a"] * x_of_mediator + before * at["c"] * common + first
        outcome = at["d"] * x + at["b"] * mediator + before * at["e"] * common
        groups.append(outcome + at["decoy"] * decoy + second)

    def less(one: int, other: int) -> tuple[float, float]:
        variance = (groups[one].var() + groups[other].var()) / n
        return float(groups[one].mean() - groups[other].mean()), float(np.sqrt(variance))

    return {"nde": less(1, 0), "nie": less(2, 1), "te": less(2, 0)}


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Take the mediator's share out of the outcome, and see what of the effect is left.

    Sequential g-estimation, with all that was known before the treatment; the indirect effect is
    what the total has more than the direct one.
    """
    rows = instance.rows
    when = {column.role: column.measured for column in instance.columns}
    before = [rows[role] for role in ("decoy", "common") if when[role] < when["treatment"]]
    x, m, y = rows["treatment"], rows["mediator"], rows["outcome"]
    interacting = [x * (values - values.mean()) for values in before]
    outcome = least_squares(y, design_matrix(x, m, *before, *interacting))
    left = least_squares(y - outcome[2].value * m, design_matrix(x, *before))[1]
    total = least_squares(y, design_matrix(x, *before))[1]
    onto = least_squares(m, design_matrix(x, *before))[1]
    indirect = Coefficient(total.value - left.value, multiply_estimates(onto, outcome[2]).se)
    confounded = len(before) == 2 and all(touch.p < 0.05 for touch in _touches(rows))
    return _reported(
        {"nde": Coefficient(left.value, outcome[1].se), "nie": indirect, "te": total}, confounded
    )


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit treatment and mediator alone."""
    return _reported(_decomposed(instance.rows, []), False)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the would-be common cause, whenever it was measured."""
    return _reported(_decomposed(instance.rows, [instance.rows["common"]]), True)


def _reported(effects: Mapping[str, Coefficient], confounded: bool) -> dict[str, Any]:
    return {
        **{name: effect.value for name, effect in effects.items()},
        **{f"{name}_ci": effect.interval for name, effect in effects.items()},
        "confounded": confounded,
        "adjustment_set": frozenset({"common"} if confounded else ()),
    }


CHALLENGE = Challenge(
    name="mediator_confounding",
    family="mediation",
    summary="mediator and outcome have a common cause, which passes for an indirect effect",
    variants=("trap", "no_confounding", "null", "descendant"),
    fields=(
        NumberField("nde"),
        NumberField("nie"),
        NumberField("te", key=False),
        *(IntervalField(f"{name}_ci", of=name) for name in EFFECTS),
        FlagField("confounded"),
        ColumnSetField("adjustment_set"),
    ),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
