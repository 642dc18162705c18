"""Domain shift: an effect carried to where it does not hold, or asked for where it cannot be had.

A case is old. Among the young the exposure has one effect; among the old it has another, and that
one depends on a modifier. Who carries the young's effect over, or one slope for all, is wrong. In
half of the traps the case's modifier is known, and its effect can be read off the old rows; in the
other half it is not, and the honest answer is that the effect cannot be had before somebody
measures it.

The controls have nothing that stops an effect from being carried over. In `z_given` the effect
depends on the modifier in the same way at every age, and the case's modifier is known. In
`z_irrelevant` the effect is the same for all: the case's modifier is unknown, and not needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import agreed
from whybench.suites.analyze.arms import Arms, contrast, simulate_contrast, unit_increase
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    Truth,
    round_values,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    NORMAL_95,
    Coefficient,
    Fit,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.estimators.weighting import subtract_block_means
from whybench.suites.analyze.fields import NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHALLENGE"]

YOUNG, OLD = (2, 12), (25, 40)
"""The ages of the two groups, both ends included."""

UNKNOWN = "unknown"
NEEDED, NOTHING = frozenset({"modifier"}), frozenset[str]()

CLEAR = 6.0
"""How many standard errors a modification is from none, at least, that is said to matter."""

SHIFTED, SAME = 36.0, 5.991
"""The young's effect is not that of the old, at a Wald statistic above the one; it may be, below
the other, the 95th percentile of chi-square with two degrees of freedom."""

APART = 5.0
"""How many SE_eff the naive values are from the truth and from the reference, at least."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    if not _accept(variant, rows, _effect(variant, at, rows)):
        return None
    return _ground_truth(variant, at, rows)


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    told = bool(at["told"])
    identified = told or variant != TRAP
    truths: dict[str, Truth] = (
        {
            "effect": _effect(variant, at, rows),
            "missing": CategoricalTruth(NOTHING, alarm=(NEEDED,)),
        }
        if identified
        else {
            "effect": CategoricalTruth(None),
            "missing": CategoricalTruth(NEEDED, naive=(NOTHING,)),
        }
    )
    return Instance(
        challenge="domain_shift",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("age", "count", 0),
            DataColumn("modifier", "real", 1),
            DataColumn("exposure", "real", 2),
            DataColumn("outcome", "real", 3),
        ),
        rows=rows,
        truths=truths,
        facts={
            "case_age": int(at["case_age"]),
            "case_modifier": at["case_modifier"] if told else UNKNOWN,
        },
    )


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters of the young (0) and the old (1), and the case."""
    centre = rng.uniform(2.0, 2.5), rng.uniform(4.0, 4.5)
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
        "exposure_0": rng.uniform(4.0, 5.0),
        "exposure_1": rng.uniform(4.5, 5.5),
        "steer_0": 0.0,
        "steer_1": rng.choice((-1, 1)) * rng.uniform(0.25, 0.45),
        "base_0": rng.uniform(30.0, 33.0),
        "base_1": rng.uniform(33.0, 36.0),
        "modifier": rng.uniform(0.8, 1.2),
        "effect_0": young if variant == TRAP else effect,
        "effect_1": effect,
        "product_0": 0.0 if variant == TRAP else product,
        "product_1": product,
        "case_age": int(rng.integers(OLD[0] + 1, OLD[1])),
        "case_modifier": round(float(case), 2),
        "told": told,
    }


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(2000, 3001))
    old = rng.random(size) < at["share"]
    ages = [rng.integers(low, high + 1, size) for low, high in (YOUNG, OLD)]
    noise = rng.standard_normal((3, size))
    steer = np.where(old, at["steer_1"], at["steer_0"])
    modifier = np.where(old, at["centre_1"], at["centre_0"]) + noise[0]
    exposure = np.where(old, at["exposure_1"], at["exposure_0"]) + steer * noise[0] + noise[1]
    outcome = _outcome(at, old, modifier, exposure) + noise[2]
    return {
        "age": np.where(old, ages[1], ages[0]),
        "modifier": round_values(modifier),
        "exposure": round_values(exposure),
        "outcome": round_values(outcome),
    }


def _outcome(at: Mapping[str, float], old: Array, modifier: Array, exposure: Array) -> Array:
    """Return the outcome but for its noise."""
    base, effect, product = (
        np.where(old, at[f"{name}_1"], at[f"{name}_0"]) for name in ("base", "effect", "product")
    )
    total: Array = base + at["modifier"] * modifier + (effect + product * modifier) * exposure
    return total


def _effect(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> NumericTruth:
    """Return the truth at the case, known or not, with what fits to the rows say of it."""
    case, old, young = at["case_modifier"], _old(rows), ~_old(rows)
    everybody = np.ones(len(old), dtype=bool)
    references = {
        TRAP: {"old rows": _at(_fit(rows, old), case)},
        "z_given": {
            "old rows": _at(_fit(rows, old), case),
            "all rows": _at(_fit(rows, everybody), case),
        },
        "z_irrelevant": {
            "old rows": _slope(rows, old),
            "all rows": _slope(rows, everybody),
        },
    }[variant]
    naive = {
        "pooled slope": least_squares(rows["outcome"], design_matrix(rows["exposure"]))[1],
        "pooled, adjusted": _slope(rows, everybody),
        "young rows": _slope(rows, young),
    }
    return NumericTruth(
        agreed(
            "effect of exposure on outcome at the case",
            ("coefficients", at["effect_1"] + at["product_1"] * case),
            ("contrast of interventions", contrast(_arms(at), lambda set_: _mean(at, set_))),
        ),
        {name: estimate.value for name, estimate in references.items()},
        references["old rows"].se,
        {name: estimate.value for name, estimate in naive.items() if variant == TRAP},
    )


def _accept(variant: str, rows: Mapping[str, Array], effect: NumericTruth) -> bool:
    modified = abs(_fit(rows, _old(rows))[3].z)
    if variant == TRAP:
        return modified >= CLEAR and _shift(rows) >= SHIFTED and effect.apart(APART)
    clear = modified >= CLEAR if variant == "z_given" else modified < NORMAL_95
    return clear and _shift(rows) < SAME


def _arms(at: Mapping[str, float]) -> Arms:
    return unit_increase("exposure", old=1, modifier=at["case_modifier"])


def _mean(at: Mapping[str, float], setting: Mapping[str, float]) -> float:
    values = (np.array(setting[name]) for name in ("old", "modifier", "exposure"))
    return float(_outcome(at, *values))


def _old(rows: Mapping[str, Array]) -> Array:
    old: Array = rows["age"] >= OLD[0]
    return old


def _fit(rows: Mapping[str, Array], here: Array) -> Fit:
    """Fit exposure, modifier, product and age group in some rows; the product comes third."""
    exposure, modifier = rows["exposure"][here], rows["modifier"][here]
    matrix = design_matrix(exposure, modifier, exposure * modifier, *_groups(rows, here))
    return least_squares(rows["outcome"][here], matrix)


def _slope(rows: Mapping[str, Array], here: Array) -> Coefficient:
    """Return the slope of a fit without the product."""
    matrix = design_matrix(rows["exposure"][here], rows["modifier"][here], *_groups(rows, here))
    return least_squares(rows["outcome"][here], matrix)[1]


def _groups(rows: Mapping[str, Array], here: Array) -> list[Array]:
    """Return what tells the age groups apart, if there are rows of both."""
    old = _old(rows)[here]
    return [] if old.all() or not old.any() else [old, old * rows["modifier"][here]]


def _at(fit: Fit, modifier: float) -> Coefficient:
    weights = np.zeros(len(fit.coefficients))
    weights[[1, 3]] = 1.0, modifier
    return fit.combination(weights)


def _shift(rows: Mapping[str, Array]) -> float:
    """Return the Wald statistic of one effect, given the modifier, for young and old."""
    old, young = _fit(rows, _old(rows)), _fit(rows, ~_old(rows))
    both = np.ix_((1, 3), (1, 3))
    gap = (old.coefficients - young.coefficients)[[1, 3]]
    return float(gap @ np.linalg.solve((old.covariance + young.covariance)[both], gap))


def _has_trap(instance: Instance) -> bool:
    """Whether the effect among the old is another one, and depends on the modifier."""
    rows = instance.rows
    return _shift(rows) >= SHIFTED and abs(_fit(rows, _old(rows))[3].z) >= CLEAR


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    at = instance.parameters

    def outcomes(setting: Mapping[str, float], size: int) -> Array:
        values = (np.full(size, setting[name]) for name in ("old", "modifier", "exposure"))
        drawn: Array = _outcome(at, *values) + rng.standard_normal(size)
        return drawn

    return {"effect": simulate_contrast(_arms(at), outcomes, n)}


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
        return _said(least_squares(outcome, design_matrix(exposure, rest))[1].value)
    case = instance.facts["case_modifier"]
    if case == UNKNOWN:
        return {"effect": None, "missing": NEEDED}
    return _said(fit[1].value + (float(case) - centre) * fit[2].value)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Give one slope for all."""
    rows = instance.rows
    return _said(least_squares(rows["outcome"], design_matrix(rows["exposure"]))[1].value)


def _always_trap(_instance: Instance) -> Mapping[str, Any]:
    """Say every time that it takes more to know than is given."""
    return {"effect": None, "missing": NEEDED}


def _said(effect: float) -> dict[str, Any]:
    return {"effect": effect, "missing": NOTHING}


CHALLENGE = Challenge(
    name="domain_shift",
    family="generalization",
    summary="the effect is another one where it is asked for, and may not be known there",
    variants=("trap", "z_given", "z_irrelevant"),
    fields=(NumberField("effect", nullable=True), ColumnSetField("missing")),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
