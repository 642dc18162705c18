"""Temporal drift: an effect that changes one week, and a slope that averages over it.

From some week on, one more unit of the exposure does something else than before. Who fits one line
through all weeks describes neither what was nor what is.

Yet an association that changes is not yet an effect that changes. Up to that week or from it on, by
lot, the exposure was steered by a covariate, so that its slope changes at that week in any case: in
the control `stable`, where the exposure does the same throughout, as visibly as in a trap. It takes
the covariate to see that nothing drifts. Twins have the same exposures, told from what is usual:
where the effect changes, nothing else does.
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
from whybench.suites.analyze.columns import derived, real, spread
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
    from collections.abc import Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect
    from whybench.suites.analyze.estimators.regression import Fit

__all__ = ["CHALLENGE", "scan_changes"]

DRIFTS, STEADY = 6.0, 3.0
"""A slope changes if it does so by this many standard errors at some week; and does not, if it
stays below the other number at every week."""

COVARIATE = "covariate"

MARGIN = 4
"""How many weeks there are on either side of a split, at least."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    weeks, change = int(at["weeks"]), int(at["change"])
    apart, together = _sides(rows, change), _read_off(_split(rows, change, "one level"))
    one_slope = {f"one slope, {how}": _pooled(rows, how) for how in ("raw", "adjusted")}
    truths: dict[str, Truth] = {}
    for name, estimate in apart.items():
        if name == "difference":
            one_slope = dict.fromkeys(one_slope, Coefficient(0.0, estimate.se))
        truths[name] = NumericTruth(
            certified[name],
            {"fit on either side of the change": estimate, "one fit, two slopes": together[name]}
            | (
                {"one slope, adjusted": one_slope["one slope, adjusted"]} if variant != TRAP else {}
            ),
            estimate.se,
            {how: found.value for how, found in one_slope.items() if variant == TRAP},
        )
    if variant == TRAP:
        point = CategoricalTruth(change, (change - 1, change + 1), naive=(None,))
    else:
        point = CategoricalTruth(None, alarm=tuple(range(1, weeks + 1)))
    return {**truths, "change_point": point}


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    return variant == TRAP or (_largest(rows, COVARIATE) < STEADY and _largest(rows) >= DRIFTS)


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters before (0) and from the week of change on (1)."""
    weeks = int(rng.integers(24, 37))
    change = int(rng.integers(round(0.3 * weeks), round(0.7 * weeks) + 1)) + 1
    effect, drift = rng.uniform(-0.8, 0.8), rng.choice((-1, 1)) * rng.uniform(0.5, 1.0)
    steer, late = rng.choice((-1, 1)) * rng.uniform(0.5, 0.75), bool(rng.integers(2))
    return {
        "weeks": weeks,
        "change": change,
        "trend": rng.uniform(-0.05, 0.05),
        "steer_0": 0.0 if late else steer,
        "steer_1": steer if late else 0.0,
        "covariate": rng.choice((-1, 1)) * rng.uniform(0.8, 1.2),
        "effect_0": effect,
        "effect_1": effect + (drift if variant == TRAP else 0.0),
    }


def _size(at: Parameters, rng: np.random.Generator) -> int:
    return int(at["weeks"]) * int(rng.integers(60, 81))


def _world(_variant: str, at: Parameters) -> World:
    def of_week(name: str, week: Array) -> Array:
        return np.where(week < at["change"], at[f"{name}_0"], at[f"{name}_1"])

    def expose(week: Array, covariate: Array, choice: Array) -> Array:
        steer = of_week("steer", week)
        exposure: Array = steer * covariate + np.sqrt(1 - steer**2) * choice
        return exposure

    return World(
        (
            spread("week", int(at["weeks"]), time=0),
            real("covariate", time=1),
            real("choice"),
            derived("exposure", expose, time=2),
            real(
                "outcome",
                lambda week, covariate, exposure: (
                    at["trend"] * week
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
    """Fit one slope to rows: as it is, beside the week, or beside the covariate too."""
    roles = {"raw": (), "week": ("week",), "adjusted": ("week", COVARIATE)}[how]
    beside = [rows[role] for role in roles]
    return least_squares(rows["outcome"], design_matrix(rows["exposure"], *beside))[1]


def _sides(rows: Rows, week: int, how: str = "adjusted") -> dict[str, Coefficient]:
    """Fit the weeks before `week` and the others apart from each other."""
    late = rows["week"] >= week
    early, after = (
        _pooled({role: values[here] for role, values in rows.items()}, how)
        for here in (~late, late)
    )
    gap = Coefficient(after.value - early.value, float(np.hypot(after.se, early.se)))
    return {"coef_early": early, "coef_late": after, "difference": gap}


def _split(rows: Rows, week: int, how: str) -> Fit:
    """Fit all rows at once; the second coefficient is by how much the slope changes at `week`."""
    late, covariate, exposure = rows["week"] >= week, rows["covariate"], rows["exposure"]
    beside = {"one level": [covariate], "curve": [late, covariate, covariate**2]}[how]
    matrix = design_matrix(exposure, late * exposure, rows["week"], *beside)
    return least_squares(rows["outcome"], matrix)


def _read_off(fit: Fit) -> dict[str, Coefficient]:
    late = np.zeros(len(fit.coefficients))
    late[[1, 2]] = 1.0
    return {"coef_early": fit[1], "coef_late": fit.combination(late), "difference": fit[2]}


def _within_weeks(rows: Rows) -> dict[str, Array]:
    """Take off the means of each week, so that whatever changes from week to week is gone."""
    week = rows["week"]
    return {
        role: week if role == "week" else values - cell_means(values, week)
        for role, values in rows.items()
    }


def scan_changes(rows: Rows, beside: Sequence[Array] = ()) -> dict[int, float]:
    """Return by how many standard errors the slope changes, at every week where it might.

    One fit for each week, from sums over weeks; errors are those of equal variances.
    """
    week, exposure, outcome = rows["week"], rows["exposure"], rows["outcome"]
    held = design_matrix(exposure, week, *(values - values.mean() for values in beside))
    values = np.column_stack([held, outcome - outcome.mean()])
    first = np.searchsorted(week, np.arange(1, week.max() + 1))
    products = held[:, :2, None] * values[:, None, :]
    since = np.cumsum(np.add.reduceat(products, first)[::-1], axis=0)[::-1]
    places = np.arange(MARGIN, len(first) - MARGIN + 1)
    late, size = since[places], values.shape[1] + 2
    moments = np.empty((len(places), size, size))
    moments[:, 2:, 2:] = values.T @ values
    moments[:, :2, 2:] = late
    moments[:, 2:, :2] = late.transpose(0, 2, 1)
    moments[:, :2, :2] = late[:, :, :2]
    inverse = np.linalg.inv(moments[:, :-1, :-1])
    right = moments[:, :-1, -1]
    found = np.einsum("wij,wj->wi", inverse, right)
    left = (moments[:, -1, -1] - np.sum(found * right, axis=1)) / (len(week) - size + 1)
    z = np.abs(found[:, 1]) / np.sqrt(inverse[:, 1, 1] * left)
    return dict(zip((places + 1).tolist(), z.tolist(), strict=True))


def _largest(rows: Rows, *beside: str) -> float:
    return max(scan_changes(rows, [rows[role] for role in beside]).values())


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slope clearly changes at some week."""
    return _largest(instance.rows, COVARIATE) >= DRIFTS


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Compare rows of the same week, and look for the week of the clearest change."""
    rows = _within_weeks(instance.rows)
    scan = scan_changes(rows, [rows[COVARIATE], rows[COVARIATE] ** 2])
    best = max(scan, key=scan.__getitem__)
    changed = scan[best] > (DRIFTS + STEADY) / 2
    found = _read_off(_split(rows, best, "curve"))
    if not changed:
        slope, gap = _pooled(rows, "adjusted"), Coefficient(0.0, found["difference"].se)
        found = {"coef_early": slope, "coef_late": slope, "difference": gap}
    return {
        **{name: estimate.value for name, estimate in found.items()},
        "ci": found["difference"].interval,
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
    scan = scan_changes(instance.rows)
    best = max(scan, key=scan.__getitem__)
    sides = _sides(instance.rows, best, "week")
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
    units=("covariate", "outcome"),
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
