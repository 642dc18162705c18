"""Domain shift: an effect carried to where it does not hold, or asked for where it cannot be had.

A case is old. Among the young the exposure has one effect; among the old it has another, and that
one depends on a modifier. Who carries the young's effect over, or one slope for all, is wrong. In
half of the traps the case's modifier is known, and its effect can be read off the old rows; in the
other half it is not, and the honest answer is that the effect cannot be had before somebody
measures it.

The controls have nothing that stops an effect from being carried over. In `z_given` the effect
depends on the modifier in the same way at every age, and the case's modifier is known. In
`z_irrelevant` the effect is the same for all: the case's modifier is unknown, and not needed. Twins
have the same exposures and modifiers; amounts of the exposure count from the middle, so that
outcomes are about as high whatever the effects are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
    UnidentifiedTruth,
    report_effect,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.columns import binary, derived, real, within
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import NORMAL_95, design_matrix, least_squares
from whybench.suites.analyze.estimators.weighting import subtract_block_means
from whybench.suites.analyze.reports import AVERAGE, CONDITIONAL
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect
    from whybench.suites.analyze.estimators.regression import Coefficient, Fit

YOUNG, OLD = (2, 12), (25, 40)
"""The ages of the two groups, both ends included."""

UNKNOWN = "unknown"
NEEDED, NOTHING = frozenset({"modifier"}), frozenset[str]()

CLEAR = 6.0
"""How many standard errors a modification is from none, at least, that is said to matter."""

SHIFTED, SAME = 36.0, 5.991
"""The young's effect is not that of the old, at a Wald statistic above the one; it may be, below
the other, the 95th percentile of chi-square with two degrees of freedom."""


def _facts(at: Parameters) -> dict[str, float | str]:
    return {
        "case_age": int(at["case_age"]),
        "case_modifier": at["case_modifier"] if at["told"] else UNKNOWN,
    }


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    if at["told"] or variant != TRAP:
        return {
            "estimate": _effect(variant, at, rows, certified["estimate"]),
            "missing": CategoricalTruth(NOTHING, alarm=(NEEDED,)),
        }
    return {
        "estimate": UnidentifiedTruth(),
        "missing": CategoricalTruth(NEEDED, naive=(NOTHING,)),
    }


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters of the young (0) and the old (1), and the case."""
    centre = rng.permutation(2) * 2 + rng.uniform(2.0, 2.5, 2)
    product = rng.choice((-1, 1)) * rng.uniform(0.4, 0.7)
    middle = rng.uniform(-0.8, 0.8)
    young = middle + rng.choice((-1, 1)) * rng.uniform(0.7, 1.1)
    case = centre[1] + rng.choice((-1, 1)) * rng.uniform(0.4, 1.3)
    coin = bool(rng.integers(2))
    told = {TRAP: coin, "z_given": True, "z_irrelevant": False}[variant]
    if variant == "z_irrelevant":
        product = 0.0
    effect = middle - product * centre[1]
    return {
        "share": rng.uniform(0.5, 0.65),
        "centre_0": centre[0],
        "centre_1": centre[1],
        "exposure_0": rng.uniform(-0.5, 0.5),
        "exposure_1": rng.uniform(-0.5, 0.5),
        "exposure": rng.uniform(4.5, 5.5),
        "steer_0": 0.0,
        "steer_1": rng.choice((-1, 1)) * rng.uniform(0.25, 0.45),
        "base_0": 0.0,
        "base_1": rng.uniform(-3.0, 3.0),
        "modifier": rng.choice((-1, 1)) * rng.uniform(0.8, 1.2),
        "effect_0": young if variant == TRAP else effect,
        "effect_1": effect,
        "product_0": 0.0 if variant == TRAP else product,
        "product_1": product,
        "case_age": int(rng.integers(OLD[0] + 1, OLD[1])),
        "case_modifier": round(float(case), 2),
        "told": told,
    }


def _effect(variant: str, at: Parameters, rows: Rows, certificate: Certificate) -> NumericTruth:
    """Return the truth at the case, known or not, with what fits to the rows say of it."""
    case, old = at["case_modifier"], _old(rows)
    everybody = np.ones(len(old), dtype=bool)
    references = {
        name: _fit(rows, here, product=False)[1]
        if variant == "z_irrelevant"
        else _at(_fit(rows, here), case)
        for name, here in {"old rows": old, "all rows": everybody}.items()
        if name == "old rows" or variant != TRAP
    }
    naive = {
        "pooled slope": least_squares(rows["outcome"], design_matrix(rows["exposure"]))[1],
        "pooled, adjusted": _fit(rows, everybody, product=False)[1],
        "young rows": _fit(rows, ~old, product=False)[1],
    }
    return NumericTruth(
        certificate,
        references,
        references["old rows"].se,
        {name: estimate.value for name, estimate in naive.items() if variant == TRAP},
    )


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    modified = abs(_fit(rows, _old(rows))[3].z)
    if variant != TRAP:
        clear = modified >= CLEAR if variant == "z_given" else modified < NORMAL_95
        return clear and _shift(rows) < SAME
    if modified < CLEAR or _shift(rows) < SHIFTED:
        return False
    # Who guesses what cannot be known is to be as far off as who guesses what can.
    certificate = CHALLENGE.certify(variant, at)["estimate"]
    return _effect(variant, at, rows, certificate).apart(CHALLENGE.apart)


