from __future__ import annotations

import numpy as np
import pytest
from evidence.fits import QUESTIONS, TASKS
from scipy import stats

from whybench.fits import (
    CHAIN_3,
    COLLIDER_3,
    COLLIDER_4,
    FORK_3,
    Judgments,
    Predictor,
    TaskQuestion,
    TaskTable,
    fit,
    information_criteria,
)
from whybench.fits.search import search
from whybench.scm import Graph
from whybench.seeds import generator

CHAIN = TaskTable(
    Graph(("X", "Y", "Z"), (("X", "Y"), ("Y", "Z"))),
    tuple(
        TaskQuestion(f"{asked}|{given}", asked, given)
        for asked, given in (
            ("X", ()),
            ("Y", (("X", 1),)),
            ("Y", (("X", 0),)),
            ("Z", (("X", 1),)),
            ("X", (("Z", 1),)),
            ("X", (("Y", 0), ("Z", 1))),
        )
    ),
)
FORK = TaskTable(
    Graph(("C", "E1", "E2"), (("C", "E1"), ("C", "E2"))),
    tuple(
        TaskQuestion(f"{asked}|{given}", asked, given)
        for asked, given in (
            ("C", ()),
            ("E1", (("C", 1),)),
            ("E1", (("C", 0),)),
            ("C", (("E1", 1),)),
            ("E2", (("E1", 1),)),
            ("C", (("E1", 1), ("E2", 0))),
        )
    ),
)


def noiseless(table, scheme, theta, n=10):
    means = Predictor(table, scheme).predict(theta).T
    counts = np.full(means.shape, float(n))
    return Judgments(tuple(map(str, range(len(means)))), counts, means, means**2)


@pytest.mark.parametrize(
    ("table", "scheme"),
    [
        (TASKS, COLLIDER_3),
        (TASKS, COLLIDER_4),
        (QUESTIONS, COLLIDER_4),
        (CHAIN, CHAIN_3),
        (FORK, FORK_3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_parameters_of_noiseless_agents_are_recovered(table, scheme):
    rng = generator("tests", "recover", scheme.name)
    truth = rng.uniform(0.1, 0.9, (len(scheme.parameters), 300))
    fits = fit(table, scheme, noiseless(table, scheme, truth))
    assert fits.converged.all()
    assert fits.loss.max() < 1e-12
    np.testing.assert_allclose(fits.parameters, truth.T, atol=1e-4)


def test_goodness_of_fit_is_that_of_the_rows():
    rng = generator("tests", "goodness")
    names = rng.choice(TASKS.names, 200).tolist()
    values = rng.uniform(0, 1, 200)
    fits = fit(TASKS, COLLIDER_3, Judgments.from_rows(TASKS, values, names))
    places = [TASKS.names.index(name) for name in names]
    error = values - fits.predictions[0, places]
    rss = np.sum(error**2)
    assert fits.n[0] == 200
    assert fits.rmse[0] == pytest.approx(np.sqrt(rss / 200))
    assert fits.mae[0] == pytest.approx(np.mean(np.abs(error)))
    assert fits.r2[0] == pytest.approx(1 - rss / np.sum((values - values.mean()) ** 2))
    assert (
        fits.estimate("leak_adjusted_determinacy")[0]
        == fits.estimate("strength")[0] - fits.estimate("leak")[0]
    )
    with pytest.raises(ValueError, match="name must be one of"):
        fits.estimate("rho")


def test_a_richer_scheme_never_fits_worse():
    rng = generator("tests", "nested")
    means = rng.uniform(0, 1, (300, 11))
    data = Judgments(tuple(map(str, range(300))), np.full((300, 11), 9.0), means, means)
    assert (fit(TASKS, COLLIDER_4, data).loss <= fit(TASKS, COLLIDER_3, data).loss + 1e-9).all()


def test_flags():
    truth = np.array([[0.5, 0.5], [0.2, 0.0], [0.7, 0.7]])
    data = noiseless(TASKS, COLLIDER_3, truth)
    few = Judgments(
        ("full", "bound", "few", "none"),
        np.vstack([data.counts, data.counts[:1] * (np.arange(11) < 3), np.zeros((1, 11))]),
        np.vstack([data.means, data.means]),
        np.vstack([data.squares, data.squares]),
    )
    fits = fit(TASKS, COLLIDER_3, few)
    assert fits.flags == (
        (),
        ("at_bound:leak",),
        ("small_n", "underdetermined"),
        ("small_n", "no_data", "underdetermined"),
    )
    assert np.isnan(fits.parameters[3]).all()
    assert np.isnan([fits.loss[3], fits.r2[3], fits.rmse[3]]).all()
    assert fits.mae is None


def test_questions_without_answers_do_not_count():
    rng = generator("tests", "missing")
    means, other = rng.uniform(0, 1, (2, 50, 11))
    counts = np.full((50, 11), 8.0)
    counts[:, [2, 6]] = 0
    predictor = Predictor(TASKS, COLLIDER_4)
    found = search(predictor, counts, means)
    moved = search(predictor, counts, np.where(counts > 0, means, other))
    np.testing.assert_array_equal(found.theta, moved.theta)


def test_a_problem_is_fitted_alike_alone_and_in_a_batch():
    rng = generator("tests", "alone")
    means = rng.uniform(0.05, 0.95, (300, 11))
    counts = rng.integers(3, 30, (300, 11)).astype(float)
    for scheme in (COLLIDER_3, COLLIDER_4):
        predictor = Predictor(TASKS, scheme)
        batch = search(predictor, counts, means)
        for k in range(0, 300, 60):
            alone = search(predictor, counts[k : k + 1], means[k : k + 1])
            np.testing.assert_array_equal(alone.theta[:, 0], batch.theta[:, k])


def test_starts_are_counted():
    with pytest.raises(ValueError, match="starts must be at least 1, got 0"):
        search(Predictor(TASKS, COLLIDER_3), np.ones((1, 11)), np.ones((1, 11)), starts=0)


def test_the_corner_where_leak_and_strength_vanish_is_found():
    """E never happens, yet when it does C1 is likely: only the ratio of m1 to b says so."""
    rng = generator("tests", "corner")
    truth = np.array([np.full(40, 0.4), np.full(40, 1e-6), rng.uniform(2e-6, 2e-5, 40)])
    data = noiseless(TASKS, COLLIDER_3, truth)
    fits = fit(TASKS, COLLIDER_3, data)
    assert fits.loss.max() < 1e-8


def test_information_criteria_are_those_of_normal_errors():
    values = [0.1, 0.3, 0.5, 0.6, 0.8, 0.9]
    asked = ["I", "I", "III", "III", "VI", "VI"]
    data = Judgments.from_rows(TASKS, values, asked)
    found = {scheme: fit(TASKS, scheme, data) for scheme in (COLLIDER_3, COLLIDER_4)}
    for scheme, fits in found.items():
        names = dict(zip(TASKS.names, fits.predictions[0], strict=True))
        spread = np.mean(
            [(value - names[task]) ** 2 for value, task in zip(values, asked, strict=True)]
        )
        deviance = -2 * sum(
            stats.norm.logpdf(value, names[task], np.sqrt(spread))
            for value, task in zip(values, asked, strict=True)
        )
        constant = len(values) * (np.log(2 * np.pi) + 1)
        count = len(scheme.parameters)
        criteria = information_criteria(fits)
        assert criteria["aic"][0] == pytest.approx(deviance - constant + 2 * count)
        assert criteria["bic"][0] == pytest.approx(deviance - constant + count * np.log(6))
