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

from whybench.scm import agreed
from whybench.suites.analyze.arms import (
    Arms,
    contrast,
    simulate_contrast,
    subtract_arms,
    unit_increase,
)
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    Array,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    round_values,
)
from whybench.suites.analyze.estimators.regression import (
    NORMAL_95,
    Coefficient,
    Fit,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.fields import NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHALLENGE"]

FROM_MEAN_TO_Q90 = NormalDist().inv_cdf(0.9)
"""How far the 90th percentile of a normal moderator is above its mean, in deviations."""

CLEAR = 6.0
"""How many standard errors a product is from 0, at least, that is said to matter."""

APART = 5.0
"""How many SE_eff the naive values are from the truth and from the reference, at least."""

KNOTS = (0.1, 0.25, 0.4, 0.6, 0.75, 0.9)
"""Where the competent analyst lets the line in the covariate bend, as quantiles."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    found = _ground_truth(variant, at, rows)
    curved, straight = (_fit(rows, how)[3] for how in ("curved", "straight"))
    if variant == TRAP:
        accept = abs(curved.z) >= CLEAR and found.apart(APART)
    else:
        accept = abs(curved.z) < NORMAL_95 and abs(straight.z) >= CLEAR
    return found if accept else None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    return Instance(
        challenge="moderation",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("covariate", "real", 0),
            DataColumn("moderator", "real", 1),
            DataColumn("exposure", "real", 2),
            DataColumn("outcome", "real", 3),
        ),
        rows=rows,
        truths=_truths(variant, at, rows),
        facts={"low": at["low"], "high": at["high"]},
    )


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


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    """Draw rows; moderator and exposure have a variance of 1, some of it the covariate's."""
    size = int(rng.integers(2000, 3001))
    covariate, *own, noise = rng.standard_normal((4, size))
    moderator, exposure = (
        at[f"{role}_mean"]
        + at[f"{role}_load"] * covariate
        + np.sqrt(1 - at[f"{role}_load"] ** 2) * rest
        for role, rest in zip(("moderator", "exposure"), own, strict=True)
    )
    outcome = _outcome(at, covariate, moderator, exposure) + noise
    return {
        "covariate": round_values(covariate),
        "moderator": round_values(moderator),
        "exposure": round_values(exposure),
        "outcome": round_values(outcome),
    }


def _outcome(at: Mapping[str, float], covariate: Array, moderator: Array, exposure: Array) -> Array:
    """Return the outcome but for its noise."""
    total: Array = (
        at["base"]
        + at["covariate"] * covariate
        + at["bend"] * covariate**2
        + at["moderator"] * moderator
        + at["main"] * exposure
        + at["product"] * moderator * exposure
    )
    return total


def _truths(
    variant: str, at: Mapping[str, float], rows: Mapping[str, Array]
) -> dict[str, NumericTruth]:
    closed = {
        "main": at["main"],
        "moderator": at["moderator"],
        "interaction": at["product"],
        "effect_q10": at["main"] + at["product"] * at["low"],
        "effect_q90": at["main"] + at["product"] * at["high"],
    }
    found = _read_off(_fit(rows, "curved"), at)
    additive = {how: _additive(rows, how) for how in ("alone", "straight")}
    return {
        name: NumericTruth(
            agreed(
                f"{name} of exposure and moderator on outcome",
                ("coefficients", closed[name]),
                ("contrast of interventions", contrast(arms, lambda set_: _mean(at, set_))),
            ),
            {"fit with product and curve": found[name].value},
            found[name].se,
            {f"additive, {how}": fit[name] for how, fit in additive.items() if variant == TRAP},
        )
        for name, arms in _arms(at).items()
    }


def _arms(at: Mapping[str, float]) -> dict[str, Arms]:
    return {
        "main": unit_increase("exposure", moderator=0),
        "moderator": unit_increase("moderator", exposure=0),
        "interaction": subtract_arms(
            unit_increase("exposure", moderator=1), unit_increase("exposure", moderator=0)
        ),
        "effect_q10": unit_increase("exposure", moderator=at["low"]),
        "effect_q90": unit_increase("exposure", moderator=at["high"]),
    }


def _mean(at: Mapping[str, float], setting: Mapping[str, float]) -> float:
    """Return the mean outcome under a setting; the covariate's square is 1 on average."""
    values = (np.array(0.0), np.array(setting["moderator"]), np.array(setting["exposure"]))
    return float(_outcome(at, *values)) + at["bend"]


def _beside(rows: Mapping[str, Array], how: str) -> list[Array]:
    """Return the columns that let the covariate in, from not at all to any shape."""
    covariate = rows["covariate"]
    if how == "hinges":
        hinges = [np.maximum(covariate - knot, 0) for knot in np.quantile(covariate, KNOTS)]
        return [covariate, *hinges]
    powers = {"alone": 0, "straight": 1, "curved": 2}[how]
    return [covariate**power for power in range(1, powers + 1)]


def _fit(rows: Mapping[str, Array], how: str) -> Fit:
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


def _additive(rows: Mapping[str, Array], how: str) -> dict[str, float]:
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


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    at = instance.parameters

    def outcomes(setting: Mapping[str, float], size: int) -> Array:
        covariate, noise = rng.standard_normal((2, size))
        moderator, exposure = (np.full(size, setting[name]) for name in ("moderator", "exposure"))
        drawn: Array = _outcome(at, covariate, moderator, exposure) + noise
        return drawn

    return {name: simulate_contrast(arms, outcomes, n) for name, arms in _arms(at).items()}


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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
