"""Outside analysts of effects: `simpson`, `observational`, `effect_estimation`, `selection`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import statsmodels.api as sm

from evidence.outside_tools import (
    Answer,
    Array,
    Facts,
    When,
    adjust_logit,
    adjust_means,
    adjust_robustly,
    adjust_slopes,
    causes_by_bic,
    causes_by_tests,
    column,
    columns,
    compare_means,
    defensible,
    design,
    direction,
    fit,
    fit_glm,
    indefensible,
    interval,
    weigh_arms,
    when_before,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

    from evidence.outside_tools import Effect

RATINGS = {"increases": "use", "decreases": "avoid", "none": "either"}


def _arms(data: pd.DataFrame) -> tuple[Array, Array]:
    return column(data, "outcome"), column(data, "treatment")


def _find_by_tests(data: pd.DataFrame, when: When, assigned: bool) -> frozenset[str]:
    earlier = () if assigned else when_before(when, "treatment")
    return causes_by_tests(data, earlier, "treatment", "outcome")


def _find_by_bic(data: pd.DataFrame, when: When, assigned: bool) -> frozenset[str]:
    earlier = () if assigned else when_before(when, "treatment")
    return causes_by_bic(data, earlier, "treatment", "outcome")


def _tell_simpson(data: pd.DataFrame, effect: Effect, roles: Collection[str]) -> Answer:
    said = {direction(effect), direction(compare_means(*_arms(data)))}
    return {
        "effect": effect[0],
        "ci": interval(effect),
        "direction": direction(effect),
        "reversal": said == {"increases", "decreases"},
        "adjustment_set": frozenset(roles),
        "recommendation": RATINGS[direction(effect)],
    }


@defensible("simpson")
def stratify_simpson(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Strata of what bears on treatment and outcome by tests; all rows if by lot."""
    roles = _find_by_tests(data, when, assigned)
    if not roles:
        return _tell_simpson(data, compare_means(*_arms(data)), roles)
    return _tell_simpson(data, adjust_means(*_arms(data), columns(data, sorted(roles))), roles)


