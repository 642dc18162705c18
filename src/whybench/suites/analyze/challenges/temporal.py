"""Temporal drift: an effect that changes one week, and a slope that averages over it.

From some week on, one more unit of the exposure does something else than before. Who fits one line
through all weeks describes neither what was nor what is.

Yet an association that changes is not yet an effect that changes. In the control `stable` the
exposure does the same throughout; but from some week on it was steered by a covariate, so that its
slope changes as visibly as in a trap. It takes the covariate to see that nothing drifts. In half of
the traps the exposure is steered in the same way.
"""

from __future__ import annotations

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
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    round_values,
)
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    Fit,
    cell_means,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.fields import IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CHALLENGE"]

DRIFTS, STEADY = 6.0, 3.0
"""A slope changes if it does so by this many standard errors at some week; and does not, if it
stays below the other number at every week."""

APART = 5.0
"""How many SE_eff the naive values are from the truth and from the reference, at least."""

MARGIN = 4
"""How many weeks there are on either side of a split, at least."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    found = _ground_truth(variant, at, rows)
    if variant == TRAP:
        accept = found.apart(APART)
    else:
        accept = _largest(rows, "adjusted") < STEADY and _largest(rows, "raw") >= DRIFTS
    return found if accept else None


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    weeks, change = int(at["weeks"]), int(at["change"])
    return Instance(
        challenge="temporal",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("week", "count", 0),
            DataColumn("covariate", "real", 1),
            DataColumn("exposure", "real", 2),
            DataColumn("outcome", "real", 3),
        ),
        rows=rows,
        truths={
            **_numbers(variant, at, rows),
            "change_point": CategoricalTruth(change, (change - 1, change + 1), naive=(None,))
            if variant == TRAP
            else CategoricalTruth(None, alarm=tuple(range(1, weeks + 1))),
        },
    )


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters before (0) and from the week of change on (1)."""
    weeks = int(rng.integers(24, 37))
    change = int(rng.integers(round(0.3 * weeks), round(0.7 * weeks) + 1)) + 1
    effect, drift = rng.uniform(-0.8, 0.8), rng.choice((-1, 1)) * rng.uniform(0.6, 1.0)
    steer, steered = rng.choice((-1, 1)) * rng.uniform(0.8, 1.2), bool(rng.integers(2))
    return {
        "weeks": weeks,
        "change": change,
        "base": rng.uniform(40.0, 50.0),
        "trend": rng.uniform(-0.05, 0.05),
        "exposure": rng.uniform(4.0, 6.0),
        "steer_0": 0.0,
        "steer_1": steer if steered or variant != TRAP else 0.0,
        "covariate": rng.uniform(0.8, 1.2),
        "effect_0": effect,
        "effect_1": effect + (drift if variant == TRAP else 0.0),
    }


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    week = np.repeat(np.arange(1, int(at["weeks"]) + 1), int(rng.integers(60, 81)))
    noise = rng.standard_normal((3, len(week)))
    steer = np.where(week < at["change"], at["steer_0"], at["steer_1"])
    exposure = at["exposure"] + steer * noise[0] + noise[1]
    outcome = _outcome(at, week, noise[0], exposure) + noise[2]
    return {
        "week": week,
        "covariate": round_values(noise[0]),
        "exposure": round_values(exposure),
        "outcome": round_values(outcome),
    }


def _outcome(at: Mapping[str, float], week: Array, covariate: Array, exposure: Array) -> Array:
    """Return the outcome but for its noise."""
    effect = np.where(week < at["change"], at["effect_0"], at["effect_1"])
    total: Array = at["base"] + at["trend"] * week + at["covariate"] * covariate + effect * exposure
    return total


def _numbers(
    variant: str, at: Mapping[str, float], rows: Mapping[str, Array]
) -> dict[str, NumericTruth]:
    closed = {
        "coef_early": at["effect_0"],
        "coef_late": at["effect_1"],
        "difference": at["effect_1"] - at["effect_0"],
    }
    raw, adjusted = (_pooled(rows, how).value for how in ("raw", "adjusted"))
    measured = {}
    for name, estimate in _sides(rows, int(at["change"])).items():
        gap = name == "difference"
        references = {"fit on either side of the change": estimate.value}
        if variant != TRAP:
            references["fit to all weeks"] = 0.0 if gap else adjusted
        one_slope = {"raw": 0.0 if gap else raw, "adjusted": 0.0 if gap else adjusted}
        measured[name] = NumericTruth(
            agreed(
                f"{name} of exposure on outcome",
                ("coefficient", closed[name]),
                ("contrast of interventions", contrast(_arms(at)[name], lambda s: _mean(at, s))),
            ),
            references,
            estimate.se,
            {f"one slope, {how}": value for how, value in one_slope.items() if variant == TRAP},
        )
    return measured


