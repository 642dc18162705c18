"""Temporal drift: an effect that changes one week, and a slope that averages over it.

From some week on, one more unit of the exposure does something else than before. Who fits one line
through all weeks describes neither what was nor what is.

Yet an association that changes is not yet an effect that changes. From that week on, too, the
exposure was steered by a covariate, so that its slope changes at that week in any case: in
the control `stable`, where the exposure does the same throughout, as visibly as in a trap. It takes
the covariate to see that nothing drifts. Twins have the same exposures, told from what is usual:
where the effect changes, nothing else does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    report_effect,
)
from whybench.suites.analyze.challenges.two_effects import (
    choose,
    compare_effects,
    draw_effects,
    report,
    steer,
)
from whybench.suites.analyze.columns import derived, real, spread
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import Coefficient, cell_means
from whybench.suites.analyze.estimators.slopes import (
    TwoSlopes,
    fit_apart,
    fit_slope,
    fit_together,
    scan_changes,
)
from whybench.suites.analyze.fields import IntervalField, NumberField
from whybench.suites.analyze.reports import AVERAGE, CONDITIONAL
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.effects import Effect

EFFECTS = ("coef_early", "estimate")

DRIFTS, STEADY = 6.0, 3.0
"""A slope changes if it does so by this many standard errors at some week; and does not, if it
stays below the other number at every week."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    weeks, change = int(at["weeks"]), int(at["change"])
    if variant == TRAP:
        point = CategoricalTruth(change, (change - 1, change + 1), naive=(None,))
    else:
        point = CategoricalTruth(None, alarm=tuple(range(1, weeks + 1)))
    late = rows["week"] >= change
    numbers = compare_effects(variant, certified, rows, late, ["week", "covariate"])
    return {**numbers, "change_point": point}


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    return variant == TRAP or (
        _largest_change(rows, "covariate") < STEADY and _largest_change(rows) >= DRIFTS
    )


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the parameters before (0) and from the week of change on (1)."""
    weeks = int(rng.integers(24, 37))
    return {
        "weeks": weeks,
        "change": int(rng.integers(round(0.3 * weeks), round(0.7 * weeks) + 1)) + 1,
        "trend": rng.uniform(-0.05, 0.05),
        **draw_effects(variant, rng),
    }


def _size(at: Parameters, rng: np.random.Generator) -> int:
    return int(at["weeks"]) * int(rng.integers(60, 81))


def _world(_variant: str, at: Parameters) -> World:
    return World(
        (
            spread("week", int(at["weeks"]), time=0),
            real("covariate", time=1),
            real("choice"),
            derived(
                "exposure",
                lambda week, covariate, choice: steer(at, week >= at["change"], covariate, choice),
                time=2,
            ),
            real(
                "outcome",
                lambda week, covariate, exposure: (
                    at["trend"] * week
                    + at["covariate"] * covariate
                    + choose(at, "effect", week >= at["change"]) * exposure
                ),
                time=3,
            ),
        )
    )


def _effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    early, late = (increase("exposure", week=week) for week in (1, at["weeks"]))
    return {"coef_early": early, "estimate": late, "difference": late - early}


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    return {
        "coef_early": at["effect_0"],
        "estimate": at["effect_1"],
        "difference": at["effect_1"] - at["effect_0"],
    }


def _scan(rows: Rows, *beside: str) -> dict[int, float]:
    """Return by how many standard errors the slope changes, at every week where it might."""
    held = [rows[role] for role in beside]
    return scan_changes(rows["outcome"], rows["exposure"], rows["week"], *held)


def _largest_change(rows: Rows, *beside: str) -> float:
    return max(_scan(rows, *beside).values())


def _has_trap(instance: Instance) -> bool:
    """Whether the adjusted slope clearly changes at some week."""
    return _largest_change(instance.rows, "covariate") >= DRIFTS


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Compare rows of the same week, and look for the week of the clearest change."""
    week = instance.rows["week"]
    rows = {
        role: instance.rows[role] - cell_means(instance.rows[role], week)
        for role in ("outcome", "exposure", "covariate")
    }
    beside = [rows["covariate"], rows["covariate"] ** 2]
    scan = scan_changes(rows["outcome"], rows["exposure"], week, *beside)
    best = max(scan, key=scan.__getitem__)
    found = fit_together(rows["outcome"], rows["exposure"], week >= best, *beside)
    changed = scan[best] > (DRIFTS + STEADY) / 2
    if not changed:
        slope = fit_slope(rows["outcome"], rows["exposure"], *beside)
        found = TwoSlopes(slope, slope, Coefficient(0.0, found.gap.se))
    return {**report(EFFECTS, found), "change_point": best if changed else None}


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit one line through all weeks."""
    slope = fit_slope(instance.rows["outcome"], instance.rows["exposure"])
    return {**report(EFFECTS, TwoSlopes.of(slope, slope)), "change_point": None}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Split where the slope as it is changes most, and take the two slopes for effects."""
    rows, scan = instance.rows, _scan(instance.rows)
    best = max(scan, key=scan.__getitem__)
    found = fit_apart(rows["outcome"], rows["exposure"], rows["week"] >= best, rows["week"])
    return {**report(EFFECTS, found), "change_point": best}


CHALLENGE = Challenge(
    name="temporal",
    family="generalization",
    summary="the effect changes from some week on",
    variants=("trap", "stable"),
    report=report_effect(),
    estimands=(CONDITIONAL, AVERAGE),
    diagnosis=(
        NumberField("coef_early"),
        NumberField("difference"),
        IntervalField("ci", of="difference"),
        NumberField("change_point", key=False, nullable=True),
    ),
    shown=("week", "covariate", "exposure", "outcome"),
    units=("covariate", "outcome"),
    acted_on="exposure",
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
