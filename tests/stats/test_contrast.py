from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from whybench.seeds import generator
from whybench.stats import mean_difference


def test_hand_calculation_with_two_clusters() -> None:
    # above: 0.9, 0.7 (mean 0.8); below: 0.4, 0.2 (mean 0.3); difference 0.5.
    # influence: +0.05, -0.05, -0.05, +0.05. Clusters a = {0.9, 0.4}, b = {0.7, 0.2}: both sum to 0.
    found = mean_difference([0.9, 0.7], [0.4, 0.2], ["a", "b"], ["a", "b"])
    assert found.estimate == pytest.approx(0.5)
    assert (found.low, found.high) == (pytest.approx(0.5), pytest.approx(0.5))
    assert (found.n, found.units) == (4, 2)
    # Clusters a = {0.9, 0.2}, b = {0.7, 0.4}: sums +0.1 and -0.1, variance 2/1 * 0.02 = 0.04.
    found = mean_difference([0.9, 0.7], [0.4, 0.2], ["a", "b"], ["b", "a"])
    half = stats.t.ppf(0.975, 1) * 0.2
    assert found.high == pytest.approx(0.5 + half)
    assert found.low == pytest.approx(0.5 - half)


def test_one_value_a_cluster_and_side_is_the_paired_t_interval() -> None:
    draw = generator("test", "contrast")
    above, below = draw.random(12), draw.random(12)
    found = mean_difference(above, below, range(12), range(12))
    paired = stats.ttest_rel(above, below).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(paired.low), pytest.approx(paired.high))


def test_intervals_cover_under_strong_dependence_within_clusters() -> None:
    covered, wide = 0, 0
    for seed in range(400):
        draw = generator("test", "cluster", seed)
        shift, tilt = draw.normal(size=12), draw.normal(size=12)
        above = np.repeat(shift + tilt, 2) + 0.1 * draw.normal(size=24)
        below = np.repeat(shift, 2) + 0.1 * draw.normal(size=24)
        clusters = np.repeat(np.arange(12), 2)
        found = mean_difference(above, below, clusters, clusters)
        covered += found.low <= 0 <= found.high
        plain = mean_difference(above, below, range(24), range(24))
        wide += (found.high - found.low) > (plain.high - plain.low)
    assert 0.915 <= covered / 400 <= 0.985
    assert wide > 380, "clustering must widen the interval of answers that resemble each other"


def test_without_values_there_is_no_estimate_and_without_clusters_no_interval() -> None:
    empty = mean_difference([], [0.5], [], ["a"])
    assert (empty.estimate, empty.low, empty.high, empty.n) == (None, None, None, 1)
    single = mean_difference([0.5], [0.25], ["a"], ["a"])
    assert (single.estimate, single.low, single.high, single.units) == (0.25, None, None, 1)
    assert not math.isnan(single.estimate)
