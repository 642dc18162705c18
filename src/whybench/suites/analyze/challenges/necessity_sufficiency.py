"""Necessary, sufficient: had it been otherwise, in the very case.

How often would the outcome have failed to come without the cause, where both were there (PN)? How
often would it have come with the cause, where neither was (PS)? Nobody is seen both ways; but where
a cause never prevents, which the story says, both follow from what would be seen if the cause were
set. Ratios of what *is* seen, (P(y|x) - P(y|x')) / P(y|x) and its like, take the others for what
these would have been without the cause. In the trap they are not: a context that brings the outcome
about by itself comes with the cause.

The control `after_cause` has the very same rows as its trap; but a lot decided who had the cause,
and the context came after, so that the plain ratios are right and adjusting is the mistake.

How the cause acts together with another is one of four classes (see `joint_causes`), each drawn for
a quarter of all worlds, trap and control alike: who always gives the same is right in a quarter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.challenges.joint_causes import (
    CLASSES,
    class_of,
    closed_form,
    effects,
    necessity,
    parameters,
    sufficiency,
    world,
)
from whybench.suites.analyze.estimators.contingency import (
    class_p_values,
    count_cells,
    plug_in_estimate,
)
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.estimators.weighting import propensities
from whybench.suites.analyze.fields import ChoiceField, NumberField
from whybench.suites.analyze.reports import NECESSITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth

APART = 5.0
"""How many SE_eff the ratios are from the truths and from the references, at least."""

FITS, FAILS = 0.05, 0.001
"""The true class fits the rows at p values above the one; the others fail below the other."""

ENOUGH = 4
"""Rows with and without the outcome in every group, at least, for the class to be tested."""

FORMULAS = {"estimate": necessity, "ps": sufficiency}


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    truths: dict[str, Truth] = {}
    for name in FORMULAS:
        ratio = _estimate(name, rows)
        panel = (
            {
                "standardised": _estimate(name, rows, "context"),
                "standardised by the other cause too": _estimate(name, rows, "context", "other"),
            }
            if variant == TRAP
            else {
                "ratio of conditionals": ratio,
                "standardised by the other cause": _estimate(name, rows, "other"),
            }
        )
        truths[name] = NumericTruth(
            certified[name],
            panel,
            next(iter(panel.values())).se,
            {"ratio of conditionals": ratio.value} if variant == TRAP else {},
        )
    return {**truths, "class": CategoricalTruth(class_of(at))}


def _estimate(name: str, rows: Rows, *by: str) -> Coefficient:
    """Put the shares of the rows, in groups by some columns, into the formula."""
    counts = count_cells(rows["cause"], *(rows[role] for role in by), rows["outcome"])
    return plug_in_estimate(FORMULAS[name], counts.reshape(2, -1, 2))


def _accept(_variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether the class shows, and the answer of the trap is wrong in the other order."""
    if count_cells(*rows.values()).min() < ENOUGH:
        return False
    p = class_p_values(rows)
    if p[class_of(at)] < FITS or any(p[kind] > FAILS for kind in CLASSES if kind != class_of(at)):
        return False
    control = closed_form("after_cause", at)
    return all(
        abs(_estimate(name, rows, "context").value - control[name])
        >= APART * _estimate(name, rows).se
        for name in FORMULAS
    )


def _has_trap(instance: Instance) -> bool:
    """Whether the context came before the cause, and both ratios move far when it is held."""
    rows, when = instance.rows, instance.when
    if when["context"] > when["cause"]:
        return False
    for name in FORMULAS:
        best = _estimate(name, rows, "context")
        if abs(_estimate(name, rows).value - best.value) < APART * best.se:
            return False
    return True


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Weight the others to look like those in question in all that came before the cause."""
    rows = instance.rows
    when = instance.when
    before = [role for role in ("other", "context") if when[role] < when["cause"]]
    chance = propensities(rows["cause"], [rows[role] for role in before])
    outcome, had = rows["outcome"], rows["cause"] == 1
    with_cause, without = float(outcome[had].mean()), float(outcome[~had].mean())
    had_not = np.average(outcome[~had], weights=(chance / (1 - chance))[~had])
    had_it = np.average(outcome[had], weights=((1 - chance) / chance)[had])
    return {
        # As wide as the ratio's, which varies by about as much.
        "estimate": Coefficient(
            float((with_cause - had_not) / with_cause), _estimate("estimate", rows, *before).se
        ),
        "ps": float((had_it - without) / (1 - without)),
        "class": _likeliest(rows),
    }


def _likeliest(rows: Rows) -> str:
    p = class_p_values(rows)
    return max(CLASSES, key=lambda kind: p[kind])


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Take the ratios as they are; and hold two causes for two that try on their own."""
    return {**_say(instance), "class": "noisy_or"}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the context, whenever it came."""
    return {**_say(instance, "context"), "class": _likeliest(instance.rows)}


def _say(instance: Instance, *by: str) -> dict[str, Any]:
    pn, ps = (_estimate(name, instance.rows, *by) for name in FORMULAS)
    return {"estimate": pn, "ps": ps.value}


CHALLENGE = Challenge(
    name="necessity_sufficiency",
    family="counterfactual",
    summary="ratios of what is seen are taken for what would have been without the cause",
    variants=("trap", "after_cause"),
    report=report_effect(share=True),
    estimands=(NECESSITY,),
    diagnosis=(NumberField("ps", share=True), ChoiceField("class", CLASSES)),
    acted_on="cause",
    shown=("cause", "other", "context", "outcome"),
    size=(2600, 3000),
    parameters=parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    method="monotone formula",
    truths=_truths,
    accept=_accept,
    apart=APART,
    retold=("after_cause",),
    opposite=("context",),
    kinds=CLASSES,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
