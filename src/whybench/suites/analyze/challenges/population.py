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

from whybench.scm import agreed
from whybench.suites.analyze.arms import contrast, simulate_contrast, subtract_arms, unit_increase
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    Array,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    round_values,
    to_integers,
)
from whybench.suites.analyze.estimators.regression import (
    NORMAL_95,
    Coefficient,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.estimators.weighting import subtract_block_means
from whybench.suites.analyze.fields import IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHALLENGE"]

ARMS = {
    "coef_a": unit_increase("exposure", population=0),
    "coef_b": unit_increase("exposure", population=1),
    "difference": subtract_arms(
        unit_increase("exposure", population=1), unit_increase("exposure", population=0)
    ),
}

SHIFTED = 6.0
"""How many standard errors apart slopes are, at least, that are said to differ."""

APART = 5.0
"""How many SE_eff the naive values are from the truth and from the reference, at least."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    found = _ground_truth(variant, at, rows)
    raw, adjusted = _gap(rows, "raw"), _gap(rows, "adjusted")
    if variant == TRAP:
        accept = abs(adjusted.z) >= SHIFTED and found.apart(APART)
    else:
        accept = abs(adjusted.z) < NORMAL_95 and abs(raw.z) >= SHIFTED
    return found if accept else None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    return Instance(
        challenge="population",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("population", "binary", 0),
            DataColumn("covariate", "real", 1),
            DataColumn("exposure", "real", 2),
            DataColumn("outcome", "real", 3),
        ),
        rows=rows,
        truths=_truths(variant, at, rows),
    )


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


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(1600, 3001))
    population = rng.random(size) < at["share"]
    noise = rng.standard_normal((3, size))
    covariate = noise[0] + np.where(population, at["centre_1"], at["centre_0"])
    exposure = (
        np.where(population, at["exposure_1"], at["exposure_0"])
        + np.where(population, at["steer_1"], at["steer_0"]) * noise[0]
        + noise[1]
    )
    outcome = _outcome(at, population, covariate, exposure) + noise[2]
    return {
        "population": to_integers(population),
        "covariate": round_values(covariate),
        "exposure": round_values(exposure),
        "outcome": round_values(outcome),
    }


def _outcome(
    at: Mapping[str, float], population: Array, covariate: Array, exposure: Array
) -> Array:
    """Return the outcome but for its noise."""
    base = np.where(population, at["base_1"], at["base_0"])
    effect = np.where(population, at["effect_1"], at["effect_0"])
    total: Array = base + at["covariate"] * covariate + effect * exposure
    return total


def _truths(
    variant: str, at: Mapping[str, float], rows: Mapping[str, Array]
) -> dict[str, NumericTruth]:
    closed = {
        "coef_a": at["effect_0"],
        "coef_b": at["effect_1"],
        "difference": at["effect_1"] - at["effect_0"],
    }
    pooled = {"pooled slope": _pooled(rows).value, "pooled, adjusted": _pooled_adjusted(rows).value}
    found = {
        "coef_a": (_slope(rows, 0, "adjusted"), pooled),
        "coef_b": (_slope(rows, 1, "adjusted"), pooled),
        "difference": (_gap(rows, "adjusted"), {"pooled slope": 0.0}),
    }
    return {
        name: NumericTruth(
            agreed(
                f"{name} of exposure on outcome",
                ("coefficient", closed[name]),
                ("contrast of interventions", contrast(ARMS[name], lambda set_: _mean(at, set_))),
            ),
            {"fit within each population": estimate.value},
            estimate.se,
            naive if variant == TRAP else {},
        )
        for name, (estimate, naive) in found.items()
    }


def _mean(at: Mapping[str, float], setting: Mapping[str, float]) -> float:
    """Return the mean outcome of a population at an exposure; the covariate is at its mean."""
    population = np.array(setting["population"])
    centre = np.where(population, at["centre_1"], at["centre_0"])
    return float(_outcome(at, population, centre, np.array(setting["exposure"])))


def _slope(rows: Mapping[str, Array], population: int, how: str) -> Coefficient:
    """Return the slope in one population: `raw`, `adjusted`, or among `alike` rows."""
    here = rows["population"] == population
    covariate, exposure, outcome = (
        rows[role][here] for role in ("covariate", "exposure", "outcome")
    )
    if how == "alike":
        exposure, outcome = subtract_block_means(covariate, exposure, outcome)
    beside = [covariate] if how == "adjusted" else []
    return least_squares(outcome, design_matrix(exposure, *beside))[1]


def _gap(rows: Mapping[str, Array], how: str) -> Coefficient:
    """Return the slope in B less the slope in A, which rest on different rows."""
    one, other = _slope(rows, 1, how), _slope(rows, 0, how)
    return Coefficient(one.value - other.value, float(np.hypot(one.se, other.se)))


def _pooled(rows: Mapping[str, Array]) -> Coefficient:
    return least_squares(rows["outcome"], design_matrix(rows["exposure"]))[1]


def _pooled_adjusted(rows: Mapping[str, Array]) -> Coefficient:
    beside = (rows["covariate"], rows["population"])
    return least_squares(rows["outcome"], design_matrix(rows["exposure"], *beside))[1]


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slopes of the two populations are clearly apart."""
    return abs(_gap(instance.rows, "adjusted").z) >= SHIFTED


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    at = instance.parameters

    def outcomes(setting: Mapping[str, float], size: int) -> Array:
        population = np.full(size, setting["population"])
        covariate = rng.normal(at["centre_1"] if setting["population"] else at["centre_0"], 1, size)
        exposure = np.full(size, setting["exposure"])
        drawn: Array = _outcome(at, population, covariate, exposure) + rng.standard_normal(size)
        return drawn

    return {name: simulate_contrast(arms, outcomes, n) for name, arms in ARMS.items()}


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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