@defensible("simpson")
def regress_simpson(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Regression with products on all that was known before, also after a draw (statsmodels)."""
    known = columns(data, when_before(when, "treatment"))
    effect = adjust_slopes(*_arms(data), known)
    return _tell_simpson(data, effect, _find_by_bic(data, when, assigned))


@defensible("simpson")
def weigh_simpson(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Doubly robust weights on all that was known before."""
    known = columns(data, when_before(when, "treatment"))
    effect = adjust_robustly(*_arms(data), known)
    return _tell_simpson(data, effect, _find_by_tests(data, when, assigned))


@indefensible("simpson")
def compare_simpson(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """All rows as they are, with nothing adjusted for (statsmodels)."""
    return _tell_simpson(data, compare_means(*_arms(data)), ())


@indefensible("simpson")
def adjust_simpson_for_all(
    data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """Regression on every column, whenever it was measured."""
    others = sorted(set(when) - {"treatment", "outcome"})
    effect = adjust_slopes(*_arms(data), columns(data, others))
    return _tell_simpson(data, effect, causes_by_tests(data, others, "treatment", "outcome"))


@indefensible("simpson")
def stratify_simpson_always(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """The strata are what to look at, whenever they were measured."""
    effect = adjust_means(*_arms(data), columns(data, ["stratum"]))
    return _tell_simpson(data, effect, {"stratum"})


def _tell_observational(effect: Effect, roles: Collection[str], assigned: bool) -> Answer:
    return {
        "effect": effect[0],
        "ci": interval(effect),
        "direction": direction(effect),
        "adjustment_set": frozenset(roles),
        "design": "randomised" if assigned else "observational",
    }


@defensible("observational")
def average_logit(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Logistic regression with products on all known before, averaged (statsmodels)."""
    effect = adjust_logit(*_arms(data), columns(data, when_before(when, "treatment")))
    return _tell_observational(effect, _find_by_bic(data, when, assigned), assigned)


@defensible("observational")
def weigh_observational(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Weights by one over the chance of treatment, from all that was known before."""
    known = columns(data, when_before(when, "treatment"))
    effect = compare_means(*_arms(data)) if assigned else weigh_arms(*_arms(data), known)
    return _tell_observational(effect, _find_by_tests(data, when, assigned), assigned)


@defensible("observational")
def stratify_observational(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Strata of what bears on treatment and outcome by tests; all rows if by lot."""
    roles = _find_by_tests(data, when, assigned)
    effect = (
        adjust_means(*_arms(data), columns(data, sorted(roles)))
        if roles
        else compare_means(*_arms(data))
    )
    return _tell_observational(effect, roles, assigned)


@defensible("observational")
def weigh_observational_robustly(
    data: pd.DataFrame, when: When, _facts: Facts, assigned: bool
) -> Answer:
    """Doubly robust on all that was known before."""
    effect = adjust_robustly(*_arms(data), columns(data, when_before(when, "treatment")))
    return _tell_observational(effect, _find_by_bic(data, when, assigned), assigned)


@indefensible("observational")
def compare_observational(data: pd.DataFrame, _when: When, _facts: Facts, assigned: bool) -> Answer:
    """Those who got it against those who did not, as they are (statsmodels)."""
    return _tell_observational(compare_means(*_arms(data)), (), assigned)


@indefensible("observational")
def adjust_observational_for_all(
    data: pd.DataFrame, when: When, _facts: Facts, assigned: bool
) -> Answer:
    """Regression on every column, what came after among them, and all are named."""
    others = sorted(set(when) - {"treatment", "outcome"})
    effect = adjust_slopes(*_arms(data), columns(data, others))
    return _tell_observational(effect, others, assigned)


@indefensible("observational")
def adjust_observational_for_one(
    data: pd.DataFrame, when: When, _facts: Facts, assigned: bool
) -> Answer:
    """Only the column by which the arms differ most."""
    known = when_before(when, "treatment")
    outcome, treated = _arms(data)
    gaps = {role: abs(compare_means(column(data, role), treated)[0]) for role in known}
    worst = max(gaps, key=gaps.__getitem__)
    effect = adjust_slopes(outcome, treated, columns(data, [worst]))
    return _tell_observational(effect, {worst}, assigned)


def _lowest_share(data: pd.DataFrame, roles: Collection[str]) -> float:
    treated = column(data, "treatment")
    if not roles:
        return float(treated.mean())
    _, labels = np.unique(columns(data, sorted(roles)), axis=0, return_inverse=True)
    return min(float(treated[labels.ravel() == label].mean()) for label in np.unique(labels))


def _tell_effect(data: pd.DataFrame, effect: Effect, roles: frozenset[str]) -> Answer:
    return {
        "ate": effect[0],
        "ci": interval(effect),
        "estimand": "ate",
        "adjustment_set": roles,
        "min_propensity": _lowest_share(data, roles),
    }


@defensible("effect_estimation")
def stratify_effect(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Strata of what bears on treatment and outcome by tests, weighed by size."""
    roles = _find_by_tests(data, when, assigned)
    effect = (
        adjust_means(*_arms(data), columns(data, sorted(roles)))
        if roles
        else compare_means(*_arms(data))
    )
    return _tell_effect(data, effect, roles)


@defensible("effect_estimation")
def average_logit_effect(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Logistic regression with products on all known before, averaged (statsmodels)."""
    effect = adjust_logit(*_arms(data), columns(data, when_before(when, "treatment")))
    return _tell_effect(data, effect, _find_by_bic(data, when, assigned))


@defensible("effect_estimation")
def weigh_effect_robustly(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Doubly robust on the set found by BIC; the least chance from a logistic regression."""
    roles = _find_by_bic(data, when, assigned)
    adjusted = columns(data, sorted(roles))
    answer = _tell_effect(data, adjust_robustly(*_arms(data), adjusted), roles)
    chances = fit_glm(column(data, "treatment"), adjusted).fittedvalues
    return {**answer, "min_propensity": float(np.min(chances))}


@indefensible("effect_estimation")
def compare_effect(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The arms as they are, taken for the average effect (statsmodels)."""
    return _tell_effect(data, compare_means(*_arms(data)), frozenset())


@indefensible("effect_estimation")
def adjust_effect_for_all(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Regression on every column, what came after the treatment among them."""
    others = sorted(set(when) - {"treatment", "outcome"})
    effect = adjust_slopes(*_arms(data), columns(data, others))
    return _tell_effect(data, effect, causes_by_tests(data, others, "treatment", "outcome"))


@indefensible("effect_estimation")
def adjust_effect_for_baseline(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """Strata of the state at the outset alone."""
    effect = adjust_means(*_arms(data), columns(data, ["baseline"]))
    return _tell_effect(data, effect, frozenset({"baseline"}))


def _tell_selection(effect: Effect, is_misleading: bool) -> Answer:
    return {
        "effect": effect[0],
        "ci": interval(effect),
        "direction": direction(effect),
        "collider_bias": is_misleading,
    }


def _weigh_rows(data: pd.DataFrame, *parts: Array) -> Effect:
    """Weigh rows by one over the chance to be in the table."""
    outcome, treated = _arms(data)
    weights = 1 / column(data, "inclusion")
    result = sm.WLS(outcome, design(treated, *parts), weights=weights).fit(cov_type="HC1")
    return float(result.params[1]), float(result.bse[1])


def _depends_on_outcome(data: pd.DataFrame) -> bool:
    """Whether the chance to be in the table moves with the outcome, all else equal."""
    logs = np.log(column(data, "inclusion"))
    outcome, treated = _arms(data)
    other = column(data, "bystander")
    result = sm.OLS(logs, design(outcome, outcome * treated, treated, other)).fit()
    with_none, with_it = float(result.params[1]), float(result.params[1] + result.params[2])
    return max(abs(with_none), abs(with_it)) > 0.05


@defensible("selection")
def weigh_selection(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Inverse weights; misleading if the chance to be in moves with the outcome (statsmodels)."""
    return _tell_selection(_weigh_rows(data), _depends_on_outcome(data))


@defensible("selection")
def weigh_selection_in_strata(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """Inverse weights and regression; misleading if the plain difference is elsewhere."""
    other, weights = column(data, "bystander"), 1 / column(data, "inclusion")
    centred = other - np.average(other, weights=weights)
    outcome, treated = _arms(data)
    effect = _weigh_rows(data, centred, centred * treated)
    shifts = []
    for weight in (np.ones(len(outcome)), weights):
        gap = np.zeros(len(outcome))
        for arm, sign in ((1, 1), (0, -1)):
            share = weight * (treated == arm) / np.sum(weight * (treated == arm))
            gap += sign * share * (outcome - share @ outcome)
        shifts.append(gap)
    error = float(np.sqrt(np.sum((shifts[1] - shifts[0]) ** 2)))
    change = _weigh_rows(data)[0] - compare_means(outcome, treated)[0]
    return _tell_selection(effect, bool(abs(change) > max(3 * error, 0.01)))


@defensible("selection")
def offset_selection(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Logistic regression with the known chances as an offset, averaged over all in the lot."""
    outcome, treated = _arms(data)
    other, chance = column(data, "bystander"), column(data, "inclusion")
    offset = np.zeros(len(data))
    for arm in (0, 1):
        for kind in (0, 1):
            rows = (treated == arm) & (other == kind)
            means = [np.log(chance[rows & (outcome == level)].mean()) for level in (0, 1)]
            offset[rows] = means[1] - means[0]
    parts = design(treated, other, treated * other)
    family = sm.families.Binomial()
    result = sm.GLM(outcome, parts, family=family, offset=offset).fit()
    share = float(np.average(other, weights=1 / chance))
    gap = 0.0
    gradient = np.zeros(4)
    for arm, sign in ((1, 1), (0, -1)):
        for kind, size in ((1, share), (0, 1 - share)):
            row = np.array([1.0, arm, kind, arm * kind])
            risk = 1 / (1 + np.exp(-(row @ np.asarray(result.params))))
            gap += sign * size * float(risk)
            gradient += sign * size * risk * (1 - risk) * row
    variance = float(gradient @ np.asarray(result.cov_params()) @ gradient)
    return _tell_selection((gap, float(np.sqrt(variance))), bool(np.abs(offset).max() > 0.05))


@indefensible("selection")
def compare_selection(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The rows in the table as they are: it was a fair lottery (statsmodels)."""
    return _tell_selection(compare_means(*_arms(data)), False)


@indefensible("selection")
def adjust_selection(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The chance to be in the table as one more covariate."""
    outcome, treated = _arms(data)
    chance = column(data, "inclusion")
    if np.ptp(chance) == 0:
        return _tell_selection(compare_means(outcome, treated), False)
    result = fit(outcome, treated, chance)
    return _tell_selection((float(result.params[1]), float(result.bse[1])), True)


@indefensible("selection")
def weigh_selection_wrongly(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """Weights by the chance itself where one over it is due."""
    outcome, treated = _arms(data)
    weights = column(data, "inclusion")
    result = sm.WLS(outcome, design(treated), weights=weights).fit(cov_type="HC1")
    effect = float(result.params[1]), float(result.bse[1])
    return _tell_selection(effect, bool(np.ptp(weights) > 0))
