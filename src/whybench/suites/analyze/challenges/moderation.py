"""Moderation: an effect that depends on where one stands, and a slope that does not.

What one more unit of the exposure does depends on the level of a moderator; it may even turn
around. Who fits a model without the product of the two gets one slope for everybody, about right
in the middle and wrong at both ends.

Yet a product that matters in a fit is not yet an effect that depends. In the control `none` the
exposure does the same at every level; but a covariate that bears on exposure and moderator alike
has a curved effect on the outcome, and where its curve is left out, the product stands in for it
as clearly as in a trap. In half of the traps the covariate's effect is curved too.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import TRAP, Challenge, NumericTruth
from whybench.suites.analyze.columns import real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import NORMAL_95, design_matrix, least_squares
from whybench.suites.analyze.fields import NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array, Column
    from whybench.suites.analyze.effects import Effect
    from whybench.suites.analyze.estimators.regression import Coefficient, Fit

__all__ = ["CHALLENGE"]

FROM_MEAN_TO_Q90 = NormalDist().inv_cdf(0.9)
"""How far the 90th percentile of a normal moderator is above its mean, in deviations."""

CLEAR = 6.0
"""How many standard errors a product is from 0, at least, that is said to matter."""

KNOTS = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)
"""Where the competent analyst lets the line in the covariate bend, as quantiles."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters; the effect at the mean moderator says whether its sign flips."""
    product, flips = rng.choice((-1, 1)) * rng.uniform(0.4, 0.65), bool(rng.integers(2))
    reach = rng.uniform(0.0, 0.6) if flips else rng.uniform(1.4, 2.0)
    middle = rng.choice((-1, 1)) * reach * FROM_MEAN_TO_Q90 * abs(product)
    mean = rng.uniform(1.0, 1.5)
    bend, bent = rng.choice((-1, 1)) * rng.uniform(0.5, 0.8), bool(rng.integers(2))
    if variant != TRAP:
        product = 0.0
    return {
        "moderator_mean": mean,
        "moderator_load": rng.choice((-1, 1)) * rng.uniform(0.6, 0.75),
        "exposure_mean": rng.uniform(1.0, 1.5),
        "exposure_load": rng.choice((-1, 1)) * rng.uniform(0.6, 0.75),
        "low": round(mean - FROM_MEAN_TO_Q90, 2),
        "high": round(mean + FROM_MEAN_TO_Q90, 2),
        "base": rng.uniform(48.0, 55.0),
        "covariate": rng.uniform(0.5, 1.0),
        "bend": bend if bent or variant != TRAP else 0.0,
        "main": middle - product * mean,
        "moderator": rng.choice((-1, 1)) * rng.uniform(0.3, 0.8),
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
                    at["base"]
                    + at["covariate"] * covariate
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
        "effect_q90": at["main"] + at["product"] * at["high"],
    }


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    found = _read_off(_fit(rows, "curved"), at)
    additive = {how: _additive(rows, how) for how in ("alone", "straight")}
    return {
        name: NumericTruth(
            certified[name],
            {"fit with product and curve": found[name].value},
            found[name].se,
            {f"additive, {how}": fit[name] for how, fit in additive.items() if variant == TRAP},
        )
        for name in certified
    }


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    curved = abs(_fit(rows, "curved")[3].z)
    if variant == TRAP:
        return curved >= CLEAR
    return curved < NORMAL_95 and abs(_fit(rows, "straight")[3].z) >= CLEAR


def _effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    return {
        "main": increase("exposure", moderator=0),
        "moderator": increase("moderator", exposure=0),
        "interaction": increase("exposure", moderator=1) - increase("exposure", moderator=0),
        "effect_q10": increase("exposure", moderator=at["low"]),
        "effect_q90": increase("exposure", moderator=at["high"]),
    }


def _beside(rows: Rows, how: str) -> list[Array]:
    """Return the columns that let the covariate in, from not at all to any shape."""
    covariate = rows["covariate"]
    if how == "hinges":
        hinges = [np.maximum(covariate - knot, 0) for knot in np.quantile(covariate, KNOTS)]
        return [covariate, *hinges]
    powers = {"alone": 0, "straight": 1, "curved": 2}[how]
    return [covariate**power for power in range(1, powers + 1)]


def _fit(rows: Rows, how: str) -> Fit:
    """Fit exposure, moderator and their product, in this order after the constant."""
    exposure, moderator = rows["exposure"], rows["moderator"]
    matrix = design_matrix(exposure, moderator, exposure * moderator, *_beside(rows, how))
    return least_squares(rows["outcome"], matrix)


def _read_off(fit: Fit, facts: Mapping[str, Any]) -> dict[str, Coefficient]:
    """Return the five numbers of a fit with the product."""

    def effect(level: float) -> Coefficient:
        weights = np.zeros(len(fit.coefficients))
        weights[[1, 3]] = 1.0, level
        return fit.combination(weights)

    return {
        "main": fit[1],
        "moderator": fit[2],
        "interaction": fit[3],
        "effect_q10": effect(facts["low"]),
        "effect_q90": effect(facts["high"]),
    }


def _additive(rows: Rows, how: str) -> dict[str, float]:
    """Return the five numbers of a fit without the product."""
    matrix = design_matrix(rows["exposure"], rows["moderator"], *_beside(rows, how))
    fit = least_squares(rows["outcome"], matrix)
    slope = fit[1].value
    return {
        "main": slope,
        "moderator": fit[2].value,
        "interaction": 0.0,
        "effect_q10": slope,
        "effect_q90": slope,
    }


def _has_trap(instance: Instance) -> bool:
    """Whether the product clearly matters beside the covariate and its curve."""
    return abs(_fit(instance.rows, "curved")[3].z) >= CLEAR


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Fit the product beside a covariate that may take any shape."""
    return _with_product(instance, "hinges")


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one slope for everybody."""
    return _additive(instance.rows, "straight")


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Fit the product beside a straight covariate, and believe it."""
    return _with_product(instance, "straight")


def _with_product(instance: Instance, how: str) -> Mapping[str, Any]:
    found = _read_off(_fit(instance.rows, how), instance.facts)
    return {name: estimate.value for name, estimate in found.items()}


CHALLENGE = Challenge(
    name="moderation",
    family="generalization",
    summary="the effect depends on the level of a moderator",
    variants=("trap", "none"),
    fields=(
        NumberField("main"),
        NumberField("moderator"),
        NumberField("interaction"),
        NumberField("effect_q10"),
        NumberField("effect_q90"),
    ),
    shown=("covariate", "moderator", "exposure", "outcome"),
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
