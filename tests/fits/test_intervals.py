from __future__ import annotations

import numpy as np
import pytest
from evidence.fits import TASKS

from whybench.fits import COLLIDER_3, COLLIDER_4, Judgments, bootstrap_intervals, fit
from whybench.fits.intervals import sum_by_unit
from whybench.seeds import generator


def answers(agents: int = 2, clusters: bool = True, n: int = 120) -> Judgments:
    rng = generator("tests", "intervals", agents)
    return Judgments.from_rows(
        TASKS,
        rng.beta(2, 3, agents * n),
        np.tile(np.array(TASKS.names)[np.arange(n) % 11], agents).tolist(),
        np.repeat([f"agent {k}" for k in range(agents)], n).tolist(),
        np.tile(np.arange(n) // 11, agents).tolist() if clusters else None,
    )


def test_draws_have_the_unbiased_variance():
    data = answers(agents=1, clusters=False)
    [sample] = sum_by_unit(data)
    counts, means = sample.bootstrap(generator("tests", "short"), 20_000)
    np.testing.assert_array_equal(counts[0], data.counts[0])
    variance = data.squares[0] - data.means[0] ** 2
    np.testing.assert_allclose(means.var(axis=0), variance / (data.counts[0] - 1), rtol=0.08)
    np.testing.assert_allclose(means.mean(axis=0), data.means[0], atol=0.005)


def test_whole_clusters_are_drawn():
    [sample] = sum_by_unit(answers(agents=1))
    assert sample.units == 11
    counts, _ = sample.bootstrap(generator("tests", "clusters"), 50)
    # Every unit but the last answers all 11 tasks, so all tasks but those of the last agree.
    assert (counts[:, :1] >= counts[:, -1:]).all()
    counts, means = sample.jackknife()
    assert counts.shape == means.shape == (11, 11)
    assert counts[0].sum() == 120 - 11


@pytest.mark.parametrize("clusters", [True, False])
def test_intervals_hold_their_estimates(clusters):
    data = answers(clusters=clusters)
    fits = fit(TASKS, COLLIDER_4, data)
    found = bootstrap_intervals(TASKS, COLLIDER_4, data, fits, resamples=300)
    assert len(found) == 2
    for k, estimates in enumerate(found):
        assert list(estimates) == [
            "prior",
            "leak",
            "strength_1",
            "strength_2",
            "leak_adjusted_determinacy",
        ]
        for name, one in estimates.items():
            assert one.estimate == fits.estimate(name)[k]
            assert one.low <= one.high
            assert one.n == 120
            assert one.units == (11 if clusters else 120)
            assert one.method.startswith(f"expanded bootstrap of {one.units}")
        assert estimates["prior"].low < estimates["prior"].estimate < estimates["prior"].high


def test_without_noise_an_interval_is_its_estimate():
    # Every unit answers alike, but as no model of this kind would.
    values = np.tile(np.linspace(0.2, 0.9, 11) ** 2, 12)
    names, units = list(TASKS.names[:11]) * 12, np.repeat(np.arange(12), 11).tolist()
    data = Judgments.from_rows(TASKS, values, names, ["a"] * values.size, units)
    [found] = bootstrap_intervals(TASKS, COLLIDER_3, data, resamples=100)
    for estimate in found.values():
        assert estimate.low == estimate.estimate == estimate.high


def test_an_interval_depends_on_keys_and_label_alone():
    data = answers(agents=3)
    together = bootstrap_intervals(TASKS, COLLIDER_3, data, resamples=100)
    alone = bootstrap_intervals(TASKS, COLLIDER_3, data.select([1]), resamples=100)
    for name, one in alone[0].items():
        assert one == together[1][name]
    other = bootstrap_intervals(TASKS, COLLIDER_3, data, resamples=100, keys=("other",))
    assert other[0]["prior"].low != together[0]["prior"].low
    wide = bootstrap_intervals(TASKS, COLLIDER_3, data, resamples=100, level=0.99)
    assert wide[0]["prior"].low < together[0]["prior"].low


def test_flags_and_missing_intervals():
    data = Judgments.from_rows(TASKS, [0.1, 0.5, 0.4], ["I", "III", "IV"])
    [found] = bootstrap_intervals(TASKS, COLLIDER_3, data, resamples=50)
    assert found["prior"].low is None
    assert found["prior"].estimate == pytest.approx(0.4, abs=1e-5)
    assert found["prior"].flags == ("small_n", "underdetermined", "few_units", "lone_answers")


def test_arguments_are_checked():
    data = answers()
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got 95"):
        bootstrap_intervals(TASKS, COLLIDER_3, data, level=95)
    with pytest.raises(ValueError, match="resamples must be at least 0, got -1"):
        bootstrap_intervals(TASKS, COLLIDER_3, data, resamples=-1)
    with pytest.raises(ValueError, match="fits must be of this scheme"):
        bootstrap_intervals(TASKS, COLLIDER_3, data, fit(TASKS, COLLIDER_4, data))
    sums = Judgments(data.labels, data.counts, data.means, data.squares)
    with pytest.raises(ValueError, match="data must have rows"):
        bootstrap_intervals(TASKS, COLLIDER_3, sums)
