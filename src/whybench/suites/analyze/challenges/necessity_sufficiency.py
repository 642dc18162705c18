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

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import draw_units, respond
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
from whybench.suites.analyze.challenges.joint_causes import (
    CLASSES,
    Order,
    certified_necessity,
    certified_sufficiency,
    class_of,
    draw_parameters,
    draw_rows,
    model,
    necessity,
    sufficiency,
)
from whybench.suites.analyze.estimators.contingency import (
    class_p_values,
    count_cells,
    plug_in_estimate,
)
from whybench.suites.analyze.estimators.weighting import propensities
from whybench.suites.analyze.fields import ChoiceField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.estimators.regression import Coefficient

__all__ = ["CHALLENGE"]

APART = 5.0
"""How many SE_eff the ratios are from the truths and from the references, at least."""

FITS, FAILS = 0.05, 0.001
"""The true class fits the rows at p values above the one; the others fail below the other."""

ENOUGH = 4
"""Rows with and without the outcome in every group, at least, for the class to be tested."""

INNER_TRIES = 100
"""Worlds drawn of one class before another is drawn: so that no class is rarer for being harder."""

FORMULAS = {"pn": necessity, "ps": sufficiency}
CERTIFIED = {"pn": certified_necessity, "ps": certified_sufficiency}


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    kind = str(rng.choice(CLASSES))
    for _ in range(INNER_TRIES):
        at = draw_parameters(kind, rng)
        rows = draw_rows(at, rng)
        if _accept(at, rows):
            return _ground_truth(variant, at, rows)
    return None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    late = variant == "after_cause"
    return Instance(
        challenge="necessity_sufficiency",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("cause", "binary", 1),
            DataColumn("other", "binary", 0),
            DataColumn("context", "binary", 2 if late else 0),
            DataColumn("outcome", "binary", 3),
        ),
        rows=rows,
        truths={
            **{name: _measured(name, variant, at, rows) for name in FORMULAS},
            "class": CategoricalTruth(class_of(at)),
        },
    )


def _order(variant: str) -> Order:
    return "context first" if variant == TRAP else "cause first"


def _estimated(name: str, order: Order, rows: Mapping[str, Array]) -> Coefficient:
    """Put the shares of the rows into the formula; `cause first` gives the plain ratio."""
    counts = count_cells(rows["cause"], rows["context"], rows["outcome"])
    return plug_in_estimate(lambda table: FORMULAS[name](table, order), counts)


def _measured(
    name: str, variant: str, at: Mapping[str, float], rows: Mapping[str, Array]
) -> NumericTruth:
    order = _order(variant)
    certificate, best = CERTIFIED[name](order, at), _estimated(name, order, rows)
    ratio = _estimated(name, "cause first", rows).value
    if variant == TRAP:
        naive = {"ratio of conditionals": ratio}
        return NumericTruth(certificate, {"standardised": best.value}, best.se, naive)
    return NumericTruth(certificate, {"ratio of conditionals": best.value}, best.se)


def _accept(at: Mapping[str, float], rows: Mapping[str, Array]) -> bool:
    """Whether the class shows, and each order's answer is wrong in the other.

    The same test for trap and control, so that they have the same rows.
    """
    if count_cells(*rows.values()).min() < ENOUGH:
        return False
    p = class_p_values(rows)
    if p[class_of(at)] < FITS or any(p[kind] > FAILS for kind in CLASSES if kind != class_of(at)):
        return False
    for name in FORMULAS:
        trap, control = (_measured(name, variant, at, rows) for variant in CHALLENGE.variants)
        adjusted = trap.references["standardised"]
        if not trap.apart(APART) or abs(adjusted - control.value) < APART * control.se:
            return False
    return True


def _has_trap(instance: Instance) -> bool:
    """Whether the context came before the cause, and both ratios move far when it is held."""
    when = {column.role: column.measured for column in instance.columns}
    if when["context"] > when["cause"]:
        return False
    for name in FORMULAS:
        ratio, best = (
            _estimated(name, order, instance.rows) for order in ("cause first", "context first")
        )
        if abs(ratio.value - best.value) < APART * best.se:
            return False
    return True


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    """See the same cases as they are, with the cause and without it."""
    world = model(_order(instance.variant), instance.parameters)
    units = draw_units(world, n, rng)
    seen = respond(world, units)
    had, had_not = (respond(world, units, {"cause": x})["outcome"] for x in (1, 0))
    both = (seen["cause"] == 1) & (seen["outcome"] == 1)
    neither = (seen["cause"] == 0) & (seen["outcome"] == 0)
    return {"pn": _share(had_not[both] == 0), "ps": _share(had[neither] == 1)}


def _share(happens: Array) -> tuple[float, float]:
    share = float(happens.mean())
    return share, math.sqrt(share * (1 - share) / len(happens))


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Weight the others to look like those in question in all that came before the cause."""
    rows = instance.rows
    when = {column.role: column.measured for column in instance.columns}
    before = [rows[role] for role in ("other", "context") if when[role] < when["cause"]]
    chance = propensities(rows["cause"], before)
    outcome, had = rows["outcome"], rows["cause"] == 1
    with_cause, without = float(outcome[had].mean()), float(outcome[~had].mean())
    had_not = np.average(outcome[~had], weights=(chance / (1 - chance))[~had])
    had_it = np.average(outcome[had], weights=((1 - chance) / chance)[had])
    return {
        "pn": float((with_cause - had_not) / with_cause),
        "ps": float((had_it - without) / (1 - without)),
        "class": _likeliest(rows),
    }


def _likeliest(rows: Mapping[str, Array]) -> str:
    p = class_p_values(rows)
    return max(CLASSES, key=lambda kind: p[kind])


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Take the ratios as they are; and hold two causes for two that try on their own."""
    ratios = {name: _estimated(name, "cause first", instance.rows).value for name in FORMULAS}
    return {**ratios, "class": "noisy_or"}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the context, whenever it came."""
    found = {name: _estimated(name, "context first", instance.rows).value for name in FORMULAS}
    return {**found, "class": _likeliest(instance.rows)}


CHALLENGE = Challenge(
    name="necessity_sufficiency",
    family="counterfactual",
    summary="ratios of what is seen are taken for what would have been without the cause",
    variants=("trap", "after_cause"),
    fields=(
        NumberField("pn", share=True),
        NumberField("ps", share=True),
        ChoiceField("class", CLASSES),
    ),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
