"""Moderation: an effect that depends on where one stands, and a slope that does not.

What one more unit of the exposure does depends on the level of a moderator; it may even turn
around. Who fits a model without the product of the two gets one slope for everybody, about right
in the middle and wrong at both ends.

Yet a product that matters in a fit is not yet an effect that depends. A covariate bears on exposure
and moderator alike, and on the outcome along a curve, as the story says it may. Where its curve is
left out, the product stands in for it: in the control `none`, in which the exposure does the same
at every level, it then matters as clearly as in a trap. Twins differ in the product alone: slopes
in the middle are the same.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import TRAP, Challenge, NumericTruth, report_effect
from whybench.suites.analyze.columns import real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    NORMAL_95,
    Coefficient,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.fields import NumberField
from whybench.suites.analyze.reports import AVERAGE, CONDITIONAL
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array, Column
    from whybench.suites.analyze.effects import Effect

FROM_MEAN_TO_Q90 = NormalDist().inv_cdf(0.9)
"""How far the 90th percentile of a normal moderator is above its mean, in deviations."""

CLEAR = 6.0
"""How many standard errors a product is from 0, at least, that is said to matter."""

KNOTS = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)
"""Where the competent analyst lets the line in the covariate bend, as quantiles."""

CONSISTENT = {"curved": "curve", "surface": "every square and product"}
"""Fits that let the covariate bend, and what they have beside exposure, moderator and product."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters; in half of the traps the effect has turned around at one percentile."""
    product = rng.choice((-1, 1)) * rng.uniform(0.3, 0.65)
    main = rng.uniform(-2, 2) * FROM_MEAN_TO_Q90 * abs(product)
    moderator = rng.uniform(-0.8, 0.8)
    means, loads = (
        rng.choice((-1, 1), 2) * rng.uniform(*within, 2) for within in ((1.0, 1.5), (0.6, 0.75))
    )
    if variant != TRAP:
        product = 0.0
    return {
        "moderator_mean": means[0],
        "moderator_load": loads[0],
        "exposure_mean": means[1],
        "exposure_load": loads[1],
        "low": round(means[0] - FROM_MEAN_TO_Q90, 2),
        "high": round(means[0] + FROM_MEAN_TO_Q90, 2),
        "covariate": rng.choice((-1, 1)) * rng.uniform(0.5, 1.0),
        "bend": rng.choice((-1, 1)) * rng.uniform(0.5, 0.8),
        "main": main - product * means[0],
        "moderator": moderator - product * means[1],
        "product": product,
    }


def _world(_variant: str, at: Parameters) -> World:
    """Moderator and exposure have a variance of 1, some of it the covariate's."""

    def loaded(role: str, time: int) -> Column:
        mean, load = at[f"{role}_mean"], at[f"{role}_load"]
        rest = np.sqrt(1 - load**2)
        return real(role, lambda covariate: mean + load * covariate, rest, time=time)

    return World(
        (
            real("covariate", time=0),
            loaded("moderator", 1),
            loaded("exposure", 2),
            real(
                "outcome",
                lambda covariate, moderator, exposure: (
                    at["covariate"] * covariate
                    + at["bend"] * covariate**2
                    + at["moderator"] * moderator
                    + at["main"] * exposure
                    + at["product"] * moderator * exposure
                ),
                time=3,
            ),
        )
    )


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "main": at["main"],
        "moderator": at["moderator"],
        "interaction": at["product"],
        "effect_q10": at["main"] + at["product"] * at["low"],
        "estimate": at["main"] + at["product"] * at["high"],
    }


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    found = {name: _find(rows, at, how) for how, name in CONSISTENT.items()}
    additive = {how: _find(rows, at, how, product=False) for how in ("alone", "straight")}
    return {
        name: NumericTruth(
            certified[name],
            {how: numbers[name] for how, numbers in found.items()},
            found["curve"][name].se,
            {f"additive, {how}": x[name].value for how, x in additive.items() if variant == TRAP},
        )
        for name in certified
    }


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    curved, straight = (abs(_find(rows, at, h)["interaction"].z) for h in ("curved", "straight"))
    return curved >= CLEAR if variant == TRAP else curved < NORMAL_95 and straight >= CLEAR


def _effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    return {
        "main": increase("exposure", moderator=0),
        "moderator": increase("moderator", exposure=0),
        "interaction": increase("exposure", moderator=1) - increase("exposure", moderator=0),
        "effect_q10": increase("exposure", moderator=at["low"]),
        "estimate": increase("exposure", moderator=at["high"]),
    }


def _beside(rows: Rows, how: str) -> list[Array]:
    """Return the columns that let the covariate in, from not at all to any shape."""
    covariate, moderator, exposure = (
        (rows[role] - rows[role].mean()) / rows[role].std()
        for role in ("covariate", "moderator", "exposure")
    )
    straight = [covariate]
    if how == "hinges":
        knots = np.quantile(covariate, KNOTS)
        return straight + [np.maximum(covariate - knot, 0) for knot in knots]
    curved = [covariate, covariate**2]
    products = [covariate * moderator, covariate * exposure, moderator**2, exposure**2]
    return {"alone": [], "straight": straight, "curved": curved, "surface": curved + products}[how]


def _find(
    rows: Rows, facts: Mapping[str, Any], how: str, *, product: bool = True
) -> dict[str, Coefficient]:
    """Return the five numbers of a fit, with the product or without."""
    exposure, moderator = rows["exposure"], rows["moderator"]
    factors = [exposure, moderator, exposure * moderator][: 3 if product else 2]
    fit = least_squares(rows["outcome"], design_matrix(*factors, *_beside(rows, how)))

    def effect(level: float) -> Coefficient:
        weights = np.eye(len(fit.coefficients))
        return fit.combination(weights[1] + level * weights[3]) if product else fit[1]

    return {
        "main": fit[1],
        "moderator": fit[2],
        "interaction": fit[3] if product else Coefficient(0.0, 0.0),
        "effect_q10": effect(facts["low"]),
        "estimate": effect(facts["high"]),
    }


def _has_trap(instance: Instance) -> bool:
    """Whether the product clearly matters beside the covariate and its curve."""
    return abs(_find(instance.rows, instance.facts, "curved")["interaction"].z) >= CLEAR


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Fit the product beside a covariate that may take any shape."""
    return _say(instance, "hinges")


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one slope for everybody."""
    return _say(instance, "straight", product=False)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Fit the product beside a straight covariate, and believe it."""
    return _say(instance, "straight")


def _say(instance: Instance, how: str, *, product: bool = True) -> Mapping[str, Any]:
    found = _find(instance.rows, instance.facts, how, product=product)
    values = {name: estimate.value for name, estimate in found.items()}
    return {**values, "estimate": found["estimate"]}


CHALLENGE = Challenge(
    name="moderation",
    family="generalization",
    summary="the effect depends on the level of a moderator",
    variants=("trap", "none"),
    report=report_effect(),
    estimands=(CONDITIONAL, AVERAGE),
    diagnosis=tuple(map(NumberField, ("main", "moderator", "interaction", "effect_q10"))),
    shown=("covariate", "moderator", "exposure", "outcome"),
    units=("covariate", "outcome"),
    acted_on="exposure",
    size=(2000, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    method="coefficients",
    truths=_truths,
    accept=_accept,
    facts=lambda at: {"low": at["low"], "high": at["high"]},
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
