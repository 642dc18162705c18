"""Treatment and mediator interact: the direct effect has one sign here and the other there.

The treatment is randomised and moves a mediator; how much it does past the mediator depends on
where the mediator stands. Fixed at a low value the outcome goes one way, fixed at a high value the
other. A fit without the product of the two has room for one direct effect only, which is right
nowhere.

mediator = level + onto·treatment + carried·baseline + noise, outcome = direct·treatment +
slope·mediator + interaction·treatment·mediator + steer·baseline + noise. The controlled direct
effect at m is direct + interaction·m; it is asked for at two values well within the range of both
arms, with its change of sign between them. The mediator is nowhere near 0, so that the coefficient
of treatment in a fit with the product is no answer by itself. Where between the two values the sign
changes is drawn, so that one effect may be several times the other. In `no_interaction` the direct
effect is the same everywhere, and the fit without the product is right.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.columns import assigned, binary, real
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import Coefficient, design_matrix, least_squares
from whybench.suites.analyze.fields import FlagField, NumberField
from whybench.suites.analyze.reports import CONTROLLED
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.effects import Effect

CLEAR, UNCLEAR = 0.001, 0.2
APART = 5.0
WITHOUT = "regression without the product"
TAIL = 0.05
"""The share of each arm's rows that lie beyond either of the two values, at least."""

ENDS = {"cde_low": "low", "estimate": "high"}
"""The field of the direct effect at each of the two values."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    fitted, additive = _interacting(rows, at), _additive(rows)
    by_arm = _interacting(rows, at, by_arm=True)
    truths: dict[str, NumericTruth] = {}
    for name, estimate in fitted.items():
        references: dict[str, float | Coefficient] = {
            "regression with the product": estimate,
            "regression in each arm": by_arm[name],
        }
        plain = additive[name]
        if variant == "no_interaction":
            # That there is no product has no error.
            references[WITHOUT] = plain if plain.se else plain.value
        naive = {WITHOUT: plain.value} if variant == "trap" else {}
        truths[name] = NumericTruth(certified[name], references, estimate.se, naive)
    turns = truths["cde_low"].value * truths["estimate"].value < 0
    return {**truths, "sign_change": CategoricalTruth(turns, alarm=(True,))}


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the arrows, and two values of the mediator on either side of where the sign changes."""
    sign = rng.choice((-1.0, 1.0), 4)
    interaction, onto, carried, steer = (
        sign * rng.uniform((0.4, 0.2, 0.3, 0.4), (1.1, 0.5, 0.6, 0.8))
    ).tolist()
    level, half, turn = rng.uniform(4, 6), rng.uniform(1.2, 1.5), rng.uniform(-1.0, 1.0)
    slope, baseline = rng.uniform((-0.8, 0.4), (0.8, 0.6)).tolist()
    centre = level + onto / 2 + carried * baseline
    direct = -interaction * (centre + turn)
    if variant == "no_interaction":
        # Everywhere what it is at the high value in the trap.
        interaction, direct = 0.0, interaction * (half - turn)
    return {
        "baseline": baseline,
        "level": float(level),
        "onto": onto,
        "carried": carried,
        "direct": float(direct),
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
    return {"interaction": rise, "cde_low": low, "estimate": high}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "interaction": at["interaction"],
        **{name: at["direct"] + at["interaction"] * at[end] for name, end in ENDS.items()},
    }


def _interacting(rows: Rows, at: Parameters, *, by_arm: bool = False) -> dict[str, Coefficient]:
    """Fit treatment, mediator and their product, and combine coefficients at the two values."""
    x, m, w = rows["treatment"], rows["mediator"], rows["baseline"] - rows["baseline"].mean()
    held = (w, x * w) if by_arm else (w,)
    fit = least_squares(rows["outcome"], design_matrix(x, m, x * m, *held))
    rest = [0.0] * len(held)
    return {
        "interaction": fit[3],
        **{
            name: fit.combination(np.array([0, 1, 0, at[end], *rest])) for name, end in ENDS.items()
        },
    }


def _additive(rows: Rows) -> dict[str, Coefficient]:
    """Do without the product: one direct effect for all values."""
    matrix = design_matrix(rows["treatment"], rows["mediator"], rows["baseline"])
    effect = least_squares(rows["outcome"], matrix)[1]
    return {"interaction": Coefficient(0.0, 0.0), "cde_low": effect, "estimate": effect}


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
        and found["cde_low"].value * found["estimate"].value < 0
        and all(
            abs(found[name].value - additive[name].value) >= APART * found[name].se
            for name in found
        )
    )


def _has_trap(instance: Instance) -> bool:
    """Whether the direct effect is clear at both values and changes its sign between them."""
    return _turns(instance.rows, instance.parameters)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Let every slope differ by arm and by baseline, with the mediator's zero at each value."""
    rows = instance.rows
    x, w = rows["treatment"], rows["baseline"] - rows["baseline"].mean()
    effects = []
    for end in ENDS.values():
        m = rows["mediator"] - float(instance.facts[end])
        matrix = design_matrix(x, m, w, x * m, x * w, m * w)
        effects.append(least_squares(rows["outcome"], matrix)[1])
    low, high = effects
    wide = float(instance.facts["high"]) - float(instance.facts["low"])
    return {
        "interaction": (high.value - low.value) / wide,
        "cde_low": low.value,
        "estimate": high,
        "sign_change": {low.direction, high.direction} == {"increases", "decreases"},
    }


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit treatment and mediator without their product."""
    effect = _additive(instance.rows)["estimate"]
    return {
        "interaction": 0.0,
        "cde_low": effect.value,
        "estimate": effect,
        "sign_change": False,
    }


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Find a change of sign: where the fit has none, the high value's effect is turned around."""
    found = _interacting(instance.rows, instance.parameters)
    low, high = found["cde_low"].value, found["estimate"]
    high = Coefficient(-math.copysign(high.value, low), high.se)
    wide = instance.parameters["high"] - instance.parameters["low"]
    return {
        "interaction": (high.value - low) / wide,
        "cde_low": low,
        "estimate": high,
        "sign_change": True,
    }


CHALLENGE = Challenge(
    name="interaction",
    family="mediation",
    summary="the direct effect changes its sign with the mediator, which an additive fit averages",
    variants=("trap", "no_interaction"),
    report=report_effect(),
    estimands=(CONTROLLED,),
    diagnosis=(NumberField("interaction"), NumberField("cde_low"), FlagField("sign_change")),
    shown=("baseline", "treatment", "mediator", "outcome"),
    size=(1500, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    truths=_truths,
    accept=_accept,
    apart=APART,
    opposite=("baseline",),
    units=("outcome",),
    facts=lambda at: {"low": at["low"], "high": at["high"]},
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
