"""Estimates by influence: by hand, against a second way, and over many seeds."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whybench.seeds import generator
from whybench.stats import (
    balanced_accuracy,
    clustered_estimate,
    clustered_mean,
    clustered_ratio,
    clustered_share,
    clustered_slope,
    signal_detection,
    t_quantile,
    wilson_estimate,
)

T1 = stats.t.ppf(0.975, 1)


def test_quantiles_of_t_in_closed_form() -> None:
    # One degree of freedom is Cauchy's distribution; two have (2a - 1)·sqrt(2 / (4a(1 - a))).
    assert t_quantile(0.975, 1) == pytest.approx(np.tan(np.pi * 0.475))
    assert t_quantile(0.975, 2) == pytest.approx(0.95 * (2 / (4 * 0.975 * 0.025)) ** 0.5)
    assert t_quantile(0.025, 11) == pytest.approx(-t_quantile(0.975, 11))


def resembling(key: str, seed: int, units: int, size: int = 4):
    """Rows in clusters: a shift shared by each cluster, its labels, and which rows are true."""
    draw = generator("test", "clustered", key, seed)
    return (
        draw,
        np.repeat(draw.normal(size=units), size),
        np.repeat(np.arange(units), size),
        np.tile([True, False], units * size // 2),
    )


def answers(draw, shift, truth):
    """Yes or no: yes at 80% of the true and 30% of the false cases, alike within clusters."""
    z = np.where(truth, stats.norm.ppf(0.8), stats.norm.ppf(0.3))
    return z + 0.6 * shift + 0.8 * draw.normal(size=shift.size) > 0


def jackknife(estimate, clusters, *columns):
    """Standard error from leaving out one cluster after another."""
    labels = np.unique(clusters)
    left = np.array(
        [
            estimate(*(column[clusters != label] for column in (*columns, clusters)))
            for label in labels
        ]
    )
    return np.sqrt((labels.size - 1) / labels.size * np.sum((left - left.mean()) ** 2))


def standard_error(found):
    return (found.high - found.low) / 2 / stats.t.ppf(0.975, found.units - 1)


def fitted(columns, values, clusters):
    """Cluster-robust least squares of another package."""
    api = pytest.importorskip("statsmodels.api")
    model = api.OLS(np.asarray(values, dtype=float), np.column_stack(columns))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": clusters})
    rows, width = len(values), len(columns)
    # It also multiplies the variance by (N-1)/(N-K), of which we know nothing.
    return fit.params, fit.cov_params() * (rows - width) / (rows - 1)


# By hand


def test_a_mean_by_hand() -> None:
    # Mean 2 of 1, 1, 2, 4; influences -1/4, -1/4, 0, 2/4; sums of a and b -1/2 and 1/2;
    # variance 2/1 * (1/4 + 1/4) = 1.
    found = clustered_mean([1, 1, 2, 4], ["a", "a", "b", "b"])
    assert found.estimate == 2
    assert (found.low, found.high) == (pytest.approx(2 - T1), pytest.approx(2 + T1))
    assert (found.n, found.units, found.flags) == (4, 2, ("few_units",))


def test_a_share_by_hand() -> None:
    # 3 of 4; influences 1/16, 1/16, 1/16, -3/16; sums 2/16 and -2/16; variance 2 * 8/256 = 1/16;
    # worth n = (3/16)/(1/16) = 3 answers. Wilson: (p + t²/2n ± t sqrt(p(1-p)/n + t²/4n²))/(1+t²/n)
    found = clustered_share([True, True, True, False], ["a", "a", "b", "b"])
    n, p = 3, 0.75
    half = T1 * np.sqrt(p * (1 - p) / n + T1**2 / (4 * n**2))
    ends = (p + T1**2 / (2 * n) + np.array([-half, half])) / (1 + T1**2 / n)
    assert (found.low, found.high) == (pytest.approx(ends[0]), pytest.approx(ends[1]))


def test_all_right_is_not_certainty() -> None:
    # With n clusters and no failure, Wilson's lower end is 1/(1 + t²/n).
    found = clustered_share(np.ones(84), np.arange(84))
    t = stats.t.ppf(0.975, 83)
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(1 / (1 + t**2 / 84))
    assert 0.95 < found.low < 0.96
    none = clustered_share(np.zeros(84), np.arange(84))
    assert (none.low, none.high) == (0.0, pytest.approx(1 - found.low))
    # Twice as many answers about the same 84 worlds are no more worlds.
    assert clustered_share(np.ones(168), np.tile(np.arange(84), 2)).low == found.low


def test_clusters_that_all_came_out_alike_count_as_one_answer_each() -> None:
    # Always yes where each world has two true and two false cases: half right in every one.
    found = clustered_share(np.tile([True, False], 100), np.repeat(np.arange(50), 4))
    t = stats.t.ppf(0.975, 49)
    q = t**2 / 50
    half = np.sqrt(q / 4 + q**2 / 4) / (1 + q)
    assert (found.low, found.high) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))
    # Two of three everywhere: the sums are zero only up to rounding.
    alike = clustered_share(np.tile([True, True, False], 50), np.repeat(np.arange(50), 3))
    assert alike.high - alike.low > 0.2


def test_balanced_accuracy_by_hand() -> None:
    # Hit rate 1 of 2, correct rejections 3 of 3: 3/4. Influences: hits ±1/2 / (2 * 2) = ±1/8,
    # rejections 0; sums 1/8, -1/8; variance 2 * 2/64 = 1/16; worth 3 answers, as the share above.
    found = balanced_accuracy([1, 0, 0, 0, 0], [1, 1, 0, 0, 0], ["a", "b", "a", "b", "b"])
    same = clustered_share([True, True, True, False], ["a", "a", "b", "b"])
    assert (found.estimate, found.low, found.high) == (
        0.75,
        pytest.approx(same.low),
        pytest.approx(same.high),
    )


def test_a_ratio_by_hand() -> None:
    # (3 + 1 + 2) / (2 + 0 + 1) = 2; influences (3-4)/3, (1-0)/3, (2-2)/3; sums -1/3 and 1/3.
    found = clustered_ratio([3, 1, 2], [2, 0, 1], ["a", "b", "b"])
    assert found.estimate == 2
    assert found.high - 2 == pytest.approx(T1 * np.sqrt(2 * (1 / 9 + 1 / 9)))


def test_a_slope_by_hand() -> None:
    # y = 0, 1, 1, 4 on x = 0, 0, 2, 2: means 0.5 and 2.5, slope 1; residuals -.5, .5, -1.5, 1.5;
    # influences (∓1) r / 4: 1/8, -1/8, -3/8, 3/8; sums of a (first and last) 4/8, of b -4/8.
    found = clustered_slope([0, 1, 1, 4], [0, 0, 2, 2], ["a", "b", "b", "a"])
    assert found.estimate == pytest.approx(1)
    assert found.high - 1 == pytest.approx(T1 * np.sqrt(2 * (1 / 4 + 1 / 4)))


def test_detection_by_hand() -> None:
    # 16 of 19 hits and 5 of 19 false alarms: corrected 16.5/20 = .825 and 5.5/20 = .275.
    yes = np.r_[np.ones(16), np.zeros(3), np.ones(5), np.zeros(14)]
    found = signal_detection(yes, np.repeat([1, 0], 19), np.arange(38))
    hits, alarms = 0.934589, -0.597760  # z(.825), z(.275), from a table
    assert found.d_prime.estimate == pytest.approx(hits - alarms, abs=1e-5)
    assert found.criterion.estimate == pytest.approx(-(hits + alarms) / 2, abs=1e-5)
    # Gourevitch and Galanter: the sum of H(1-H) / (N φ(z)²) over both kinds, at the corrected
    # rates; G/(G-1) = 38/37 is on the answers and not on the added halves.
    known = sum(
        rate * (1 - rate) / (20 * NormalDist().pdf(NormalDist().inv_cdf(rate)) ** 2)
        for rate in (0.825, 0.275)
    )
    assert known**0.5 < standard_error(found.d_prime) < (known * 38 / 37) ** 0.5
    assert standard_error(found.criterion) == pytest.approx(standard_error(found.d_prime) / 2)


def test_an_agent_that_always_says_yes_has_a_criterion_below_zero_and_an_interval() -> None:
    found = signal_detection(np.ones(80), np.tile([1, 0], 40), np.repeat(np.arange(20), 4))
    assert found.d_prime.estimate == pytest.approx(0, abs=1e-12)
    # z(40.5/41) = 2.2509
    assert found.criterion.estimate == pytest.approx(-NormalDist().inv_cdf(40.5 / 41))
    assert found.criterion.high - found.criterion.low > 0.5
    assert balanced_accuracy(np.ones(80), np.tile([1, 0], 40), range(80)).estimate == 0.5


@pytest.mark.parametrize(
    "found",
    [
        clustered_mean([], []),
        clustered_share([], []),
        balanced_accuracy([1, 0], [1, 1], ["a", "b"]),
        clustered_ratio([1, 2], [0, 0], ["a", "b"]),
        clustered_slope([1, 2], [4, 4], ["a", "b"]),
        *signal_detection([1, 0], [0, 0], ["a", "b"]),
    ],
    ids=["mean", "share", "balanced", "ratio", "slope", "d'", "criterion"],
)
def test_what_is_not_defined_is_none(found) -> None:
    assert (found.estimate, found.low, found.high) == (None, None, None)
    assert found.flags == ("undefined",)
    assert found.n == found.units


def test_one_cluster_has_no_interval_and_no_spread_is_flagged() -> None:
    single = clustered_share([True, False], ["a", "a"])
    assert (single.estimate, single.low, single.high, single.units) == (0.5, None, None, 1)
    constant = clustered_mean([3, 3, 3], [0, 1, 2])
    assert (constant.low, constant.high) == (3, 3)
    assert constant.flags == ("few_units", "no_spread")
    assert clustered_slope(np.ones(40), np.tile([4, 5], 20), range(40)).flags == ("no_spread",)


def test_errors_say_what_was_expected() -> None:
    with pytest.raises(ValueError, match="estimate must be from 0 to 1, got 1.5"):
        wilson_estimate(1.5, [0.0], ["a"])
    with pytest.raises(ValueError, match="one for each of 2 rows, got 3"):
        clustered_estimate(0.0, [0.1, -0.1], ["a", "b", "c"])


# Laws

rows = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), min_size=1, max_size=30)


@given(rows)
def test_a_share_lies_in_its_interval_and_what_is_left_in_the_mirrored_one(drawn) -> None:
    hits, _, clusters = (np.array(column) for column in zip(*drawn, strict=True))
    found, left = clustered_share(hits, clusters), clustered_share(~hits, clusters)
    if found.units < 2:
        assert found.low is None
        return
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.high > found.low
    assert left.low == pytest.approx(1 - found.high, abs=1e-9)
    assert left.high == pytest.approx(1 - found.low, abs=1e-9)


@given(rows)
def test_swapping_yes_and_no_keeps_d_prime_and_turns_the_criterion(drawn) -> None:
    yes, truth, clusters = (np.array(column) for column in zip(*drawn, strict=True))
    first, second = signal_detection(yes, truth, clusters), signal_detection(~yes, ~truth, clusters)
    if first.d_prime.estimate is None:
        assert second.d_prime.estimate is None
        return
    assert second.d_prime.estimate == pytest.approx(first.d_prime.estimate, abs=1e-9)
    assert second.criterion.estimate == pytest.approx(-first.criterion.estimate, abs=1e-9)
    if first.d_prime.low is not None:
        assert second.criterion.high == pytest.approx(-first.criterion.low, abs=1e-9)


# A second way


def test_mean_slope_and_balanced_accuracy_agree_with_cluster_robust_least_squares() -> None:
    draw, shift, clusters, truth = resembling("least squares", 0, 30)
    on = np.repeat(draw.integers(4, 8, 30), 4).astype(float)
    values = shift + 0.3 * on + draw.normal(size=120)
    ones = np.ones(120)

    params, covariance = fitted([ones], values, clusters)
    found = clustered_mean(values, clusters)
    assert found.estimate == pytest.approx(params[0])
    assert standard_error(found) ** 2 == pytest.approx(covariance[0, 0])

    params, covariance = fitted([ones, on], values, clusters)
    found = clustered_slope(values, on, clusters)
    assert found.estimate == pytest.approx(params[1])
    assert standard_error(found) ** 2 == pytest.approx(covariance[1, 1])

    yes = answers(draw, shift, truth)
    params, covariance = fitted([truth, ~truth], yes == truth, clusters)
    found = balanced_accuracy(yes, truth, clusters)
    assert found.estimate == pytest.approx(params.mean())
    # Both of Wilson's ends solve (p - end)² = t² end (1 - end) / n; n is read back from each.
    worth = found.estimate * (1 - found.estimate) / (covariance.sum() / 4)
    for end in (found.low, found.high):
        t2 = stats.t.ppf(0.975, 29) ** 2
        assert t2 * end * (1 - end) / (found.estimate - end) ** 2 == pytest.approx(worth)


def test_ratio_and_detection_agree_with_the_jackknife() -> None:
    draw, shift, clusters, truth = resembling("jackknife", 0, 250)
    above = np.exp(0.5 * shift + 0.3 * draw.normal(size=1000))
    below = draw.uniform(0.0, 2.0, 1000)
    found = clustered_ratio(above, below, clusters)
    expected = jackknife(lambda a, b, c: clustered_ratio(a, b, c).estimate, clusters, above, below)
    assert standard_error(found) == pytest.approx(expected, rel=0.02)
    yes = answers(draw, shift, truth)
    for place, found in enumerate(signal_detection(yes, truth, clusters)):
        expected = jackknife(
            lambda y, t, c, place=place: signal_detection(y, t, c)[place].estimate,
            clusters,
            yes,
            truth,
        )
        assert standard_error(found) == pytest.approx(expected, rel=0.02)


# Over many seeds


def test_intervals_cover_under_dependence_within_clusters() -> None:
    seeds, units = 400, 40
    z = NormalDist()
    hit, alarm = z.inv_cdf(0.8), z.inv_cdf(0.3)
    known = {
        "mean": 0.0,
        "share": 0.55,
        "balanced": 0.75,
        "ratio": 2.0,
        "slope": 0.5,
        "d'": hit - alarm,
        "criterion": -(hit + alarm) / 2,
    }
    covered = dict.fromkeys(known, 0)
    for seed in range(seeds):
        draw, shift, clusters, truth = resembling("coverage", seed, units)
        yes = answers(draw, shift, truth)
        on = np.repeat(np.tile([4.0, 5.0, 6.0, 7.0], units // 4), 4)
        below = draw.uniform(0.5, 1.5, shift.size)
        noise = shift + draw.normal(size=shift.size)
        found = {
            "mean": clustered_mean(noise, clusters),
            "share": clustered_share(yes, clusters),
            "balanced": balanced_accuracy(yes, truth, clusters),
            "ratio": clustered_ratio(2 * below + 0.3 * noise, below, clusters),
            "slope": clustered_slope(0.5 * on + noise, on, clusters),
        }
        found["d'"], found["criterion"] = signal_detection(yes, truth, clusters)
        for name, value in known.items():
            covered[name] += found[name].low <= value <= found[name].high
    # Four standard deviations of a perfect interval over 400 seeds.
    assert {name: n / seeds for name, n in covered.items() if not 0.906 <= n / seeds <= 0.994} == {}


def test_shares_near_the_end_are_covered_where_the_plain_interval_fails() -> None:
    covered = {"Wilson": 0, "plain": 0}
    for seed in range(400):
        draw, _, clusters, _ = resembling("near the end", seed, 20)
        hits = draw.random(80) < 0.98
        wilson, plain = clustered_share(hits, clusters), clustered_mean(hits, clusters)
        covered["Wilson"] += wilson.low <= 0.98 <= wilson.high
        covered["plain"] += plain.low <= 0.98 <= plain.high
    assert covered["Wilson"] / 400 >= 0.906
    assert covered["plain"] / 400 < 0.9
