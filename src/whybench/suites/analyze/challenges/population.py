"""Population shift: one slope for two populations is the effect in neither.

One more unit of the exposure does one thing in population A and another in population B. Who fits
one line through all rows gets a slope somewhere between the two, and sends it to both.

Yet slopes that differ are not yet effects that differ. In one population, by lot, the exposure went
to those who would have done well (or badly) anyway, so that slopes of outcome on exposure differ in
any case: in the control `equal`, where the exposure does the same in both, as clearly as in a trap.
It takes the covariate to see that nothing shifts. Twins have the same exposures, and outcomes as
high in either population.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import TRAP, Challenge, NumericTruth
from whybench.suites.analyze.columns import binary, derived, real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    NORMAL_95,
    Coefficient,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.estimators.weighting import subtract_block_means
from whybench.suites.analyze.fields import IntervalField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect

__all__ = ["CHALLENGE"]

SHIFTED = 6.0
"""How many standard errors apart slopes are, at least, that are said to differ."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters of A (0) and B (1); by `steer` the covariate moves the exposure."""
    effect, gap = rng.uniform(-0.8, 0.8), rng.choice((-1, 1)) * rng.uniform(0.5, 0.9)
    steer, where = rng.choice((-1, 1)) * rng.uniform(0.5, 0.75), int(rng.integers(2))
    return {
        "share": rng.uniform(0.4, 0.6),
        "centre_0": 0.0,
        "centre_1": rng.choice((-1, 1)) * rng.uniform(0.3, 0.8),
        "exposure_0": rng.uniform(4.0, 5.5),
        "exposure_1": rng.uniform(4.0, 5.5),
        f"steer_{where}": steer,
        f"steer_{1 - where}": 0.0,
        "base_0": 0.0,
        "base_1": rng.uniform(-2.0, 2.0),
        "covariate": rng.choice((-1, 1)) * rng.uniform(0.8, 1.2),
        "effect_0": effect,
        "effect_1": effect + (gap if variant == TRAP else 0.0),
    }


def _world(_variant: str, at: Parameters) -> World:
    def of(name: str, population: Array) -> Array:
        return np.where(population, at[f"{name}_1"], at[f"{name}_0"])

    def expose(population: Array, deviation: Array, choice: Array) -> Array:
        steer = of("steer", population)
        exposure: Array = (
            of("exposure", population) + steer * deviation + np.sqrt(1 - steer**2) * choice
        )
        return exposure

    return World(
        (
            binary("population", at["share"], time=0),
            real("deviation"),
            derived(
                "covariate",
                lambda population, deviation: deviation + of("centre", population),
                time=1,
            ),
            real("choice"),
            derived("exposure", expose, time=2),
            real(
                "outcome",
                lambda population, covariate, exposure: (
                    of("base", population)
                    + at["covariate"] * covariate
                    + of("effect", population) * (exposure - of("exposure", population))
                ),
                time=3,
            ),
        )
    )


def _effects(_variant: str, _at: Parameters) -> dict[str, Effect]:
    in_a, in_b = (increase("exposure", population=population) for population in (0, 1))
    return {"coef_a": in_a, "coef_b": in_b, "difference": in_b - in_a}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "coef_a": at["effect_0"],
        "coef_b": at["effect_1"],
        "difference": at["effect_1"] - at["effect_0"],
    }


def _truths(
    variant: str, _at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    crude, pooled = _pooled(rows), _pooled(rows, "covariate", "population")
    apart, together = _split(rows, "adjusted"), _fit_together(rows)
    truths: dict[str, Truth] = {}
    for name, estimate in apart.items():
        if name == "difference":
            crude = pooled = Coefficient(0.0, estimate.se)
        truths[name] = NumericTruth(
            certified[name],
            {"fit within each population": estimate, "one fit, two slopes": together[name]}
            | ({"one slope, adjusted": pooled} if variant != TRAP else {}),
            estimate.se,
            {"pooled slope": crude.value, "pooled, adjusted": pooled.value}
            if variant == TRAP
            else {},
        )
    return truths


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    adjusted, raw = (abs(_split(rows, how)["difference"].z) for how in ("adjusted", "raw"))
    return adjusted >= SHIFTED if variant == TRAP else adjusted < NORMAL_95 and raw >= SHIFTED


def _slope(rows: Rows, population: int, how: str) -> Coefficient:
    """Return the slope in one population: `raw`, `adjusted`, or among `alike` rows."""
    here = rows["population"] == population
    covariate, exposure, outcome = (
        rows[role][here] for role in ("covariate", "exposure", "outcome")
    )
    if how == "alike":
        exposure, outcome = subtract_block_means(covariate, exposure, outcome)
    beside = [covariate] if how == "adjusted" else []
    return least_squares(outcome, design_matrix(exposure, *beside))[1]


def _split(rows: Rows, how: str) -> dict[str, Coefficient]:
    """Return the slopes in A and B, which rest on different rows, and their difference."""
    one, other = (_slope(rows, population, how) for population in (0, 1))
    return _report(one, other, float(np.hypot(one.se, other.se)))


def _report(one: Coefficient, other: Coefficient, error: float) -> dict[str, Coefficient]:
    gap = Coefficient(other.value - one.value, error)
    return {"coef_a": one, "coef_b": other, "difference": gap}


def _fit_together(rows: Rows) -> dict[str, Coefficient]:
    """Fit all rows at once, with two slopes of the exposure and one of the covariate."""
    other, exposure = rows["population"], rows["exposure"]
    matrix = design_matrix(exposure, other * exposure, other, rows["covariate"])
    fit = least_squares(rows["outcome"], matrix)
    both = np.array([0.0, 1.0, 1.0, 0.0, 0.0])
    return _report(fit[1], fit.combination(both), fit[2].se)


def _pooled(rows: Rows, *beside: str) -> Coefficient:
    matrix = design_matrix(rows["exposure"], *(rows[role] for role in beside))
    return least_squares(rows["outcome"], matrix)[1]


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slopes of the two populations are clearly apart."""
    return abs(_split(instance.rows, "adjusted")["difference"].z) >= SHIFTED


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Compare, in each population by itself, rows that are alike in the covariate."""
    return _say(_split(instance.rows, "alike"))


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one line through all rows, and take it for both populations."""
    slope = _pooled(instance.rows)
    return _say(_report(slope, slope, float(np.sqrt(2)) * slope.se))


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take the slopes of the two populations as they are for effects."""
    return _say(_split(instance.rows, "raw"))


def _say(found: Mapping[str, Coefficient]) -> dict[str, Any]:
    said = {name: estimate.value for name, estimate in found.items()}
    return {**said, "ci": found["difference"].interval}


CHALLENGE = Challenge(
    name="population",
    family="generalization",
    summary="the effect is not the same in two populations",
    variants=("trap", "equal"),
    fields=(
        NumberField("coef_a"),
        NumberField("coef_b"),
        NumberField("difference"),
        IntervalField("ci", of="difference"),
    ),
    shown=("population", "covariate", "exposure", "outcome"),
    units=("covariate", "outcome"),
    size=(1600, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    method="coefficient",
    truths=_truths,
    accept=_accept,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
