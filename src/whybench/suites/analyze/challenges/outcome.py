"""What would have been at another dose: a curve, a confounder, and a tempting third column.

The outcome bends with the dose, and whoever chose the dose looked at something that bears on the
outcome as well. So there are two wrong ways to say how much the outcome would change from one dose
to another: to compare the cases that had the doses (the conditional difference), and to draw a line
(slope times distance). The conditional difference is asked for too, so that nobody can take the one
for the other. A third column, the marker, follows from the outcome and must be left alone.

In the control `linear` there is no curve, and what moves the dose bears on nothing else: any line
will do. In `unconfounded` there is the curve, but the dose answers to nothing. In `upstream` the
marker was measured first and is a second confounder, which has to be adjusted for.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.bent_response import (
    UNITS,
    certify_difference,
    closed_form,
    effects,
    observe,
    parameters,
    world,
)
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    find_confounders,
    fit_curve,
    local_mean,
    relate_columns,
)
from whybench.suites.analyze.fields import IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.estimators.regression import DoseCurve

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

APART = 5.0
"""How many SE_eff every naive value is from the truth and from the reference, at least."""

NEAR, ENOUGH = 0.25, 60
"""Rows within this distance of a dose, in units of the world, are near it; so many are enough."""

NEEDED = {TRAP: ("confounder",), "upstream": ("confounder", "marker")}
"""What has to be adjusted for, where something has."""

LINE, CUBIC = 1, 3
"""Degrees of the curves that naive analysts and references fit."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    seen = _seen(at, rows)
    near = {"rows near the doses": seen.value, "cubic": _change(at, rows, CUBIC).value}
    return {
        "ate": _ate(variant, at, rows, certified["ate"]),
        "cond_diff": NumericTruth(certify_difference(at), near, seen.se),
        "adjusted_for": CategoricalTruth(
            frozenset(NEEDED.get(variant, ())), alarm=(frozenset({"confounder"}),)
        ),
    }


def _curve(rows: Rows, degree: int, by: Sequence[str] = ()) -> DoseCurve:
    return fit_curve(rows["outcome"], rows["treatment"], degree, [rows[role] for role in by])


def _change(at: Parameters, rows: Rows, degree: int, by: Sequence[str] = ()) -> Coefficient:
    return _curve(rows, degree, by).change(at["low"], at["high"])


def _seen(at: Parameters, rows: Rows) -> Coefficient:
    """Compare the rows near the two doses."""
    width = NEAR * UNITS["treatment"][1]
    low, high = (
        local_mean(rows["outcome"], rows["treatment"], at[dose], width) for dose in ("low", "high")
    )
    return Coefficient(high.value - low.value, math.hypot(high.se, low.se))


def _ate(variant: str, at: Parameters, rows: Rows, certificate: Certificate) -> NumericTruth:
    """Return the truth of the effect; the references are cubic, or lines where a line is true."""
    confounder = ("confounder",)
    if variant in NEEDED:
        best = _change(at, rows, CUBIC, NEEDED[variant])
        references = {"cubic, adjusted": best.value}
        if variant != TRAP:
            return NumericTruth(certificate, references, best.se)
        naive = {
            "conditional difference": _seen(at, rows).value,
            "conditional difference, cubic": _change(at, rows, CUBIC).value,
            "linear slope": _change(at, rows, LINE).value,
            "linear slope, adjusted": _change(at, rows, LINE, confounder).value,
            "cubic, marker held too": _change(at, rows, CUBIC, ("confounder", "marker")).value,
        }
        return NumericTruth(certificate, references, best.se, naive)
    plain, adjusted = _change(at, rows, CUBIC), _change(at, rows, CUBIC, confounder)
    references = {"cubic": plain.value, "cubic, adjusted": adjusted.value}
    if variant == "linear":
        references["line"] = _change(at, rows, LINE).value
        return NumericTruth(certificate, references, plain.se)
    return NumericTruth(certificate, references, adjusted.se)


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether there are rows near both doses, and the rows show the curve and what confounds."""
    width = NEAR * UNITS["treatment"][1]
    for dose in ("low", "high"):
        if np.sum(np.abs(rows["treatment"] - at[dose]) <= width) < ENOUGH:
            return False
    before = ("confounder", "decoy", *(("marker",) if variant == "upstream" else ()))
    shown = [(_curve(rows, 2, before).bend.p, at["bend"])]
    for role, relation in relate_columns(rows, before).items():
        shown += [
            (relation.to_treatment, at[f"pull_{role}"]),
            (relation.to_outcome, at[f"push_{role}"]),
        ]
    return all(p < CLEAR if works else p > UNCLEAR for p, works in shown)


def _has_trap(instance: Instance) -> bool:
    """Whether curve and confounder each move the answer far, and the marker came last."""
    rows, at = instance.rows, instance.parameters
    when = instance.when
    by = ("confounder",)
    best = _change(at, rows, CUBIC, by)
    others = (_change(at, rows, CUBIC), _change(at, rows, LINE, by))
    return when["marker"] > when["outcome"] and all(
        abs(other.value - best.value) >= APART * best.se for other in others
    )


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Bend only where the rows bend, and hold whatever came before and bears on the outcome."""
    rows = instance.rows
    when = instance.when
    before = [role for role in ("confounder", "decoy", "marker") if when[role] < when["treatment"]]
    found = relate_columns(rows, before)
    held = [rows[role] for role in before if found[role].to_outcome < 0.05]
    squares = [(values - values.mean()) ** 2 for values in held]
    low, high = (float(instance.facts[end]) for end in ("low", "high"))
    return _reported(
        _straightest(rows, [*held, *squares]).change(low, high),
        _straightest(rows, []).change(low, high).value,
        find_confounders(rows, before),
    )


def _straightest(rows: Rows, by: Sequence[Array]) -> DoseCurve:
    """Fit a parabola, or a line where the parabola is none."""
    fits = [fit_curve(rows["outcome"], rows["treatment"], degree, by) for degree in (2, LINE)]
    return fits[0] if fits[0].bend.p < 0.05 else fits[1]


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
        "ate": ate.value,
        "ci": ate.interval,
        "cond_diff": difference,
        "adjusted_for": frozenset(by),
    }


CHALLENGE = Challenge(
    name="outcome",
    family="counterfactual",
    summary="cases that had two doses are compared, or a line is drawn, where the response bends",
    variants=("trap", "linear", "unconfounded", "upstream"),
    fields=(
        NumberField("ate"),
        IntervalField("ci", of="ate"),
        # Who falls for the trap gets this one right.
        NumberField("cond_diff", key=False),
        # What is held is what tells the variants apart.
        ColumnSetField("adjusted_for", weight=2.0),
    ),
    shown=tuple(UNITS),
    size=(1600, 2600),
    parameters=parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    method="curve",
    truths=_truths,
    accept=_accept,
    apart=APART,
    facts=lambda at: {"low": int(at["low"]), "high": int(at["high"])},
    observe=observe,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
