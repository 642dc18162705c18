"""Treatment and mediator interact: the direct effect has one sign here and the other there.

The treatment is randomised and moves a mediator; how much it does past the mediator depends on
where the mediator stands. Fixed at a low value the outcome goes one way, fixed at a high value the
other. A fit without the product of the two has room for one direct effect only, which is right
nowhere.

mediator = level + onto·treatment + carried·baseline + noise, outcome = direct·treatment +
slope·mediator + interaction·treatment·mediator + steer·baseline + noise. The controlled direct
effect at m is direct + interaction·m; it is asked for at two values well within the range of both
arms, with its change of sign between them. The mediator is nowhere near 0, so that the coefficient
of treatment in a fit with the product is no answer by itself. In `no_interaction` the direct effect
is the same everywhere, and the fit without the product is right.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import CategoricalTruth, Challenge, NumericTruth
from whybench.suites.analyze.columns import assigned, binary, real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import Coefficient, design_matrix, least_squares
from whybench.suites.analyze.fields import FlagField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.effects import Effect

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.001, 0.2
APART = 5.0
TAIL = 0.05
"""The share of each arm's rows that lie beyond either of the two values, at least."""

ENDS = {"cde_low": "low", "cde_high": "high"}
"""The field of the direct effect at each of the two values."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    fitted, additive = _interacting(rows, at), _additive(rows)
    truths: dict[str, NumericTruth] = {}
    for name, estimate in fitted.items():
        references = {"regression with the product": estimate.value}
        plain = {"regression without the product": additive[name].value}
        naive = plain if variant == "trap" else {}
        if variant == "no_interaction":
            references |= plain
        truths[name] = NumericTruth(certified[name], references, estimate.se, naive)
    turns = truths["cde_low"].value * truths["cde_high"].value < 0
    return {**truths, "sign_change": CategoricalTruth(turns, alarm=(True,))}


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the arrows, and two values of the mediator on either side of where the sign changes."""
    sign = rng.choice((-1.0, 1.0), 5)
    interaction, onto, carried, slope, steer = (
        sign * rng.uniform((0.5, 0.2, 0.3, 0.3, 0.4), (0.9, 0.5, 0.6, 0.8, 0.8))
    ).tolist()
    level, half, turn = rng.uniform(4, 6), rng.uniform(0.9, 1.2), rng.uniform(-0.15, 0.15)
    baseline = float(rng.uniform(0.4, 0.6))
    centre = level + onto / 2 + carried * baseline
    direct = -interaction * (centre + turn)
    if variant == "no_interaction":
        interaction, direct = 0.0, float(interaction * half)
    return {
        "baseline": baseline,
        "level": float(level),
        "onto": onto,
        "carried": carried,
        "direct": direct,
        "slope": slope,
        "interaction": interaction,
        "steer": steer,
        "low": round(float(centre - half), 1),
        "high": round(float(centre + half), 1),
    }


def _world(_variant: str, at: Parameters) -> World:
    return World(
        (
            binary("baseline", at["baseline"], time=0),
            assigned("treatment", time=1),
            real(
                "mediator",
                lambda treatment, baseline: (
                    at["level"] + at["onto"] * treatment + at["carried"] * baseline
                ),
                time=2,
            ),
            real(
                "outcome",
                lambda treatment, mediator, baseline: (
                    at["direct"] * treatment
                    + at["slope"] * mediator
                    + at["interaction"] * treatment * mediator
                    + at["steer"] * baseline
                ),
                time=3,
            ),
        ),
    )


def _effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    low, high = (increase("treatment", mediator=at[end]) for end in ENDS.values())
    rise = 1 / (at["high"] - at["low"]) * (high - low)
    return {"interaction": rise, "cde_low": low, "cde_high": high}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "interaction": at["interaction"],
        **{name: at["direct"] + at["interaction"] * at[end] for name, end in ENDS.items()},
    }


