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

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
)
from whybench.suites.analyze.columns import real, spread
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    cell_means,
    design_matrix,
    least_squares,
)
from whybench.suites.analyze.fields import IntervalField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect
    from whybench.suites.analyze.estimators.regression import Fit

__all__ = ["CHALLENGE"]

DRIFTS, STEADY = 6.0, 3.0
"""A slope changes if it does so by this many standard errors at some week; and does not, if it
stays below the other number at every week."""

MARGIN = 4
"""How many weeks there are on either side of a split, at least."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    raw, adjusted = (_pooled(rows, how).value for how in ("raw", "adjusted"))
    truths: dict[str, Truth] = {}
    for name, estimate in _sides(rows, int(at["change"])).items():
        gap = name == "difference"
        references = {"fit on either side of the change": estimate.value}
        if variant != TRAP:
            references["fit to all weeks"] = 0.0 if gap else adjusted
        one_slope = {"raw": 0.0 if gap else raw, "adjusted": 0.0 if gap else adjusted}
        truths[name] = NumericTruth(
            certified[name],
            references,
            estimate.se,
            {f"one slope, {how}": value for how, value in one_slope.items() if variant == TRAP},
        )
    weeks, change = int(at["weeks"]), int(at["change"])
    if variant == TRAP:
        point = CategoricalTruth(change, (change - 1, change + 1), naive=(None,))
    else:
        point = CategoricalTruth(None, alarm=tuple(range(1, weeks + 1)))
    return {**truths, "change_point": point}


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    return variant == TRAP or (
        _largest(rows, "adjusted") < STEADY and _largest(rows, "raw") >= DRIFTS
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


def _size(at: Parameters, rng: np.random.Generator) -> int:
    return int(at["weeks"]) * int(rng.integers(60, 81))


def _world(_variant: str, at: Parameters) -> World:
    def of_week(name: str, week: Array) -> Array:
        return np.where(week < at["change"], at[f"{name}_0"], at[f"{name}_1"])

    return World(
        (
            spread("week", int(at["weeks"]), time=0),
            real("covariate", time=1),
            real(
                "exposure",
                lambda week, covariate: at["exposure"] + of_week("steer", week) * covariate,
                time=2,
            ),
            real(
                "outcome",
                lambda week, covariate, exposure: (
                    at["base"]
                    + at["trend"] * week
                    + at["covariate"] * covariate
                    + of_week("effect", week) * exposure
                ),
                time=3,
            ),
        )
    )


def _effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    early, late = (increase("exposure", week=week) for week in (1, at["weeks"]))
    return {"coef_early": early, "coef_late": late, "difference": late - early}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "coef_early": at["effect_0"],
        "coef_late": at["effect_1"],
        "difference": at["effect_1"] - at["effect_0"],
    }


def _pooled(rows: Rows, how: str) -> Coefficient:
    beside = [rows["covariate"], rows["week"]] if how == "adjusted" else []
    return least_squares(rows["outcome"], design_matrix(rows["exposure"], *beside))[1]


def _sides(rows: Rows, week: int, how: str = "adjusted") -> dict[str, Coefficient]:
    """Fit the weeks before `week` and the others apart from each other."""
    found = []
    for here in (rows["week"] < week, rows["week"] >= week):
        beside = [rows["week"][here]] + ([rows["covariate"][here]] if how == "adjusted" else [])
        matrix = design_matrix(rows["exposure"][here], *beside)
        found.append(least_squares(rows["outcome"][here], matrix)[1])
    early, late = found
    gap = Coefficient(late.value - early.value, float(np.hypot(late.se, early.se)))
    return {"coef_early": early, "coef_late": late, "difference": gap}


def _split(rows: Rows, week: int, how: str) -> Fit:
    """Fit all rows at once; the third coefficient is by how much the slope changes at `week`."""
    late, covariate = rows["week"] >= week, rows["covariate"]
    beside = {"raw": (), "adjusted": (covariate,), "curve": (covariate, covariate**2)}[how]
    exposure = rows["exposure"] - rows["exposure"].mean()
    matrix = design_matrix(exposure, late, late * exposure, rows["week"], *beside)
    return least_squares(rows["outcome"], matrix)


def _within_weeks(rows: Rows) -> dict[str, Array]:
    """Take off the means of each week, so that whatever changes from week to week is gone."""
    week = rows["week"]
    return {
        role: week if role == "week" else values - cell_means(values, week)
        for role, values in rows.items()
    }


def _scan(rows: Rows, how: str) -> dict[int, float]:
    """Return by how many standard errors the slope changes, at every week where it might."""
    weeks = int(rows["week"].max())
    return {
        week: abs(_split(rows, week, how)[3].z) for week in range(MARGIN + 1, weeks - MARGIN + 2)
    }


def _largest(rows: Rows, how: str) -> float:
    return max(_scan(rows, how).values())


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slope clearly changes at some week."""
    return _largest(instance.rows, "adjusted") >= DRIFTS


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
    shown=("week", "covariate", "exposure", "outcome"),
    size=_size,
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
