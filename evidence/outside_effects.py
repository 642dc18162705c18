"""Outside analysts of effects: `simpson`, `observational`, `effect_estimation`, `selection`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import statsmodels.api as sm
from scipy import stats

from evidence.outside_tools import (
    STRICT,
    Answer,
    Array,
    Facts,
    When,
    adjust_each,
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
    indefensible,
    interval,
    weigh_arms,
    when_before,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd

    from evidence.outside_tools import Effect

CRITICAL = 2.58
"""How many standard errors are beyond chance at the strict level."""

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
        "estimate": effect[0],
        "estimate_ci": interval(effect),
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
        "estimate": effect[0],
        "estimate_ci": interval(effect),
        "direction": direction(effect),
        "adjustment_set": frozenset(roles),
        "design": "randomized" if assigned else "observational",
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


@indefensible("observational")
def distrust_lots(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Regression on all that was known before; no table is an experiment."""
    known = when_before(when, "treatment")
    effect = adjust_slopes(*_arms(data), columns(data, known))
    return _tell_observational(effect, known, False)


START = ("baseline", "earlier")
"""What the question asks whether it is enough to adjust for."""


def _tell_effect(effect: Effect, roles: frozenset[str], start_misleads: bool) -> Answer:
    return {
        "estimate": effect[0],
        "estimate_ci": interval(effect),
        "adjustment_set": roles,
        "start_misleads": start_misleads,
    }


def _start_misleads(data: pd.DataFrame, when: When) -> bool:
    """Whether a doubly robust effect moves once all that was known before is held, by a test."""
    each = [
        adjust_each(*_arms(data), columns(data, held))
        for held in (when_before(when, "treatment"), START)
    ]
    moved = each[0] - each[1]
    return bool(abs(moved.mean()) > CRITICAL * moved.std() / np.sqrt(len(moved)))


@defensible("effect_estimation")
def stratify_effect(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Strata of what bears on both by tests; the start misleads if there is more to it."""
    roles = _find_by_tests(data, when, assigned)
    effect = (
        adjust_means(*_arms(data), columns(data, sorted(roles)))
        if roles
        else compare_means(*_arms(data))
    )
    return _tell_effect(effect, roles, not roles <= set(START))


@defensible("effect_estimation")
def average_logit_effect(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Logistic regression with products on all known before, averaged (statsmodels)."""
    effect = adjust_logit(*_arms(data), columns(data, when_before(when, "treatment")))
    return _tell_effect(effect, _find_by_bic(data, when, assigned), _start_misleads(data, when))


@defensible("effect_estimation")
def weigh_effect_robustly(data: pd.DataFrame, when: When, _facts: Facts, assigned: bool) -> Answer:
    """Doubly robust on the set found by BIC; the start misleads if more moves the effect."""
    roles = _find_by_bic(data, when, assigned)
    effect = adjust_robustly(*_arms(data), columns(data, sorted(roles)))
    return _tell_effect(effect, roles, _start_misleads(data, when))


@indefensible("effect_estimation")
def compare_effect(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The arms as they are, taken for the average effect (statsmodels)."""
    return _tell_effect(compare_means(*_arms(data)), frozenset(), False)


@indefensible("effect_estimation")
def adjust_effect_for_all(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Regression on every column, what came after the treatment among them."""
    others = sorted(set(when) - {"treatment", "outcome"})
    effect = adjust_slopes(*_arms(data), columns(data, others))
    roles = causes_by_tests(data, others, "treatment", "outcome")
    return _tell_effect(effect, roles, not roles <= set(START))


@indefensible("effect_estimation")
def adjust_effect_for_baseline(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """Strata of the state at the outset alone."""
    effect = adjust_means(*_arms(data), columns(data, ["baseline"]))
    return _tell_effect(effect, frozenset({"baseline"}), False)


def _tell_selection(effect: Effect, is_biased: bool) -> Answer:
    return {
        "estimate": effect[0],
        "estimate_ci": interval(effect),
        "direction": direction(effect),
        "collider_bias": is_biased,
    }


def _weigh_rows(data: pd.DataFrame, *parts: Array) -> Effect:
    """Weigh rows by one over the chance to be in the table."""
    outcome, treated = _arms(data)
    weights = 1 / column(data, "inclusion")
    result = sm.WLS(outcome, design(treated, *parts), weights=weights).fit(cov_type="HC1")
    return float(result.params[1]), float(result.bse[1])


def _depends_on_outcome(data: pd.DataFrame) -> bool:
    """Whether the chance to be in the table moves with the outcome, all else equal: Wald's test."""
    outcome, treated = _arms(data)
    logs = np.log(column(data, "inclusion"))
    result = fit(logs, outcome, outcome * treated, treated, column(data, "bystander"))
    test = result.wald_test(np.eye(2, 5, 1), scalar=True)
    return bool(test.pvalue < STRICT)


def _ranks_depend_on_outcome(data: pd.DataFrame) -> bool:
    """Whether ranks of the chance to be in the table differ by outcome, in cells of the rest."""
    tests = [
        stats.mannwhitneyu(*(rows.loc[rows["outcome"] == level, "inclusion"] for level in (0, 1)))
        for _, rows in data.groupby(["treatment", "bystander"])
    ]
    squares = [stats.norm.isf(found.pvalue / 2) ** 2 for found in tests]
    return bool(stats.chi2.sf(sum(squares), len(squares)) < STRICT)


@defensible("selection")
def weigh_selection(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Inverse weights; biased if the chance to be in moves with the outcome (statsmodels)."""
    return _tell_selection(_weigh_rows(data), _depends_on_outcome(data))


@defensible("selection")
def weigh_selection_in_strata(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """Inverse weights and regression; biased if the plain difference is elsewhere."""
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
    # With all products the odds are those of each cell, over the odds to be in the table: harmonic
    # means of the chances of those who are. Errors are by drawing rows again.
    places = sum(
        weight * column(data, role).astype(int)
        for weight, role in ((4, "treatment"), (2, "bystander"), (1, "outcome"))
    )
    stands = 1 / column(data, "inclusion")

    def estimate(drawn: Array) -> float:
        counts = np.bincount(places, drawn, 8).reshape(2, 2, 2)
        harmonic = counts / np.bincount(places, drawn * stands, 8).reshape(2, 2, 2)
        odds = counts[..., 1] / counts[..., 0] / (harmonic[..., 1] / harmonic[..., 0])
        shares = (counts / harmonic).sum(axis=(0, 2))
        risks = odds / (1 + odds) @ shares / shares.sum()
        return float(risks[1] - risks[0])

    rng = np.random.default_rng(0)
    even = np.full(len(data), 1 / len(data))
    again = [estimate(rng.multinomial(len(data), even).astype(float)) for _ in range(200)]
    effect = estimate(np.ones(len(data))), float(np.std(again))
    return _tell_selection(effect, _ranks_depend_on_outcome(data))


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
