"""Scores with several losses: by hand, and how often their intervals cover."""

from __future__ import annotations

import numpy as np
import pytest

from whybench.stats import (
    clustered_ratio,
    clustered_score,
    mean_of_means,
    ratio_of_sums,
    t_quantile,
)


def score(above, below, clusters):
    return clustered_score([(1.0, ratio_of_sums(above, below))], clusters, "a score")


def test_a_score_by_hand() -> None:
    # Of 8 rows worth 1/8 each one is lost. Influences are 7/64 and, seven times, -1/64.
    found = score([1, 0, 0, 0, 0, 0, 0, 0], [1] * 8, range(8))
    variance = 8 / 7 * (49 + 7) / 64**2
    q = t_quantile(0.975, 7) ** 2 * (variance + 1 / 16) / (1 / 8 + 1 / 4)
    assert found.estimate == pytest.approx(7 / 8)
    # The ends are those means whose variance, proportional to them, just allows for a loss of 1/8.
    for end in (found.low, found.high):
        assert (1 / 8 - (1 - end)) ** 2 == pytest.approx(q * (1 - end))


def test_with_many_losses_it_is_the_clustered_ratio() -> None:
    rng = np.random.default_rng(1)
    above, below, clusters = rng.random(6000), rng.random(6000) + 1, np.arange(6000) // 3
    ratio, found = clustered_ratio(above, below, clusters), score(above, below, clusters)
    assert found.estimate == pytest.approx(1 - ratio.estimate)
    assert found.low == pytest.approx(1 - ratio.high, abs=2e-4)
    assert found.high == pytest.approx(1 - ratio.low, abs=2e-4)


def test_nothing_lost_leaves_room_for_what_may_be() -> None:
    found = score([0] * 100, [1] * 100, range(100))
    assert (found.estimate, found.high) == (1, 1)
    assert 0.9 < found.low < 0.97


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.3])
def test_intervals_cover_where_losses_are_rare(rate) -> None:
    rng = np.random.default_rng(3)
    below = rng.random(79) + 0.2
    size = rng.random(79) * 4 * below
    loss = rate * size.sum() / below.sum()
    covered = 0
    for _ in range(600):
        found = score(np.where(rng.random(79) < rate, size, 0), below, np.arange(79))
        covered += found.low <= 1 - loss <= found.high
    assert 0.92 <= covered / 600 <= 0.985


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
    clusters = np.arange(400)
    lost = clusters % 4 == 0
    part = mean_of_means(lost, ["a"] * 400, clusters)
    other = mean_of_means(np.roll(lost, 1), ["a"] * 400, clusters)
    same = clustered_score([(1.0, part), (1.0, part)], clusters, "twice the same")
    apart = clustered_score([(1.0, part), (1.0, other)], clusters, "never both")
    assert same.estimate == apart.estimate == 0.5
    # The variance of twice a quarter is three times that of a half.
    assert same.high - same.low > 1.6 * (apart.high - apart.low)


def test_what_has_no_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="kinds must name some rows"):
        mean_of_means([1, 2], ["", ""], [1, 2])
    with pytest.raises(ValueError, match="below must not sum to 0"):
        ratio_of_sums([1, 2], [0, 0])


def test_intervals_of_a_score_with_a_ratio_and_shares_cover() -> None:
    rng = np.random.default_rng(3)
    kinds = np.array(["", "a", "b"])[np.arange(180) % 3]
    covered = 0
    for _ in range(400):
        below = np.where(kinds == "b", 0, rng.random(180) + 0.5)
        above = below * (rng.random(180) < 0.3)
        lost = rng.random(180) < 0.2
        parts = [
            (0.5, mean_of_means(lost, kinds, np.arange(180))),
            (0.5, ratio_of_sums(above, below)),
        ]
        found = clustered_score(parts, np.arange(180), "both")
        covered += found.low <= 1 - 0.25 <= found.high
    assert 0.92 <= covered / 400 <= 0.98
