"""Outside analysts of slopes: `population`, `temporal` and `domain_shift`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import statsmodels.api as sm

from evidence.outside_tools import (
    STRICT,
    Answer,
    Array,
    Facts,
    When,
    column,
    columns,
    defensible,
    design,
    fit,
    indefensible,
    interval,
    number,
    spline,
    when_before,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from evidence.outside_tools import Effect

SUP_WALD = 8.68
"""Andrews' 5% critical value of the greatest of Wald's tests of one slope, 15% trimmed off."""


def _tell_population(first: Effect, second: Effect) -> Answer:
    gap = second[0] - first[0], float(np.hypot(first[1], second[1]))
    return {"coef_a": first[0], "estimate": second[0], "difference": gap[0], "ci": interval(gap)}


def _split(data: pd.DataFrame, slope: Callable[[pd.DataFrame], Effect]) -> Answer:
    first, second = (slope(data[data["population"] == kind]) for kind in (0, 1))
    return _tell_population(first, second)


@defensible("population")
def fit_each_population(data: pd.DataFrame, when: When, _facts: Facts, _assigned: bool) -> Answer:
    """A regression in each population on all that was known before (statsmodels)."""
    known = [role for role in when_before(when, "exposure") if role != "population"]

    def slope(rows: pd.DataFrame) -> Effect:
        result = fit(column(rows, "outcome"), column(rows, "exposure"), columns(rows, known))
        return float(result.params[1]), float(result.bse[1])

    return _split(data, slope)


@defensible("population")
def fit_both_populations(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """One regression with products of the population with dose and covariate."""
    kind, dose, third = (column(data, role) for role in ("population", "exposure", "covariate"))
    result = fit(column(data, "outcome"), dose, dose * kind, kind, third, third * kind)
    first, gap = float(result.params[1]), float(result.params[2])
    return {
        "coef_a": first,
        "estimate": first + gap,
        "difference": gap,
        "ci": interval((gap, float(result.bse[2]))),
    }


@defensible("population")
def partial_out_population(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """In each population, residuals of the outcome on residuals of the dose, given a spline."""

    def slope(rows: pd.DataFrame) -> Effect:
        flexible = design(spline(column(rows, "covariate")))
        both = np.column_stack([column(rows, "outcome"), column(rows, "exposure")])
        left = both - flexible @ np.linalg.lstsq(flexible, both, rcond=None)[0]
        result = fit(left[:, 0], left[:, 1])
        return float(result.params[1]), float(result.bse[1])

    return _split(data, slope)


@indefensible("population")
def neglect_covariate_of_population(
    data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool
) -> Answer:
    """A line in each population with nothing adjusted for (statsmodels)."""

    def slope(rows: pd.DataFrame) -> Effect:
        result = fit(column(rows, "outcome"), column(rows, "exposure"))
        return float(result.params[1]), float(result.bse[1])

    return _split(data, slope)


@indefensible("population")
def pool_populations(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """One slope for both populations."""
    kind, dose, third = (column(data, role) for role in ("population", "exposure", "covariate"))
    result = fit(column(data, "outcome"), dose, kind, third)
    slope, error = float(result.params[1]), float(result.bse[1])
    return {"coef_a": slope, "estimate": slope, "difference": 0.0, "ci": interval((0.0, error))}


def _tell_temporal(early: float, late: float, gap: Effect, change: int | None) -> Answer:
    return {
        "coef_early": early,
        "estimate": late,
        "difference": late - early,
        "ci": interval(gap),
        "change_point": None if change is None else float(change),
    }


def _split_slopes(data: pd.DataFrame, week: int, others: Array) -> Any:
    """Fit the slope before a week and its change from then on: the second and third number."""
    dose, late = column(data, "exposure"), column(data, "week") >= week
    return fit(column(data, "outcome"), dose, dose * late, others)


def _weeks(data: pd.DataFrame, trim: float = 0.15) -> list[int]:
    weeks = np.unique(column(data, "week"))
    least = max(1, round(trim * len(weeks)))
    return [int(week) for week in weeks[least : len(weeks) - least + 1]]


def _middle(data: pd.DataFrame) -> int:
    weeks = np.unique(column(data, "week"))
    return int(weeks[len(weeks) // 2])


def _week_means(data: pd.DataFrame) -> Array:
    weeks = column(data, "week")
    return np.column_stack([weeks == week for week in np.unique(weeks)[1:]]).astype(np.float64)


def _demean(data: pd.DataFrame, *parts: Array) -> Array:
    """Take the mean of each week off."""
    _, labels = np.unique(column(data, "week"), return_inverse=True)
    stacked = np.column_stack(parts)
    sums = np.zeros((labels.max() + 1, stacked.shape[1]))
    np.add.at(sums, labels, stacked)
    return np.asarray(stacked - (sums / np.bincount(labels)[:, None])[labels])


def _search_change(data: pd.DataFrame, weeks: list[int]) -> tuple[int, float, float, Effect]:
    """Return the week of the best split, Wald's statistic there, and the slope and its change.

    Weeks have means of their own, and the covariate a slope of its own in either part.
    """
    dose, third, week = (column(data, role) for role in ("exposure", "covariate", "week"))
    best: tuple[int, float, float, Effect] | None = None
    least = np.inf
    for start in weeks:
        late = week >= start
        left = _demean(data, column(data, "outcome"), dose, dose * late, third, third * late)
        inverse = np.linalg.inv(left[:, 1:].T @ left[:, 1:])
        slopes = inverse @ (left[:, 1:].T @ left[:, 0])
        rest = left[:, 0] - left[:, 1:] @ slopes
        lost = float(rest @ rest)
        error = float(np.sqrt(inverse[1, 1] * lost / (len(data) - len(np.unique(week)) - 4)))
        if lost < least:
            least = lost
            gap = float(slopes[1]), error
            best = start, (gap[0] / error) ** 2, float(slopes[0]), gap
    if best is None:
        raise ValueError("no week to split at")
    return best


def _tell_no_change(data: pd.DataFrame) -> Answer:
    """One slope and no difference, as sure as one can be of the second half less the first."""
    dose, third = column(data, "exposure"), column(data, "covariate")
    left = _demean(data, column(data, "outcome"), dose, third)
    slope = float(fit(left[:, 0], left[:, 1:]).params[1])
    _, _, _, (_, error) = _search_change(data, [_middle(data)])
    return _tell_temporal(slope, slope, (0.0, error), None)


@defensible("temporal")
def search_sup_wald(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The split with the least squares, if Wald's statistic beats Andrews' critical value."""
    change, statistic, early, gap = _search_change(data, _weeks(data))
    if statistic < SUP_WALD:
        return _tell_no_change(data)
    return _tell_temporal(early, early + gap[0], gap, change)


