from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.linalg import fractional_matrix_power

from whybench.stats import Estimate, generalize, leave_out_covariance, weighted_means
from whybench.stats.small_sample import pool_lone

CONTRAST = {"a": 1.0, "b": -1.0}


def half(found) -> float:
    return found.high - found.estimate


def draw_rows(seed, strata=3, most=4):
    """Values of two kinds in clusters of unequal size, two clusters or more in a stratum."""
    draw = np.random.default_rng(seed)
    kinds, clusters, levels = [], [], []
    for stratum in range(strata):
        for cluster in range(2 + int(draw.integers(most))):
            for kind in CONTRAST:
                rows = int(draw.integers(1, 5))
                kinds += [kind] * rows
                clusters += [f"{stratum}/{cluster}"] * rows
                levels += [stratum] * rows
    return draw.normal(size=len(kinds)), np.array(kinds), np.array(clusters), np.array(levels)


def by_matrices(values, kinds, clusters, strata):
    """CR2 and Satterthwaite's degrees by explicit matrices, rows being independent and alike."""
    cells = sorted(set(zip(kinds.tolist(), strata.tolist(), strict=True)))
    x = np.array(
        [[float(cell == (k, s)) for cell in cells] for k, s in zip(kinds, strata, strict=True)]
    )
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ values
    contrast = np.array(
        [CONTRAST[k] * np.sum((kinds == k) & (strata == s)) / np.sum(kinds == k) for k, s in cells]
    )
    rest = np.eye(len(values)) - x @ bread @ x.T
    total, lines = 0.0, []
    for name in np.unique(clusters):
        own = clusters == name
        adjust = np.real(fractional_matrix_power(rest[np.ix_(own, own)], -0.5))
        line = contrast @ bread @ x[own].T @ adjust
        total += float(line @ (values - x @ beta)[own]) ** 2
        lines.append(line @ rest[own])
    working = np.array(lines) @ np.array(lines).T
    degrees = np.trace(working) ** 2 / np.sum(working**2)
    return float(contrast @ beta), total**0.5, degrees


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("stratified", [False, True])
def test_it_is_what_the_papers_matrices_give(seed, stratified) -> None:
    values, kinds, clusters, strata = draw_rows(seed)
    answers = np.random.default_rng([seed, 1]).integers(1, 4, values.size).astype(float)
    used = strata if stratified else np.zeros(values.size, dtype=int)
    # The mean of several answers stands for as many rows.
    rows = (np.repeat(x, answers.astype(int)) for x in (values, kinds, clusters, used))
    estimate, error, degrees = by_matrices(*rows)
    found = weighted_means(
        CONTRAST, values, kinds, clusters, strata if stratified else None, answers
    )
    assert found.estimate == pytest.approx(estimate)
    assert half(found) == pytest.approx(stats.t.ppf(0.975, degrees) * error)


def test_equal_clusters_have_the_textbook_interval() -> None:
    draw = np.random.default_rng(2)
    values = draw.normal(size=(12, 2))
    differences = values[:, 0] - values[:, 1]
    clusters = np.repeat(np.arange(12), 2)
    found = weighted_means(CONTRAST, values.ravel(), ["a", "b"] * 12, clusters)
    paired = stats.ttest_1samp(differences, 0).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(paired.low), pytest.approx(paired.high))
    assert (found.n, found.units, found.flags) == (24, 12, ())


def test_equal_strata_have_the_textbook_interval() -> None:
    draw = np.random.default_rng(3)
    values = draw.normal(size=(3, 4)) + 10 * np.arange(3)[:, None]
    found = weighted_means(
        {"a": 1.0}, values.ravel(), ["a"] * 12, range(12), np.repeat(range(3), 4)
    )
    pooled = np.sqrt(values.var(axis=1, ddof=1).mean() / 12)
    assert half(found) == pytest.approx(stats.t.ppf(0.975, 9) * pooled)
    assert found.method == "t, CR2 within strata"


def test_unequal_clusters_by_hand() -> None:
    # Clusters of 1, 1 and 2 answers: 0, 4 and 2, 2; mean 2. Residual sums -2, 2 and 0; shares of
    # the mean 1/4, 1/4, 1/2. Variance: 2 * (2/4)² / (3/4) = 2/3.
    found = weighted_means({"a": 1.0}, [0.0, 4.0, 2.0, 2.0], ["a"] * 4, ["x", "y", "z", "z"])
    # Working model: diagonal 1/16 · 1, 1/16 · 1, 1/16 · 2; off it -1/(64 · 3/4) for x and y,
    # -2/(64 sqrt(3/8)) for both with z. Degrees (4/16)² / sum of squares.
    squares = (1 + 1 + 4) / 256 + 2 * (1 / 48) ** 2 + 4 * (4 / 64**2 / (3 / 8))
    degrees = (1 / 16) / squares
    assert half(found) == pytest.approx(stats.t.ppf(0.975, degrees) * (2 / 3) ** 0.5)
    again = weighted_means({"a": 1.0}, [0.0, 4.0, 2.0], ["a"] * 3, ["x", "y", "z"], None, [1, 1, 2])
    assert half(again) == pytest.approx(half(found))


