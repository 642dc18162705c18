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
    certified_difference,
    certified_effect,
    draw_rows,
    parameters,
    simulated,
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
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    DoseCurve,
    find_confounders,
    fit_curve,
    local_mean,
    relate_columns,
)
from whybench.suites.analyze.fields import IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

APART = 5.0
"""How many SE_eff every naive value is from the truth and from the reference, at least."""

NEAR, ENOUGH = 0.25, 60
"""Rows within this distance of a dose, in units of the world, are near it; so many are enough."""

LINE, CUBIC = 1, 3
"""Degrees of the curves that naive analysts and references fit."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = parameters(variant, rng)
    rows = draw_rows(variant, at, rng)
    if not _accept(variant, at, rows) or not _ate(variant, at, rows).apart(APART):
        return None
    return _ground_truth(variant, at, rows)


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    needed = frozenset(_needed(variant))
    when = {"confounder": 0, "decoy": 0, "marker": 0 if variant == "upstream" else 3}
    when |= {"treatment": 1, "outcome": 2}
    return Instance(
        challenge="outcome",
        variant=variant,
        parameters=at,
        columns=tuple(DataColumn(role, "real", when[role]) for role in rows),
        rows=rows,
        truths={
            "ate": _ate(variant, at, rows),
            "cond_diff": _conditional(at, rows),
            "adjusted_for": CategoricalTruth(needed, alarm=(frozenset({"confounder"}),)),
        },
        facts={"low": int(at["low"]), "high": int(at["high"])},
    )


def _needed(variant: str) -> tuple[str, ...]:
    """Return what has to be adjusted for."""
    return {"trap": ("confounder",), "upstream": ("confounder", "marker")}.get(variant, ())


def _curve(rows: Mapping[str, Array], degree: int, by: Sequence[str] = ()) -> DoseCurve:
    return fit_curve(rows["outcome"], rows["treatment"], degree, [rows[role] for role in by])


def _change(
    at: Mapping[str, float], rows: Mapping[str, Array], degree: int, by: Sequence[str] = ()
) -> Coefficient:
    return _curve(rows, degree, by).change(at["low"], at["high"])


def _seen(at: Mapping[str, float], rows: Mapping[str, Array]) -> Coefficient:
    """Compare the rows near the two doses."""
    width = NEAR * UNITS["treatment"][1]
    low, high = (
        local_mean(rows["outcome"], rows["treatment"], at[dose], width) for dose in ("low", "high")
    )
    return Coefficient(high.value - low.value, math.hypot(high.se, low.se))


def _ate(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> NumericTruth:
    """Return the truth of the effect; the references are cubic, or lines where a line is true."""
    certificate = certified_effect(at)
    confounder = ("confounder",)
    if variant in ("trap", "upstream"):
        best = _change(at, rows, CUBIC, _needed(variant))
        references = {"cubic, adjusted": best.value}
        naive = {
            "conditional difference": _seen(at, rows).value,
            "conditional difference, cubic": _change(at, rows, CUBIC).value,
            "linear slope": _change(at, rows, LINE).value,
            "linear slope, adjusted": _change(at, rows, LINE, confounder).value,
            "cubic, marker held too": _change(at, rows, CUBIC, ("confounder", "marker")).value,
        }
        return NumericTruth(certificate, references, best.se, naive if variant == TRAP else {})
    plain, adjusted = _change(at, rows, CUBIC), _change(at, rows, CUBIC, confounder)
    references = {"cubic": plain.value, "cubic, adjusted": adjusted.value}
    if variant == "linear":
        references["line"] = _change(at, rows, LINE).value
        return NumericTruth(certificate, references, plain.se)
    return NumericTruth(certificate, references, adjusted.se)


def _conditional(at: Mapping[str, float], rows: Mapping[str, Array]) -> NumericTruth:
    seen = _seen(at, rows)
    references = {"rows near the doses": seen.value, "cubic": _change(at, rows, CUBIC).value}
    return NumericTruth(certified_difference(at), references, seen.se)


def _accept(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> bool:
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
    when = {column.role: column.measured for column in instance.columns}
    by = ("confounder",)
    best = _change(at, rows, CUBIC, by)
    others = (_change(at, rows, CUBIC), _change(at, rows, LINE, by))
    return when["marker"] > when["outcome"] and all(
        abs(other.value - best.value) >= APART * best.se for other in others
    )


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    return simulated(instance.parameters, n, rng)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Bend only where the rows bend, and hold whatever came before and bears on the outcome."""
    rows = instance.rows
    when = {column.role: column.measured for column in instance.columns}
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


def _straightest(rows: Mapping[str, Array], by: Sequence[Array]) -> DoseCurve:
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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
