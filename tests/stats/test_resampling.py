from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
from scipy import stats

from whybench.seeds import generator
from whybench.stats import bootstrap, draw_counts
from whybench.stats.resampling import StatisticOfCounts, interval, jackknife_counts

SEEDED = {"rng" if "rng" in str(signature(stats.bootstrap)) else "random_state": 1}
"""How SciPy is told a seed, which older versions call otherwise."""


def weighted_mean(values) -> StatisticOfCounts:
    array = np.asarray(values, dtype=float)
    return lambda counts: (counts @ array) / counts.sum(axis=1)


def test_a_resample_draws_as_many_units_as_there_are() -> None:
    counts = draw_counts(7, 500, ("test",))
    assert counts.shape == (500, 7)
    assert set(counts.sum(axis=1)) == {7.0}
    # Each row is drawn once on average; the standard error of the mean is 0.04.
    assert np.abs(counts.mean(axis=0) - 1).max() < 0.2


def test_rows_of_a_unit_are_drawn_together() -> None:
    counts = draw_counts(5, 200, ("test",), clusters=["a", "b", "a", "c", "b"])
    assert np.array_equal(counts[:, 0], counts[:, 2])
    assert np.array_equal(counts[:, 1], counts[:, 4])
    assert set(counts[:, [0, 1, 3]].sum(axis=1)) == {3.0}


def test_keys_decide_the_draw() -> None:
    first, again = draw_counts(9, 50, ("a", 1)), draw_counts(9, 50, ("a", 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, draw_counts(9, 50, ("a", 2)))


def test_percentile_agrees_with_scipy() -> None:
    values = generator("test", "percentile").exponential(size=40)
    ours = bootstrap(weighted_mean(values), 40, ("test",), resamples=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", **SEEDED
    ).confidence_interval
    assert ours.estimate == pytest.approx(values.mean())
    assert (ours.low, ours.high) == (
        pytest.approx(theirs.low, abs=0.02),
        pytest.approx(theirs.high, abs=0.02),
    )
    assert (ours.n, ours.units, ours.flags) == (40, 40, ())
    assert ours.method == "percentile bootstrap, 20000 resamples of 40 units"


def test_bca_agrees_with_scipy_and_leans_to_the_long_tail() -> None:
    values = generator("test", "bca").exponential(size=30) ** 2
    ours = bootstrap(weighted_mean(values), 30, ("test",), method="bca", resamples=20_000)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", **SEEDED
    ).confidence_interval
    assert (ours.low, ours.high) == (
        pytest.approx(theirs.low, abs=0.05),
        pytest.approx(theirs.high, abs=0.1),
    )
    plain = bootstrap(weighted_mean(values), 30, ("test",), resamples=20_000)
    assert ours.low > plain.low
    assert ours.high > plain.high


def test_bca_by_hand() -> None:
    # As many resampled values below the estimate as above, and a jackknife without skewness:
    # nothing to correct.
    values = np.arange(-500.0, 501.0)
    assert interval(values, 0.0, np.array([-1.0, 0.0, 1.0])) == interval(values, 0.0)
    # A third of the values above: bias Φ⁻¹(2/3) = 0.4307. The lower end is read at
    # Φ(2·0.4307 - 1.96) = 0.1360.
    moved = interval(values, float(np.quantile(values, 2 / 3)), np.array([-1.0, 0.0, 1.0]))
    assert moved[0] == pytest.approx(np.quantile(values, 0.1360), abs=2)


def test_clustered_intervals_are_wider_when_rows_repeat() -> None:
    values = np.repeat(generator("test", "repeat").normal(size=30), 10)
    clusters = np.repeat(np.arange(30), 10).tolist()
    rows = bootstrap(weighted_mean(values), 300, ("test",))
    units = bootstrap(weighted_mean(values), 300, ("test",), clusters=clusters)
    assert (rows.units, units.units, units.n) == (300, 30, 300)
    # Thirty values, not three hundred: wider by √10.
    assert (units.high - units.low) / (rows.high - rows.low) == pytest.approx(10**0.5, rel=0.1)


def test_the_jackknife_leaves_each_unit_out_once() -> None:
    assert jackknife_counts(["a", "b", "a"]).tolist() == [[0, 1, 0], [1, 0, 1]]


def test_what_cannot_be_estimated_is_none_and_flagged() -> None:
    none = bootstrap(weighted_mean([]), 0, ("test",))
    assert (none.estimate, none.low, none.flags) == (None, None, ("undefined",))
    one = bootstrap(weighted_mean([2.0]), 1, ("test",))
    assert (one.estimate, one.low, one.flags) == (2.0, None, ("few_units",))

    def often_undefined(counts: np.ndarray) -> np.ndarray:
        return np.where(counts[:, 0] > 0, 1.0, np.nan)

    assert "degenerate_resamples" in bootstrap(often_undefined, 12, ("test",)).flags


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": "basic"}, "method must be percentile or bca, got 'basic'"),
        ({"clusters": ["a"]}, "clusters must name the unit of each of 3 rows, got 1"),
        ({"resamples": 0}, "resamples must be at least 1, got 0"),
        ({"level": 1.0}, r"level must lie between 0 and 1, got 1\.0"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap(weighted_mean([1.0, 2.0, 3.0]), 3, ("test",), **change)