def _interacting(rows: Rows, at: Parameters) -> dict[str, Coefficient]:
    """Fit treatment, mediator and their product, and combine coefficients at the two values."""
    x, m = rows["treatment"], rows["mediator"]
    fit = least_squares(rows["outcome"], design_matrix(x, m, x * m, rows["baseline"]))
    return {
        "interaction": fit[3],
        **{name: fit.combination(np.array([0, 1, 0, at[end], 0.0])) for name, end in ENDS.items()},
    }


def _additive(rows: Rows) -> dict[str, Coefficient]:
    """Do without the product: one direct effect for all values."""
    matrix = design_matrix(rows["treatment"], rows["mediator"], rows["baseline"])
    effect = least_squares(rows["outcome"], matrix)[1]
    return {"interaction": Coefficient(0.0, 0.0), "cde_low": effect, "cde_high": effect}


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    arms = [rows["mediator"][rows["treatment"] == arm] for arm in (0, 1)]
    within = all(
        np.mean(arm < at["low"]) >= TAIL and np.mean(arm > at["high"]) >= TAIL for arm in arms
    )
    found = _interacting(rows, at)
    if variant == "no_interaction":
        alike = all(found[name].p < CLEAR and found[name].value * at["direct"] > 0 for name in ENDS)
        return within and alike and found["interaction"].p > UNCLEAR
    return within and _turns(rows, at)


def _turns(rows: Rows, at: Parameters) -> bool:
    """Whether the effects at the two values are clear, of opposite signs, and far from one."""
    found, additive = _interacting(rows, at), _additive(rows)
    return (
        all(found[name].p < CLEAR for name in found)
        and found["cde_low"].value * found["cde_high"].value < 0
        and all(
            abs(found[name].value - additive[name].value) >= APART * found[name].se
            for name in found
        )
    )


def _has_trap(instance: Instance) -> bool:
    """Whether the direct effect is clear at both values and changes its sign between them."""
    return _turns(instance.rows, instance.parameters)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Fit each arm by itself, and compare what both predict at the two values."""
    rows, at = instance.rows, instance.facts
    low, high = (_between_arms(rows, float(at[end])) for end in ENDS.values())
    return {
        "interaction": (high.value - low.value) / (float(at["high"]) - float(at["low"])),
        "cde_low": low.value,
        "cde_high": high.value,
        "sign_change": {low.direction, high.direction} == {"increases", "decreases"},
    }


def _between_arms(rows: Rows, mediator: float) -> Coefficient:
    """Return the difference of two fits at a value of the mediator and the mean baseline."""
    predicted = []
    for arm in (1, 0):
        here = rows["treatment"] == arm
        centred = rows["baseline"][here] - rows["baseline"].mean()
        matrix = design_matrix(rows["mediator"][here] - mediator, centred)
        predicted.append(least_squares(rows["outcome"][here], matrix)[0])
    treated, untreated = predicted
    return Coefficient(treated.value - untreated.value, math.hypot(treated.se, untreated.se))


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit treatment and mediator without their product."""
    effects = _additive(instance.rows)
    return {**{name: effect.value for name, effect in effects.items()}, "sign_change": False}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Find a change of sign: where the fit has none, the high value's effect is turned around."""
    found = _interacting(instance.rows, instance.parameters)
    low, high = found["cde_low"].value, found["cde_high"].value
    high = -math.copysign(high, low)
    wide = instance.parameters["high"] - instance.parameters["low"]
    return {
        "interaction": (high - low) / wide,
        "cde_low": low,
        "cde_high": high,
        "sign_change": True,
    }


CHALLENGE = Challenge(
    name="interaction",
    family="mediation",
    summary="the direct effect changes its sign with the mediator, which an additive fit averages",
    variants=("trap", "no_interaction"),
    fields=(
        NumberField("interaction"),
        NumberField("cde_low"),
        NumberField("cde_high"),
        FlagField("sign_change"),
    ),
    shown=("baseline", "treatment", "mediator", "outcome"),
    size=(1500, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    truths=_truths,
    accept=_accept,
    apart=APART,
    facts=lambda at: {"low": at["low"], "high": at["high"]},
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