def _arms(at: Mapping[str, float]) -> dict[str, Arms]:
    early, late = (unit_increase("exposure", week=week) for week in (1, at["weeks"]))
    return {"coef_early": early, "coef_late": late, "difference": subtract_arms(late, early)}


def _mean(at: Mapping[str, float], setting: Mapping[str, float]) -> float:
    """Return the mean outcome in a week at an exposure; the covariate is 0 on average."""
    values = (np.array(setting["week"]), np.array(0.0), np.array(setting["exposure"]))
    return float(_outcome(at, *values))


def _pooled(rows: Mapping[str, Array], how: str) -> Coefficient:
    beside = [rows["covariate"], rows["week"]] if how == "adjusted" else []
    return least_squares(rows["outcome"], design_matrix(rows["exposure"], *beside))[1]


def _sides(rows: Mapping[str, Array], week: int, how: str = "adjusted") -> dict[str, Coefficient]:
    """Fit the weeks before `week` and the others apart from each other."""
    found = []
    for here in (rows["week"] < week, rows["week"] >= week):
        beside = [rows["week"][here]] + ([rows["covariate"][here]] if how == "adjusted" else [])
        matrix = design_matrix(rows["exposure"][here], *beside)
        found.append(least_squares(rows["outcome"][here], matrix)[1])
    early, late = found
    gap = Coefficient(late.value - early.value, float(np.hypot(late.se, early.se)))
    return {"coef_early": early, "coef_late": late, "difference": gap}


def _split(rows: Mapping[str, Array], week: int, how: str) -> Fit:
    """Fit all rows at once; the third coefficient is by how much the slope changes at `week`."""
    late, covariate = rows["week"] >= week, rows["covariate"]
    beside = {"raw": (), "adjusted": (covariate,), "curve": (covariate, covariate**2)}[how]
    exposure = rows["exposure"] - rows["exposure"].mean()
    matrix = design_matrix(exposure, late, late * exposure, rows["week"], *beside)
    return least_squares(rows["outcome"], matrix)


def _within_weeks(rows: Mapping[str, Array]) -> dict[str, Array]:
    """Take off the means of each week, so that whatever changes from week to week is gone."""
    week = rows["week"]
    return {
        role: week if role == "week" else values - cell_means(values, week)
        for role, values in rows.items()
    }


def _scan(rows: Mapping[str, Array], how: str) -> dict[int, float]:
    """Return by how many standard errors the slope changes, at every week where it might."""
    weeks = int(rows["week"].max())
    return {
        week: abs(_split(rows, week, how)[3].z) for week in range(MARGIN + 1, weeks - MARGIN + 2)
    }


def _largest(rows: Mapping[str, Array], how: str) -> float:
    return max(_scan(rows, how).values())


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slope clearly changes at some week."""
    return _largest(instance.rows, "adjusted") >= DRIFTS


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    at = instance.parameters

    def outcomes(setting: Mapping[str, float], size: int) -> Array:
        covariate, noise = rng.standard_normal((2, size))
        week, exposure = (np.full(size, setting[name]) for name in ("week", "exposure"))
        drawn: Array = _outcome(at, week, covariate, exposure) + noise
        return drawn

    return {name: simulate_contrast(arms, outcomes, n) for name, arms in _arms(at).items()}


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Compare rows of the same week, and look for the week of the clearest change."""
    rows = _within_weeks(instance.rows)
    scan = _scan(rows, "curve")
    best = max(scan, key=scan.__getitem__)
    changed = scan[best] > (DRIFTS + STEADY) / 2
    fit = _split(rows, best if changed else int(rows["week"].max()) // 2 + 1, "curve")
    late = np.zeros(len(fit.coefficients))
    late[[1, 3]] = 1.0
    return {
        "coef_early": fit[1].value,
        "coef_late": fit.combination(late).value,
        "difference": fit[3].value,
        "ci": fit[3].interval,
        "change_point": best if changed else None,
    }


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one line through all weeks."""
    slope = _pooled(instance.rows, "raw")
    return {
        "coef_early": slope.value,
        "coef_late": slope.value,
        "difference": 0.0,
        "ci": Coefficient(0.0, 2 * slope.se).interval,
        "change_point": None,
    }


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Split where the slope as it is changes most, and take the two slopes for effects."""
    scan = _scan(instance.rows, "raw")
    best = max(scan, key=scan.__getitem__)
    sides = _sides(instance.rows, best, "raw")
    return {
        **{name: estimate.value for name, estimate in sides.items()},
        "ci": sides["difference"].interval,
        "change_point": best,
    }


CHALLENGE = Challenge(
    name="temporal",
    family="generalization",
    summary="the effect changes from some week on",
    variants=("trap", "stable"),
    fields=(
        NumberField("coef_early"),
        NumberField("coef_late"),
        NumberField("difference"),
        IntervalField("ci", of="difference"),
        NumberField("change_point", key=False, nullable=True),
    ),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
