"""What would have been at another dose: a curve, a confounder, and a tempting third column.

The outcome bends with the dose, and whoever chose the dose looked at something that bears on the
outcome as well. So there are two wrong ways to say how much the outcome would change from one dose
to another: to compare the cases that had the doses (the conditional difference), and to draw a line
(slope times distance). The conditional difference is asked for too, so that nobody can take the one
for the other. A third column, the marker, follows from the outcome and must be left alone.

In the control `randomised` the dose was drawn by lot. The rows are the very same, but what was a
confounder is recorded after the dose and follows from it: who adjusts for it takes away part of the
effect. In `upstream` the marker was measured first and is a second confounder, which has to be
adjusted for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.adjustment import adjustment_truth
from whybench.suites.analyze.challenges.bent_response import (
    UNIT,
    certify_difference,
    closed_form,
    effects,
    find_causes,
    observe,
    parameters,
    world,
)
from whybench.suites.analyze.challenges.contract import TRAP, Challenge, NumericTruth, report_effect
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import Coefficient, fit_curve, local_mean
from whybench.suites.analyze.fields import NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth

APART = 5.0
"""How many SE_eff every naive value is from the truth and from the references, at least."""

WIDTH, ENOUGH = 0.25 * UNIT, 60
"""Rows within this distance of a dose are near it; so many are enough."""

LINE, PARABOLA, CUBIC = 1, 2, 3
"""Degrees of the curves that are fitted."""

QUARTILES = (0.25, 0.5, 0.75)
"""Where the spline has its knots."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    causes, seen = find_causes(variant), _seen(at, rows)
    best = _change(at, rows, CUBIC, causes)
    references = {
        "cubic": best,
        "parabola": _change(at, rows, PARABOLA, causes),
        "cubic spline": _change(at, rows, CUBIC, causes, QUARTILES),
        "cubic, all that came before": _change(at, rows, CUBIC, ("decoy", *causes)),
    }
    naive = {}
    if variant == TRAP:
        naive = {
            "conditional difference": seen,
            "conditional difference, cubic": _change(at, rows, CUBIC),
            "linear slope": _change(at, rows, LINE),
            "linear slope, adjusted": _change(at, rows, LINE, causes),
        }
    if variant == "upstream":
        naive = {"marker left out": _change(at, rows, CUBIC, ("confounder",))}
    return {
        "estimate": NumericTruth(
            certified["estimate"], references, best.se, {name: x.value for name, x in naive.items()}
        ),
        "cond_diff": NumericTruth(
            certify_difference(at),
            {"rows near the doses": seen, "cubic": _change(at, rows, CUBIC)},
            seen.se,
        ),
        "adjusted_for": adjustment_truth(world(variant, at), causes),
    }


def _change(
    at: Parameters,
    rows: Rows,
    degree: int,
    by: Sequence[str] = (),
    quantiles: Sequence[float] = (),
) -> Coefficient:
    held = [rows[role] for role in by]
    curve = fit_curve(rows["outcome"], rows["treatment"], degree, held, quantiles)
    return curve.change(at["low"], at["high"])


def _seen(at: Parameters, rows: Rows) -> Coefficient:
    """Compare the rows near the two doses."""
    low, high = (
        local_mean(rows["outcome"], rows["treatment"], at[dose], WIDTH) for dose in ("low", "high")
    )
    return Coefficient(high.value - low.value, math.hypot(high.se, low.se))


def _accept(_variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether there are rows near both doses."""
    distances = (np.abs(rows["treatment"] - at[dose]) for dose in ("low", "high"))
    return all(np.sum(distance <= WIDTH) >= ENOUGH for distance in distances)


def _has_trap(instance: Instance) -> bool:
    """Whether curve and confounder each move the answer far, and only the marker came late."""
    rows, at, when = instance.rows, instance.parameters, instance.when
    if not when["confounder"] < when["treatment"] < when["outcome"] < when["marker"]:
        return False
    best = _change(at, rows, CUBIC, ("confounder",))
    others = (_change(at, rows, CUBIC), _change(at, rows, LINE, ("confounder",)))
    return all(abs(other.value - best.value) >= APART * best.se for other in others)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Fit parabolas, and hold whatever came before, in squares too."""
    rows, when = instance.rows, instance.when
    before = [role for role in ("confounder", "decoy", "marker") if when[role] < when["treatment"]]
    held = [rows[role] for role in before]
    squares = [(values - values.mean()) ** 2 for values in held]
    low, high = (float(instance.facts[end]) for end in ("low", "high"))
    adjusted, plain = (
        fit_curve(rows["outcome"], rows["treatment"], PARABOLA, by).change(low, high)
        for by in ([*held, *squares], [])
    )
    return _reported(adjusted, plain.value, before)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the rows that had about the two doses."""
    seen = _seen(instance.parameters, instance.rows)
    return _reported(seen, seen.value, ())


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Bend, adjust for the confounder and leave the marker alone, whatever they are here."""
    at, rows = instance.parameters, instance.rows
    best = _change(at, rows, CUBIC, ("confounder",))
    return _reported(best, _change(at, rows, CUBIC).value, ("confounder",))


def _reported(ate: Coefficient, difference: float, by: Sequence[str]) -> dict[str, Any]:
    return {
        "estimate": ate,
        "cond_diff": difference,
        "adjusted_for": frozenset(by),
    }


CHALLENGE = Challenge(
    name="outcome",
    family="counterfactual",
    summary="cases that had two doses are compared, or a line is drawn, where the response bends",
    variants=("trap", "randomised", "upstream"),
    report=report_effect(),
    diagnosis=(
        # Who falls for the trap gets this one right.
        NumberField("cond_diff", key=False),
        # What is held is what tells the variants apart.
        ColumnSetField("adjusted_for", weight=3.0),
    ),
    shown=("confounder", "decoy", "treatment", "outcome", "marker"),
    size=(1600, 2600),
    parameters=parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    method="curve",
    truths=_truths,
    accept=_accept,
    apart=APART,
    retold=("randomised",),
    units=("confounder", "decoy", "outcome", "marker"),
    facts=lambda at: {"low": int(at["low"]), "high": int(at["high"])},
    observe=observe,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
