from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from whybench.seeds import generator
from whybench.stats import kruskal_statistics, kruskal_wallis, mann_whitney

samples = st.lists(st.integers(0, 20), min_size=2, max_size=15)


def test_kruskal_wallis_by_hand() -> None:
    # Ranks 1 2 | 3 4 | 5 6, mean 3.5: H = 12/(6·7)·2·(2² + 0 + 2²) = 32/7; p = exp(-16/7).
    found = kruskal_wallis([1, 2, 3, 4, 5, 6], list("aabbcc"))
    assert found.statistic == pytest.approx(32 / 7)
    assert found.p == pytest.approx(np.exp(-16 / 7))
    assert found.effect == pytest.approx(32 / 35)
    assert (found.n, found.groups, found.flags) == (6, 3, ("small_groups",))


def test_scipy_agrees_on_kruskal_wallis_with_ties_and_unequal_groups() -> None:
    draw = generator("test", "kruskal")
    groups = ["a"] * 12 + ["b"] * 7 + ["c"] * 21 + ["d"] * 5
    values = draw.integers(0, 12, (30, 45))
    statistic, p = kruskal_statistics(values, groups)
    labels = np.array(groups)
    for line, h, tail in zip(values, statistic, p, strict=True):
        expected = stats.kruskal(*(line[labels == name] for name in "abcd"))
        assert (h, tail) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))


def test_mann_whitney_by_hand() -> None:
    # 3, 4, 5 against 1, 2, 4.5: of nine pairs the first is larger in 2 + 2 + 3 = 7.
    found = mann_whitney([3, 4, 5], [1, 2, 4.5])
    assert (found.statistic, found.effect) == (7, pytest.approx(2 * 7 / 9 - 1))
    # Exact: P(U >= 7) = 4/20, both sides 0.4.
    assert found.p == pytest.approx(0.4)


@given(samples, samples)
def test_swapping_samples_turns_the_effect_around(one: list[int], two: list[int]) -> None:
    assume(len(set(one + two)) > 1)
    forward, back = mann_whitney(one, two), mann_whitney(two, one)
    assert forward.effect == pytest.approx(-back.effect)
    assert forward.p == pytest.approx(back.p)
    pairs = np.sign(np.subtract.outer(one, two))
    assert forward.effect == pytest.approx(pairs.mean())


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), min_size=4, max_size=25))
def test_kruskal_wallis_laws(rows: list[tuple[int, str]]) -> None:
    values, groups = np.array([value for value, _ in rows]), [group for _, group in rows]
    assume(len(set(groups)) > 1)
    assume(len(set(values)) > 1)
    found = kruskal_wallis(values, groups)
    order = generator("order", len(rows)).permutation(len(rows))
    renamed = [{"a": "z", "b": "y", "c": "x"}[group] for group in groups]
    for other in (
        kruskal_wallis(values[order], [groups[place] for place in order]),
        kruskal_wallis(values**3 + 1, groups),
        kruskal_wallis(-values, groups),
        kruskal_wallis(values, renamed),
    ):
        assert other.statistic == pytest.approx(found.statistic)
        assert other.p == pytest.approx(found.p)
    assert 0 <= found.effect <= 1 + 1e-12


def test_what_cannot_be_tested_is_none_and_flagged() -> None:
    for found in (
        kruskal_wallis([1, 2, 3], ["a"] * 3),
        kruskal_wallis([5, 5, 5], ["a", "b", "c"]),
        kruskal_wallis([], []),
        mann_whitney([], [1, 2]),
        mann_whitney([3, 3], [3, 3, 3]),
    ):
        assert (found.statistic, found.p, found.effect) == (None, None, None)
        assert found.flags == ("undefined",)
    with pytest.raises(ValueError, match="groups must name the group of each of 3 values, got 2"):
        kruskal_statistics([1, 2, 3], ["a", "b"])
