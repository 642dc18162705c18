from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from whybench.seeds import generator
from whybench.stats import permutation_pvalues, permutation_test
from whybench.stats.permutation import shuffle_within_strata


def test_shuffles_stay_within_their_stratum() -> None:
    strata = np.array([1, 0, 1, 0, 0, 2])
    order = shuffle_within_strata(strata, 500, ("test",))
    assert np.array_equal(strata[order], np.tile(strata, (500, 1)))
    assert np.array_equal(np.sort(order, axis=1), np.tile(np.arange(6), (500, 1)))
    # Every column of a stratum is met about equally often in its first place.
    assert np.bincount(order[:, 1], minlength=6)[[1, 3, 4]].min() > 120


def test_all_permutations_by_hand() -> None:
    # One stratum, values 1 … 4, groups a a b b: the rank sums 3 and 7 are as extreme as can be,
    # and 2 of 6 divisions are so. Random shuffles must find a third.
    found = permutation_test([1, 2, 3, 4], list("aabb"), ["s"] * 4, ("test",), permutations=5999)
    assert found.p == pytest.approx(1 / 3, abs=0.02)
    # Centred ranks -1.5 -0.5 0.5 1.5: sums ∓2, so 4/2 + 4/2 = 4 of a total of 5.
    assert (found.statistic, found.effect) == (pytest.approx(4), pytest.approx(0.8))


def test_with_one_value_a_group_and_stratum_it_is_friedmans_test() -> None:
    values = generator("test", "friedman").normal(size=(5, 3))
    values[:, 2] += 0.5
    found = permutation_test(
        values.ravel(),
        list("abc") * 5,
        np.repeat(np.arange(5), 3).tolist(),
        ("test",),
        permutations=4999,
    )
    chi = friedmanchisquare(*values.T).statistic
    # Friedman's statistic is ours times 12/(k(k+1)), which is 1 for three groups.
    assert found.statistic == pytest.approx(chi)
    orders = [np.array(order) for order in permutations((1, 2, 3))]
    draw = generator("test", "friedman exact")
    sums = np.array([orders[i] for i in draw.integers(0, 6, 50_000 * 5)]).reshape(-1, 5, 3).sum(1)
    exact = np.mean(np.sum((sums - 10.0) ** 2, axis=1) / 5 >= chi - 1e-9)
    assert found.p == pytest.approx(exact, abs=0.03)


def test_differences_between_strata_do_not_count() -> None:
    draw = generator("test", "strata")
    strata = np.repeat(np.arange(20), 12).tolist()
    groups = (list("abc") * 4) * 20
    values = draw.normal(size=240)
    lifted = values + np.array(strata) * 100
    plain = permutation_test(values, groups, strata, ("test",))
    assert permutation_test(lifted, groups, strata, ("test",)) == plain
    assert permutation_test(np.exp(values), groups, strata, ("test",)) == plain, "monotone"


def test_many_samples_at_once_are_those_one_by_one() -> None:
    draw = generator("test", "many")
    strata, groups = (np.arange(30) % 5).tolist(), [f"g{i // 10}" for i in range(30)]
    samples = draw.integers(0, 5, (4, 30))
    statistics, pvalues = permutation_pvalues(samples, groups, strata, ("test",), 299)
    for sample, statistic, p in zip(samples, statistics, pvalues, strict=True):
        one = permutation_test(sample, groups, strata, ("test",), 299)
        assert (one.statistic, one.p) == (pytest.approx(statistic), p)
        assert one.n == 30
        assert one.groups == 3


def test_what_cannot_be_tested_is_none_and_flagged() -> None:
    for found in (
        permutation_test([1, 2], ["a", "a"], ["s", "s"], ("test",)),
        permutation_test([7, 7, 7], ["a", "b", "a"], ["s"] * 3, ("test",)),
        permutation_test([], [], [], ("test",)),
    ):
        assert (found.p, found.flags) == (None, ("undefined",))
    with pytest.raises(ValueError, match=r"each of 2 values, got 2 and 1"):
        permutation_pvalues([[1, 2]], ["a", "b"], ["s"], ("test",))
    with pytest.raises(ValueError, match="permutations must be at least 1, got 0"):
        permutation_pvalues([[1, 2]], ["a", "b"], ["s", "s"], ("test",), 0)
