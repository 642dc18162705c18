import numpy as np
import pytest
from evidence.scm import random_model

from whybench.scm import (
    Bernoulli,
    Gate,
    Graph,
    InvalidParameter,
    InvalidQuery,
    Linear,
    Model,
    do,
    draw_units,
    observe,
    pns,
    probability,
    respond,
    sample,
)

PAIR = Graph(("X", "Y"), (("X", "Y"),))
GATES = Model(PAIR, {"X": Bernoulli(0.3), "Y": Gate("or", 0.2)})
LINE = Model(PAIR, {"X": Linear(1, (), 2), "Y": Linear(0, (3,), 1)})
N = 20_000


def assert_frequency(hits, chance):
    error = np.sqrt(max(chance * (1 - chance), 1 / len(hits)) / len(hits))
    assert abs(hits.mean() - chance) < 5 * error


@pytest.mark.parametrize("seed", range(12))
def test_frequencies_match_exact_probabilities(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng)
    x, y = (str(node) for node in rng.permutation(model.graph.nodes)[:2])
    seen, done = sample(model, N, rng), sample(model, N, rng, do={x: 1})
    for node in model.graph.nodes:
        assert_frequency(seen[node], probability(model, observe({node: 1})))
        assert_frequency(done[node], probability(model, do({node: 1}, {x: 1})))
    assert_frequency(seen[x] & seen[y], probability(model, observe({x: 1, y: 1})))
    units = draw_units(model, N, rng)
    had, had_not = (respond(model, units, {x: value})[y] for value in (1, 0))
    assert_frequency(had & (1 - had_not), probability(model, pns(x, y)))


def test_linear_moments():
    drawn = sample(LINE, 100_000, np.random.default_rng(0))
    assert drawn["Y"].mean() == pytest.approx(3, abs=5 * np.sqrt(37 / 100_000))
    assert drawn["Y"].var() == pytest.approx(9 * 4 + 1, rel=0.03)
    assert np.all(sample(LINE, 5, np.random.default_rng(0), do={"X": 2.5})["X"] == 2.5)


@pytest.mark.parametrize("model", [GATES, LINE], ids=["binary", "linear"])
def test_seeds_are_stable(model):
    one, other = (sample(model, 50, np.random.default_rng(7)) for _ in range(2))
    longer = sample(model, 90, np.random.default_rng(7))
    for node in model.graph.nodes:
        assert np.array_equal(one[node], other[node])
        assert np.array_equal(one[node], longer[node][:50])


def test_the_draw_itself_is_fixed():
    drawn = sample(GATES, 12, np.random.default_rng(7))
    assert "".join(map(str, drawn["X"])) == "010010001000"


def test_an_intervention_leaves_the_units_alone():
    units = draw_units(GATES, 1000, np.random.default_rng(3))
    done = sample(GATES, 1000, np.random.default_rng(3), do={"X": 0})
    assert np.array_equal(done["Y"], units[:, 1])


def test_refusals():
    rng = np.random.default_rng(0)
    batched = Model(PAIR, {"X": Bernoulli(np.array([0.1, 0.2])), "Y": Gate("or", 0.5)})
    with pytest.raises(InvalidParameter, match="got a batch of 2"):
        sample(batched, 3, rng)
    with pytest.raises(InvalidParameter, match="n must be at least 0, got -1"):
        sample(GATES, -1, rng)
    with pytest.raises(InvalidParameter, match=r"units must have shape \(n, 2\), got \(3, 1\)"):
        respond(GATES, np.zeros((3, 1), dtype=int))
    with pytest.raises(InvalidQuery, match="value of X must be 0 or 1, got 2"):
        sample(GATES, 3, rng, do={"X": 2})