def test_nothing_is_made_of_one_cluster() -> None:
    one = weighted_means(CONTRAST, [1.0, 2.0], ["a", "b"], ["x", "x"])
    assert (one.estimate, one.low, one.high, one.units) == (-1.0, None, None, 1)
    # Each kind must have two: what rests on one cluster shows no spread.
    lone = weighted_means(CONTRAST, [1.0, 2.0, 3.0], ["a", "b", "b"], ["x", "x", "y"])
    assert (lone.estimate, lone.low) == (-1.5, None)
    none = weighted_means(CONTRAST, [1.0], ["a"], ["x"])
    assert (none.estimate, none.flags) == (None, ("undefined",))
    flat = weighted_means({"a": 1.0}, [1.0, 1.0], ["a"] * 2, ["x", "y"])
    assert flat.flags == ("few_units", "no_spread")


def test_strata_with_one_cluster_are_taken_together() -> None:
    values, clusters = [1.0, 2.0, 5.0, 7.0, 4.0], range(5)
    together = weighted_means({"a": 1.0}, values, ["a"] * 5, clusters, list("xyzzz"))
    joined = weighted_means({"a": 1.0}, values, ["a"] * 5, clusters, list("xxzzz"))
    assert half(together) == pytest.approx(half(joined))
    assert together.method == "t, CR2 within strata, lone clusters together"
    all_lone = weighted_means({"a": 1.0}, values, ["a"] * 5, clusters, range(5))
    assert half(all_lone) == pytest.approx(
        half(weighted_means({"a": 1.0}, values, ["a"] * 5, clusters))
    )
    codes, alone = np.array([0, 0, 0, 1, 1, 2]), np.arange(6)
    assert pool_lone(codes, alone).tolist() == [0, 0, 0, 2, 2, 2]


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.floats(-5, 5),
    st.floats(0.1, 10),
    st.lists(st.floats(-9, 9), min_size=3, max_size=3),
)
def test_laws(seed, shift, scale, effects) -> None:
    values, kinds, clusters, strata = draw_rows(seed)
    rows = (kinds, clusters, strata)
    found = weighted_means(CONTRAST, values, *rows)
    # Moved and stretched with the values; the order of rows does not matter.
    changed = weighted_means(CONTRAST, shift + scale * values, *rows)
    assert changed.estimate == pytest.approx(scale * found.estimate, abs=1e-9)
    assert half(changed) == pytest.approx(scale * half(found))
    order = np.random.default_rng(seed).permutation(values.size)
    turned = weighted_means(CONTRAST, values[order], *(row[order] for row in rows))
    assert half(turned) == pytest.approx(half(found))
    # What differs between strata leaves the interval within them as it is.
    moved = weighted_means(CONTRAST, values + np.array(effects)[strata], *rows)
    assert half(moved) == pytest.approx(half(found))
    # Answers of a cluster to one kind may be summed up.
    keys = sorted(set(zip(*(row.tolist() for row in rows), strict=True)))
    mine = [(kinds == k) & (clusters == c) for k, c, _ in keys]
    summed = weighted_means(
        CONTRAST,
        [values[own].mean() for own in mine],
        *zip(*keys, strict=True),
        [own.sum() for own in mine],
    )
    assert half(summed) == pytest.approx(half(found))
    assert summed.n == found.n


def test_leaving_out_equals_the_textbook_for_a_mean() -> None:
    draw = np.random.default_rng(5)
    values = draw.normal(size=12)
    without = (values.sum() - values) / 11
    covariance, degrees = leave_out_covariance(without[:, None])
    assert covariance[0, 0] == pytest.approx(values.var(ddof=1) / 12)
    assert degrees == pytest.approx(11)
    covariance, degrees = leave_out_covariance(without[:, None], np.repeat(range(3), 4))
    assert covariance[0, 0] == pytest.approx(values.reshape(3, 4).var(axis=1, ddof=1).mean() / 12)
    assert degrees == pytest.approx(9)
    # Unequal strata, by weighted_means.
    strata = [0] * 3 + [1] * 7 + [2] * 2
    covariance, degrees = leave_out_covariance(without[:, None], strata)
    same = weighted_means({"a": 1.0}, values, ["a"] * 12, range(12), strata)
    error = covariance[0, 0] ** 0.5
    assert half(same) == pytest.approx(stats.t.ppf(0.975, degrees) * error)
    with pytest.raises(ValueError, match="2 units or more, got 1"):
        leave_out_covariance([[1.0]])


def test_a_second_interval_is_never_inside_the_first() -> None:
    found = Estimate(0.5, 0.2, 0.8, 24, 12, "t")
    wide = generalize(found, Estimate(0.5, 0.1, 0.7, 24, 3, "t"))
    assert (wide.general_low, wide.general_high, wide.general_units) == (0.1, 0.8, 3)
    assert (wide.low, wide.high, wide.units) == (0.2, 0.8, 12)
    assert generalize(found, Estimate(0.5, None, None, 24, 1, "t")) == found


def test_few_unequal_clusters_cover() -> None:
    # One cluster holds half of the answers, as where G/(G-1) with t on G-1 covers .78 to .86.
    sizes = np.array([24, 4, 4, 4, 4, 4, 4])
    clusters = np.repeat(np.arange(7), sizes)
    covered = 0
    for seed in range(600):
        draw = np.random.default_rng([seed, 9])
        values = draw.normal(size=7)[clusters] + draw.normal(size=clusters.size)
        found = weighted_means({"a": 1.0}, values, ["a"] * clusters.size, clusters)
        covered += found.low <= 0 <= found.high
    assert covered / 600 >= 0.92
