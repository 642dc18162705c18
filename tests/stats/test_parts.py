"""Sums of parts: their values by hand, and their intervals against resampling and coverage."""

from __future__ import annotations

import numpy as np
import pytest

from whybench.stats import clustered_ratio, clustered_sum, mean_of_means, ratio_of_sums


def test_a_single_ratio_is_the_clustered_ratio() -> None:
    rng = np.random.default_rng(1)
    above, below, clusters = rng.random(30), rng.random(30) + 1, np.arange(30) // 3
    alone = clustered_ratio(above, below, clusters)
    found = clustered_sum([(1.0, ratio_of_sums(above, below))], clusters)
    assert (found.estimate, found.low, found.high) == pytest.approx(
        (alone.estimate, alone.low, alone.high)
    )


def test_the_mean_of_means_by_hand() -> None:
    values, kinds = [1, 0, 1, 1, 0, 7], ["a", "a", "b", "b", "b", ""]
    part = mean_of_means(values, kinds, range(6))
    assert part.value == pytest.approx((1 / 2 + 2 / 3) / 2)
    # Of a: half a point away, one of two rows, one of two kinds, and larger by sqrt(2).
    assert part.influence[:2] == pytest.approx([0.125 * 2**0.5, -0.125 * 2**0.5])
    assert part.influence[5] == 0


def test_the_variance_of_a_mean_of_means_is_that_of_independent_kinds() -> None:
    rng = np.random.default_rng(2)
    kinds = np.repeat(["a", "b", "c"], [4, 9, 30])
    values = rng.random(43)
    part = mean_of_means(values, kinds, np.arange(43))
    expected = sum(np.var(values[kinds == k], ddof=1) / np.sum(kinds == k) for k in "abc") / 9
    assert np.sum(part.influence**2) == pytest.approx(expected)


def test_a_lone_cluster_is_held_against_all_kinds() -> None:
    part = mean_of_means([1, 1, 0, 0], ["a", "a", "b", "b"], [1, 1, 2, 3])
    assert part.influence == pytest.approx([0.125, 0.125, 0, 0])


def test_parts_of_the_same_rows_add_up_before_they_are_squared() -> None:
    values, clusters = np.array([1.0, 0, 1, 0, 0]), np.arange(5)
    part = mean_of_means(values, ["a"] * 5, clusters)
    found = clustered_sum([(1.0, part), (-1.0, part)], clusters, start=3.0)
    assert (found.estimate, found.low, found.high) == (3, 3, 3)
    assert "no_spread" in found.flags


def test_what_has_no_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="kinds must name some rows"):
        mean_of_means([1, 2], ["", ""], [1, 2])
    with pytest.raises(ValueError, match="below must not sum to 0"):
        ratio_of_sums([1, 2], [0, 0])


def test_intervals_of_a_sum_of_a_ratio_and_shares_cover() -> None:
    rng = np.random.default_rng(3)
    kinds = np.array(["", "a", "b"])[np.arange(180) % 3]
    covered = 0
    for _ in range(400):
        below = np.where(kinds == "b", 0, rng.random(180) + 0.5)
        above = below * (rng.random(180) < 0.3)
        said = rng.random(180) < 0.7
        parts = [
            (0.5, mean_of_means(said, kinds, np.arange(180))),
            (-0.5, ratio_of_sums(above, below)),
        ]
        found = clustered_sum(parts, np.arange(180))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.35 - 0.15 <= found.high
    assert 0.92 <= covered / 400 <= 0.98
