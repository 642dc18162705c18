"""What outside analysts share: fits, effects of a treatment that some got, sets to adjust for.

An outside analyst works on the rows of a challenge of `analyze` by the textbook, with statsmodels,
scipy and numpy alone: nothing here is taken from the suite. Analysts enter themselves in
`ENTERED` by `defensible` or `indefensible`; `evidence.outside_analysts` has all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from numpy.typing import NDArray

Array = NDArray[np.float64]
Answer = dict[str, Any]
When = Mapping[str, int]
Facts = Mapping[str, object]
Work = Callable[[pd.DataFrame, When, Facts, bool], Answer]
Effect = tuple[float, float]
"""An estimate and its standard error."""

STRICT = 0.01
"""The level at which a column is taken to bear on another: several are tried at once."""


@dataclass(frozen=True)
class Analyst:
    """Somebody who answers one challenge.

    Attributes:
        work: What this analyst does with the rows.
        defensible: Whether a careful statistician might do so.
    """

    work: Work
    defensible: bool

    def __call__(self, data: pd.DataFrame, when: When, facts: Facts, assigned: bool) -> Answer:
        """Return the answer by field; `assigned` is whether a lot decided on the treatment."""
        return self.work(data, when, facts, assigned)

    @property
    def description(self) -> str:
        """What this analyst does, in a line."""
        return (self.work.__doc__ or "").strip()


ENTERED: dict[str, dict[str, Analyst]] = {}
"""Analysts by challenge and name, as far as their modules are imported."""


def _enter(challenge: str, is_defensible: bool) -> Callable[[Work], Work]:
    def enter(work: Work) -> Work:
        name = getattr(work, "__name__", "")
        ENTERED.setdefault(challenge, {})[name] = Analyst(work, is_defensible)
        return work

    return enter


def defensible(challenge: str) -> Callable[[Work], Work]:
    """Enter a function as an analyst whose work a careful statistician might do."""
    return _enter(challenge, True)


def indefensible(challenge: str) -> Callable[[Work], Work]:
    """Enter a function as an analyst whose work is wrong by the textbook."""
    return _enter(challenge, False)


def number(facts: Facts, name: str) -> float:
    """Return a fact that is a number."""
    return float(str(facts[name]))


def column(data: pd.DataFrame, role: str) -> Array:
    """Return a column as numbers."""
    return np.asarray(data[role], dtype=np.float64)


def columns(data: pd.DataFrame, roles: Sequence[str]) -> Array:
    """Return some columns side by side, centred; perhaps none."""
    picked = np.asarray(data[list(roles)], dtype=np.float64)
    centred: Array = picked - picked.mean(axis=0)
    return centred


def when_before(when: When, role: str) -> tuple[str, ...]:
    """Return the columns measured before `role`, in alphabetical order."""
    return tuple(sorted(other for other, step in when.items() if step < when[role]))


def design(*parts: Array) -> Array:
    """Return a design matrix with a column of ones first."""
    return np.column_stack([np.ones(len(parts[0])), *parts])


def fit(outcome: Array, *parts: Array) -> Any:
    """Fit a line with a constant; standard errors hold whatever the variances."""
    return sm.OLS(outcome, design(*parts)).fit(cov_type="HC1")


def fit_glm(outcome: Array, *parts: Array) -> Any:
    """Fit a logistic regression with a constant."""
    return sm.GLM(outcome, design(*parts), family=sm.families.Binomial()).fit()


def spline(values: Array, knots: int = 3) -> Array:
    """Return a cubic spline basis with knots at quantiles, without the constant."""
    return evaluate_spline(values, np.quantile(values, np.linspace(0, 1, knots + 2)))


def evaluate_spline(values: Array, at: Array) -> Array:
    """Return the cubic spline basis between the first of `at` and the last, knots between."""
    scaled, ends = values - at.mean(), at - at.mean()
    span = float(ends[-1] - ends[0]) / 2
    bends = [np.clip((scaled - knot) / span, 0, None) ** 3 for knot in ends[1:-1]]
    return np.column_stack([*((scaled / span) ** power for power in (1, 2, 3)), *bends])


def interval(effect: Effect) -> tuple[float, float]:
    """Return the 95% interval of an estimate."""
    estimate, error = effect
    return float(estimate - 1.96 * error), float(estimate + 1.96 * error)


def direction(effect: Effect) -> str:
    """Say what an effect does, none if its interval has 0."""
    low, high = interval(effect)
    return "increases" if low > 0 else "decreases" if high < 0 else "none"


def compare_means(outcome: Array, treated: Array) -> Effect:
    """Compare the arms as they are."""
    result = fit(outcome, treated)
    return float(result.params[1]), float(result.bse[1])


def adjust_slopes(outcome: Array, treated: Array, covariates: Array) -> Effect:
    """Regress on treatment, centred covariates and their products."""
    result = fit(outcome, treated, covariates, covariates * treated[:, None])
    return float(result.params[1]), float(result.bse[1])


def adjust_logit(outcome: Array, treated: Array, covariates: Array) -> Effect:
    """Average what a logistic regression with products says of both arms; delta method."""
    result = fit_glm(outcome, treated, covariates, covariates * treated[:, None])

    def predict(arm: float) -> tuple[Array, Array]:
        arms = np.full(len(outcome), arm)
        rows = design(arms, covariates, covariates * arm)
        chances = np.asarray(result.predict(rows), dtype=np.float64)
        return chances, rows * (chances * (1 - chances))[:, None]

    (with_it, slopes_with), (without, slopes_without) = predict(1.0), predict(0.0)
    each = with_it - without
    gradient = (slopes_with - slopes_without).mean(axis=0)
    variance = float(gradient @ np.asarray(result.cov_params()) @ gradient)
    return float(each.mean()), float(np.sqrt(variance + each.var() / len(each)))


def adjust_robustly(outcome: Array, treated: Array, covariates: Array) -> Effect:
    """Weigh the residuals of a regression in each arm: doubly robust."""
    each = adjust_each(outcome, treated, covariates)
    return float(each.mean()), float(each.std() / np.sqrt(len(each)))


def adjust_each(outcome: Array, treated: Array, covariates: Array) -> Array:
    """Return what each row adds to a doubly robust effect, of which this is the mean."""
    chance = _chances(treated, covariates)
    means = {}
    for arm in (0.0, 1.0):
        rows = treated == arm
        line = sm.OLS(outcome[rows], design(covariates[rows])).fit()
        means[arm] = np.asarray(line.predict(design(covariates)), dtype=np.float64)
    each: Array = (
        means[1.0]
        - means[0.0]
        + treated * (outcome - means[1.0]) / chance
        - (1 - treated) * (outcome - means[0.0]) / (1 - chance)
    )
    return each


def weigh_arms(outcome: Array, treated: Array, covariates: Array) -> Effect:
    """Weigh rows by one over the chance of their treatment."""
    chance = _chances(treated, covariates)
    weights = np.where(treated == 1, 1 / chance, 1 / (1 - chance))
    result = sm.WLS(outcome, design(treated), weights=weights).fit(cov_type="HC1")
    return float(result.params[1]), float(result.bse[1])


def _chances(treated: Array, covariates: Array) -> Array:
    chances = np.asarray(fit_glm(treated, covariates).fittedvalues, dtype=np.float64)
    return np.clip(chances, 0.01, 0.99)


def adjust_means(outcome: Array, treated: Array, groups: Array) -> Effect:
    """Compare within groups of equal rows and weigh by their size; groups of one arm are left."""
    _, labels = np.unique(groups, axis=0, return_inverse=True)
    sizes, gaps, variances = [], [], []
    for label in np.unique(labels):
        rows = labels.ravel() == label
        arms = [outcome[rows & (treated == arm)] for arm in (0, 1)]
        if min(len(arm) for arm in arms) < 2:
            continue
        sizes.append(float(rows.sum()))
        gaps.append(float(arms[1].mean() - arms[0].mean()))
        variances.append(sum(float(arm.var()) / (len(arm) - 1) for arm in arms))
    shares = np.array(sizes) / sum(sizes)
    effect = float(shares @ np.array(gaps))
    spread = float(shares @ (np.array(gaps) - effect) ** 2)
    return effect, float(np.sqrt(shares**2 @ np.array(variances) + spread / len(outcome)))


def causes_by_tests(
    data: pd.DataFrame, candidates: Sequence[str], first: str, second: str, level: float = STRICT
) -> frozenset[str]:
    """Return the candidates that bear on both `first` and `second`, by Wald tests.

    On `first` given the other candidates, on `second` given `first` and the other candidates.
    """
    if not candidates:
        return frozenset()
    others = columns(data, candidates)
    on_first = fit(column(data, first), others).pvalues[1:]
    on_second = fit(column(data, second), column(data, first), others).pvalues[2:]
    return frozenset(
        name
        for name, one, two in zip(candidates, on_first, on_second, strict=True)
        if max(one, two) < level
    )


def causes_by_bic(
    data: pd.DataFrame, candidates: Sequence[str], first: str, second: str
) -> frozenset[str]:
    """Return the candidates without which the BIC of lines for both columns is worse."""

    def score(target: str, used: Sequence[str]) -> float:
        result = sm.OLS(column(data, target), design(columns(data, used))).fit()
        return float(result.bic)

    kept = set(candidates)
    for target, always in ((first, []), (second, [first])):
        best = score(target, [*always, *candidates])
        for name in tuple(kept):
            if score(target, [*always, *(set(candidates) - {name})]) < best:
                kept.discard(name)
    return frozenset(kept)