def _world(_variant: str, at: Parameters) -> World:
    def of_group(name: str, old: Array) -> Array:
        return np.where(old, at[f"{name}_1"], at[f"{name}_0"])

    return World(
        (
            binary("old", at["share"]),
            within("young_age", *YOUNG),
            within("old_age", *OLD),
            derived(
                "age",
                lambda old, young_age, old_age: np.where(old, old_age, young_age),
                "count",
                time=0,
            ),
            real("deviation"),
            derived("modifier", lambda old, deviation: of_group("centre", old) + deviation, time=1),
            real(
                "exposure",
                lambda old, deviation: (
                    at["exposure"] + of_group("exposure", old) + of_group("steer", old) * deviation
                ),
                time=2,
            ),
            real(
                "outcome",
                lambda old, modifier, exposure: (
                    of_group("base", old)
                    + at["modifier"] * modifier
                    + (of_group("effect", old) + of_group("product", old) * modifier)
                    * (exposure - at["exposure"])
                ),
                time=3,
            ),
        )
    )


def _effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    return {"estimate": increase("exposure", old=1, modifier=at["case_modifier"])}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {"estimate": at["effect_1"] + at["product_1"] * at["case_modifier"]}


def _old(rows: Rows) -> Array:
    old: Array = rows["age"] >= OLD[0]
    return old


def _fit(rows: Rows, here: Array, *, product: bool = True) -> Fit:
    """Fit exposure, modifier, perhaps their product, and which rows are old, in some rows."""
    exposure, modifier, old = rows["exposure"][here], rows["modifier"][here], _old(rows)[here]
    factors = [exposure, modifier, exposure * modifier][: 3 if product else 2]
    groups = [] if old.all() or not old.any() else [old]
    return least_squares(rows["outcome"][here], design_matrix(*factors, *groups))


def _at(fit: Fit, modifier: float) -> Coefficient:
    weights = np.zeros(len(fit.coefficients))
    weights[[1, 3]] = 1.0, modifier
    return fit.combination(weights)


def _shift(rows: Rows) -> float:
    """Return the Wald statistic of one effect, given the modifier, for young and old."""
    old, young = _fit(rows, _old(rows)), _fit(rows, ~_old(rows))
    both = np.ix_((1, 3), (1, 3))
    gap = (old.coefficients - young.coefficients)[[1, 3]]
    return float(gap @ np.linalg.solve((old.covariance + young.covariance)[both], gap))


def _has_trap(instance: Instance) -> bool:
    """Whether the effect among the old is another one, and depends on the modifier."""
    rows = instance.rows
    return _shift(rows) >= SHIFTED and abs(_fit(rows, _old(rows))[3].z) >= CLEAR


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Look at the old alone, and compare rows that are alike in the modifier."""
    rows, here = instance.rows, _old(instance.rows)
    modifier = rows["modifier"][here]
    outcome, exposure, rest = subtract_block_means(
        modifier, rows["outcome"][here], rows["exposure"][here], modifier
    )
    centre = float(modifier.mean())
    fit = least_squares(outcome, design_matrix(exposure, exposure * (modifier - centre), rest))
    if abs(fit[2].z) < (CLEAR + NORMAL_95) / 2:
        return _said(least_squares(outcome, design_matrix(exposure, rest))[1])
    case = instance.facts["case_modifier"]
    if case == UNKNOWN:
        return {"estimate": None, "missing": NEEDED}
    return _said(fit.combination(np.array([0.0, 1.0, float(case) - centre, 0.0])))


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Give one slope for all."""
    rows = instance.rows
    return _said(least_squares(rows["outcome"], design_matrix(rows["exposure"]))[1])


def _always_trap(_instance: Instance) -> Mapping[str, Any]:
    """Say every time that it takes more to know than is given."""
    return {"estimate": None, "missing": NEEDED}


def _said(effect: Coefficient) -> dict[str, Any]:
    return {"estimate": effect, "missing": NOTHING}


CHALLENGE = Challenge(
    name="domain_shift",
    family="generalization",
    summary="the effect is another one where it is asked for, and may not be known there",
    variants=("trap", "z_given", "z_irrelevant"),
    report=report_effect(),
    estimands=(CONDITIONAL, AVERAGE),
    diagnosis=(ColumnSetField("missing"),),
    acted_on="exposure",
    shown=("age", "modifier", "exposure", "outcome"),
    units=("outcome",),
    size=(2000, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    method="coefficients",
    truths=_truths,
    accept=_accept,
    facts=_facts,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
