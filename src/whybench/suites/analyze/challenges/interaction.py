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

from whybench.scm import agreed
from whybench.suites.analyze.challenges.contract import (
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    round_values,
    to_integers,
)
from whybench.suites.analyze.estimators.regression import Coefficient, design_matrix, least_squares
from whybench.suites.analyze.fields import FlagField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.001, 0.2
APART = 5.0
TAIL = 0.05
"""The share of each arm's rows that lie beyond either of the two values, at least."""

ENDS = {"cde_low": "low", "cde_high": "high"}
"""The field of the direct effect at each of the two values."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    if not _accept(variant, at, rows):
        return None
    found = _ground_truth(variant, at, rows)
    return found if found.apart(APART) else None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    fitted, additive = _interacting(rows, at), _additive(rows)
    certified = _certified(at)
    truths = {}
    for name, estimate in fitted.items():
        references = {"regression with the product": estimate.value}
        plain = {"regression without the product": additive[name].value}
        naive = plain if variant == "trap" else {}
        if variant == "no_interaction":
            references |= plain
        truths[name] = NumericTruth(certified[name], references, estimate.se, naive)
    return Instance(
        challenge="interaction",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("baseline", "binary", 0),
            DataColumn("treatment", "binary", 1),
            DataColumn("mediator", "real", 2),
            DataColumn("outcome", "real", 3),
        ),
        rows=rows,
        truths={
            **truths,
            "sign_change": CategoricalTruth(
                truths["cde_low"].value * truths["cde_high"].value < 0, alarm=(True,)
            ),
        },
        facts={"low": at["low"], "high": at["high"]},
    )


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


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(1500, 3001))
    treatment = to_integers(rng.permutation(size) % 2)
    baseline = to_integers(rng.random(size) < at["baseline"])
    of_mediator, of_outcome = rng.standard_normal((2, size))
    mediator = at["level"] + at["onto"] * treatment + at["carried"] * baseline + of_mediator
    return {
        "baseline": baseline,
        "treatment": treatment,
        "mediator": round_values(mediator),
        "outcome": round_values(_expected(at, treatment, mediator, baseline) + of_outcome),
    }


def _expected(at: Mapping[str, float], treatment: Any, mediator: Any, baseline: Any) -> Any:
    """Return the mean of the outcome with treatment, mediator and baseline as they are set."""
    return (
        at["direct"] * treatment
        + at["slope"] * mediator
        + at["interaction"] * treatment * mediator
        + at["steer"] * baseline
    )


def _interacting(rows: Mapping[str, Array], at: Mapping[str, float]) -> dict[str, Coefficient]:
    """Fit treatment, mediator and their product, and combine coefficients at the two values."""
    x, m = rows["treatment"], rows["mediator"]
    fit = least_squares(rows["outcome"], design_matrix(x, m, x * m, rows["baseline"]))
    return {
        "interaction": fit[3],
        **{name: fit.combination(np.array([0, 1, 0, at[end], 0.0])) for name, end in ENDS.items()},
    }


def _additive(rows: Mapping[str, Array]) -> dict[str, Coefficient]:
    """Do without the product: one direct effect for all values."""
    matrix = design_matrix(rows["treatment"], rows["mediator"], rows["baseline"])
    effect = least_squares(rows["outcome"], matrix)[1]
    return {"interaction": Coefficient(0.0, 0.0), "cde_low": effect, "cde_high": effect}


def _accept(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> bool:
    arms = [rows["mediator"][rows["treatment"] == arm] for arm in (0, 1)]
    within = all(
        np.mean(arm < at["low"]) >= TAIL and np.mean(arm > at["high"]) >= TAIL for arm in arms
    )
    found = _interacting(rows, at)
    if variant == "no_interaction":
        alike = all(found[name].p < CLEAR and found[name].value * at["direct"] > 0 for name in ENDS)
        return within and alike and found["interaction"].p > UNCLEAR
    return within and _turns(rows, at)


def _turns(rows: Mapping[str, Array], at: Mapping[str, float]) -> bool:
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


def _certified(at: Mapping[str, float]) -> dict[str, Certificate]:
    """Derive each number from the coefficients, and by standardising over the baseline."""
    shares = {0: 1 - at["baseline"], 1: at["baseline"]}

    def standardised(treatment: int, mediator: float) -> float:
        return math.fsum(p * _expected(at, treatment, mediator, w) for w, p in shares.items())

    def effect(mediator: float) -> float:
        return standardised(1, mediator) - standardised(0, mediator)

    contrasts = {name: effect(at[end]) for name, end in ENDS.items()}
    rise = (contrasts["cde_high"] - contrasts["cde_low"]) / (at["high"] - at["low"])
    closed = {
        "interaction": at["interaction"],
        **{name: at["direct"] + at["interaction"] * at[end] for name, end in ENDS.items()},
    }
    return {
        name: agreed(
            f"{name} of treatment and mediator on outcome",
            ("closed form", closed[name]),
            ("standardisation", value),
        )
        for name, value in {"interaction": rise, **contrasts}.items()
    }


def _has_trap(instance: Instance) -> bool:
    """Whether the direct effect is clear at both values and changes its sign between them."""
    return _turns(instance.rows, instance.parameters)


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    """Set treatment and mediator in four groups of cases, and compare their means."""
    at = instance.parameters

    def group(treatment: int, mediator: float) -> tuple[float, float]:
        baseline = rng.random(n) < at["baseline"]
        outcome = _expected(at, treatment, mediator, baseline) + rng.standard_normal(n)
        return float(outcome.mean()), float(outcome.var() / n)

    found = {}
    for name, end in ENDS.items():
        (had, above), (had_not, below) = (group(treatment, at[end]) for treatment in (1, 0))
        found[name] = (had - had_not, math.sqrt(above + below))
    (low, se_low), (high, se_high) = found["cde_low"], found["cde_high"]
    wide = at["high"] - at["low"]
    return {**found, "interaction": ((high - low) / wide, math.hypot(se_low, se_high) / wide)}


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


def _between_arms(rows: Mapping[str, Array], mediator: float) -> Coefficient:
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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
