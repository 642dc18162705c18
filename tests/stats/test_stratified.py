from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.stats.resampling import draw_stratified_counts, stratified_bootstrap


def mean_of(values: np.ndarray):
    return lambda counts: (counts @ values / counts.sum(axis=1))[:, None]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_every_stratum_keeps_its_number(strata: list[int]) -> None:
    counts = draw_stratified_counts(strata, 7, ("law",))
    assert counts.shape == (7, len(strata))
    for stratum in set(strata):
        rows = np.array(strata) == stratum
        assert counts[:, rows].sum(axis=1) == pytest.approx(rows.sum())


def test_counts_are_named_by_their_keys() -> None:
    strata = [0, 0, 0, 1, 1]
    first = draw_stratified_counts(strata, 5, ("a",))
    assert (first == draw_stratified_counts(strata, 5, ("a",))).all()
    assert (first != draw_stratified_counts(strata, 5, ("b",))).any()


@pytest.mark.parametrize("n", [2, 3, 10])
def test_the_variance_of_a_mean_is_that_of_the_textbook(n: int) -> None:
    # Strata of n units each, half of the population each: variance Σ s²/(4n), s² over n - 1.
    values = generator("test", "stratified", n).normal(size=2 * n)
    strata = np.repeat([0, 1], n)
    counts = draw_stratified_counts(strata, 60_000, ("variance",))
    expected = sum(values[strata == s].var(ddof=1) for s in (0, 1)) / (4 * n)
    assert np.var(counts @ values / (2 * n)) == pytest.approx(expected, rel=0.03)


def test_what_strata_decide_does_not_vary() -> None:
    strata = np.repeat([0, 1, 2], 5)
    (found,) = stratified_bootstrap(mean_of(strata.astype(float)), strata, ("fixed",), 50)
    assert found.estimate == 1.0
    assert (found.low, found.high) == (pytest.approx(1.0), pytest.approx(1.0))


def test_statistics_share_their_resamples() -> None:
    values = generator("test", "paired").normal(size=20)

    def both(counts: np.ndarray) -> np.ndarray:
        mean = counts @ values / 20
        return np.stack([mean, -mean, mean - mean], axis=1)

    one, two, none = stratified_bootstrap(both, np.zeros(20), ("paired",), 200)
    assert (one.low, one.high) == (pytest.approx(-two.high), pytest.approx(-two.low))
    assert (none.low, none.high) == (0.0, 0.0)


def test_what_it_rests_on_is_flagged() -> None:
    (lone,) = stratified_bootstrap(mean_of(np.arange(12.0)), [0] * 11 + [1], ("t",), 20)
    assert lone.flags == ("lone_units",)
    (few,) = stratified_bootstrap(mean_of(np.arange(4.0)), [0] * 4, ("t",), 20)
    assert few.flags == ("few_units",)
    (none,) = stratified_bootstrap(lambda c: np.full((len(c), 1), np.nan), [0] * 12, ("t",), 20)
    assert (none.estimate, none.low, none.flags) == (None, None, ("undefined",))

    def only_with_the_first(counts: np.ndarray) -> np.ndarray:
        return np.where(counts[:, :1] > 0, 1.0, np.nan)

    (some,) = stratified_bootstrap(only_with_the_first, [0] * 12, ("t",), 200)
    assert some.flags == ("degenerate_resamples",)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(ValueError, match="resamples must be at least 1, got 0"):
        draw_stratified_counts([0], 0, ())
    with pytest.raises(ValueError, match=r"strata must name the stratum of each row, got an array"):
        draw_stratified_counts([[0]], 1, ())
