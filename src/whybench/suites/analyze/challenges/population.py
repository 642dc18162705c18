"""Population shift: one slope for two populations is the effect in neither.

One more unit of the exposure does one thing in population A and another in population B. Who fits
one line through all rows gets a slope somewhere between the two, and sends it to both.

Yet slopes that differ are not yet effects that differ. In the control `equal` the exposure does the
same in both populations; but in B it went to those who would have done well (or badly) anyway, so
that the slopes of outcome on exposure differ as clearly as in a trap. It takes the covariate to see
that nothing shifts. In half of the traps the exposure of B is steered in the same way.
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
    steer, steered = rng.choice((-1, 1)) * rng.uniform(0.8, 1.2), bool(rng.integers(2))
    return {
        "share": rng.uniform(0.4, 0.6),
        "centre_0": 0.0,
        "centre_1": rng.uniform(0.3, 0.8),
        "exposure_0": rng.uniform(4.0, 5.0),
        "exposure_1": rng.uniform(4.5, 5.5),
        "steer_0": 0.0,
        "steer_1": steer if steered or variant != TRAP else 0.0,
        "base_0": rng.uniform(18.0, 20.0),
        "base_1": rng.uniform(19.0, 22.0),
        "covariate": rng.uniform(0.8, 1.2),
        "effect_0": effect,
        "effect_1": effect + (gap if variant == TRAP else 0.0),
    }


def _world(_variant: str, at: Parameters) -> World:
    def of_population(name: str, population: Array) -> Array:
        return np.where(population, at[f"{name}_1"], at[f"{name}_0"])

    return World(
        (
            binary("population", at["share"], time=0),
            real("deviation"),
            derived(
                "covariate",
                lambda population, deviation: deviation + of_population("centre", population),
                time=1,
            ),
            real(
                "exposure",
                lambda population, deviation: (
                    of_population("exposure", population)
                    + of_population("steer", population) * deviation
                ),
                time=2,
            ),
            real(
                "outcome",
                lambda population, covariate, exposure: (
                    of_population("base", population)
                    + at["covariate"] * covariate
                    + of_population("effect", population) * exposure
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
    pooled = {"pooled slope": _pooled(rows).value, "pooled, adjusted": _pooled_adjusted(rows).value}
    found = {
        "coef_a": (_slope(rows, 0, "adjusted"), pooled),
        "coef_b": (_slope(rows, 1, "adjusted"), pooled),
        "difference": (_gap(rows, "adjusted"), {"pooled slope": 0.0}),
    }
    return {
        name: NumericTruth(
            certified[name],
            {"fit within each population": estimate.value},
            estimate.se,
            naive if variant == TRAP else {},
        )
        for name, (estimate, naive) in found.items()
    }


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    if variant == TRAP:
        return abs(_gap(rows, "adjusted").z) >= SHIFTED
    return abs(_gap(rows, "adjusted").z) < NORMAL_95 and abs(_gap(rows, "raw").z) >= SHIFTED


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


def _gap(rows: Rows, how: str) -> Coefficient:
    """Return the slope in B less the slope in A, which rest on different rows."""
    one, other = _slope(rows, 1, how), _slope(rows, 0, how)
    return Coefficient(one.value - other.value, float(np.hypot(one.se, other.se)))


def _pooled(rows: Rows) -> Coefficient:
    return least_squares(rows["outcome"], design_matrix(rows["exposure"]))[1]


def _pooled_adjusted(rows: Rows) -> Coefficient:
    beside = (rows["covariate"], rows["population"])
    return least_squares(rows["outcome"], design_matrix(rows["exposure"], *beside))[1]


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slopes of the two populations are clearly apart."""
    return abs(_gap(instance.rows, "adjusted").z) >= SHIFTED


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Compare, in each population by itself, rows that are alike in the covariate."""
    return _split(instance, "alike")


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one line through all rows, and take it for both populations."""
    slope = _pooled(instance.rows)
    gap = Coefficient(0.0, float(np.sqrt(2)) * slope.se)
    return _reported(slope, slope, gap)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take the slopes of the two populations as they are for effects."""
    return _split(instance, "raw")


def _split(instance: Instance, how: str) -> Mapping[str, Any]:
    rows = instance.rows
    return _reported(_slope(rows, 0, how), _slope(rows, 1, how), _gap(rows, how))


def _reported(one: Coefficient, other: Coefficient, gap: Coefficient) -> dict[str, Any]:
    return {
        "coef_a": one.value,
        "coef_b": other.value,
        "difference": gap.value,
        "ci": gap.interval,
    }


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
