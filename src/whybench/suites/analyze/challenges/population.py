"""Population shift: one slope for two populations is the effect in neither.

One more unit of the exposure does one thing in population A and another in population B. Who fits
one line through all rows gets a slope somewhere between the two, and sends it to both.

Yet slopes that differ are not yet effects that differ. In population B the exposure went to those
who would have done well (or badly) anyway, so that slopes of outcome on exposure differ in any
case: in the control `equal`, where the exposure does the same in both, as clearly as in a trap.
It takes the covariate to see that nothing shifts. Twins have the same exposures, and outcomes as
high in either population.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import TRAP, Challenge, report_effect
from whybench.suites.analyze.challenges.two_effects import (
    choose,
    compare_effects,
    draw_effects,
    report,
    steer,
)
from whybench.suites.analyze.columns import binary, derived, real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import NORMAL_95
from whybench.suites.analyze.estimators.slopes import TwoSlopes, fit_apart, fit_slope
from whybench.suites.analyze.estimators.weighting import subtract_block_means
from whybench.suites.analyze.fields import IntervalField, NumberField
from whybench.suites.analyze.reports import AVERAGE, CONDITIONAL
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.effects import Effect

EFFECTS = ("coef_a", "estimate")

SHIFTED = 6.0
"""How many standard errors apart slopes are, at least, that are said to differ."""


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters of A (0) and B (1)."""
    return {
        **draw_effects(variant, rng),
        "share": rng.uniform(0.4, 0.6),
        "centre_0": 0.0,
        "centre_1": rng.choice((-1, 1)) * rng.uniform(0.3, 0.8),
        "exposure_0": rng.uniform(4.0, 5.5),
        "exposure_1": rng.uniform(4.0, 5.5),
        "base_0": 0.0,
        "base_1": rng.uniform(-2.0, 2.0),
    }


def _world(_variant: str, at: Parameters) -> World:
    return World(
        (
            binary("population", at["share"], time=0),
            real("deviation"),
            derived(
                "covariate",
                lambda population, deviation: deviation + choose(at, "centre", population),
                time=1,
            ),
            real("choice"),
            derived(
                "exposure",
                lambda population, deviation, choice: (
                    choose(at, "exposure", population) + steer(at, population, deviation, choice)
                ),
                time=2,
            ),
            real(
                "outcome",
                lambda population, covariate, exposure: (
                    choose(at, "base", population)
                    + at["covariate"] * covariate
                    + choose(at, "effect", population)
                    * (exposure - choose(at, "exposure", population))
                ),
                time=3,
            ),
        )
    )


def _effects(_variant: str, _at: Parameters) -> dict[str, Effect]:
    in_a, in_b = (increase("exposure", population=population) for population in (0, 1))
    return {"coef_a": in_a, "estimate": in_b, "difference": in_b - in_a}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "coef_a": at["effect_0"],
        "estimate": at["effect_1"],
        "difference": at["effect_1"] - at["effect_0"],
    }


def _truths(
    variant: str, _at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    second = rows["population"] == 1
    return compare_effects(variant, certified, rows, second, ["covariate"], ["population"])


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    shift = abs(_split(rows, "covariate").gap.z)
    if variant == TRAP:
        return shift >= SHIFTED
    return shift < NORMAL_95 and abs(_split(rows).gap.z) >= SHIFTED


def _split(rows: Rows, *beside: str) -> TwoSlopes:
    """Fit each population by itself."""
    held = [rows[role] for role in beside]
    return fit_apart(rows["outcome"], rows["exposure"], rows["population"] == 1, *held)


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slopes of the two populations are clearly apart."""
    return abs(_split(instance.rows, "covariate").gap.z) >= SHIFTED


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Compare, in each population by itself, rows that are alike in the covariate."""
    by, *columns = (instance.rows[role] for role in ("covariate", "outcome", "exposure"))
    second = instance.rows["population"] == 1
    slopes = (
        fit_slope(*subtract_block_means(by[here], *(values[here] for values in columns)))
        for here in (~second, second)
    )
    return report(EFFECTS, TwoSlopes.of(*slopes))


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one line through all rows, and take it for both populations."""
    slope = fit_slope(instance.rows["outcome"], instance.rows["exposure"])
    return report(EFFECTS, TwoSlopes.of(slope, slope))


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take the slopes of the two populations as they are for effects."""
    return report(EFFECTS, _split(instance.rows))


CHALLENGE = Challenge(
    name="population",
    family="generalization",
    summary="the effect is not the same in two populations",
    variants=("trap", "equal"),
    report=report_effect(),
    estimands=(CONDITIONAL, AVERAGE),
    diagnosis=(
        NumberField("coef_a"),
        NumberField("difference"),
        IntervalField("ci", of="difference"),
    ),
    shown=("population", "covariate", "exposure", "outcome"),
    units=("covariate", "outcome"),
    acted_on="exposure",
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
