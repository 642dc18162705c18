"""Estimators against hand calculation and statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    cell_means,
    design_matrix,
    least_squares,
    logistic_regression,
    mean_difference,
    multiply_estimates,
    normal_p,
    stratified_difference,
    weighted_difference,
)

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows(seed: int, size: int = 400) -> Rows:
    rng = generator("test estimators", seed)
    stratum = rng.integers(0, 3, size)
    treatment = (rng.random(size) < 0.3 + 0.2 * stratum).astype(int)
    outcome = (rng.random(size) < 0.2 + 0.1 * treatment * stratum + 0.1 * stratum).astype(int)
    return outcome, treatment, stratum


def test_a_difference_by_hand() -> None:
    found = mean_difference(np.array([1, 1, 0, 0, 0, 1]), np.array([1, 1, 1, 0, 0, 0]))
    assert found.value == pytest.approx(1 / 3)
    # Each group has a variance of 2/9 and three rows.
    assert found.se == pytest.approx(math.sqrt(2 * (2 / 9) / 3))


def test_standardisation_by_hand() -> None:
    # Stratum 0: 1 - 0 over four rows; stratum 1: 1/2 - 1/2 over four.
    stratum = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    treatment = np.array([1, 1, 1, 0, 1, 1, 0, 0])
    outcome = np.array([1, 1, 1, 0, 1, 0, 1, 0])
    assert stratified_difference(outcome, treatment, stratum).value == pytest.approx(0.5)


@given(st.integers(0, 50))
def test_saturated_weighting_is_standardisation(seed: int) -> None:
    outcome, treatment, stratum = rows(seed)
    propensity = cell_means(treatment, stratum)
    had = np.where(treatment == 1, propensity, 1 - propensity)
    weighted = weighted_difference(outcome, treatment, 1 / had)
    plain = stratified_difference(outcome, treatment, stratum)
    assert weighted.value == pytest.approx(plain.value, abs=1e-12)
    # The errors of the first take the propensity as known.
    assert weighted.se >= 0.95 * plain.se


def test_the_error_of_standardisation_is_that_of_resampled_rows() -> None:
    outcome, treatment, stratum = rows(1)
    rng = generator("test estimators", "resampling")
    picks = rng.integers(0, len(outcome), (2000, len(outcome)))
    values = [stratified_difference(outcome[p], treatment[p], stratum[p]).value for p in picks]
    assert stratified_difference(outcome, treatment, stratum).se == pytest.approx(
        np.std(values), rel=0.06
    )


def test_weights_count_rows() -> None:
    outcome, treatment, _ = rows(2)
    weights = np.where(np.arange(len(outcome)) % 3 == 0, 2.0, 1.0)
    repeat = weights.astype(int)
    repeated = mean_difference(np.repeat(outcome, repeat), np.repeat(treatment, repeat))
    assert weighted_difference(outcome, treatment, weights).value == pytest.approx(repeated.value)


def test_least_squares_agrees_with_statsmodels() -> None:
    outcome, treatment, stratum = rows(3)
    matrix = design_matrix(treatment, stratum)
    ours, theirs = least_squares(outcome, matrix), sm.OLS(outcome, matrix).fit(cov_type="HC1")
    assert ours.coefficients == pytest.approx(theirs.params)
    assert ours.covariance == pytest.approx(theirs.cov_params())
    contrast = ours.combination(np.array([0, 1, -1]))
    assert contrast.value == pytest.approx(theirs.params[1] - theirs.params[2])
    assert contrast.se == pytest.approx(theirs.t_test([0, 1, -1]).sd.item())


def test_logistic_agrees_with_statsmodels() -> None:
    outcome, treatment, stratum = rows(4)
    matrix = design_matrix(treatment, stratum)
    theirs = sm.Logit(outcome, matrix).fit(disp=0, cov_type="HC0")
    ours = logistic_regression(outcome, matrix)
    assert ours.coefficients == pytest.approx(theirs.params, rel=1e-6)
    assert ours.covariance == pytest.approx(theirs.cov_params(), rel=1e-4)


def test_a_logistic_fit_that_never_settles_is_said() -> None:
    parted = np.array([0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="must settle in 50 steps"):
        logistic_regression(parted, design_matrix(parted))


def test_products_and_p_values_by_hand() -> None:
    assert multiply_estimates(Coefficient(2, 0.3), Coefficient(5, 0.4)) == Coefficient(
        10, math.hypot(1.5, 0.8)
    )
    assert normal_p(1.959963984540054) == pytest.approx(0.05)
    assert Coefficient(-1, 0.5).interval == pytest.approx((-1.97998, -0.02002), abs=1e-4)
    assert [Coefficient(x, 1).direction for x in (-2, -1.9, 2)] == [
        "decreases",
        "none",
        "increases",
    ]
