"""Outside analysts of curves: `outcome` and `moderation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import statsmodels.api as sm

from evidence.outside_tools import (
    STRICT,
    Answer,
    Array,
    Facts,
    When,
    causes_by_bic,
    causes_by_tests,
    column,
    columns,
    defensible,
    design,
    evaluate_spline,
    fit,
    indefensible,
    interval,
    number,
    spline,
    when_before,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    import pandas as pd

    from evidence.outside_tools import Effect


def _contrast(
    data: pd.DataFrame, facts: Facts, basis: Callable[[Array], Array], covariates: Array
) -> Effect:
    """Return what a basis of the treatment and covariates say of the high dose less the low."""
    parts = basis(column(data, "treatment"))
    result = fit(column(data, "outcome"), parts, covariates)
    ends = basis(np.array([number(facts, "low"), number(facts, "high")]))
    weights = np.zeros(len(result.params))
    weights[1 : 1 + parts.shape[1]] = ends[1] - ends[0]
    variance = float(weights @ np.asarray(result.cov_params()) @ weights)
    return float(weights @ np.asarray(result.params)), float(np.sqrt(variance))


def _choose_powers(data: pd.DataFrame, covariates: Array) -> Callable[[Array], Array]:
    """Return powers of the treatment: as many as are found at the strict level, three at most."""
    dose = column(data, "treatment")
    mean, spread = float(dose.mean()), float(dose.std())

    def powers(values: Array, most: int) -> Array:
        scaled = (values - mean) / spread
        return np.column_stack([scaled**power for power in range(1, most + 1)])

    chosen = 1
    for most in (2, 3):
        result = fit(column(data, "outcome"), powers(dose, most), covariates)
        if result.pvalues[most] < STRICT:
            chosen = most
    return lambda values: powers(values, chosen)


def _spline_of(data: pd.DataFrame) -> Callable[[Array], Array]:
    at = np.quantile(column(data, "treatment"), [0, 0.25, 0.5, 0.75, 1])
    return lambda values: evaluate_spline(values, at)


def _tell_outcome(effect: Effect, gap: float, roles: Collection[str]) -> Answer:
    return {
        "estimate": effect[0],
        "estimate_ci": interval(effect),
        "cond_diff": gap,
        "adjusted_for": frozenset(roles),
    }


def _no_columns(data: pd.DataFrame) -> Array:
    return np.empty((len(data), 0))


@defensible("outcome")
def regress_on_powers(data: pd.DataFrame, when: When, facts: Facts, assigned: bool) -> Answer:
    """Powers of the dose as needed, with the causes of both that tests find (statsmodels)."""
    known = () if assigned else when_before(when, "treatment")
    roles = causes_by_tests(data, known, "treatment", "outcome")
    adjusted, none = columns(data, sorted(roles)), _no_columns(data)
    effect = _contrast(data, facts, _choose_powers(data, adjusted), adjusted)
    gap, _ = _contrast(data, facts, _choose_powers(data, none), none)
    return _tell_outcome(effect, gap, roles)


@defensible("outcome")
def regress_on_spline(data: pd.DataFrame, when: When, facts: Facts, assigned: bool) -> Answer:
    """A spline of the dose with all that was known before; the same alone for the difference."""
    known = when_before(when, "treatment")
    basis = _spline_of(data)
    effect = _contrast(data, facts, basis, columns(data, known))
    gap, _ = _contrast(data, facts, basis, _no_columns(data))
    roles = causes_by_bic(data, () if assigned else known, "treatment", "outcome")
    return _tell_outcome(effect, gap, roles)


@defensible("outcome")
def average_curves(data: pd.DataFrame, when: When, facts: Facts, assigned: bool) -> Answer:
    """Quadratics whose bend may hang on the causes of both, averaged; local lines for the gap."""
    known = when_before(when, "treatment")
    roles = causes_by_bic(data, () if assigned else known, "treatment", "outcome")
    adjusted = columns(data, sorted(roles))
    dose, outcome = column(data, "treatment"), column(data, "outcome")
    ends = np.array([number(facts, "low"), number(facts, "high")])

    def basis(values: Array) -> Array:
        scaled = (values - dose.mean()) / dose.std()
        return np.column_stack([scaled, scaled**2])

    products = [adjusted * part[:, None] for part in basis(dose).T]
    many = [place for place, part in enumerate(adjusted.T) if len(np.unique(part)) > 2]
    parts = np.column_stack([adjusted, adjusted[:, many] ** 2, *products])
    effect = _contrast(data, facts, basis, parts)
    width = 1.5 * float(dose.std()) * len(dose) ** -0.2
    means = []
    for end in ends:
        weights = np.exp(-0.5 * ((dose - end) / width) ** 2)
        local = sm.WLS(outcome, design(dose - end, (dose - end) ** 2), weights=weights).fit()
        means.append(float(local.params[0]))
    return _tell_outcome(effect, means[1] - means[0], roles)


@indefensible("outcome")
def regress_on_line(data: pd.DataFrame, when: When, facts: Facts, assigned: bool) -> Answer:
    """A straight line for the dose, whatever the rows show (statsmodels)."""
    known = () if assigned else when_before(when, "treatment")
    roles = causes_by_tests(data, known, "treatment", "outcome")

    def basis(values: Array) -> Array:
        return values[:, None]

    effect = _contrast(data, facts, basis, columns(data, sorted(roles)))
    gap, _ = _contrast(data, facts, basis, _no_columns(data))
    return _tell_outcome(effect, gap, roles)


@indefensible("outcome")
def compare_doses(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """The curve of the rows as they are, taken for the effect."""
    effect = _contrast(data, facts, _spline_of(data), _no_columns(data))
    return _tell_outcome(effect, effect[0], ())


@indefensible("outcome")
def adjust_outcome_for_all(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """A curve with every column, the ones that came after among them."""
    others = sorted(set(when) - {"treatment", "outcome"})
    effect = _contrast(data, facts, _spline_of(data), columns(data, others))
    gap, _ = _contrast(data, facts, _spline_of(data), _no_columns(data))
    return _tell_outcome(effect, gap, causes_by_tests(data, others, "treatment", "outcome"))


def _tell_moderation(facts: Facts, main: float, moderator: float, product: float) -> Answer:
    return {
        "main": main,
        "moderator": moderator,
        "interaction": product,
        "effect_q10": main + product * number(facts, "low"),
        "estimate": main + product * number(facts, "high"),
    }


def _fit_moderation(data: pd.DataFrame, facts: Facts, others: Array) -> tuple[Answer, float]:
    """Fit both columns, their product and others; also return the p value of the product."""
    exposure, moderator = column(data, "exposure"), column(data, "moderator")
    result = fit(column(data, "outcome"), exposure, moderator, exposure * moderator, others)
    answer = _tell_moderation(facts, *(float(value) for value in result.params[1:4]))
    return answer, float(result.pvalues[3])


@defensible("moderation")
def check_curvature(data: pd.DataFrame, when: When, facts: Facts, _assigned: bool) -> Answer:
    """The product, with squares of what was known before if tests find them (statsmodels)."""
    known = columns(data, when_before(when, "moderator"))
    parts = [known]
    bent = [role for role in when_before(when, "moderator") if len(data[role].unique()) > 2]
    for role in bent:
        square = columns(data, [role]) ** 2
        lines = [column(data, "exposure"), column(data, "moderator")]
        result = fit(column(data, "outcome"), square, *lines, known, lines[0] * lines[1])
        if result.pvalues[1] < STRICT:
            parts.append(square)
    answer, p_value = _fit_moderation(data, facts, np.column_stack(parts))
    if p_value < 0.05:
        return answer
    exposure, moderator = column(data, "exposure"), column(data, "moderator")
    result = fit(column(data, "outcome"), exposure, moderator, np.column_stack(parts))
    return _tell_moderation(facts, float(result.params[1]), float(result.params[2]), 0.0)


@defensible("moderation")
def bend_covariate(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """The product with a spline of the covariate."""
    return _fit_moderation(data, facts, spline(column(data, "covariate")))[0]


@defensible("moderation")
def partial_out(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """What the covariate does not explain of the outcome, on the same of both and the product."""
    flexible = design(spline(column(data, "covariate"), 2))
    exposure, moderator = column(data, "exposure"), column(data, "moderator")
    both = np.column_stack([column(data, "outcome"), exposure, moderator, exposure * moderator])
    left = both - flexible @ np.linalg.lstsq(flexible, both, rcond=None)[0]
    slopes = np.linalg.lstsq(left[:, 1:], left[:, 0], rcond=None)[0]
    return _tell_moderation(facts, *(float(slope) for slope in slopes))


@defensible("moderation")
def drop_second_order(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """All squares and products, the least certain dropped one by one while the BIC falls."""
    exposure, moderator, third = (
        column(data, role) for role in ("exposure", "moderator", "covariate")
    )
    terms = {
        "product": exposure * moderator,
        "exposure, third": exposure * third,
        "moderator, third": moderator * third,
        "exposure, squared": exposure**2,
        "moderator, squared": moderator**2,
        "third, squared": third**2,
    }
    outcome = column(data, "outcome")
    while True:
        result = sm.OLS(outcome, design(exposure, moderator, third, *terms.values())).fit()
        sure = dict(zip(terms, np.abs(result.tvalues[4:]), strict=True))
        weakest = min(sure, key=sure.__getitem__, default="")
        if not weakest or sure[weakest] ** 2 > np.log(len(data)):
            break
        del terms[weakest]
    fitted = dict(zip(terms, result.params[4:], strict=True))
    main, slope = float(result.params[1]), float(result.params[2])
    return _tell_moderation(facts, main, slope, float(fitted.get("product", 0.0)))


@indefensible("moderation")
def regress_moderation(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """The product with the covariate as a straight line, unchecked (statsmodels)."""
    return _fit_moderation(data, facts, column(data, "covariate"))[0]


@indefensible("moderation")
def neglect_covariate(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """The product with nothing adjusted for."""
    return _fit_moderation(data, facts, _no_columns(data))[0]


@indefensible("moderation")
def neglect_product(data: pd.DataFrame, _when: When, facts: Facts, _assigned: bool) -> Answer:
    """Both columns and a spline of the covariate, without a product."""
    exposure, moderator = column(data, "exposure"), column(data, "moderator")
    result = fit(column(data, "outcome"), exposure, moderator, spline(column(data, "covariate")))
    return _tell_moderation(facts, float(result.params[1]), float(result.params[2]), 0.0)