@defensible("temporal")
def search_by_bic(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """Each split as a model with two numbers more, the best by BIC (statsmodels)."""
    others = np.column_stack([_week_means(data), columns(data, ["covariate"])])
    outcome, dose = column(data, "outcome"), column(data, "exposure")
    plain = sm.OLS(outcome, design(dose, others)).fit()
    left = _demean(data, outcome, dose, column(data, "covariate"))
    scores = {}
    for start in _weeks(data, 0.1):
        late = dose * (column(data, "week") >= start)
        parts = np.column_stack([left[:, 1:], _demean(data, late)])
        rest = left[:, 0] - parts @ np.linalg.lstsq(parts, left[:, 0], rcond=None)[0]
        scores[start] = float(rest @ rest)
    change = min(scores, key=scores.__getitem__)
    split = _split_slopes(data, change, others)
    gain = 2 * (split.llf - plain.llf) - 2 * np.log(len(data))
    if gain > 0:
        early, late_gap = float(split.params[1]), float(split.params[2])
        gap = late_gap, float(split.bse[2])
        return _tell_temporal(early, early + late_gap, gap, change)
    slope = float(plain.params[1])
    half = _split_slopes(data, _middle(data), others)
    return _tell_temporal(slope, slope, (0.0, float(half.bse[2])), None)


@defensible("temporal")
def split_weekly_slopes(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """A slope for each week, the greatest gap of means against draws; if none, two halves."""
    weeks = np.unique(column(data, "week"))
    slopes, sizes = np.empty(len(weeks)), np.empty(len(weeks))
    lost, freedom = 0.0, 0
    for place, week in enumerate(weeks):
        rows = data[column(data, "week") == week]
        parts = design(column(rows, "exposure"), column(rows, "covariate"))
        inverse = np.linalg.inv(parts.T @ parts)
        found = inverse @ (parts.T @ column(rows, "outcome"))
        slopes[place], sizes[place] = found[1], 1 / inverse[1, 1]
        rest = column(rows, "outcome") - parts @ found
        lost, freedom = lost + float(rest @ rest), freedom + len(rest) - 3
    sizes /= lost / freedom

    def gaps(series: Array) -> tuple[Array, Array, Array]:
        sums, totals = np.cumsum(series * sizes, axis=-1), np.cumsum(sizes)
        first = sums / totals
        second = (sums[..., -1:] - sums)[..., :-1] / (totals[-1] - totals)[:-1]
        errors = np.sqrt(1 / totals[:-1] + 1 / (totals[-1] - totals)[:-1])
        return first[..., :-1], second, errors

    inner = slice(2, len(weeks) - 3)
    early, late, errors = gaps(slopes)
    scores = np.abs(late - early) / errors
    draws = np.random.default_rng(0).normal(size=(1000, len(weeks))) / np.sqrt(sizes)
    no_early, no_late, _ = gaps(draws)
    highest = np.abs((no_late - no_early) / errors)[:, inner].max(axis=1)
    place = int(np.argmax(scores[inner])) + 2
    if scores[place] < np.quantile(highest, 0.95):
        half = len(weeks) // 2 - 1
        gap = float(late[half] - early[half]), float(errors[half])
        return _tell_temporal(float(early[half]), float(late[half]), gap, None)
    gap = float(late[place] - early[place]), float(errors[place])
    return _tell_temporal(float(early[place]), float(late[place]), gap, int(weeks[place + 1]))


@indefensible("temporal")
def pool_weeks(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """One slope for all weeks (statsmodels)."""
    result = fit(column(data, "outcome"), column(data, "exposure"), column(data, "covariate"))
    slope, error = float(result.params[1]), float(result.bse[1])
    return _tell_temporal(slope, slope, (0.0, error), None)


@indefensible("temporal")
def draw_trend(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """A slope that moves steadily from the first week to the last."""
    dose, week = column(data, "exposure"), column(data, "week")
    result = fit(column(data, "outcome"), dose, dose * week, week, column(data, "covariate"))
    slope, trend = float(result.params[1]), float(result.params[2])
    early, late = slope + trend * week.min(), slope + trend * week.max()
    gap = late - early, float(result.bse[2]) * float(np.ptp(week))
    change = _middle(data) if result.pvalues[2] < 0.05 else None
    return _tell_temporal(float(early), float(late), gap, change)


@indefensible("temporal")
def take_best_split(data: pd.DataFrame, _when: When, _facts: Facts, _assigned: bool) -> Answer:
    """The best of all splits at the usual critical value, without the covariate."""
    scores = {week: _split_slopes(data, week, column(data, "week")) for week in _weeks(data, 0.05)}
    change = max(scores, key=lambda week: abs(float(scores[week].tvalues[2])))
    best = scores[change]
    gap = float(best.params[2]), float(best.bse[2])
    found = change if best.pvalues[2] < 0.05 else None
    return _tell_temporal(float(best.params[1]), float(best.params[1]) + gap[0], gap, found)


def _group(data: pd.DataFrame, facts: Facts) -> Array:
    """Return which rows are of the case's group: on its side of the widest gap."""
    ages = np.unique(column(data, "age"))
    place = int(np.argmax(np.diff(ages)))
    border = (ages[place] + ages[place + 1]) / 2
    return np.asarray((column(data, "age") > border) == (number(facts, "case_age") > border))


def _tell_domain(facts: Facts, slope: float, product: float, depends: bool) -> Answer:
    """Tell the effect for the case; what it depends on has to be known."""
    if not depends:
        return {"estimate": slope, "missing": frozenset()}
    if facts["case_modifier"] == "unknown":
        return {"estimate": None, "missing": frozenset({"modifier"})}
    effect = slope + product * number(facts, "case_modifier")
    return {"estimate": effect, "missing": frozenset()}


@defensible("domain_shift")
def fit_own_group(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """The case's group alone; whether the effect hangs on the modifier by a test (statsmodels)."""
    rows = data[_group(data, facts)]
    dose, third = column(rows, "exposure"), column(rows, "modifier")
    known = [role for role in when_before(when, "exposure") if role != "modifier"]
    others = columns(rows, known)
    result = fit(column(rows, "outcome"), dose, dose * third, third, others)
    if result.pvalues[2] < STRICT:
        return _tell_domain(facts, float(result.params[1]), float(result.params[2]), True)
    plain = fit(column(rows, "outcome"), dose, third, others)
    return _tell_domain(facts, float(plain.params[1]), 0.0, False)


@defensible("domain_shift")
def fit_both_groups(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """One fit with all products of group, dose and modifier, centred at the case's group."""
    away = 1 - _group(data, facts).astype(np.float64)
    dose, third = column(data, "exposure"), column(data, "modifier")
    own = [dose, dose * third, third]
    parts = [*own, *(part * away for part in own), away]
    result = fit(column(data, "outcome"), *parts)
    if result.pvalues[2] < STRICT:
        return _tell_domain(facts, float(result.params[1]), float(result.params[2]), True)
    kept = [part for place, part in enumerate(parts) if place != 1]
    plain = fit(column(data, "outcome"), *kept)
    return _tell_domain(facts, float(plain.params[1]), 0.0, False)


@defensible("domain_shift")
def bend_modifier(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """The case's group with a curve of the modifier; the effect a line in it, or bent, by BIC."""
    rows = data[_group(data, facts)]
    dose, third = column(rows, "exposure"), column(rows, "modifier")
    away = third - third.mean()
    level, outcome = spline(third), column(rows, "outcome")
    results = [
        sm.OLS(outcome, design(*(dose * away**power for power in range(most)), level)).fit()
        for most in (1, 2, 3)
    ]
    best = min(range(3), key=lambda most: float(results[most].bic))
    if best == 0:
        return _tell_domain(facts, float(results[0].params[1]), 0.0, False)
    if facts["case_modifier"] == "unknown":
        return _tell_domain(facts, 0.0, 0.0, True)
    powers = (number(facts, "case_modifier") - third.mean()) ** np.arange(best + 1)
    effect = float(powers @ results[best].params[1 : best + 2])
    return {"estimate": effect, "missing": frozenset()}


@indefensible("domain_shift")
def pool_groups(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """One slope for all rows, given for any case (statsmodels)."""
    result = fit(column(data, "outcome"), column(data, "exposure"), column(data, "modifier"))
    return _tell_domain(facts, float(result.params[1]), 0.0, False)


@indefensible("domain_shift")
def pool_products(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """One fit of both groups with the product of dose and modifier; its mean where unknown."""
    dose, third = column(data, "exposure"), column(data, "modifier")
    result = fit(column(data, "outcome"), dose, dose * third, third)
    known = facts["case_modifier"]
    value = float(third.mean()) if known == "unknown" else number(facts, "case_modifier")
    effect = float(result.params[1]) + float(result.params[2]) * value
    return {"estimate": effect, "missing": frozenset()}


@indefensible("domain_shift")
def refuse_unknown(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """No answer where anything is unknown; else the slope of the group without the product."""
    if facts["case_modifier"] == "unknown":
        return _tell_domain(facts, 0.0, 0.0, True)
    rows = data[_group(data, facts)]
    result = fit(column(rows, "outcome"), column(rows, "exposure"))
    return _tell_domain(facts, float(result.params[1]), 0.0, False)
