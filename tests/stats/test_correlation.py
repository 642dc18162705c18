from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from whybench.seeds import generator
from whybench.stats import bootstrap, draw_counts, resampled_spearman, spearman

pairs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=3, max_size=30)


def test_by_hand() -> None:
    # Ranks 1 2 3 4 against 2 1 4 3: squared differences sum to 4; 1 - 6·4/(4·15) = 0.6.
    assert spearman([10, 20, 30, 40], [2, 1, 4, 3]) == pytest.approx(0.6)


def test_scipy_agrees_with_ties() -> None:
    draw = generator("test", "spearman")
    many, one = draw.integers(0, 7, (12, 50)), draw.integers(0, 7, 50)
    expected = [spearmanr(line, one).statistic for line in many]
    assert spearman(many, one) == pytest.approx(expected, abs=1e-14)


def test_every_resample_is_what_scipy_computes_of_it() -> None:
    draw = generator("test", "resampled")
    agents, people = draw.integers(0, 11, (3, 40)) * 10, draw.integers(0, 30, 40)
    for clusters in (None, (np.arange(40) // 3).tolist()):
        counts = draw_counts(40, 60, ("test",), clusters)
        found = resampled_spearman(agents, people, counts)
        for resample, line in enumerate(counts.astype(int)):
            rows = np.repeat(np.arange(40), line)
            for agent in range(3):
                expected = spearmanr(agents[agent][rows], people[rows]).statistic
                assert found[agent, resample] == pytest.approx(expected, abs=1e-12)


@given(pairs, st.integers(0, 3))
def test_resampling_laws(drawn: list[tuple[int, int]], key: int) -> None:
    first, second = (np.array(side) for side in zip(*drawn, strict=True))
    counts = draw_counts(len(first), 5, ("law", key))
    rho = resampled_spearman(first, second, counts)
    same = {"equal_nan": True, "atol": 1e-12}
    assert np.allclose(resampled_spearman(second, first, counts), rho, **same), "symmetric"
    grown = np.exp(first / 3.0)
    assert np.allclose(resampled_spearman(grown, second, counts), rho, **same), "monotone"
    assert np.allclose(resampled_spearman(-first, second, counts), -rho, **same), "reversed"
    order = generator("order", key).permutation(len(first))
    moved = resampled_spearman(first[order], second[order], counts[:, order])
    assert np.allclose(moved, rho, **same), "order of rows"


@given(pairs)
def test_a_variable_is_perfectly_aligned_with_itself(drawn: list[tuple[int, int]]) -> None:
    first = [one for one, _ in drawn]
    assume(len(set(first)) > 1)
    assert spearman(first, first) == pytest.approx(1)


def test_a_constant_has_no_correlation() -> None:
    assert np.isnan(spearman([1, 1, 1], [1, 2, 3]))
    assert np.isnan(resampled_spearman(np.zeros((2, 0)), [], np.zeros((3, 0)))).all()


def test_the_interval_holds_the_estimate_and_says_what_it_rests_on() -> None:
    draw = generator("test", "interval")
    first = draw.normal(size=60)
    second = first + draw.normal(size=60)
    for method in ("percentile", "bca"):
        found = bootstrap(
            lambda counts: resampled_spearman(first, second, counts)[0],
            60,
            ("test",),
            method=method,
            resamples=500,
        )
        assert found.low < found.estimate < found.high
        assert found.estimate == pytest.approx(spearmanr(first, second).statistic)
        assert (found.n, found.units) == (60, 60)
        assert found.method.startswith(method)
    with pytest.raises(ValueError, match="second must have 3 values, got 2"):
        spearman([1, 2, 3], [1, 2])
